// SPDX-License-Identifier: Apache-2.0 OR MIT
// Loads the module again and again, each time with another of the load's allocations
// failing, from the last one backwards: the driver's own come after the kernel's. Its
// devices are opened as soon as there is one.
#include "fuzz.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define MANY 1000000

static const char *const devices[] = {
	"/dev/irqscope-user", "/dev/irqscope-events", "/dev/irqscope-memory", "/dev/irqscope"
};

// All on one CPU, on which openers come before the load: a CPU of an emulator may stand still
// while another one loads.
static void stay(bool first)
{
	const struct sched_param priority = { .sched_priority = 10 };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) ||
	    (first && sched_setscheduler(0, SCHED_FIFO, &priority)))
		puts("FAIL: a thread cannot be bound");
}

static uint64_t used_us(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return used.tv_sec * 1000000ull + used.tv_nsec / 1000;
}

// Keeps each device for as long as the rest of a load takes, and uses it then. However slow the
// machine is, the openers together leave four fifths of the CPU to others: the kernel's RCU
// threads, for one, come after them on a kernel with PREEMPT_RT.
static void *open_again(void *argument)
{
	const char *path = argument;
	char bytes[64];

	stay(true);
	while (!ending) {
		uint64_t before = used_us(), rest;
		int fd = quiet ? -1 : open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);

		if (fd < 0) {
			rest = 20 * (used_us() - before);
			usleep(rest > 4000 ? rest : 4000);
			continue;
		}
		count(OPENS);
		usleep(20000);
		if (read(fd, bytes, sizeof(bytes)) < 0)
			usleep(1);
		close(fd);
	}
	return NULL;
}

// Sets which of this thread's allocations fails next, and returns what was left of it.
static long fail_next(long which)
{
	char before[32] = "", after[32];
	int fd = open("/proc/thread-self/fail-nth", O_RDWR | O_CLOEXEC);
	int length = snprintf(after, sizeof(after), "%ld", which);
	bool done;

	if (fd < 0)
		return -1;
	done = pread(fd, before, sizeof(before) - 1, 0) > 0 && pwrite(fd, after, length, 0) > 0;
	close(fd);
	return done ? atol(before) : -1;
}

static void unload_again(void)
{
	quiet = true;
	for (int tries = 0; !unload("irqscope") && tries < 5000; tries++)
		usleep(1000);
	quiet = false;
}

// Returns how many of the allocations that were to be made were not.
static long load_failing(long which)
{
	unsigned long loaded = counts[LOADS];
	long left;

	if (fail_next(which) < 0)
		return -1;
	load(options.module, "");
	left = fail_next(0);
	if (counts[LOADS] != loaded)
		unload_again();
	return left;
}

// Returns how many allocations have failed.
static long load_in_many_ways(void)
{
	long left = load_failing(MANY); // for what is made once only
	long last = MANY - load_failing(MANY);
	time_t end = time(NULL) + options.seconds;
	long which = last;

	if (left < 0)
		return -1;
	while (which > 0 && time(NULL) < end)
		load_failing(which--);
	printf("a load makes %ld allocations\n", last);
	return last - which;
}

int sweep(void)
{
	pthread_t threads[sizeof(devices) / sizeof(*devices)];
	long allocations;

	begin_failing();
	unload("irqscope");
	stay(false);
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		if (pthread_create(&threads[i], NULL, open_again, (void *)devices[i]))
			return 1;
	allocations = load_in_many_ways();
	ending = true;
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		pthread_join(threads[i], NULL);
	end_failing();
	if (allocations <= 0) {
		puts("FAIL: no allocation of a load could be made to fail");
		return 1;
	}
	printf("swept: each of the last %ld allocations of a load failed once, %lu loads were refused, %lu opens\n",
	       allocations, counts[LOADS_REFUSED], counts[OPENS]);
	return 0;
}
