// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Inside off: the view from outside alone.
 *
 * Stages make their edges and nothing else is kept: no clock is read, no sample
 * is opened, no counter of the kernel is looked at. Two things are left: what a
 * stage needs in order to be raised again (its token), and what shows when a
 * run is over: how many stages were raised, and how many of these have
 * answered.
 *
 * The accounts are the generator's then. Of the ring's counters only `triggers`,
 * `coalesced` (a stage was still pending) and `spurious` are kept.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "hot.h"

DEFINE_STATIC_KEY_FALSE(irqscope_bare);

/**
 * irqscope_bare_prepare() - turn the view from inside on or off for a run
 * @scope: the scope
 *
 * The caller holds the hotplug lock. The key stays as it is when the run is
 * over: its end must not wait for that lock.
 *
 * Return: 0 or -EINVAL, which was logged
 */
int irqscope_bare_prepare(struct irqscope *scope)
{
	if (scope->settings.inside == IRQSCOPE_INSIDE_ON) {
		static_branch_disable_cpuslocked(&irqscope_bare);
		return 0;
	}
	if (scope->settings.trigger != IRQSCOPE_LINE && !irqscope_inject_is_asked(scope)) {
		pr_err("inside off needs a generator: set trigger to line, or to inject with line memory\n");
		return -EINVAL;
	}
	scope->raised = 0;
	atomic64_set(&scope->answered, 0);
	static_branch_enable_cpuslocked(&irqscope_bare);
	return 0;
}

/**
 * irqscope_bare_open() - count a trigger
 * @scope: the scope
 *
 * Return: the trigger's token
 */
u64 irqscope_bare_open(struct irqscope *scope)
{
	struct irqscope_ring *header = scope->buffer.header;

	irqscope_count(&header->triggers);
	return header->triggers;
}

/**
 * irqscope_bare_raise() - raise the stages of a trigger
 * @scope: the scope
 * @token: the trigger
 *
 * In the hard handler, after its edge.
 */
void irqscope_bare_raise(struct irqscope *scope, u64 token)
{
	unsigned long others = irqscope_sample_turn(scope) & ~BIT(IRQSCOPE_IRQ);
	unsigned int index;
	bool merged = false;

	for_each_set_bit(index, &others, IRQSCOPE_STAGES) {
		struct irqscope_responder *stage = &scope->stages[index];

		if (unlikely(atomic64_cmpxchg(&stage->pending, 0, token))) {
			merged = true;
			continue;
		}
		WRITE_ONCE(scope->raised, scope->raised + 1);
		stage->ops->raise(stage);
	}
	if (unlikely(merged))
		irqscope_count_shared(&scope->buffer.header->coalesced);
	irqscope_execute(&scope->stages[IRQSCOPE_IRQ], 0);
}

/**
 * irqscope_bare_answer() - a stage has answered, or was given up
 * @stage: the stage
 */
void irqscope_bare_answer(struct irqscope_responder *stage)
{
	/* Not among those that were raised: the handler raises the others. */
	if (stage->index != IRQSCOPE_IRQ)
		atomic64_inc(&stage->scope->answered);
}

/**
 * irqscope_bare_pending() - how many stages have not answered yet
 * @scope: the scope, whose trigger was stopped; process context
 *
 * An interrupt that was injected may not have been taken yet, or its handler is
 * about to raise the others.
 *
 * Return: their number
 */
u64 irqscope_bare_pending(const struct irqscope *scope)
{
	if (atomic64_read(&scope->stages[IRQSCOPE_IRQ].pending))
		return 1;
	synchronize_hardirq(scope->interrupt.number);
	return READ_ONCE(scope->raised) - atomic64_read(&scope->answered);
}
