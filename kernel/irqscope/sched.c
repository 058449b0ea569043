// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Policy and priority of the stages that are threads.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "compat.h"
#include "internal.h"

/**
 * irqscope_sched_apply() - give a thread its policy and priority
 * @task: the thread
 * @sched: what was set
 *
 * Return: 0 or a negative errno, which was logged
 */
int irqscope_sched_apply(struct task_struct *task, const struct irqscope_sched *sched)
{
	struct sched_attr attr = { .size = sizeof(attr) };
	int err;

	switch (sched->policy) {
	case IRQSCOPE_FIFO:
		attr.sched_policy = SCHED_FIFO;
		attr.sched_priority = sched->value;
		break;
	case IRQSCOPE_RR:
		attr.sched_policy = SCHED_RR;
		attr.sched_priority = sched->value;
		break;
	case IRQSCOPE_OTHER:
		attr.sched_policy = SCHED_NORMAL;
		attr.sched_nice = sched->value;
		break;
	}
	err = irqscope_sched_setattr(task, &attr);
	if (err == -EOPNOTSUPP)
		pr_err("%s: this kernel lets modules choose \"fifo %d\" and \"other N\" only\n",
		       task->comm, MAX_RT_PRIO / 2);
	else if (err)
		pr_err("%s cannot be scheduled as set (%d)\n", task->comm, err);
	return err;
}
