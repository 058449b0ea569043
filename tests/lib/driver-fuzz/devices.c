// SPDX-License-Identifier: Apache-2.0 OR MIT
// /dev/irqscope, /dev/irqscope-events and /dev/irqscope-memory.
#include "fuzz.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "irqscope.h"

#define MAPS 4
#define PAGE 4096ul

struct map {
	volatile char *at;
	size_t length;
};

// Where allocations fail this one does, too; a mapping that stayed would keep the device from all others.
static void unmap_part(volatile char *at, size_t length)
{
	for (int tries = 0; tries < 100; tries++)
		if (!munmap((void *)at, length))
			return;
	puts("FAIL: a mapping cannot be taken away");
}

static void unmap(struct map *map)
{
	if (!map->at)
		return;
	if (map->length > PAGE && one_in(2)) { // in two parts
		unmap_part(map->at, PAGE);
		unmap_part(map->at + PAGE, map->length - PAGE);
	} else {
		unmap_part(map->at, map->length);
	}
	map->at = NULL;
}

static void map_some(int fd, struct map *map)
{
	int access = one_in(8) ? PROT_READ | PROT_WRITE : PROT_READ;
	void *at;

	unmap(map);
	map->length = PAGE * (1 + below(one_in(4) ? 300 : 3));
	at = mmap(NULL, map->length, access, one_in(4) ? MAP_PRIVATE : MAP_SHARED, fd,
		  one_in(4) ? PAGE * below(1000) : 0);
	count(MAPPINGS);
	if (at == MAP_FAILED)
		return;
	if (access & PROT_WRITE)
		puts("FAIL: the ring was mapped for writing");
	map->at = at;
	(void)*map->at;
	if (mprotect(at, PAGE, PROT_READ | PROT_WRITE) == 0)
		puts("FAIL: the ring was made writable");
}

static void fork_once(void)
{
	pid_t child = fork();

	if (child == 0) {
		usleep(1000);
		_exit(0);
	}
	if (child > 0)
		waitpid(child, NULL, 0);
	count(FORKS);
}

// Hands back sample after sample, as a reader does, or any number.
static void release_some(int fd)
{
	__u64 below_this = one_in(3) ? any() : below(500);

	for (int i = 0; i < 30; i++, below_this++) {
		ioctl(fd, IRQSCOPE_RELEASE, one_in(40) ? any_address() : &below_this);
		count(RELEASES);
	}
}

static void misuse(int fd)
{
	char bytes[64];

	ioctl(fd, one_in(2) ? any() : IRQSCOPE_INJECT_NOW, any_address());
	if (read(fd, bytes, sizeof(bytes)) > 0 || write(fd, bytes, sizeof(bytes)) > 0)
		puts("FAIL: /dev/irqscope can be read or written");
	lseek(fd, below(9), SEEK_SET);
}

static void use_ring(int fd, struct map *maps)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };

	switch (below(8)) {
	case 0:
	case 1:
		map_some(fd, &maps[below(MAPS)]);
		break;
	case 2:
		unmap(&maps[below(MAPS)]);
		break;
	case 3:
		release_some(fd);
		break;
	case 4:
		poll(&ready, 1, below(20));
		count(POLLS);
		break;
	case 5:
		misuse(fd);
		break;
	case 6:
		if (one_in(4))
			fork_once();
		break;
	default:
		run(!one_in(4));
	}
}

void reader_worker(void)
{
	struct map maps[MAPS] = { };
	int fd = open_device("/dev/irqscope", O_RDWR);
	bool early = one_in(2);

	if (fd < 0)
		return;
	for (int i = below(40); i >= 0 && !quiet; i--)
		use_ring(fd, maps);
	if (early) // a mapping may outlive its file
		close(fd);
	for (int i = 0; i < MAPS; i++)
		unmap(&maps[i]);
	if (!early)
		close(fd);
}

void events_worker(void)
{
	static char events[70000]; // of the one worker of this kind
	int fd = open_device("/dev/irqscope-events", O_RDONLY);

	if (fd < 0)
		return;
	for (int i = 0; i < 100 && !quiet && !ending; i++) {
		if (read(fd, one_in(50) ? any_address() : events, below(sizeof(events))) < 0)
			rest_us(3000);
		count(EVENTS);
		rest_us(2000);
	}
	close(fd);
}

void generator_worker(void)
{
	struct irqscope_injection injection;
	int fd = open_device("/dev/irqscope-memory", O_RDWR);
	volatile struct irqscope_memory *memory;

	if (fd < 0)
		return;
	memory = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, one_in(8) ? PAGE : 0);
	count(MAPPINGS);
	if (one_in(2))
		generator_settings();
	run(true);
	for (int i = below(1000); i >= 0 && !quiet && !ending; i--) {
		ioctl(fd, one_in(50) ? any() : IRQSCOPE_INJECT_NOW,
		      one_in(50) ? any_address() : &injection);
		count(INJECTIONS);
		if (memory != MAP_FAILED)
			(void)memory->words[below(IRQSCOPE_WORDS)].shown;
		if (one_in(3))
			rest_us(500);
	}
	if (one_in(2))
		run(false);
	if (memory != MAP_FAILED)
		munmap((void *)memory, PAGE);
	close(fd);
	rest_us(20000);
}
