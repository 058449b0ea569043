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
 * one that is pending included. Only the context that takes it from 0 to 1 (the
 * handler), or that lowers it and finds more (a stage that answered, or the
 * closer), makes a token pending, and never both: so tokens become pending in
 * their order. Every trigger with a token asks every stage (mode together), so
 * the next token is this one plus one.
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
	static_branch_enable_cpuslocked(&irqscope_counting);
	return 0;
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
	atomic64_set(&stage->pending, token);
	stage->ops->raise(stage);
}

/**
 * irqscope_counted_settle() - a trigger was answered, or closed
 * @stage: the stage, with nothing pending
 * @token: the trigger's
 *
 * Return: true if the next one is pending now, and the stage not raised for it
 */
bool irqscope_counted_settle(struct irqscope_responder *stage, u64 token)
{
	if (atomic_dec_return(&stage->owed) <= 0)
		return false;
	atomic64_set(&stage->pending, token + 1);
	return true;
}

/**
 * irqscope_counted_again() - after an answer: the stage raises itself if more is owed
 * @stage: the stage
 * @token: the trigger that was answered
 */
void irqscope_counted_again(struct irqscope_responder *stage, u64 token)
{
	if (!irqscope_counted_settle(stage, token))
		return;
	if (stage->ops->again)
		stage->ops->again(stage);
	else
		stage->ops->raise(stage);
}
