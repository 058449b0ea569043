// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When a run's other activity is logged, and in which memory.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/irqflags.h>
#include <linux/math64.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>

#include "internal.h"
#include "smi.h"

/* 10 us: SMIs are rarely shorter. */
#define SMI_FS	10000000000ULL

DEFINE_STATIC_KEY_FALSE(irqscope_explaining);

/**
 * irqscope_event_log_reset() - empty a log, to which none writes
 * @log: the log
 */
void irqscope_event_log_reset(struct irqscope_event_log *log)
{
	log->order = 0;
	log->head = 0;
	log->idle = 0;
	log->published = 0;
	log->released = 0;
	WRITE_ONCE(log->lost, 0);
	log->window = 0;
	log->open = false;
	log->busy = false;
	log->current_task = NULL;
	log->last = get_cycles();
	log->smi_after = U64_MAX;
	memset(log->named, 0, sizeof(log->named));
}

/**
 * irqscope_event_log_resize() - have memory for a log, to which none writes
 * @log: the log
 * @size: how many events; a power of two
 *
 * Return: 0 or -ENOMEM; then it has what it had
 */
int irqscope_event_log_resize(struct irqscope_event_log *log, u32 size)
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

static int irqscope_logs_prepare(struct irqscope *scope)
{
	struct irqscope_interference *all = &scope->interference;
	int err = irqscope_event_log_resize(&all->log, scope->settings.events);

	irqscope_event_log_reset(&all->log);
	all->window = 0;
	WRITE_ONCE(all->closing, false);
	return err ?: irqscope_others_prepare(scope);
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
	struct irqscope_interference *all = &scope->interference;
	int err;

	if (scope->settings.explain == IRQSCOPE_EXPLAIN_OFF) {
		static_branch_disable_cpuslocked(&irqscope_explaining);
		return 0;
	}
	if (scope->settings.inside == IRQSCOPE_INSIDE_OFF) {
		pr_err("explain needs the view from inside: set inside to on\n");
		return -EINVAL;
	}
	mutex_lock(&all->reader);
	err = irqscope_logs_prepare(scope);
	mutex_unlock(&all->reader);
	if (err) {
		pr_err("no memory for %lld events: set events lower\n", scope->settings.events);
		return err;
	}
	WRITE_ONCE(all->cost_cycles, irqscope_event_cost(scope));
	mutex_lock(&all->reader);
	irqscope_event_log_reset(&all->log);
	mutex_unlock(&all->reader);
	if (irqscope_smi_is_counted(scope->cpu, &all->log.smis))
		all->log.smi_after = div64_u64(SMI_FS, scope->tick_fs);
	static_branch_enable_cpuslocked(&irqscope_explaining);
	WRITE_ONCE(all->cpu, scope->cpu);
	return 0;
}

/**
 * irqscope_interference_unprepare() - end the logs; the reader may have all of them
 * @scope: the scope, with no sample open
 *
 * The hotplug callback may wait for it: probes go later.
 */
void irqscope_interference_unprepare(struct irqscope *scope)
{
	struct irqscope_interference *all = &scope->interference;

	if (scope->settings.explain == IRQSCOPE_EXPLAIN_OFF)
		return;
	WRITE_ONCE(all->cpu, IRQSCOPE_NO_CPU);
	tracepoint_synchronize_unregister(); /* none writes any more */
	irqscope_event_log_close(&all->log);
	irqscope_others_unprepare();
}

/**
 * irqscope_interference_init() - make what the logs need before they have memory
 * @scope: the scope
 */
void irqscope_interference_init(struct irqscope *scope)
{
	struct irqscope_interference *all = &scope->interference;

	mutex_init(&all->reader);
	all->cpu = IRQSCOPE_NO_CPU;
}

/**
 * irqscope_interference_free() - free the logs
 * @scope: the scope, not active
 */
void irqscope_interference_free(struct irqscope *scope)
{
	vfree(scope->interference.log.slots);
	irqscope_others_free();
}
