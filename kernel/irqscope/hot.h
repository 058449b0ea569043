/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first instructions of every stage.
 *
 * Nothing here locks, allocates, formats or calls. The stamp is the first act,
 * the edge the second; all that follows adds to no latency.
 */
#ifndef IRQSCOPE_HOT_H
#define IRQSCOPE_HOT_H

#include <linux/io.h>
#include <linux/irqflags.h>
#include <linux/jump_label.h>
#include <linux/kernel_stat.h>

#include "compat.h"
#include "internal.h"

/* A store of its own for the line: it needs no order but that of the stores. */
static __always_inline void irqscope_store(const struct irqscope_register *line, bool high)
{
	writel_relaxed(line->value[high], line->address[high]);
}

static __always_inline void irqscope_drive_other(struct irqscope_line *line, u32 bit, u32 bits)
{
	if (line->registers)
		irqscope_store(&line->registers[__ffs(bit)], bits & bit);
	else
		line->port->set(line->port, bit, bits);
}

/* Shows line @bit as it is in @bits, and those that share a register with it. */
static __always_inline void irqscope_drive(struct irqscope_line *line, u32 bit, u32 bits)
{
	if (unlikely(!line->io_base))
		irqscope_drive_other(line, bit, bits);
	else if (bit <= 0xff)
		outb(bits, line->io_base + IRQSCOPE_PC_DATA);
	else
		outb(bits >> 8 | line->control, line->io_base + IRQSCOPE_PC_CONTROL);
}

/* More rewrites than this are no race but a page that somebody else writes. */
#define IRQSCOPE_REWRITES	64

/*
 * Toggles bits of the register that several stages share, without a lock.
 *
 * Disabling interrupts keeps the other stages of this CPU from coming in
 * between. Another CPU may; then one of the two has written a byte that lacks
 * the other's edge, sees it, and writes again. The other's edge then shows as
 * three instead of one, of which the first is the true instant. A lock would
 * have made it late instead. The user stage's thread takes part (user_edge.c);
 * what it does to the wires must not hold this CPU for ever.
 */
static __always_inline void irqscope_edge(struct irqscope_line *line, u32 bit)
{
	unsigned long flags;
	int bits, rewrites;

	local_irq_save(flags);
	bits = atomic_fetch_xor(bit, line->wires) ^ bit;
	irqscope_drive(line, bit, bits);
	for (rewrites = 0; unlikely(atomic_read(line->wires) != bits); rewrites++) {
		if (rewrites == IRQSCOPE_REWRITES)
			break;
		bits = atomic_read(line->wires);
		irqscope_drive(line, bit, bits);
	}
	local_irq_restore(flags);
}

/*
 * A response word: the one store. It has no other writer, so that the count is
 * read from where it is shown. Stage irq does not look at its token, which
 * another CPU has just written: fetching it would come before the store.
 */
static __always_inline void irqscope_show(struct irqscope_responder *stage, u64 *word)
{
	u64 token = 0;

	if (stage->index != IRQSCOPE_IRQ)
		token = atomic64_read(&stage->pending);
	WRITE_ONCE(*word, token << 32 | (u32)(READ_ONCE(*word) + 1));
}

static __always_inline void irqscope_toggle(struct irqscope_responder *stage)
{
	u32 bit = READ_ONCE(stage->line_bit);
	u64 *word;

	if (bit) {
		irqscope_edge(&stage->scope->line, bit);
		return;
	}
	word = READ_ONCE(stage->word);
	if (word)
		irqscope_show(stage, word);
}

/*
 * Test builds execute a known number of instructions before the stamp: N = 2k
 * of a decrement and a branch in k rounds. The test and the jump around the loop
 * stand in the assembly as well, so that they are executed alike for every N, 0
 * included (a compiler's own branch cost one more with a loop than without).
 */
static __always_inline void irqscope_delay(const struct irqscope_responder *stage)
{
#ifdef IRQSCOPE_TEST
	u32 rounds = stage->delay_instructions / 2;

#if defined(CONFIG_X86)
	asm volatile("testl %0, %0\n\tjz 2f\n1:\tdecl %0\n\tjnz 1b\n2:"
		     : "+r" (rounds) : : "cc");
#elif defined(CONFIG_ARM64)
	asm volatile("cbz %w0, 2f\n1:\tsubs %w0, %w0, #1\n\tb.ne 1b\n2:"
		     : "+r" (rounds) : : "cc");
#elif defined(CONFIG_RISCV)
	asm volatile("beqz %0, 2f\n1:\taddiw %0, %0, -1\n\tbnez %0, 1b\n2:" : "+r" (rounds));
#endif
#endif
}

/*
 * The stamp, unless the view from inside is off: then nothing on the target
 * reads a clock for the sake of the measurement.
 */
static __always_inline u64 irqscope_stamp(void)
{
	return static_branch_unlikely(&irqscope_bare) ? 0 : get_cycles();
}

/* The end of a pulse: a line changes back. A word has said all there is to say. */
static __always_inline void irqscope_fall(struct irqscope_responder *stage)
{
	if (stage->line_bit)
		irqscope_edge(&stage->scope->line, stage->line_bit);
}

/*
 * Executes between a stage's first act and its answer, where it was given an
 * execution time. Returns the cycles that it took.
 */
static __always_inline u64 irqscope_execute(struct irqscope_responder *stage, u64 cycles)
{
	return static_branch_unlikely(&irqscope_executing) ?
	       irqscope_execution_pass(stage, cycles) : 0;
}

/* First act, second act. Returns the stamp for irqscope_answer(). */
static __always_inline u64 irqscope_enter(struct irqscope_responder *stage)
{
	u64 cycles;

	irqscope_delay(stage);
	cycles = irqscope_stamp();
	irqscope_toggle(stage);
	return cycles;
}

/*
 * How many interrupts this CPU has taken: those of devices, and those that the
 * architecture counts apart.
 */
static __always_inline u64 irqscope_interrupts(unsigned int cpu)
{
	/* The next one may come in between. */
	return READ_ONCE(kstat_cpu(cpu).irqs_sum) + irqscope_arch_interrupts(cpu);
}

static __always_inline struct irqscope_sample *
irqscope_sample(const struct irqscope *scope, u64 token)
{
	return &scope->buffer.samples[(token - 1) & (scope->buffer.slots - 1)];
}

static __always_inline struct irqscope_flight *
irqscope_flight(const struct irqscope *scope, u64 token)
{
	return &scope->buffer.flights[(token - 1) & (scope->buffer.slots - 1)];
}

/*
 * Counters of the ring's header have one writer (the trigger) or several;
 * the latter are atomic. __u64 and atomic64_t have the same size and, at these
 * offsets, the same alignment on all 64-bit machines.
 */
static __always_inline void irqscope_count(__u64 *counter)
{
	WRITE_ONCE(*counter, *counter + 1);
}

static __always_inline u64 irqscope_count_shared(__u64 *counter)
{
	return atomic64_inc_return((atomic64_t *)counter);
}

#endif /* IRQSCOPE_HOT_H */
