/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Marks for the emulated machine that this kernel may run on: instructions that
 * do nothing, with values in registers. The twin's generator, a part of QEMU,
 * knows their bytes (crates/twin/src/sections.rs, preemption.rs); on every other
 * machine they are no-ops.
 */
#ifndef IRQSCOPE_MARK_H
#define IRQSCOPE_MARK_H

#include <linux/percpu.h>
#include <linux/sched.h>

#include "compat.h"

/* A jump makes a mark the first instruction of a block of code. */
#if defined(CONFIG_X86_64)

static inline void irqscope_mark(const void *address)
{
	asm volatile("jmp 1f\n1:\tnopl 0x73717269(%%rax,%%rax,1)" : : "a" (address));
}

/* Says where this CPU counts what keeps it from preemption. */
static inline void irqscope_mark_begin(unsigned int cpu)
{
	irqscope_mark(irqscope_preempt_word(cpu));
}

#elif defined(CONFIG_ARM64)

static inline void irqscope_mark(const void *address)
{
	register const void *x0 asm("x0") = address;
	register unsigned long x1 asm("x1") = offsetof(struct task_struct,
						       thread_info.preempt_count);

	asm volatile("b 1f\n1:\torr xzr, xzr, x0, lsl #57" : : "r" (x0), "r" (x1));
}

/*
 * Says which value the register SP_EL0 has, the pointer to the present task, and
 * how far behind it the count lies; then once more, when no general register has
 * that value.
 */
static inline void irqscope_mark_begin(unsigned int cpu)
{
	irqscope_mark(current);
	asm volatile(".irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17\n\t"
		     "mov x\\n, xzr\n\t.endr\n\t"
		     ".irp n, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28\n\t"
		     "mov x\\n, xzr\n\t.endr\n\t"
		     "b 1f\n1:\torr xzr, xzr, x0, lsl #59"
		     : : : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10",
			   "x11", "x12", "x13", "x14", "x15", "x16", "x17", "x19", "x20", "x21",
			   "x22", "x23", "x24", "x25", "x26", "x27", "x28");
}

#else

static inline void irqscope_mark(const void *address)
{
}

static inline void irqscope_mark_begin(unsigned int cpu)
{
}

#endif

static inline void irqscope_mark_end(void)
{
	irqscope_mark(NULL);
}

#endif /* IRQSCOPE_MARK_H */
