// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loaded before QEMU: it lets each exit from the guest's code by siglongjmp(), a halt among them,
 * take 20 us, and wakes QEMU's main loop all the time.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <time.h>
#include <unistd.h>

#define WAIT_NS 20000

static void (*leave)(sigjmp_buf env, int value);

static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

static void leave_late(sigjmp_buf env, int value)
{
	long long end = now() + WAIT_NS;

	while (now() < end)
		;
	leave(env, value);
}

/* glibc's two names of it, without and with its checks. */
void siglongjmp(sigjmp_buf env, int value)
{
	leave_late(env, value);
	__builtin_unreachable();
}

void __longjmp_chk(sigjmp_buf env, int value)
{
	leave_late(env, value);
	__builtin_unreachable();
}

static void *wake(void *main_loop)
{
	void (*notify)(void) = main_loop;

	for (;;) {
		notify();
		usleep(1);
	}
	return NULL;
}

__attribute__((constructor)) static void begin(void)
{
	void *notify = dlsym(RTLD_DEFAULT, "qemu_notify_event");
	pthread_t thread;

	leave = dlsym(RTLD_NEXT, "siglongjmp");
	/* QEMU makes its main loop before it makes a CPU; half a second is enough for both. */
	if (notify)
		pthread_create(&thread, NULL, wake, notify);
}
