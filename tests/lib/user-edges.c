// SPDX-License-Identifier: Apache-2.0 OR MIT
// user-edges: plays the generator of line `memory` and the user stage in one process,
// with writes to /dev/irqscope-user that answer nothing. A response word counts the
// edges: one for each answer, none for a write that the driver refuses unasked. Every
// second answer has made its edge itself, through the pages of /dev/irqscope-user.
#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "irqscope.h"

#define SCOPE "/sys/class/misc/irqscope/"
#define PATIENCE_S 60

static int user;
static volatile struct irqscope_user_edge *edge;
static volatile struct irqscope_memory *words;
static volatile int hammering;

static void die(const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fputs("FAIL: ", stdout);
	vprintf(format, arguments);
	puts("");
	exit(1);
}

static void put(const char *name, const char *text)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), SCOPE "%s", name);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		die("cannot write %s to %s: %m", text, path);
	close(fd);
}

static long number(const char *name)
{
	char path[128], text[32] = "";
	int fd;

	snprintf(path, sizeof(path), SCOPE "%s", name);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) < 0)
		die("cannot read %s: %m", path);
	close(fd);
	return atol(text);
}

// Returns how many edges the user stage has shown: asked stages are irq (word 0) and user (word 1).
static uint32_t edges(const volatile struct irqscope_memory *memory)
{
	return memory->words[1].shown;
}

// Writes that answer nothing: of a wrong length, and with no call read.
static void disturb(int called)
{
	struct irqscope_answer answer = { .seq = 7, .cycles = 9 };

	if (write(user, &answer, 3) != -1)
		die("a write of 3 bytes was taken");
	if (!called && write(user, &answer, sizeof(answer)) != -1)
		die("an answer without a call was taken");
}

static volatile void *map_page(long length, int flags, int page)
{
	void *mapped = mmap(NULL, length, PROT_READ | PROT_WRITE, flags, user, page * 4096L);

	return mapped == MAP_FAILED ? NULL : mapped;
}

static void map_pages(void)
{
	if (map_page(4096, MAP_PRIVATE, IRQSCOPE_USER_EDGE_PAGE) ||
	    map_page(8192, MAP_SHARED, IRQSCOPE_USER_EDGE_PAGE) ||
	    map_page(8192, MAP_SHARED, IRQSCOPE_USER_WORDS_PAGE) ||
	    map_page(4096, MAP_SHARED, IRQSCOPE_USER_WORDS_PAGE + 1))
		die("what is not one of the pages was mapped");
	edge = map_page(4096, MAP_SHARED, IRQSCOPE_USER_EDGE_PAGE);
	words = map_page(4096, MAP_SHARED, IRQSCOPE_USER_WORDS_PAGE);
	if (!edge || !words)
		die("the pages cannot be mapped: %m");
}

// Stores the word as the driver would.
static void make_edge(const struct irqscope_call *call)
{
	volatile __u64 *word = (volatile __u64 *)((volatile char *)words + edge->word);

	if (edge->way != IRQSCOPE_EDGE_WORD)
		die("line memory offers way %u", edge->way);
	*word = call->number << 32 | (__u32)(*word + 1);
}

static int read_call(struct irqscope_call *call)
{
	time_t end = time(NULL) + PATIENCE_S;

	while (time(NULL) < end) {
		if (read(user, call, sizeof(*call)) == sizeof(*call))
			return 1;
		usleep(10);
	}
	return 0;
}

// One trigger; every eighth is answered wrongly, which leaves it without an answer.
static int trigger(int generator, int n)
{
	struct irqscope_injection injection;
	struct irqscope_answer answer;
	struct irqscope_call call;

	if (ioctl(generator, IRQSCOPE_INJECT_NOW, &injection))
		die("trigger %d: %m", n);
	if (!read_call(&call))
		die("trigger %d (number %u, flags %u): no call in %d s; published %ld, missing %ld, merged %ld, spurious %ld",
		    n, injection.number, injection.flags, PATIENCE_S, number("counters/published"),
		    number("counters/missing"), number("counters/coalesced"),
		    number("counters/spurious"));
	disturb(1);
	answer = (struct irqscope_answer){ .seq = call.seq, .cycles = __rdtsc(), .edge = n % 2 };
	if (answer.edge)
		make_edge(&call);
	if (words->words[1].shown >> 32 != (answer.edge ? injection.number : n))
		die("trigger %d: the word answers %llu", n, words->words[1].shown >> 32);
	if (n % 8 == 7) {
		answer.cycles -= 1ull << 40;
		if (write(user, &answer, sizeof(answer)) != -1)
			die("a stamp from before the call was taken");
		answer.cycles = __rdtsc();
		if (write(user, &answer, sizeof(answer)) != -1)
			die("a sample was answered twice");
		return 0;
	}
	if (write(user, &answer, sizeof(answer)) != sizeof(answer))
		die("answer %d: %m", n);
	disturb(0);
	return 1;
}

static void begin(long count)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", count);
	put("settings/count", text);
	put("run", "1");
}

static void counted(int generator, const volatile struct irqscope_memory *memory)
{
	const int triggers = 400;
	int answers = 0;

	begin(triggers);
	disturb(0);
	for (int n = 0; n < triggers; n++)
		answers += trigger(generator, n);
	for (int waited_ms = 0; number("counters/published") < triggers; waited_ms++) {
		if (waited_ms > PATIENCE_S * 1000)
			die("published %ld of %d", number("counters/published"), triggers);
		usleep(1000);
	}
	if (edges(memory) != triggers)
		die("%u edges for %d triggers, %d of them answered", edges(memory), triggers, answers);
	if (number("counters/complete") != answers || number("counters/missing") != triggers - answers)
		die("complete %ld, missing %ld, and %d answers", number("counters/complete"),
		    number("counters/missing"), answers);
	put("run", "0");
	disturb(0);
	if (edges(memory) != triggers)
		die("an edge after the run");
	if (edge->way != IRQSCOPE_EDGE_WRITE)
		die("way %u is still offered after the run", edge->way);
	printf("%d triggers, %d answers, an edge each\n", triggers, answers);
}

static void *hammer(void *unused)
{
	struct irqscope_answer answer = { 0 };

	while (hammering)
		if (write(user, &answer, sizeof(answer)) < 0)
			answer.cycles = __rdtsc();
	return unused;
}

// Runs that end while writes come from another CPU.
static void raced(int generator)
{
	struct irqscope_injection injection;
	struct irqscope_call call;
	pthread_t thread;
	int runs = 200;

	hammering = 1;
	if (pthread_create(&thread, NULL, hammer, NULL))
		die("no thread");
	for (int run = 0; run < runs; run++) {
		begin(5);
		for (int n = 0; n < 4; n++) {
			ioctl(generator, IRQSCOPE_INJECT_NOW, &injection);
			if (read(user, &call, sizeof(call)) < 0)
				continue;
		}
		put("run", "0");
		if (run % 50 == 49)
			printf("%d runs\n", run + 1);
	}
	hammering = 0;
	pthread_join(thread, NULL);
	printf("%d runs ended beside writes\n", runs);
}

int main(void)
{
	int generator = open("/dev/irqscope-memory", O_RDWR);
	volatile struct irqscope_memory *memory;

	setlinebuf(stdout);
	user = open("/dev/irqscope-user", O_RDWR | O_NONBLOCK);
	if (generator < 0 || user < 0)
		die("cannot open the devices: %m");
	memory = mmap(NULL, 4096, PROT_READ, MAP_SHARED, generator, 0);
	if (memory == MAP_FAILED)
		die("cannot map the words: %m");
	map_pages();
	put("settings/stages", "irq user");
	put("settings/trigger", "inject");
	put("settings/line", "memory");
	put("settings/timeout_ms", "500");
	counted(generator, memory);
	raced(generator);
	return 0;
}
