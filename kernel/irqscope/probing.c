// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which probes a run needs, and since when it has them.
 *
 * Probes come before a run takes its locks, or with the opening of the log of events, and go
 * afterwards: patching a tracepoint's call takes the hotplug lock, which a run's two ends hold.
 */
#include <linux/bitops.h>

#include "internal.h"

/* The functions that register and unregister all probes of a set. */
static const struct {
	int (*enter)(struct irqscope *scope);
	void (*leave)(struct irqscope *scope);
} irqscope_probe_sets[] = {
	[IRQSCOPE_PROBES_EXPLAIN] = { irqscope_probes_register, irqscope_probes_unregister },
	[IRQSCOPE_PROBES_SLEEP] = { irqscope_sleep_register, irqscope_sleep_unregister },
};

/**
 * irqscope_probing_wanted() - which probes a run with the present settings needs
 * @scope: the scope
 *
 * Return: mask of enum irqscope_probe_set
 */
unsigned long irqscope_probing_wanted(const struct irqscope *scope)
{
	unsigned long sets = 0;

	if (READ_ONCE(scope->settings.explain) == IRQSCOPE_EXPLAIN_ON)
		sets |= BIT(IRQSCOPE_PROBES_EXPLAIN);
	if (READ_ONCE(scope->settings.trigger) == IRQSCOPE_SLEEP)
		sets |= BIT(IRQSCOPE_PROBES_SLEEP);
	return sets;
}

static void irqscope_probing_leave_set(struct irqscope *scope, unsigned int set,
				       unsigned int users)
{
	scope->probing.users[set] -= users;
	if (users && !scope->probing.users[set])
		irqscope_probe_sets[set].leave(scope);
}

static int irqscope_probing_enter_set(struct irqscope *scope, unsigned int set)
{
	int err = scope->probing.users[set] ? 0 : irqscope_probe_sets[set].enter(scope);

	if (!err)
		scope->probing.users[set]++;
	return err;
}

/**
 * irqscope_probing_get() - have the probes of some sets
 * @scope: the scope, which they report to
 * @sets: mask of enum irqscope_probe_set
 *
 * Neither under control nor under the hotplug lock.
 *
 * Return: 0 or a negative errno, which was logged
 */
int irqscope_probing_get(struct irqscope *scope, unsigned long sets)
{
	unsigned long entered = 0;
	unsigned int set;
	int err = 0;

	mutex_lock(&scope->probing.lock);
	for_each_set_bit(set, &sets, IRQSCOPE_PROBE_SETS) {
		err = irqscope_probing_enter_set(scope, set);
		if (err)
			break;
		entered |= BIT(set);
	}
	if (err)
		for_each_set_bit(set, &entered, IRQSCOPE_PROBE_SETS)
			irqscope_probing_leave_set(scope, set, 1);
	mutex_unlock(&scope->probing.lock);
	return err;
}

/**
 * irqscope_probing_put() - need the probes no more; the last user takes them away
 * @scope: the scope
 * @sets: mask of enum irqscope_probe_set
 *
 * Where irqscope_probing_get() may be called. None is running when they are gone.
 */
void irqscope_probing_put(struct irqscope *scope, unsigned long sets)
{
	unsigned int set;

	mutex_lock(&scope->probing.lock);
	for_each_set_bit(set, &sets, IRQSCOPE_PROBE_SETS)
		irqscope_probing_leave_set(scope, set, 1);
	mutex_unlock(&scope->probing.lock);
}

static void irqscope_probing_leave(struct work_struct *work)
{
	struct irqscope *scope = container_of(work, struct irqscope, probing.leave);
	unsigned int set;

	mutex_lock(&scope->probing.lock);
	for (set = 0; set < IRQSCOPE_PROBE_SETS; set++)
		irqscope_probing_leave_set(scope, set,
					   atomic_xchg(&scope->probing.leaving[set], 0));
	mutex_unlock(&scope->probing.lock);
}

/**
 * irqscope_probing_put_later() - likewise, soon, from wherever a run ends
 * @scope: the scope
 * @sets: mask of enum irqscope_probe_set
 */
void irqscope_probing_put_later(struct irqscope *scope, unsigned long sets)
{
	unsigned int set;

	for_each_set_bit(set, &sets, IRQSCOPE_PROBE_SETS)
		atomic_inc(&scope->probing.leaving[set]);
	if (sets)
		schedule_work(&scope->probing.leave);
}

/**
 * irqscope_probing_settle() - wait until the probes of runs that have ended are gone
 * @scope: the scope
 */
void irqscope_probing_settle(struct irqscope *scope)
{
	flush_work(&scope->probing.leave);
}

/**
 * irqscope_probing_init() - make what probes need
 * @scope: the scope
 */
void irqscope_probing_init(struct irqscope *scope)
{
	mutex_init(&scope->probing.lock);
	INIT_WORK(&scope->probing.leave, irqscope_probing_leave);
}
