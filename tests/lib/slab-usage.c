// SPDX-License-Identifier: Apache-2.0 OR MIT
// slab-usage: how many objects of each slab cache are in use. Objects that a
// CPU keeps back in partly used slabs count as in use (mm/slub.c:
// get_slabinfo(), six slabs of 42 objects have been seen), so each cache is
// shrunk right before its own line is read.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char text[1 << 17];

static void read_slabinfo(void)
{
	ssize_t got, length = 0;
	int fd = open("/proc/slabinfo", O_RDONLY);

	if (fd < 0) {
		perror("/proc/slabinfo");
		exit(1);
	}
	while ((got = read(fd, text + length, sizeof(text) - 1 - length)) > 0)
		length += got;
	text[length] = 0;
	close(fd);
}

static void shrink(const char *cache)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/slab/%.63s/shrink", cache);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, "1", 1) != 1) {
		perror(path);
		exit(1);
	}
	close(fd);
}

static void show(const char *cache)
{
	char name[64];
	unsigned long used;
	const char *line;

	for (line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%63s %lu", name, &used) == 2 && !strcmp(name, cache))
			printf("%s %lu\n", name, used);
	}
}

int main(void)
{
	char names[1024][64];
	int count = 0, index;
	char *line, *rest;

	read_slabinfo();
	// Two lines of headings.
	strtok_r(text, "\n", &rest);
	strtok_r(NULL, "\n", &rest);
	while ((line = strtok_r(NULL, "\n", &rest)) && count < 1024)
		count += sscanf(line, "%63s", names[count]) == 1;
	for (index = 0; index < count; index++) {
		shrink(names[index]);
		read_slabinfo();
		show(names[index]);
	}
	return 0;
}
