// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Inside off: the view from outside alone.
 *
 * Stages make their edges and nothing else is kept: no clock is read, no sample
 * is opened, no counter of the kernel is looked at. What is left is what a stage
 * needs in order to be raised again (its token), and what tells when a run is
 * over: how many stages were raised, and how many of these have answered.
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
	if (scope->settings.trigger != IRQSCOPE_LINE) {
		pr_err("inside off needs a generator: set trigger to line\n");
		return -EINVAL;
	}
	scope->raised = 0;
	atomic64_set(&scope->answered, 0);
	static_branch_enable_cpuslocked(&irqscope_bare);
	return 0;
}

/**
 * irqscope_bare_trigger() - count a trigger and raise its stages
 * @scope: the scope
 *
 * In the hard handler, after its edge.
 *
 * Return: the trigger's token
 */
u64 irqscope_bare_trigger(struct irqscope *scope)
{
	struct irqscope_ring *header = scope->buffer.header;
	unsigned long others = irqscope_sample_asked(scope) & ~BIT(IRQSCOPE_IRQ);
	u64 token = header->triggers + 1;
	unsigned int index;
	bool merged = false;

	irqscope_count(&header->triggers);
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
		irqscope_count(&header->coalesced);
	return token;
}

/**
 * irqscope_bare_answer() - a stage has answered, or was given up
 * @stage: the stage
 */
void irqscope_bare_answer(struct irqscope_responder *stage)
{
	atomic64_inc(&stage->scope->answered);
}
