/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the CPU's context in a few instructions: every event has it.
 */
#ifndef IRQSCOPE_CONTEXT_H
#define IRQSCOPE_CONTEXT_H

#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "internal.h"

/*
 * The context of the caller as an event has it. @flags are from before interrupts
 * were disabled for the event's sake, @own is how often preemption was.
 */
static __always_inline u16 irqscope_context(unsigned long flags, unsigned int own)
{
	unsigned long count = preempt_count();
	unsigned long softirqs = softirq_count();
	u16 context = 0;

	if (count & HARDIRQ_MASK)
		context |= IRQSCOPE_IN_IRQ;
	if (softirqs)
		context |= softirqs & SOFTIRQ_OFFSET ? IRQSCOPE_IN_SOFTIRQ : IRQSCOPE_BH_DISABLED;
	if (count & NMI_MASK)
		context |= IRQSCOPE_IN_NMI;
	if (raw_irqs_disabled_flags(flags))
		context |= IRQSCOPE_IRQS_DISABLED;
	if ((count & PREEMPT_MASK) > own)
		context |= IRQSCOPE_NO_PREEMPTION;
	if (is_idle_task(current))
		context |= IRQSCOPE_IN_IDLE;
	return context;
}

#endif /* IRQSCOPE_CONTEXT_H */
