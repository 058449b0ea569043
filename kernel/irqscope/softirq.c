// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stages softirq, tasklet_hi and tasklet.
 *
 * A module cannot own a softirq vector. irq_poll runs a module's function
 * straight from IRQ_POLL_SOFTIRQ, with nothing in between but a list: what
 * stage softirq measures is that vector.
 *
 * irq_poll itself goes on with what was raised while it polls, as long as its
 * budget lasts. A poll that uses all of it up lets the vector end instead: each
 * raise is one run of the vector, as with a function that owns one, and counts
 * among the rounds after which softirqs are handed to ksoftirqd.
 */
#include "hot.h"

#define WEIGHT	INT_MAX	/* never used up: each poll completes at once */
#define BUDGET	(WEIGHT - 1)	/* more than irq_poll has */

#ifdef IRQSCOPE_HAVE_IRQ_POLL
/*
 * The stage can be raised again from irq_poll_complete() on; only then may the
 * token be taken, or a trigger in between would raise it in vain.
 */
static int irqscope_softirq_poll(struct irq_poll *poll, int budget)
{
	struct irqscope_responder *stage = container_of(poll, struct irqscope_responder, poll);
	u64 cycles = irqscope_enter(stage);

	irq_poll_complete(poll);
	irqscope_answer(stage, cycles);
	return BUDGET;
}

static int irqscope_softirq_prepare(struct irqscope_responder *stage)
{
	irq_poll_init(&stage->poll, WEIGHT, irqscope_softirq_poll);
	return 0;
}

static void irqscope_softirq_raise(struct irqscope_responder *stage)
{
	irq_poll_sched(&stage->poll);
}

static void irqscope_softirq_unprepare(struct irqscope_responder *stage)
{
	irq_poll_disable(&stage->poll); /* waits for a running one */
}

const struct irqscope_stage_ops irqscope_softirq_stage = {
	.prepare = irqscope_softirq_prepare,
	.raise = irqscope_softirq_raise,
	.unprepare = irqscope_softirq_unprepare,
};
#else
/* Nothing on such a kernel polls, and no vector is a module's: there is no such stage. */
const struct irqscope_stage_ops irqscope_softirq_stage;
#endif

static void irqscope_tasklet_run(struct tasklet_struct *tasklet)
{
	struct irqscope_responder *stage =
		container_of(tasklet, struct irqscope_responder, tasklet);

	irqscope_answer(stage, irqscope_enter(stage));
}

static int irqscope_tasklet_prepare(struct irqscope_responder *stage)
{
	tasklet_setup(&stage->tasklet, irqscope_tasklet_run);
	return 0;
}

static void irqscope_tasklet_hi_raise(struct irqscope_responder *stage)
{
	tasklet_hi_schedule(&stage->tasklet);
}

static void irqscope_tasklet_raise(struct irqscope_responder *stage)
{
	tasklet_schedule(&stage->tasklet);
}

static void irqscope_tasklet_unprepare(struct irqscope_responder *stage)
{
	tasklet_kill(&stage->tasklet);
}

const struct irqscope_stage_ops irqscope_tasklet_hi_stage = {
	.prepare = irqscope_tasklet_prepare,
	.raise = irqscope_tasklet_hi_raise,
	.unprepare = irqscope_tasklet_unprepare,
};

const struct irqscope_stage_ops irqscope_tasklet_stage = {
	.prepare = irqscope_tasklet_prepare,
	.raise = irqscope_tasklet_raise,
	.unprepare = irqscope_tasklet_unprepare,
};
