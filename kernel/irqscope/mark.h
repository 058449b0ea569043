/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A mark for the emulated machine that this kernel may run on: an instruction
 * that does nothing, with an address in a register. The twin's generator, a part
 * of QEMU, knows its bytes (crates/twin/src/sections.rs); on every other machine
 * it is a no-op of eight bytes.
 */
#ifndef IRQSCOPE_MARK_H
#define IRQSCOPE_MARK_H

#include <linux/percpu.h>

#include "compat.h"

/* The jump makes the mark the first instruction of a block of code. */
static inline void irqscope_mark(const void *address)
{
#ifdef CONFIG_X86_64
	asm volatile("jmp 1f\n1:\tnopl 0x73717269(%%rax,%%rax,1)" : : "a" (address));
#endif
}

/* A run on this CPU begins: says where the CPU counts what keeps it from preemption. */
static inline void irqscope_mark_begin(unsigned int cpu)
{
	irqscope_mark(irqscope_preempt_word(cpu));
}

static inline void irqscope_mark_end(void)
{
	irqscope_mark(NULL);
}

#endif /* IRQSCOPE_MARK_H */
