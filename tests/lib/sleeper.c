// SPDX-License-Identifier: Apache-2.0 OR MIT
// sleeper PERIOD_US COUNT: a real-time process that sleeps PERIOD_US, COUNT
// times, and once before that to have everything in place. Prints the least, the
// mean and the greatest latency in ns.
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static long long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

/* How late a sleep ends. */
static long long late_ns(const struct timespec *period, long long period_ns)
{
	long long due = now_ns() + period_ns;

	nanosleep(period, NULL);
	return now_ns() - due;
}

int main(int argc, char **argv)
{
	long long period_ns = argc > 2 ? atoll(argv[1]) * 1000 : 0;
	long long count = argc > 2 ? atoll(argv[2]) : 0;
	struct timespec period = { period_ns / 1000000000, period_ns % 1000000000 };
	struct sched_param priority = { .sched_priority = 80 };
	long long least = 1LL << 62, sum = 0, greatest = 0;

	if (!count || sched_setscheduler(0, SCHED_FIFO, &priority) ||
	    mlockall(MCL_CURRENT | MCL_FUTURE)) {
		fprintf(stderr, "usage, as root: sleeper PERIOD_US COUNT\n");
		return 2;
	}
	late_ns(&period, period_ns);
	for (long long i = 0; i < count; i++) {
		long long late = late_ns(&period, period_ns);

		least = late < least ? late : least;
		greatest = late > greatest ? late : greatest;
		sum += late;
	}
	printf("%lld %lld %lld\n", least, sum / count, greatest);
}
