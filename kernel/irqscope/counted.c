// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counted triggers: none is merged.
 *
 * A stage that is raised while it is pending runs once for both. With
 * settings/compensate `counter` the handler counts instead, and the stage, when
 * it has run, raises itself again for what is left: as many runs as triggers,
 * in their order.
 *
 * Useful invariant: @owed counts the triggers that a stage has not answered, the
 * one that is pending included. A token becomes pending in one of two ways: the
 * handler takes @owed from 0 to 1, or the context that answered or closed the
 * stage lowers it and finds more. Both never happen for the same token, so tokens
 * become pending in their order.
 *
 * A trigger that was injected before the one ahead of it was handled has a token
 * but asks no stage. So the token that follows is not this one plus one: the
 * handler chains those that it has raised (@next of the flight).
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>

#include "hot.h"

DEFINE_STATIC_KEY_FALSE(irqscope_counting);

/**
 * irqscope_counted_prepare() - turn counting on or off for a run
 * @scope: the scope
 *
 * The caller holds the hotplug lock; see irqscope_bare_prepare().
 *
 * Return: 0 or -EINVAL, which was logged
 */
int irqscope_counted_prepare(struct irqscope *scope)
{
	const struct irqscope_settings *settings = &scope->settings;
	unsigned int index;

	if (settings->compensate == IRQSCOPE_COMPENSATE_NONE) {
		static_branch_disable_cpuslocked(&irqscope_counting);
		return 0;
	}
	if (settings->mode != IRQSCOPE_TOGETHER || settings->inside != IRQSCOPE_INSIDE_ON) {
		pr_err("compensate counter needs mode together and inside on\n");
		return -EINVAL;
	}
	for (index = 0; index < IRQSCOPE_STAGES; index++)
		atomic_set(&scope->stages[index].owed, 0);
	scope->chained = 0;
	static_branch_enable_cpuslocked(&irqscope_counting);
	return 0;
}

/**
 * irqscope_counted_chain() - a trigger is about to raise all its stages
 * @scope: the scope
 * @token: the trigger's
 *
 * In the hard handler. The trigger before may be published by now and its slot in
 * use again: then no stage owes anything, and the link that is written into the slot
 * is overwritten before another stage can look for it.
 */
void irqscope_counted_chain(struct irqscope *scope, u64 token)
{
	if (scope->chained)
		WRITE_ONCE(irqscope_flight(scope, scope->chained)->next, token);
	scope->chained = token;
}

/**
 * irqscope_counted_raise() - one trigger more; the stage is raised if it was idle
 * @stage: the stage
 * @token: the trigger's
 */
void irqscope_counted_raise(struct irqscope_responder *stage, u64 token)
{
	if (atomic_inc_return(&stage->owed) > 1)
		return;
	/* Fully ordered, as the cmpxchg elsewhere: irqscope_user_raise() relies on it. */
	atomic64_xchg(&stage->pending, token);
	stage->ops->raise(stage);
}

/**
 * irqscope_counted_settle() - a trigger was answered, or closed
 * @stage: the stage, with nothing pending
 * @token: the trigger's, whose reference the caller still holds
 *
 * Return: true if the next one is pending now, and the stage not raised for it
 */
bool irqscope_counted_settle(struct irqscope_responder *stage, u64 token)
{
	/* Fully ordered: what is owed was counted after its link was written. */
	if (atomic_dec_return(&stage->owed) <= 0)
		return false;
	/* As above. */
	atomic64_xchg(&stage->pending, READ_ONCE(irqscope_flight(stage->scope, token)->next));
	return true;
}

/**
 * irqscope_counted_again() - the stage raises itself for the next trigger
 * @stage: the stage, for which irqscope_counted_settle() returned true
 */
void irqscope_counted_again(struct irqscope_responder *stage)
{
	if (stage->ops->again)
		stage->ops->again(stage);
	else
		stage->ops->raise(stage);
}
