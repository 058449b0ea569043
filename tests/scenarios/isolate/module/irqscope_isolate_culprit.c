// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Disturbs a CPU from another one in known ways: a function called there, a timer that expires there, a
 * work that is queued there. Each executes a known number of instructions.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/timer.h>
#include <linux/workqueue.h>

static unsigned int cpu = 1;
module_param(cpu, uint, 0444);
static unsigned int instructions = 2000;
module_param(instructions, uint, 0444);

static struct task_struct *thread;

/* Two instructions a round. */
static __always_inline void culprit_loop(void)
{
	unsigned long rounds = instructions / 2;

	asm volatile("1: dec %0; jnz 1b" : "+r"(rounds) : : "cc");
}

static noinline void culprit_called(void *unused)
{
	culprit_loop();
}

static void culprit_expired(struct timer_list *unused)
{
	culprit_loop();
}

static void culprit_worked(struct work_struct *unused)
{
	culprit_loop();
}

static DEFINE_TIMER(culprit_timer, culprit_expired);
static DECLARE_WORK(culprit_work, culprit_worked);

static noinline void culprit_asks(unsigned int turn)
{
	switch (turn % 3) {
	case 0:
		smp_call_function_single(cpu, culprit_called, NULL, 1);
		break;
	case 1:
		culprit_timer.expires = jiffies + 1;
		add_timer_on(&culprit_timer, cpu);
		break;
	default:
		queue_work_on(cpu, system_wq, &culprit_work);
	}
}

static int culprit_thread(void *unused)
{
	unsigned int turn = 0;

	while (!kthread_should_stop()) {
		usleep_range(19000, 19001);
		culprit_asks(turn++);
	}
	return 0;
}

static int __init culprit_init(void)
{
	thread = kthread_create(culprit_thread, NULL, "culprit");
	if (IS_ERR(thread))
		return PTR_ERR(thread);
	kthread_bind(thread, 0);
	wake_up_process(thread);
	return 0;
}

static void __exit culprit_exit(void)
{
	kthread_stop(thread);
	cancel_work_sync(&culprit_work);
	while (timer_pending(&culprit_timer))
		msleep(20);
}

module_init(culprit_init);
module_exit(culprit_exit);
MODULE_DESCRIPTION("Disturbs a CPU from another one in known ways");
MODULE_LICENSE("GPL");
