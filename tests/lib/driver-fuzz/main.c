// SPDX-License-Identifier: Apache-2.0 OR MIT
// driver-fuzz SEED SECONDS MODULE [port=MODULE[,PARAMETERS]]... [fail] [sweep]: uses all of
// the driver's interface at once, rightly and wrongly, from several threads, for SECONDS:
// settings, devices, mappings, loading and unloading of the driver and of modules with response
// lines, devices below these and CPUs that go and come. With
// `fail`, and a kernel that can, allocations of its own threads fail. It leaves the
// module loaded, no run active and all CPUs online, and prints what it did. It judges
// nothing: the kernel's log does. `sweep` is another program (sweep.c) in the same file.
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

struct options options;
atomic_ulong counts[COUNTS];
atomic_bool quiet;
atomic_bool ending;

static _Thread_local uint64_t state;

static const char *const count_names[COUNTS] = {
	"settings", "runs", "opens", "mappings", "releases", "polls", "answers", "events",
	"injections", "forks", "loads", "port loads", "loads refused", "unloads", "unloads refused", "hotplugs",
	"removals"
};

// Marsaglia's xorshift64.
uint64_t any(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

uint64_t below(uint64_t end)
{
	return any() % end;
}

bool one_in(uint64_t n)
{
	return below(n) == 0;
}

// An address that a system call must refuse, or not: NULL, the kernel's half, nowhere.
void *any_address(void)
{
	const uintptr_t some[] = { 0, 8, 0xffff888000000000ull, 0xffffffffff600000ull, ~0ull };

	return (void *)some[below(sizeof(some) / sizeof(*some))];
}

void rest_us(uint64_t most)
{
	usleep(below(most) + 1);
}

int put(const char *path, const char *text, size_t length)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t written;

	if (fd < 0)
		return -1;
	written = write(fd, text, length);
	close(fd);
	return written < 0 ? -1 : 0;
}

int set(const char *name, const char *text)
{
	char path[160];

	snprintf(path, sizeof(path), SCOPE "%s", name);
	return put(path, text, strlen(text));
}

void count(enum count which)
{
	atomic_fetch_add(&counts[which], 1);
}

// Starts or stops a run; counts those that begin.
void run(bool start)
{
	if (!set("run", start ? "1" : "0") && start)
		count(RUNS);
}

// Opens a device of the driver, unless the loader wants none to be open.
int open_device(const char *path, int flags)
{
	int fd;

	while (quiet && !ending)
		usleep(500);
	fd = open(path, flags | O_CLOEXEC);
	if (fd >= 0)
		count(OPENS);
	else
		rest_us(1000);
	return fd;
}

struct worker {
	const char *name;
	void (*work)(void);	// comes back now and then
	bool fails;		// its allocations may
};

static const struct worker workers[] = {
	{ "settings", settings_worker, true },
	{ "settings", settings_worker, false },
	{ "reader", reader_worker, true },
	{ "reader", reader_worker, false },
	{ "user", user_worker, false },
	{ "writer", user_writer, false },
	{ "events", events_worker, true },
	{ "generator", generator_worker, false },
	{ "loader", loader_worker, false }, // by itself
	{ "hotplug", hotplug_worker, false },
	{ "removal", removal_worker, false },
};
#define WORKERS (sizeof(workers) / sizeof(*workers))

static void *work(void *argument)
{
	const struct worker *worker = argument;

	// Never zero, and far apart.
	state = (options.seed + 1) * 0x9e3779b97f4a7c15ull + (worker - workers + 1) * 0xd1342543de82ef95ull;
	state |= 1;
	if (options.fail && worker->fails)
		let_allocations_fail(true);
	while (!ending)
		worker->work();
	return NULL;
}

static void report(const char *when)
{
	printf("%s:", when);
	for (int i = 0; i < COUNTS; i++)
		printf(" %s %lu%s", count_names[i], counts[i], i + 1 < COUNTS ? "," : "\n");
}

static unsigned long calls(void)
{
	unsigned long sum = 0;

	for (int i = 0; i < COUNTS; i++)
		sum += counts[i];
	return sum;
}

// Waits for a worker. It may wait for the end of a run itself, and a last one may have begun.
static bool ends(pthread_t thread)
{
	for (int second = 0; second < 120; second++) {
		struct timespec end = { .tv_sec = time(NULL) + 1 };

		run(false);
		if (!pthread_timedjoin_np(thread, NULL, &end))
			return true;
	}
	return false;
}

// Shorter runs may lack something by chance.
#define LONG_S 240

// A worker that waits for ever, or for what is never given back, is no longer a test.
static void check_progress(const unsigned long *before)
{
	for (int i = 0; i < COUNTS; i++) // a refusal is no work
		if (counts[i] == before[i] && i != LOADS_REFUSED && i != UNLOADS_REFUSED)
			printf("FAIL: no more %s in the last quarter\n", count_names[i]);
}

static void run_workers(void)
{
	unsigned long before[COUNTS] = { };
	pthread_t threads[WORKERS];
	char when[32];

	for (size_t i = 0; i < WORKERS; i++)
		if (pthread_create(&threads[i], NULL, work, (void *)&workers[i])) {
			puts("FAIL: no thread");
			exit(1);
		}
	for (int second = 0; second < options.seconds; second++) {
		sleep(1);
		if (second == options.seconds / 4 * 3)
			for (int i = 0; i < COUNTS; i++)
				before[i] = counts[i];
		if (second % 10 == 9) {
			snprintf(when, sizeof(when), "%d s", second + 1);
			report(when);
		}
	}
	if (options.seconds >= LONG_S)
		check_progress(before);
	ending = true;
	for (size_t i = 0; i < WORKERS; i++)
		if (!ends(threads[i])) {
			printf("FAIL: worker %s does not end\n", workers[i].name);
			exit(1);
		}
}

// Reads MODULE,PARAMETERS: a module's file is called as the module.
static void add_port(char *text)
{
	struct port *port = &options.ports[options.port_count];
	char *parameters = strchr(text, ',');
	char *name;

	if (options.port_count++ == PORTS) {
		fputs("driver-fuzz: too many ports\n", stderr);
		exit(2);
	}
	if (parameters)
		*parameters++ = 0;
	name = strrchr(text, '/') ? strrchr(text, '/') + 1 : text;
	port->path = strdup(text);
	port->name = strndup(name, strcspn(name, "."));
	port->parameters = parameters ? parameters : "";
}

static void parse(int argc, char **argv)
{
	if (argc < 4) {
		fputs("usage, as root: driver-fuzz SEED SECONDS MODULE [port=MODULE[,PARAMETERS]]... [fail] [sweep]\n",
		      stderr);
		exit(2);
	}
	options.seed = strtoull(argv[1], NULL, 0);
	options.seconds = atoi(argv[2]);
	options.module = argv[3];
	for (int i = 4; i < argc; i++) {
		if (!strcmp(argv[i], "fail"))
			options.fail = true;
		if (!strcmp(argv[i], "sweep"))
			options.sweep = true;
		if (!strncmp(argv[i], "port=", 5))
			add_port(argv[i] + 5);
	}
}

int main(int argc, char **argv)
{
	unsigned long failures = 0;

	setlinebuf(stdout);
	parse(argc, argv);
	signal(SIGPIPE, SIG_IGN);
	// A page of this program that could not be read for want of memory would be a SIGBUS.
	if (mlockall(MCL_CURRENT))
		puts("FAIL: this program cannot be kept in memory");
	if (options.sweep)
		return sweep();
	printf("seed %llu, %d s%s\n", (unsigned long long)options.seed, options.seconds,
	       options.fail ? ", allocations fail" : "");
	state = options.seed | 1;
	load(options.module, "");
	load_ports();
	if (options.fail)
		begin_failing();
	run_workers();
	all_cpus_online();
	give_back();
	if (options.fail)
		failures = end_failing();
	load(options.module, "");
	run(false);
	report("end");
	printf("fuzzed: seed %llu, %lu calls, %lu injected failures, %lu loads, %lu hotplugs, %lu removals\n",
	       (unsigned long long)options.seed, calls(), failures, counts[LOADS], counts[HOTPLUGS],
	       counts[REMOVALS]);
	return 0;
}
