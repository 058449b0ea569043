// SPDX-License-Identifier: Apache-2.0 OR MIT
// load-cycles MODULE COUNT STAGES: loads irqscope.ko, takes five triggers to the
// end, and unloads it, COUNT times. In a guest of tests, where to start a program
// for each step would take most of the time.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define SCOPE "/sys/class/misc/irqscope/"
#define TRIGGERS "5"

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		fail(path);
	close(fd);
}

/* Whether a file holds this line. */
static int holds(const char *path, const char *text)
{
	char got[32] = "";
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, got, sizeof(got) - 1) < 0)
		fail(path);
	close(fd);
	got[strcspn(got, "\n")] = 0;
	return !strcmp(got, text);
}

static void use(const char *stages)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	int tries = 1000;

	put(SCOPE "settings/stages", stages);
	put(SCOPE "settings/count", TRIGGERS);
	put(SCOPE "settings/pacing", "closed");
	put(SCOPE "run", "1");
	while (!holds(SCOPE "state", "done")) {
		if (!tries--) {
			fputs("FAIL: a run does not end\n", stderr);
			exit(1);
		}
		nanosleep(&pause, NULL);
	}
	if (!holds(SCOPE "counters/complete", TRIGGERS)) {
		fputs("FAIL: not all triggers are complete\n", stderr);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	int fd;

	if (argc != 4) {
		fputs("usage, as root: load-cycles MODULE COUNT STAGES\n", stderr);
		return 2;
	}
	for (int i = atoi(argv[2]); i > 0; i--) {
		fd = open(argv[1], O_RDONLY);
		if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
			fail(argv[1]);
		close(fd);
		use(argv[3]);
		if (syscall(SYS_delete_module, "irqscope", O_NONBLOCK))
			fail("unloading irqscope");
	}
	return 0;
}
