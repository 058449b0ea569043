/* SPDX-License-Identifier: Apache-2.0 OR MIT */
/*
 * driver-fuzz: what its files share. Each worker is a thread with a sequence of
 * random numbers of its own, which follows from the seed and the worker's place.
 */
#ifndef FUZZ_H
#define FUZZ_H

#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SCOPE "/sys/class/misc/irqscope/"

enum count {
	SETTINGS, RUNS, OPENS, MAPPINGS, RELEASES, POLLS, ANSWERS, EVENTS, INJECTIONS,
	FORKS, LOADS, PORT_LOADS, LOADS_REFUSED, UNLOADS, UNLOADS_REFUSED, HOTPLUGS, REMOVALS, COUNTS
};

#define PORTS 3

/* A module with response lines, and how its device is taken away and given back. */
struct port {
	const char *name;	/* as the kernel lists it */
	const char *path;
	const char *parameters;
};

struct options {
	uint64_t seed;
	int seconds;
	bool fail;		/* allocations of the workers that take it fail now and then */
	bool sweep;		/* only loads, each with another allocation failing */
	const char *module;
	struct port ports[PORTS];
	int port_count;
};

extern struct options options;
extern atomic_ulong counts[COUNTS];

/* Nothing is opened while it is set, so that a module can be unloaded. */
extern atomic_bool quiet;
extern atomic_bool ending;

/* main.c */
uint64_t any(void);
uint64_t below(uint64_t end);
bool one_in(uint64_t n);
void *any_address(void);
void rest_us(uint64_t most);
int put(const char *path, const char *text, size_t length);
int set(const char *name, const char *text);
void count(enum count which);
void run(bool start);
int open_device(const char *path, int flags);

/* sweep.c */
int sweep(void);

/* settings.c */
void settings_worker(void);
void generator_settings(void);
void begin_sleeps(void);

/* devices.c */
void reader_worker(void);
void events_worker(void);
void generator_worker(void);

/* user.c */
void user_worker(void);
void user_writer(void);

/* machine.c */
bool load(const char *path, const char *parameters);
void load_ports(void);
bool unload(const char *name);
void loader_worker(void);
void hotplug_worker(void);
void removal_worker(void);
void give_back(void);
void all_cpus_online(void);
void let_allocations_fail(bool fail);
void begin_failing(void);
unsigned long end_failing(void);

#endif /* FUZZ_H */
