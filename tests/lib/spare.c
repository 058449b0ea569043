// SPDX-License-Identifier: Apache-2.0 OR MIT
/*
 * Counts how often an ordinary loop comes round on the CPU that it has, beside a thread of FIFO
 * priority 95 that is woken once a millisecond: spare SECONDS [threads, 0 or 1]. On the
 * virtual clock the rounds that are missing are the time that others had.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define PERIOD_NS 1000000L

static volatile unsigned long woken;

static long now(void)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	return at.tv_sec * 1000000000L + at.tv_nsec;
}

static void *sleeps(void *unused)
{
	long at = now();

	for (;;) {
		struct timespec next;

		at += PERIOD_NS;
		next.tv_sec = at / 1000000000L;
		next.tv_nsec = at % 1000000000L;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
		woken++;
	}
	return unused;
}

int main(int argc, char **argv)
{
	struct sched_param urgent = { .sched_priority = 95 };
	long seconds = argc > 1 ? atol(argv[1]) : 1;
	unsigned long rounds = 0, first;
	pthread_t thread;
	long end;

	if (argc > 2 && atoi(argv[2]) &&
	    (pthread_create(&thread, NULL, sleeps, NULL) ||
	     pthread_setschedparam(thread, SCHED_FIFO, &urgent))) {
		perror("spare");
		return 1;
	}
	first = woken;
	end = now() + seconds * 1000000000L;
	while (now() < end) {
		unsigned long turns = 500;

		asm volatile("1: dec %0; jnz 1b" : "+r"(turns) : : "cc");
		rounds++;
	}
	printf("%lu %lu\n", rounds, woken - first);
	return 0;
}
