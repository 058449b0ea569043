// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The log of what else the CPU under test did.
 *
 * Which events belong to a sample is known only when its trigger's handler runs,
 * and the ones that explain a late handler lie before it. So events are written
 * all the time; while no sample is open they overwrite each other in a small
 * circle, and a trigger only has to begin where the circle ends.
 *
 * With explain off none of this exists: no probe is registered, and the two
 * places in a sample's life that it hooks into are patched out.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/irqflags.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>

#include "context.h"
#include "hot.h"
#include "smi.h"

#define ROUNDS	64

/* 10 us: SMIs are rarely shorter. */
#define SMI_FS	10000000000ULL

DEFINE_STATIC_KEY_FALSE(irqscope_explaining);

/* All samples are published: the window ends here, and the reader may have it. */
static __always_inline void irqscope_window_settle(struct irqscope *scope,
						   struct irqscope_interference *log)
{
	if (likely(!READ_ONCE(log->closing)))
		return;
	WRITE_ONCE(log->closing, false);
	if (!log->open || irqscope_samples_open(scope))
		return;
	log->open = false;
	log->idle = 0;
	/* Pairs with the reader's acquire: the events are there before. */
	smp_store_release(&log->published, log->head);
}

/*
 * The next slot, to be filled and then given to irqscope_slot_filled(); NULL if
 * there is none, which is counted. Interrupts are off.
 */
static __always_inline struct irqscope_event *irqscope_slot(struct irqscope *scope,
							    struct irqscope_interference *log)
{
	struct irqscope_event *event;
	u64 slot;

	log->order++;
	if (unlikely(log->busy))
		goto lost;
	irqscope_window_settle(scope, log);
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

static __always_inline void irqscope_slot_filled(struct irqscope_interference *log)
{
	barrier();
	log->busy = false;
}

/**
 * irqscope_event_at() - write an event that is complete but for its order
 * @scope: the scope
 * @event: the event
 *
 * On the CPU under test, interrupts off.
 */
void notrace irqscope_event_at(struct irqscope *scope, struct irqscope_event event)
{
	struct irqscope_interference *log = &scope->interference;
	struct irqscope_event *slot = irqscope_slot(scope, log);

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
static noinline void notrace irqscope_event_name(struct irqscope *scope, u64 cycles, u16 context)
{
	struct irqscope_interference *log = &scope->interference;
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
	irqscope_event_at(scope, event);
	event.kind = IRQSCOPE_NAME_REST;
	event.address = letters[1];
	irqscope_event_at(scope, event);
}

/*
 * Intel's CPUs, and QEMU's, count system management interrupts. To read that takes
 * longer than to write an event, and such an interrupt takes some tens of
 * microseconds: it is read where that much passed without an event.
 */
static noinline void notrace irqscope_event_smi(struct irqscope *scope, u64 cycles, u16 context)
{
	struct irqscope_interference *log = &scope->interference;
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
		irqscope_event_at(scope, event);
}

static __always_inline void irqscope_event_now(struct irqscope *scope, u8 kind, u32 value,
					       u64 address)
{
	struct irqscope_interference *log = &scope->interference;
	struct task_struct *task = current;
	u64 cycles = get_cycles();
	struct irqscope_event *event;
	unsigned long flags;
	u16 context;

	/* raw: a probe of irq_disable must not ask for itself. */
	raw_local_irq_save(flags);
	context = irqscope_context(flags, 1);
	if (unlikely(cycles - log->last > log->smi_after))
		irqscope_event_smi(scope, cycles, context);
	log->last = cycles;
	event = irqscope_slot(scope, log);
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
		irqscope_event_name(scope, cycles, context);
	raw_local_irq_restore(flags);
}

/**
 * irqscope_event() - write what happens now
 * @scope: the scope
 * @kind: enum irqscope_event_kind
 * @value: by @kind
 * @address: by @kind
 *
 * In a probe, on any CPU; those but the one under test are passed over.
 */
void notrace irqscope_event(struct irqscope *scope, u8 kind, u32 value, u64 address)
{
	const struct irqscope_interference *log = &scope->interference;

	if (likely(raw_smp_processor_id() == READ_ONCE(log->cpu)))
		irqscope_event_now(scope, kind, value, address);
}

/**
 * irqscope_interference_open() - what comes from here on belongs to a sample
 * @scope: the scope
 *
 * In the hard handler, on the CPU under test.
 */
void irqscope_interference_open(struct irqscope *scope)
{
	struct irqscope_interference *log = &scope->interference;

	irqscope_window_settle(scope, log);
	if (log->open)
		return;
	log->head = log->published + min_t(u64, log->idle, IRQSCOPE_HISTORY);
	log->current_task = NULL; /* writes the task's name, if it is new */
	log->open = true;
}

static void irqscope_interference_reset(struct irqscope_interference *log)
{
	log->order = 0;
	log->head = 0;
	log->idle = 0;
	log->published = 0;
	log->released = 0;
	WRITE_ONCE(log->lost, 0);
	log->open = false;
	log->closing = false;
	log->busy = false;
	log->current_task = NULL;
	log->last = get_cycles();
	memset(log->named, 0, sizeof(log->named));
}

/* The shortest of some: an interrupt or a cold cache only makes one longer. */
static u32 irqscope_interference_cost(struct irqscope *scope)
{
	u64 shortest = U64_MAX;
	unsigned long flags;
	u64 begin;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		local_irq_save(flags);
		begin = get_cycles();
		irqscope_event_now(scope, IRQSCOPE_STATISTICS, 0, 0);
		shortest = min(shortest, get_cycles() - begin);
		local_irq_restore(flags);
	}
	return shortest;
}

static int irqscope_interference_resize(struct irqscope_interference *log, u32 size)
{
	struct irqscope_event *slots;

	if (log->size == size)
		return 0;
	slots = vmalloc(array_size(size, sizeof(*slots)));
	if (!slots)
		return -ENOMEM;
	vfree(log->slots);
	log->slots = slots;
	log->size = size;
	return 0;
}

/**
 * irqscope_interference_prepare() - begin to log, if that is set
 * @scope: the scope
 *
 * The caller holds the hotplug lock, and probes: they cannot be registered under
 * that lock, which patching a tracepoint's call takes itself.
 *
 * Return: 0 or a negative errno, which was logged
 */
int irqscope_interference_prepare(struct irqscope *scope)
{
	struct irqscope_interference *log = &scope->interference;
	int err;

	if (scope->settings.explain == IRQSCOPE_EXPLAIN_OFF) {
		static_branch_disable_cpuslocked(&irqscope_explaining);
		return 0;
	}
	if (scope->settings.inside == IRQSCOPE_INSIDE_OFF) {
		pr_err("explain needs the view from inside: set inside to on\n");
		return -EINVAL;
	}
	mutex_lock(&log->reader);
	err = irqscope_interference_resize(log, scope->settings.events);
	irqscope_interference_reset(log);
	mutex_unlock(&log->reader);
	if (err) {
		pr_err("no memory for %lld events: set events lower\n", scope->settings.events);
		return err;
	}
	log->smi_after = U64_MAX;
	WRITE_ONCE(log->cost_cycles, irqscope_interference_cost(scope));
	mutex_lock(&log->reader);
	irqscope_interference_reset(log);
	mutex_unlock(&log->reader);
	if (irqscope_smi_is_counted(scope->cpu, &log->smis))
		log->smi_after = div64_u64(SMI_FS, scope->tick_fs);
	static_branch_enable_cpuslocked(&irqscope_explaining);
	WRITE_ONCE(log->cpu, scope->cpu);
	return 0;
}

/**
 * irqscope_interference_unprepare() - end the log; the reader may have all of it
 * @scope: the scope, with no sample open
 *
 * The hotplug callback may wait for it: probes go later.
 */
void irqscope_interference_unprepare(struct irqscope *scope)
{
	struct irqscope_interference *log = &scope->interference;

	if (scope->settings.explain == IRQSCOPE_EXPLAIN_OFF)
		return;
	WRITE_ONCE(log->cpu, IRQSCOPE_NO_CPU);
	tracepoint_synchronize_unregister(); /* none writes any more */
	irqscope_probes_put_later(scope);
	if (!log->open)
		return;
	log->open = false;
	/* Pairs with the reader's acquire. */
	smp_store_release(&log->published, log->head);
}

/**
 * irqscope_interference_init() - make what the log needs before it has memory
 * @scope: the scope
 */
void irqscope_interference_init(struct irqscope *scope)
{
	struct irqscope_interference *log = &scope->interference;

	mutex_init(&log->reader);
	log->cpu = IRQSCOPE_NO_CPU;
	irqscope_probes_init(scope);
}

/**
 * irqscope_interference_free() - free the log
 * @scope: the scope, not active
 */
void irqscope_interference_free(struct irqscope *scope)
{
	flush_work(&scope->interference.leave);
	vfree(scope->interference.slots);
}
