// SPDX-License-Identifier: Apache-2.0 OR MIT
/*
 * Sections with interrupts or preemption disabled, by the kernel's tracepoints of
 * them (kernel/trace/trace_preemptirq.c). They come far too often to be handed out
 * one by one: each is added to the figures of its place on its CPU, and the figures
 * are read at the end. These programs read no structure of the kernel, and need no
 * BTF.
 *
 * The place of a short section is the function that disabled something, often that
 * of a lock; a kernel without frame pointers does not know the latter where it
 * disables preemption. At the end of a longer section the kernel unwinds its stack,
 * where the callers are; that costs more than a short section takes.
 *
 * The licence is said as in watch.bpf.c.
 */
#include "kernel.h"

enum kind {
	INTERRUPTS_OFF,
	PREEMPTION_OFF,
	KINDS,
};

#define BINS 32
#define WAY 10
/* The beginning of what follows on a CPU's sleep: no address of code. */
#define WOKEN 1

/* src/sections.rs reads these three. */
struct place {
	u64 kind;
	u64 begin;
	u64 way[WAY];
};

struct figures {
	u64 count;
	u64 total;
	u64 longest;
	u64 histogram[BINS];
};

struct rest {
	/* Sections for whose place there was no room. */
	u64 others;
	u64 longest_other;
	/* Sections that began or ended while a place was made room for. */
	u64 missed;
};

struct open {
	u64 since;
	u64 begin;
	u64 caller;
};

struct cpu {
	struct open open[KINDS];
	/* Of each kind: an interrupt may end a section while one of preemption is added. */
	struct place place[KINDS];
	u64 adds;
};

struct {
	int (*type)[BPF_MAP_TYPE_PERCPU_HASH];
	struct place *key;
	struct figures *value;
	int (*max_entries)[4096];
} sections SEC(".maps");

struct {
	int (*type)[BPF_MAP_TYPE_PERCPU_ARRAY];
	u32 *key;
	struct rest *value;
	int (*max_entries)[1];
} rest SEC(".maps");

struct {
	int (*type)[BPF_MAP_TYPE_PERCPU_ARRAY];
	u32 *key;
	struct cpu *value;
	int (*max_entries)[1];
} cpus SEC(".maps");

struct {
	int (*type)[BPF_MAP_TYPE_PERCPU_ARRAY];
	u32 *key;
	struct figures *value;
	int (*max_entries)[1];
} none SEC(".maps");

/* Set before the programs are loaded: from which length on, ns, the stack is unwound. */
const volatile u64 unwound_from = 10000;

static inline __attribute__((always_inline)) struct rest *its_rest(void)
{
	u32 first = 0;

	return bpf_map_lookup_elem(&rest, &first);
}

static inline __attribute__((always_inline)) struct cpu *its_cpu(void)
{
	u32 first = 0;
	struct cpu *cpu = bpf_map_lookup_elem(&cpus, &first);
	struct rest *more;

	/* Room for a place is made under a lock, which disables interrupts itself. */
	if (!cpu || !cpu->adds)
		return cpu;
	more = its_rest();
	if (more)
		more->missed++;
	return 0;
}

static inline __attribute__((always_inline)) u32 log2(u64 value)
{
	u32 log = 0;

	if (value >> 16) {
		log += 16;
		value >>= 16;
	}
	if (value >> 8) {
		log += 8;
		value >>= 8;
	}
	if (value >> 4) {
		log += 4;
		value >>= 4;
	}
	if (value >> 2) {
		log += 2;
		value >>= 2;
	}
	return log + (value >> 1 & 1);
}

static inline __attribute__((always_inline)) void
add(struct figures *to, u64 length)
{
	u32 bin = length >> 32 ? BINS - 1 : log2(length);

	to->count++;
	to->total += length;
	if (length > to->longest)
		to->longest = length;
	to->histogram[bin & (BINS - 1)]++;
}

static inline __attribute__((always_inline)) struct figures *
room_for(struct cpu *cpu, const struct place *place)
{
	struct figures *figures = bpf_map_lookup_elem(&sections, place), *empty;
	u32 first = 0;

	if (figures)
		return figures;
	empty = bpf_map_lookup_elem(&none, &first);
	if (!empty)
		return 0;
	cpu->adds = 1;
	bpf_map_update_elem(&sections, place, empty, BPF_ANY);
	cpu->adds = 0;
	return bpf_map_lookup_elem(&sections, place);
}

static inline __attribute__((always_inline)) void
close(void *ctx, struct cpu *cpu, enum kind kind, u64 at)
{
	struct open *open = &cpu->open[kind];
	struct place *place = &cpu->place[kind];
	struct figures *figures;
	struct rest *more;
	u64 length;

	if (!open->since)
		return;
	length = at - open->since;
	open->since = 0;
	place->kind = kind;
	place->begin = open->begin;
	for (int n = 0; n < WAY; n++)
		place->way[n] = 0;
	if (length >= unwound_from)
		bpf_get_stack(ctx, place->way, sizeof(place->way), 0);
	else
		place->way[0] = open->caller;
	figures = room_for(cpu, place);
	if (figures) {
		add(figures, length);
		return;
	}
	more = its_rest();
	if (!more)
		return;
	more->others++;
	if (length > more->longest_other)
		more->longest_other = length;
}

static inline __attribute__((always_inline)) int disabled(u64 *ctx, enum kind kind)
{
	struct cpu *cpu = its_cpu();

	if (cpu) {
		cpu->open[kind].begin = ctx[0];
		cpu->open[kind].caller = ctx[1];
		cpu->open[kind].since = bpf_ktime_get_ns();
	}
	return 0;
}

static inline __attribute__((always_inline)) int enabled(u64 *ctx, enum kind kind)
{
	u64 at = bpf_ktime_get_ns();
	struct cpu *cpu = its_cpu();

	if (cpu)
		close(ctx, cpu, kind, at);
	return 0;
}

SEC("raw_tp/irq_disable")
int irq_disable(u64 *ctx)
{
	return disabled(ctx, INTERRUPTS_OFF);
}

SEC("raw_tp/irq_enable")
int irq_enable(u64 *ctx)
{
	return enabled(ctx, INTERRUPTS_OFF);
}

SEC("raw_tp/preempt_disable")
int preempt_disable(u64 *ctx)
{
	return disabled(ctx, PREEMPTION_OFF);
}

SEC("raw_tp/preempt_enable")
int preempt_enable(u64 *ctx)
{
	return enabled(ctx, PREEMPTION_OFF);
}

/*
 * The idle task never has preemption enabled. A CPU that sleeps holds up nothing:
 * the section ends there, and begins anew when the CPU wakes.
 */
SEC("raw_tp/cpu_idle")
int cpu_idle(u64 *ctx)
{
	u64 at = bpf_ktime_get_ns();
	struct cpu *cpu = its_cpu();

	if (!cpu)
		return 0;
	if ((u32)ctx[0] != CPU_AWAKE) {
		close(ctx, cpu, PREEMPTION_OFF, at);
	} else {
		cpu->open[PREEMPTION_OFF].begin = WOKEN;
		cpu->open[PREEMPTION_OFF].caller = 0;
		cpu->open[PREEMPTION_OFF].since = bpf_ktime_get_ns();
	}
	return 0;
}

char _license[] SEC("license") = "Dual MIT/GPL";
