// SPDX-License-Identifier: Apache-2.0 OR MIT
// /dev/irqscope-user: one thread that reads calls and answers them, and one that writes
// to the same file whatever it likes.
#include "fuzz.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "irqscope.h"

#define PAGE 4096ul

// The file that both have; the writer holds the lock while it writes, so that the file
// that is closed is no other one by then.
static pthread_rwlock_t file_lock = PTHREAD_RWLOCK_INITIALIZER;
static int file = -1;

static void share(int fd)
{
	pthread_rwlock_wrlock(&file_lock);
	file = fd;
	pthread_rwlock_unlock(&file_lock);
}

// Its own edge goes to the word alone: a port would have to be written from here.
static void make_edge(volatile struct irqscope_user_edge *edge, volatile char *words,
		      const struct irqscope_call *call)
{
	volatile __u64 *word = (volatile __u64 *)(words + edge->word % PAGE);

	if (edge->way == IRQSCOPE_EDGE_WORD)
		*word = call->number << 32 | (__u32)(*word + 1);
}

static void answer(int fd, const struct irqscope_call *call)
{
	struct irqscope_answer answer = {
		.seq = call->seq, .cycles = __rdtsc(), .edge = one_in(3)
	};

	if (one_in(20))
		answer.cycles = any();
	if (one_in(20))
		answer.seq = any();
	if (write(fd, one_in(50) ? any_address() : &answer, sizeof(answer)) < 0)
		rest_us(50);
	count(ANSWERS);
}

// Sleeps until then, or for another while, or not at all. A grid may have points an hour apart.
static void sleep_until(uint64_t until_ns)
{
	struct timespec now, until;
	int64_t left;

	clock_gettime(CLOCK_MONOTONIC, &now);
	left = until_ns - (now.tv_sec * 1000000000ull + now.tv_nsec);
	if (left > 20000000 || one_in(20))
		return;
	if (one_in(20))
		until_ns += below(200000);
	until = (struct timespec){ until_ns / 1000000000, until_ns % 1000000000 };
	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

void user_worker(void)
{
	int fd = open_device("/dev/irqscope-user", O_RDWR | O_NONBLOCK);
	volatile struct irqscope_user_edge *edge;
	size_t words_length = PAGE * (1 + one_in(8));
	volatile char *words;
	struct irqscope_call call;

	if (fd < 0)
		return;
	edge = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, one_in(8) ? MAP_PRIVATE : MAP_SHARED, fd, 0);
	words = mmap(NULL, words_length, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		     PAGE * IRQSCOPE_USER_WORDS_PAGE);
	count(MAPPINGS);
	share(fd);
	if (one_in(2))
		begin_sleeps();
	for (int i = 0; i < 2000 && !quiet && !ending; i++) {
		ssize_t got = read(fd, one_in(100) ? any_address() : &call,
				   one_in(100) ? below(64) : sizeof(call));

		if (got == sizeof(call) && !one_in(10)) {
			if (edge != MAP_FAILED && words != MAP_FAILED && one_in(2))
				make_edge(edge, words, &call);
			if (call.until_ns)
				sleep_until(call.until_ns);
			answer(fd, &call);
		} else {
			rest_us(500);
		}
	}
	share(-1);
	if (edge != MAP_FAILED)
		munmap((void *)edge, PAGE);
	if (words != MAP_FAILED)
		munmap((void *)words, words_length);
	close(fd);
}

void user_writer(void)
{
	struct irqscope_answer answer = { .seq = below(300), .cycles = __rdtsc() };

	pthread_rwlock_rdlock(&file_lock);
	if (file >= 0) {
		if (write(file, &answer, one_in(20) ? below(64) : sizeof(answer)) < 0)
			rest_us(100);
		count(ANSWERS);
	}
	pthread_rwlock_unlock(&file_lock);
	rest_us(300);
}
