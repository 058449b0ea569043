// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stages work_bh, work_hi, work and work_unbound.
 *
 * All are one work item on one of the kernel's own workqueues, queued for the
 * CPU under test; for the unbound queue that names the node, and the
 * scheduler chooses the CPU.
 */
#include "compat.h"
#include "hot.h"

static void irqscope_work_run(struct work_struct *work)
{
	struct irqscope_responder *stage = container_of(work, struct irqscope_responder, work);

	irqscope_answer(stage, irqscope_enter(stage));
}

static int irqscope_work_prepare_on(struct irqscope_responder *stage,
				    struct workqueue_struct *queue)
{
	stage->queue = queue;
	INIT_WORK(&stage->work, irqscope_work_run);
	return 0;
}

static void irqscope_work_raise(struct irqscope_responder *stage)
{
	queue_work_on(stage->scope->cpu, stage->queue, &stage->work);
}

static void irqscope_work_unprepare(struct irqscope_responder *stage)
{
	cancel_work_sync(&stage->work);
}

#ifdef IRQSCOPE_HAVE_WORK_BH
static int irqscope_work_bh_prepare(struct irqscope_responder *stage)
{
	/* Lockdep knows a work item by where it is initialised; softirqs' ones are others. */
	stage->queue = system_bh_wq;
	INIT_WORK(&stage->work, irqscope_work_run);
	return 0;
}

const struct irqscope_stage_ops irqscope_work_bh_stage = {
	.prepare = irqscope_work_bh_prepare,
	.raise = irqscope_work_raise,
	.unprepare = irqscope_work_unprepare,
};
#else
const struct irqscope_stage_ops irqscope_work_bh_stage;
#endif

static int irqscope_work_hi_prepare(struct irqscope_responder *stage)
{
	return irqscope_work_prepare_on(stage, system_highpri_wq);
}

const struct irqscope_stage_ops irqscope_work_hi_stage = {
	.prepare = irqscope_work_hi_prepare,
	.raise = irqscope_work_raise,
	.unprepare = irqscope_work_unprepare,
};

static int irqscope_work_prepare(struct irqscope_responder *stage)
{
	return irqscope_work_prepare_on(stage, irqscope_system_wq);
}

const struct irqscope_stage_ops irqscope_work_stage = {
	.prepare = irqscope_work_prepare,
	.raise = irqscope_work_raise,
	.unprepare = irqscope_work_unprepare,
};

static int irqscope_work_unbound_prepare(struct irqscope_responder *stage)
{
	return irqscope_work_prepare_on(stage, irqscope_system_unbound_wq);
}

const struct irqscope_stage_ops irqscope_work_unbound_stage = {
	.prepare = irqscope_work_unbound_prepare,
	.raise = irqscope_work_raise,
	.unprepare = irqscope_work_unprepare,
};
