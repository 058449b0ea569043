// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records what the CPU was doing when something came in between.
 *
 * Where interrupts were disabled, the instruction that was interrupted is the one
 * that enabled them again, often in a helper: what disabled them is a caller. A
 * real unwinder costs thousands of instructions in the hard handler, while other
 * stages wait. So the words next to the interrupted stack pointer are looked at,
 * and those that can be addresses of code are kept. Some may be left over from
 * calls that have returned; the nearest ones are seldom.
 */
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <asm/irq_regs.h>

#include "context.h"
#include "hot.h"

#define WORDS	48
#define KEPT	8

/**
 * irqscope_interrupted() - which instruction the present interrupt came before
 *
 * Return: its address; 0 if it is not the kernel's, or if there is no interrupt
 */
u64 notrace irqscope_interrupted(void)
{
	struct pt_regs *regs = get_irq_regs();

	return regs && !user_mode(regs) ? instruction_pointer(regs) : 0;
}

/* Code of the kernel and of modules lies within 2 GiB of this function, on either side. */
static bool irqscope_may_be_text(u64 word)
{
	return word - (unsigned long)irqscope_context_triggered + BIT_ULL(31) < BIT_ULL(32);
}

/*
 * Where a call leaves its return address in a register, a function that calls no other
 * has it nowhere else; in any other it may be its own address by now.
 */
static u64 irqscope_link(const struct pt_regs *regs)
{
#if defined(CONFIG_ARM64)
	return regs->regs[30];
#elif defined(CONFIG_RISCV)
	return regs->ra;
#else
	return 0;
#endif
}

/* Pointer authentication signs return addresses in bits that the kernel's addresses have set. */
static u64 irqscope_unsigned(u64 word)
{
#ifdef CONFIG_ARM64
	word |= ~0ULL << min(CONFIG_ARM64_VA_BITS, 48);
#endif
	return word;
}

static void irqscope_context_caller(struct irqscope_event_log *log, struct irqscope_event *event,
				    u64 word)
{
	word = irqscope_unsigned(word);
	if (!irqscope_may_be_text(word))
		return;
	event->address = word;
	irqscope_event_at(log, *event);
	event->value++;
}

/* Not beyond the page that the stack pointer is in: that one is there. */
static void irqscope_context_stack(struct irqscope_event_log *log, struct irqscope_event event,
				   struct pt_regs *regs)
{
	unsigned long from = kernel_stack_pointer(regs);
	const unsigned long *word = (const unsigned long *)from;
	const unsigned long *end = (const unsigned long *)PAGE_ALIGN(from);

	event.kind = IRQSCOPE_STACKED;
	event.value = 0;
	irqscope_context_caller(log, &event, irqscope_link(regs));
	if (end > word + WORDS)
		end = word + WORDS;
	for (; word < end && event.value < KEPT; word++)
		irqscope_context_caller(log, &event, READ_ONCE_NOCHECK(*word));
}

/**
 * irqscope_context_triggered() - log a trigger, and what it interrupted
 * @scope: the scope
 * @seq: of the trigger
 * @cycles: stamp of its hard handler, in which this is called
 *
 * Of a sleep whose timer has gone to another CPU there is nothing to log here.
 */
void irqscope_context_triggered(struct irqscope *scope, u64 seq, u64 cycles)
{
	struct irqscope_event_log *log = &scope->interference.log;
	struct pt_regs *regs = get_irq_regs();
	struct irqscope_event event = {
		.cycles = cycles,
		.value = seq,
		.pid = current->pid,
		.priority = current->prio + 1,
		.kind = IRQSCOPE_TRIGGERED,
	};

	if (unlikely(raw_smp_processor_id() != scope->cpu))
		return;
	irqscope_interference_open(scope);
	event.context = irqscope_context(0, 0) & ~IRQSCOPE_IN_IRQ;
	if (regs && user_mode(regs))
		event.context |= IRQSCOPE_IN_USER;
	else if (regs)
		event.address = instruction_pointer(regs);
	irqscope_event_at(log, event);
	if (event.address && !(event.context & IRQSCOPE_IN_IDLE))
		irqscope_context_stack(log, event, regs);
}

/**
 * irqscope_context_entered() - log what an interrupt interrupted that is not the trigger's
 * @scope: the scope; its log has the interrupt's entry as the last event
 * @address: the instruction before which it came (irqscope_interrupted())
 * @known: that event has the address
 *
 * Where interrupts were disabled for longer than a tick, the timer's waits with the
 * trigger's, and comes first: the trigger's then interrupts what follows it. Interrupts
 * that come all the time shall cost little: the callers are looked for only in a lock's
 * function, which says nothing by itself.
 */
void notrace irqscope_context_entered(struct irqscope *scope, u64 address, bool known)
{
	struct irqscope_event_log *log = &scope->interference.log;
	struct irqscope_event event = {
		.address = address,
		.pid = current->pid,
		.priority = current->prio + 1,
		.kind = IRQSCOPE_STACKED,
	};

	if (raw_smp_processor_id() != READ_ONCE(scope->interference.cpu))
		return;
	if (!address || is_idle_task(current))
		return;
	event.cycles = log->last; /* of this CPU: no other one may look at it */
	if (!known)
		irqscope_event_at(log, event);
	if (in_lock_functions(address))
		irqscope_context_stack(log, event, get_irq_regs());
}
