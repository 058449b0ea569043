// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes down what else a CPU did.
 *
 * Which events belong to a sample is known only when its trigger's handler runs,
 * and the ones that explain a late handler lie before it. So events are written
 * all the time; while no sample is open they overwrite each other in a small
 * circle, and a trigger only has to begin where the circle ends.
 *
 * With explain off none of this exists: no probe is registered, and the two
 * places in a sample's life that it hooks into are patched out.
 */
#include <linux/irqflags.h>
#include <linux/sched.h>

#include "context.h"
#include "hot.h"
#include "smi.h"

#define ROUNDS	64

/**
 * irqscope_event_log_open() - keep what comes, and what came lately
 * @log: of this CPU, interrupts off
 */
void notrace irqscope_event_log_open(struct irqscope_event_log *log)
{
	if (log->open)
		return;
	log->head = log->published + min_t(u64, log->idle, IRQSCOPE_HISTORY);
	log->current_task = NULL; /* writes the task's name, if it is new */
	log->open = true;
}

/**
 * irqscope_event_log_close() - give the reader what came
 * @log: of this CPU with interrupts off, or one to which none writes
 */
void notrace irqscope_event_log_close(struct irqscope_event_log *log)
{
	if (!log->open)
		return;
	log->open = false;
	log->idle = 0;
	/* Pairs with the reader's acquire: the events are there before. */
	smp_store_release(&log->published, log->head);
}

/* All samples are published: the window ends here, and the reader may have it. */
static __always_inline void irqscope_window_settle(struct irqscope *scope,
						   struct irqscope_event_log *log)
{
	struct irqscope_interference *all = &scope->interference;

	if (likely(!READ_ONCE(all->closing)) || log->busy)
		return;
	WRITE_ONCE(all->closing, false);
	if (!log->open || irqscope_samples_open(scope))
		return;
	WRITE_ONCE(all->window, all->window + 1);
	irqscope_event_log_close(log);
}

/*
 * The next slot, to be filled and then given to irqscope_slot_filled(); NULL if
 * there is none, which is counted. Interrupts are off.
 */
static __always_inline struct irqscope_event *irqscope_slot(struct irqscope_event_log *log)
{
	struct irqscope_event *event;
	u64 slot;

	log->order++;
	if (unlikely(log->busy))
		goto lost;
	slot = log->open ? log->head : log->published + log->idle % IRQSCOPE_HISTORY;
	if (unlikely(slot - READ_ONCE(log->released) >= log->size))
		goto lost;
	if (log->open)
		log->head++;
	else
		log->idle++;
	log->busy = true;
	barrier(); /* an NMI on this CPU sees it */
	event = &log->slots[slot & (log->size - 1)];
	event->order = log->order;
	return event;
lost:
	WRITE_ONCE(log->lost, log->lost + 1);
	return NULL;
}

static __always_inline void irqscope_slot_filled(struct irqscope_event_log *log)
{
	barrier();
	log->busy = false;
}

/**
 * irqscope_event_at() - write an event that is complete but for its order
 * @log: of this CPU
 * @event: the event
 *
 * Interrupts are off.
 */
void notrace irqscope_event_at(struct irqscope_event_log *log, struct irqscope_event event)
{
	struct irqscope_event *slot = irqscope_slot(log);

	if (!slot)
		return;
	event.order = slot->order;
	*slot = event;
	irqscope_slot_filled(log);
}

/*
 * Names do not change often: they are written when a thread has not run lately,
 * or has another one since (a kernel thread is kthreadd's child at first). Only
 * where they stay: in the circle they would be overwritten, and count as known.
 */
static noinline void notrace irqscope_event_name(struct irqscope_event_log *log, u64 cycles,
						 u16 context)
{
	struct irqscope_event event = {
		.cycles = cycles,
		.value = current->pid,
		.pid = current->pid,
		.priority = current->prio + 1,
		.context = context,
	};
	u64 *known = &log->named[event.pid % ARRAY_SIZE(log->named)];
	u64 letters[TASK_COMM_LEN / sizeof(u64)];
	u64 name;

	log->current_task = current;
	if (!log->open)
		return;
	memcpy(letters, current->comm, sizeof(letters));
	name = letters[0] ^ rol64(letters[1], 24) ^ ~(u64)event.pid;
	if (*known == name)
		return;
	*known = name;
	event.kind = IRQSCOPE_NAME;
	event.address = letters[0];
	irqscope_event_at(log, event);
	event.kind = IRQSCOPE_NAME_REST;
	event.address = letters[1];
	irqscope_event_at(log, event);
}

/*
 * Intel's CPUs, and QEMU's, count system management interrupts. To read that takes
 * longer than to write an event, and such an interrupt takes some tens of
 * microseconds: it is read where that much passed without an event.
 */
static noinline void notrace irqscope_event_smi(struct irqscope_event_log *log, u64 cycles,
						u16 context)
{
	u32 smis = irqscope_smi_count();
	struct irqscope_event event = {
		.cycles = cycles,
		.value = smis - log->smis,
		.pid = current->pid,
		.kind = IRQSCOPE_SMI,
		.priority = current->prio + 1,
		.context = context,
	};

	log->smis = smis;
	if (event.value)
		irqscope_event_at(log, event);
}

static __always_inline void irqscope_event_write(struct irqscope_event_log *log, u8 kind,
						 u32 value, u64 address, u64 cycles,
						 u16 context)
{
	struct task_struct *task = current;
	struct irqscope_event *event;

	if (unlikely(cycles - log->last > log->smi_after))
		irqscope_event_smi(log, cycles, context);
	log->last = cycles;
	event = irqscope_slot(log);
	if (likely(event)) {
		event->cycles = cycles;
		event->address = address;
		event->value = value;
		event->pid = task->pid;
		event->kind = kind;
		event->priority = task->prio + 1;
		event->context = context;
		irqscope_slot_filled(log);
	}
	if (unlikely(task != log->current_task))
		irqscope_event_name(log, cycles, context);
}

/**
 * irqscope_event_in() - write what happens now into a log
 * @log: of this CPU
 * @kind: enum irqscope_event_kind
 * @value: by @kind
 * @address: by @kind
 * @flags: from before interrupts were disabled, which they are
 */
void notrace irqscope_event_in(struct irqscope_event_log *log, u8 kind, u32 value, u64 address,
			       unsigned long flags)
{
	irqscope_event_write(log, kind, value, address, get_cycles(), irqscope_context(flags, 1));
}

/* On the CPU under test. */
static __always_inline void irqscope_event_here(struct irqscope *scope, u8 kind, u32 value,
						u64 address)
{
	struct irqscope_event_log *log = &scope->interference.log;
	u64 cycles = get_cycles();
	unsigned long flags;

	/* raw: a probe of irq_disable must not ask for itself. */
	raw_local_irq_save(flags);
	irqscope_window_settle(scope, log);
	irqscope_event_write(log, kind, value, address, cycles, irqscope_context(flags, 1));
	raw_local_irq_restore(flags);
}

/**
 * irqscope_event_cost() - measure what writing an event takes, without the way to it
 * @scope: the scope, to which no probe writes
 *
 * The shortest of some: an interrupt or a cold cache only makes one longer.
 *
 * Return: cycles
 */
u32 irqscope_event_cost(struct irqscope *scope)
{
	u64 shortest = U64_MAX;
	unsigned long flags;
	u64 begin;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		local_irq_save(flags);
		begin = get_cycles();
		irqscope_event_here(scope, IRQSCOPE_STATISTICS, 0, 0);
		shortest = min(shortest, get_cycles() - begin);
		local_irq_restore(flags);
	}
	return shortest;
}

/**
 * irqscope_event() - write what happens now
 * @scope: the scope
 * @kind: enum irqscope_event_kind
 * @value: by @kind
 * @address: by @kind
 *
 * In a probe, on any CPU, with preemption disabled.
 */
void notrace irqscope_event(struct irqscope *scope, u8 kind, u32 value, u64 address)
{
	const struct irqscope_interference *all = &scope->interference;

	if (likely(raw_smp_processor_id() == READ_ONCE(all->cpu)))
		irqscope_event_here(scope, kind, value, address);
	else
		irqscope_event_elsewhere(all, kind, value, address);
}

/**
 * irqscope_interference_open() - what comes from here on belongs to a sample
 * @scope: the scope
 *
 * In the hard handler, on the CPU under test.
 */
void irqscope_interference_open(struct irqscope *scope)
{
	struct irqscope_interference *all = &scope->interference;
	struct irqscope_event_log *log = &all->log;

	irqscope_window_settle(scope, log);
	if (log->open)
		return;
	irqscope_event_log_open(log);
	WRITE_ONCE(all->window, all->window + 1);
}
