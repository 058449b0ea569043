/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * irqscope_faults - culprits of known kind, name and length.
 *
 * For testing what is said of a late response: while /dev/irqscope-faults is
 * open, one culprit after the other holds the CPU up at random instants, and
 * writes down when. read() returns that, as struct irqscope_fault. Never load it
 * on a machine that has anything else to do.
 */
#ifndef IRQSCOPE_FAULTS_H
#define IRQSCOPE_FAULTS_H

#include <linux/errno.h>
#include <linux/types.h>

/* The order is that of wire's FaultKind. */
enum irqscope_fault_kind {
	IRQSCOPE_FAULT_IRQS_OFF,
	IRQSCOPE_FAULT_NESTED,		/* interrupts off in two functions, one in the other */
	IRQSCOPE_FAULT_PREEMPT_OFF,
	IRQSCOPE_FAULT_BH_OFF,
	IRQSCOPE_FAULT_HRTIMER,		/* in the timer's hard interrupt */
	IRQSCOPE_FAULT_IRQ,		/* in a device's interrupt */
	IRQSCOPE_FAULT_SOFTIRQ,		/* in HRTIMER_SOFTIRQ */
	IRQSCOPE_FAULT_TASKLET,
	IRQSCOPE_FAULT_WORK,		/* on system_wq */
	IRQSCOPE_FAULT_THREAD,		/* FIFO 90 */
	IRQSCOPE_FAULT_TIMERS,		/* many short ones */
	IRQSCOPE_FAULT_INVERSION,	/* the agent's */
	IRQSCOPE_FAULT_INHERITANCE,	/* the agent's */
	IRQSCOPE_FAULT_SMI,		/* raised by the twin's generator */
	IRQSCOPE_FAULT_IRQS_PREEMPT,	/* two at once: interrupts off in one function, in
					 * the middle of another that has preemption off
					 */
	IRQSCOPE_FAULT_HRTIMER_SOFTIRQ,	/* two at once: the timer's interrupt, in the
					 * middle of a softirq
					 */
	IRQSCOPE_FAULT_RCU,		/* a function that RCU calls back */
	IRQSCOPE_FAULT_IRQ_WORK,	/* every second one must be a hard interrupt's on RT */
	IRQSCOPE_FAULT_STOP,		/* by stop_machine() */
	IRQSCOPE_FAULT_TIMER_LIST,	/* a timer of the timer wheel */
	IRQSCOPE_FAULT_TASKLETS,	/* many short ones */
	IRQSCOPE_FAULT_PRINTK,		/* a line for a slow console */
	IRQSCOPE_FAULT_PAGE_FAULTS,	/* the agent's */
	IRQSCOPE_FAULT_REMOTE_LOCK,	/* a lock that a thread on another CPU has */
	IRQSCOPE_FAULT_REMOTE_OFF,	/* a call on another CPU, which has interrupts off */
	IRQSCOPE_FAULT_TLB,		/* likewise, to flush its TLB */
	IRQSCOPE_FAULT_KINDS,
};

/* Of two at once each has its own, with the same kind; one lies within the other. */
struct irqscope_fault {
	__u64 begin;	/* cycle counter */
	__u64 end;
	__u32 kind;
	__u32 number;	/* from 0 */
};

#ifdef __KERNEL__

extern unsigned int irqscope_fault_length_ns;
extern const u8 irqscope_smm_begin[], irqscope_smm_end[]; /* smm.S */

void irqscope_fault_note(u32 kind, u64 begin, u64 end);
void irqscope_fault_hold(u64 ns);
void irqscope_fault_spin(u32 kind, u64 ns);
void irqscope_fault_commit(u32 kind);
int irqscope_culprits_prepare(unsigned int cpu, unsigned int irq);
void irqscope_culprits_unprepare(unsigned int irq);
void irqscope_callback_commit(u32 kind);
int irqscope_callbacks_prepare(unsigned int kinds);
void irqscope_callbacks_unprepare(void);
void irqscope_remote_commit(u32 kind);
int irqscope_remote_prepare(unsigned int kinds, unsigned int cpu);
void irqscope_remote_unprepare(void);
#ifdef CONFIG_X86_64
int irqscope_smi_prepare(void);
void irqscope_smi_unprepare(void);
void irqscope_smi_tell(void);
#else
static inline int irqscope_smi_prepare(void)
{
	return -ENODEV;
}

static inline void irqscope_smi_unprepare(void)
{
}

static inline void irqscope_smi_tell(void)
{
}
#endif

#endif

#endif /* IRQSCOPE_FAULTS_H */
