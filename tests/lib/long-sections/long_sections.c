// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every 20 ms a section with interrupts disabled and one with preemption disabled,
 * for a test that has to find both with their lengths.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/preempt.h>

#define INTERRUPTS_US	120
#define PREEMPTION_US	210

static struct task_struct *thread;

static noinline void long_sections_interrupts(void)
{
	local_irq_disable();
	udelay(INTERRUPTS_US);
	local_irq_enable();
}

static noinline void long_sections_preemption(void)
{
	preempt_disable();
	udelay(PREEMPTION_US);
	preempt_enable();
}

static int long_sections_turn(void *unused)
{
	while (!kthread_should_stop()) {
		long_sections_interrupts();
		long_sections_preemption();
		usleep_range(20000, 20000);
	}
	return 0;
}

static int __init long_sections_init(void)
{
	thread = kthread_run(long_sections_turn, NULL, "long-sections");
	return PTR_ERR_OR_ZERO(thread);
}

static void __exit long_sections_exit(void)
{
	kthread_stop(thread);
}

module_init(long_sections_init);
module_exit(long_sections_exit);
MODULE_DESCRIPTION("Sections of known length");
MODULE_LICENSE("GPL");
