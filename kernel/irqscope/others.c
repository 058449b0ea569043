// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The logs of the other CPUs, of while a sample was open.
 *
 * The CPU under test may wait for another one: for a lock that is held there, for
 * an interrupt that is to be taken there, for a thread that runs there. So each of
 * them has a log of its own, to which it alone writes. It follows the window of
 * the CPU under test by a number, and looks at it when it has something to write:
 * neither of the two ever waits for the other or writes to its memory.
 *
 * That a window was closed is therefore seen with the event that follows, which
 * belongs to it: it ends what the CPU did when the sample ended. A window that was
 * opened and closed between two events has both.
 */
#include <linux/cpu.h>
#include <linux/irqflags.h>
#include <linux/log2.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <linux/timex.h>
#include <linux/vmalloc.h>

#include "internal.h"

/* The probe and the interrupt's own functions are among them. */
#define CALLERS	16

static DEFINE_PER_CPU(struct irqscope_event_log, irqscope_other);

/*
 * Where a call from the CPU under test is taken late, what it interrupted is the
 * cause. Only the timer's interrupt keeps its registers where they can be found, so
 * the stack is unwound: at the end, when the CPU that called waits no more.
 */
static void notrace irqscope_event_callers(struct irqscope_event_log *log)
{
	struct irqscope_event event = {
		.cycles = get_cycles(),
		.pid = current->pid,
		.priority = current->prio + 1,
		.kind = IRQSCOPE_STACKED,
	};
	unsigned long callers[CALLERS];
	unsigned int count = stack_trace_save(callers, CALLERS, 0);

	for (; event.value < count; event.value++) {
		event.address = callers[event.value];
		irqscope_event_at(log, event);
	}
}

static bool irqscope_is_call(u8 kind, u32 value)
{
	return kind == IRQSCOPE_VECTOR_EXIT &&
	       (value == IRQSCOPE_CALL_FUNCTION || value == IRQSCOPE_CALL_FUNCTION_SINGLE);
}

/**
 * irqscope_event_elsewhere() - write what happens now on another CPU than that under test
 * @all: all logs
 * @kind: enum irqscope_event_kind
 * @value: by @kind
 * @address: by @kind
 *
 * In a probe, with preemption disabled.
 */
void notrace irqscope_event_elsewhere(const struct irqscope_interference *all, u8 kind, u32 value,
				      u64 address)
{
	struct irqscope_event_log *log = this_cpu_ptr(&irqscope_other);
	unsigned long flags;
	u32 window;

	if (READ_ONCE(all->cpu) == IRQSCOPE_NO_CPU || !log->slots)
		return;
	raw_local_irq_save(flags);
	window = READ_ONCE(all->window);
	if (likely(!log->busy)) {
		if (window != log->window)
			irqscope_event_log_open(log);
		log->window = window;
	}
	irqscope_event_in(log, kind, value, address, flags);
	if (log->open && irqscope_is_call(kind, value))
		irqscope_event_callers(log);
	if (!(window & 1) && !log->busy)
		irqscope_event_log_close(log);
	raw_local_irq_restore(flags);
}

/* Together they have as much memory as the log of the CPU under test. */
static u32 irqscope_other_size(const struct irqscope *scope)
{
	u32 each = scope->settings.events / max(num_online_cpus() - 1, 1u);

	return rounddown_pow_of_two(max_t(u32, each, 4 * IRQSCOPE_HISTORY));
}

/**
 * irqscope_others_prepare() - have an empty log for each other CPU that is online
 * @scope: the scope
 *
 * Under the reader's lock and the hotplug lock. A CPU that comes later has none.
 *
 * Return: 0 or -ENOMEM
 */
int irqscope_others_prepare(const struct irqscope *scope)
{
	u32 size = irqscope_other_size(scope);
	int err = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		struct irqscope_event_log *log = irqscope_other_log(cpu);

		if (!err && cpu_online(cpu) && cpu != scope->cpu)
			err = irqscope_event_log_resize(log, size);
		irqscope_event_log_reset(log);
	}
	return err;
}

/**
 * irqscope_others_unprepare() - end the logs, to which none writes any more
 */
void irqscope_others_unprepare(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		irqscope_event_log_close(irqscope_other_log(cpu));
}

/**
 * irqscope_other_log() - find a CPU's log
 * @cpu: the CPU
 *
 * Return: the log, which has no slots if there is no memory for it
 */
struct irqscope_event_log *irqscope_other_log(int cpu)
{
	return per_cpu_ptr(&irqscope_other, cpu);
}

/**
 * irqscope_others_lost() - count the events that found no room
 *
 * Return: how many
 */
u64 irqscope_others_lost(void)
{
	u64 lost = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		lost += READ_ONCE(irqscope_other_log(cpu)->lost);
	return lost;
}

/**
 * irqscope_others_free() - free the logs
 */
void irqscope_others_free(void)
{
	int cpu;

	for_each_possible_cpu(cpu)
		vfree(irqscope_other_log(cpu)->slots);
}
