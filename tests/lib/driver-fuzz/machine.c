// SPDX-License-Identifier: Apache-2.0 OR MIT
// What happens to the machine: modules come and go, a CPU does, memory runs short.
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CPU "/sys/devices/system/cpu/cpu1/online"
#define MANY 1000000000l

static const char *const faults[] = { "/sys/kernel/debug/failslab", "/sys/kernel/debug/fail_page_alloc" };

void load(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		count(LOADS_REFUSED); // for want of memory
		return;
	}
	if (!syscall(SYS_finit_module, fd, "", 0))
		count(LOADS);
	else if (errno != EEXIST)
		count(LOADS_REFUSED);
	close(fd);
}

bool unload(const char *name)
{
	bool gone = !syscall(SYS_delete_module, name, O_NONBLOCK);

	count(gone ? UNLOADS : UNLOADS_REFUSED);
	return gone || errno == ENOENT;
}

// With the devices left alone for a while, then opened again while the module loads.
void loader_worker(void)
{
	rest_us(1500000);
	if (options.parport && one_in(2)) {
		unload("irqscope_parport");
		load(options.parport);
		return;
	}
	quiet = !one_in(4);
	if (options.parport)
		unload("irqscope_parport");
	for (int tries = 0; !unload("irqscope") && tries < 50; tries++)
		usleep(2000);
	quiet = false;
	for (int tries = 0; tries < 5 && !ending; tries++)
		load(options.module);
	if (options.parport)
		load(options.parport);
}

void hotplug_worker(void)
{
	rest_us(800000);
	put(CPU, one_in(2) ? "0" : "1", 1);
	count(HOTPLUGS);
}

void all_cpus_online(void)
{
	put(CPU, "1", 1);
}

// For the calling thread alone: the kernel's own ways to take a CPU away, for one, do not
// stand it.
void let_allocations_fail(void)
{
	if (put("/proc/thread-self/make-it-fail", "1", 1))
		puts("FAIL: this kernel cannot let allocations fail");
}

static void fault(const char *which, const char *name, const char *value)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/%s", which, name);
	if (put(path, value, strlen(value)) && errno != ENOENT)
		printf("FAIL: %s cannot be set\n", path);
}

void begin_failing(void)
{
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		fault(faults[i], "task-filter", "Y");
		fault(faults[i], "verbose", "0");
		fault(faults[i], "ignore-gfp-wait", "N");
		fault(faults[i], "ignore-gfp-highmem", "N");
		fault(faults[i], "min-order", "0");
		fault(faults[i], "times", "1000000000");
		fault(faults[i], "probability", "3");
	}
}

static long times_left(const char *which)
{
	char path[160], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), "%s/times", which);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		text[0] = 0;
	if (fd >= 0)
		close(fd);
	return text[0] ? atol(text) : MANY;
}

// Returns how many failures there were.
unsigned long end_failing(void)
{
	unsigned long failures = 0;

	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		fault(faults[i], "probability", "0");
		failures += MANY - times_left(faults[i]);
	}
	return failures;
}
