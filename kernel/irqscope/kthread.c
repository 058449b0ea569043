// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stage kthread: a kernel thread bound to the CPU under test.
 *
 * The handler wakes it directly, as a driver wakes its own thread: no
 * workqueue, no genirq, only the scheduler.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kthread.h>
#include <linux/sched/task.h>

#include "hot.h"

static int irqscope_kthread_run(void *data)
{
	struct irqscope_responder *stage = data;
	u64 cycles;

	for (;;) {
		set_current_state(TASK_IDLE);
		if (kthread_should_stop())
			break;
		if (!atomic64_read(&stage->pending))
			schedule();
		irqscope_delay(stage);
		cycles = irqscope_stamp();
		if (unlikely(!atomic64_read(&stage->pending)))
			continue; /* woken by kthread_stop(), or closed meanwhile */
		irqscope_toggle(stage);
		irqscope_answer(stage, cycles);
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static int irqscope_kthread_prepare(struct irqscope_responder *stage)
{
	struct irqscope *scope = stage->scope;
	struct task_struct *task;
	int err;

	task = kthread_create_on_node(irqscope_kthread_run, stage, cpu_to_node(scope->cpu),
				      "irqscope/%d", scope->cpu);
	if (IS_ERR(task)) {
		pr_err("no thread for stage kthread (%ld)\n", PTR_ERR(task));
		return PTR_ERR(task);
	}
	kthread_bind(task, scope->cpu);
	err = irqscope_sched_apply(task, &scope->settings.kthread);
	if (err) {
		kthread_stop(task);
		return err;
	}
	stage->task = get_task_struct(task);
	wake_up_process(task);
	return 0;
}

static void irqscope_kthread_raise(struct irqscope_responder *stage)
{
	wake_up_process(stage->task);
}

static void irqscope_kthread_unprepare(struct irqscope_responder *stage)
{
	struct task_struct *task = stage->task;

	kthread_stop(task);
	stage->task = NULL;
	put_task_struct(task);
}

const struct irqscope_stage_ops irqscope_kthread_stage = {
	.prepare = irqscope_kthread_prepare,
	.raise = irqscope_kthread_raise,
	.unprepare = irqscope_kthread_unprepare,
};
