// SPDX-License-Identifier: Apache-2.0 OR MIT
// controlled COUNT: a control loop of 2 ms at priority 50, and on the same CPU a thread at priority
// 90 that works for 4 ms every 41 ms. Prints the loop's thread at once, and after COUNT times, or on
// SIGTERM, how late the loop's function was reached in the second half, by its own clock: least, median
// and greatest in ns.
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define PERIOD_NS 2000000LL
#define CULPRIT_NS 4000000LL
#define CULPRIT_EVERY_NS 41000000LL
#define MOST 100000

static long long late[MOST];
static int reached;
static volatile sig_atomic_t ended;

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static void end(int number)
{
	(void)number;
	ended = 1;
}

static void sleep_until(long long due_ns)
{
	struct timespec due = { due_ns / 1000000000, due_ns % 1000000000 };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
}

/* A static probe, as <sys/sdt.h> leaves it: controlled:looped, and no semaphore. */
#define LOOPED()									\
	__asm__ volatile("990: nop\n"							\
			 ".pushsection .note.stapsdt,\"?\",\"note\"\n"			\
			 ".balign 4\n.4byte 992f-991f, 994f-993f, 3\n"			\
			 "991: .asciz \"stapsdt\"\n992: .balign 4\n"			\
			 "993: .8byte 990b, 0, 0\n"					\
			 ".asciz \"controlled\"\n.asciz \"looped\"\n.asciz \"\"\n"	\
			 "994: .balign 4\n.popsection\n")

/* The last stage; its first instruction is what a probe sees. */
__attribute__((noinline)) void control_loop(long long due_ns)
{
	LOOPED();
	late[reached++] = now_ns() - due_ns;
}

static void become(const char *name, int priority)
{
	struct sched_param param = { .sched_priority = priority };
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	pthread_setname_np(pthread_self(), name);
	if (pthread_setaffinity_np(pthread_self(), sizeof(cpus), &cpus) ||
	    pthread_setschedparam(pthread_self(), SCHED_FIFO, &param)) {
		fprintf(stderr, "run it as root\n");
		exit(2);
	}
}

static void *culprit(void *unused)
{
	long long due_ns = now_ns();

	become("culprit", 90);
	for (;;) {
		due_ns += CULPRIT_EVERY_NS;
		sleep_until(due_ns);
		while (now_ns() < due_ns + CULPRIT_NS)
			;
	}
	return unused;
}

static int ascending(const void *one, const void *other)
{
	long long a = *(const long long *)one, b = *(const long long *)other;

	return (a > b) - (a < b);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 0;
	long long due_ns;
	pthread_t thread;

	if (count < 1 || count > MOST || mlockall(MCL_CURRENT | MCL_FUTURE) ||
	    pthread_create(&thread, NULL, culprit, NULL)) {
		fprintf(stderr, "usage, as root: controlled COUNT\n");
		return 2;
	}
	signal(SIGTERM, end);
	become("controlled", 50);
	printf("%d\n", getpid());
	fflush(stdout);
	due_ns = now_ns();
	while (reached < count && !ended) {
		due_ns += PERIOD_NS;
		if (due_ns < now_ns())
			due_ns = now_ns() + PERIOD_NS;
		sleep_until(due_ns);
		if (!ended)
			control_loop(due_ns);
	}
	count = reached - reached / 2;
	memmove(late, late + reached - count, count * sizeof(*late));
	qsort(late, count, sizeof(*late), ascending);
	printf("%lld %lld %lld\n", late[0], late[count / 2], late[count - 1]);
	return 0;
}
