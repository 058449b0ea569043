// SPDX-License-Identifier: Apache-2.0 OR MIT
// What happens to the machine: modules come and go, devices do, a CPU does, memory runs short.
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CPU "/sys/devices/system/cpu/cpu1/online"
#define PCI "/sys/bus/pci/"
#define GPIO "/sys/bus/platform/drivers/irqscope-gpio/"
#define LINES "irqscope-gpio"
#define MANY 1000000000l

static const char *const faults[] = { "/sys/kernel/debug/failslab", "/sys/kernel/debug/fail_page_alloc" };

// A load makes hundreds of allocations: if they could fail at each, no load would ever succeed.
// A success counts as `which`. Returns whether the module is there.
static bool load_module(const char *path, const char *parameters, enum count which)
{
	bool there = false;
	int fd;

	if (options.fail)
		let_allocations_fail(one_in(4));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		count(LOADS_REFUSED); // for want of memory
		goto end;
	}
	if (!syscall(SYS_finit_module, fd, parameters, 0)) {
		there = true;
		count(which);
	} else if (errno == EEXIST) {
		there = true;
	} else {
		count(LOADS_REFUSED);
	}
	close(fd);
end:
	if (options.fail)
		let_allocations_fail(false);
	return there;
}

bool load(const char *path, const char *parameters)
{
	return load_module(path, parameters, LOADS);
}

bool unload(const char *name)
{
	bool gone = !syscall(SYS_delete_module, name, O_NONBLOCK);

	count(gone ? UNLOADS : UNLOADS_REFUSED);
	return gone || errno == ENOENT;
}

static void load_port(const struct port *port)
{
	load_module(port->path, port->parameters, PORT_LOADS);
}

void load_ports(void)
{
	for (int i = 0; i < options.port_count; i++)
		load_port(&options.ports[i]);
}

static bool unload_all(void)
{
	for (int i = 0; i < options.port_count; i++)
		unload(options.ports[i].name);
	return unload("irqscope");
}

// With the devices left alone for a while, then opened again while the module loads.
void loader_worker(void)
{
	rest_us(1000000);
	if (options.port_count && one_in(3)) {
		const struct port *port = &options.ports[below(options.port_count)];

		unload(port->name);
		load_port(port);
		return;
	}
	quiet = !one_in(4);
	// All others close what they have, which takes a second where a kernel is slow. A run on a
	// port's lines holds the port, and the port the driver.
	for (int tries = 0; !unload_all() && tries < (quiet ? 500 : 50); tries++) {
		if (quiet)
			run(false);
		usleep(4000);
	}
	quiet = false;
	for (int tries = 0; !load(options.module, "") && tries < 5 && !ending; tries++)
		;
	load_ports();
}

void hotplug_worker(void)
{
	rest_us(800000);
	put(CPU, one_in(2) ? "0" : "1", 1);
	count(HOTPLUGS);
}

// Returns whether a driver has a device; its name has this beginning.
static bool bound(const char *driver, const char *beginning, char *name, size_t length)
{
	size_t begins = strlen(beginning);
	struct dirent *entry;
	bool found = false;
	DIR *dir = opendir(driver);

	while (dir && !found && (entry = readdir(dir))) {
		found = !strncmp(entry->d_name, beginning, begins) && strlen(entry->d_name) < length;
		if (found)
			strcpy(name, entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

static void put_text(const char *path, const char *text)
{
	put(path, text, strlen(text));
}

void give_back(void)
{
	put_text(PCI "rescan", "1");
	put_text(GPIO "bind", LINES);
}

// Takes a device away, which waits for the end of a run that uses it, and gives it back.
void removal_worker(void)
{
	char name[64], path[160];

	rest_us(2000000);
	if (one_in(2) && bound(PCI "drivers/irqscope_ivshmem", "0000:", name, sizeof(name))) {
		snprintf(path, sizeof(path), PCI "devices/%s/remove", name);
		put_text(path, "1");
		count(REMOVALS);
	} else if (bound(GPIO, LINES, name, sizeof(name))) {
		put_text(GPIO "unbind", name);
		count(REMOVALS);
	}
	rest_us(200000);
	give_back();
}

void all_cpus_online(void)
{
	put(CPU, "1", 1);
}

// For the calling thread alone: the kernel's own ways to take a CPU away, for one, do not
// stand it.
void let_allocations_fail(bool fail)
{
	// Those of these calls may fail already.
	for (int tries = 0; tries < 100; tries++)
		if (!put("/proc/thread-self/make-it-fail", fail ? "1" : "0", 1))
			return;
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
