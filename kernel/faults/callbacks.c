// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Culprits that the kernel calls back: RCU, irq_work, stop_machine(), the timer
 * wheel, tasklets that come in a storm, a console.
 */
#include <linux/console.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/stop_machine.h>
#include <linux/timer.h>
#include <linux/version.h>

#include "faults.h"

#define STORM	8
#define HEADS	4

/* One that waits for its grace period cannot be asked again. */
static struct irqscope_fault_head {
	struct rcu_head rcu;
	bool waits;
} heads[HEADS];

static struct irq_work irq_work, hard_irq_work;
static unsigned int irq_works;
static struct timer_list timer;
static struct tasklet_struct storm[STORM];
static bool console_is_there;

static void irqscope_fault_rcu(struct rcu_head *rcu)
{
	struct irqscope_fault_head *head = container_of(rcu, struct irqscope_fault_head, rcu);

	irqscope_fault_spin(IRQSCOPE_FAULT_RCU, irqscope_fault_length_ns);
	WRITE_ONCE(head->waits, false);
}

static void irqscope_fault_irq_work(struct irq_work *unused)
{
	irqscope_fault_spin(IRQSCOPE_FAULT_IRQ_WORK, irqscope_fault_length_ns);
}

static int irqscope_fault_stop(void *unused)
{
	irqscope_fault_spin(IRQSCOPE_FAULT_STOP, irqscope_fault_length_ns);
	return 0;
}

static void irqscope_fault_timer_list(struct timer_list *unused)
{
	irqscope_fault_spin(IRQSCOPE_FAULT_TIMER_LIST, irqscope_fault_length_ns);
}

static void irqscope_fault_storm(struct tasklet_struct *unused)
{
	irqscope_fault_spin(IRQSCOPE_FAULT_TASKLETS, irqscope_fault_length_ns / STORM);
}

/* As slow as a serial port, whichever thread prints. */
static void irqscope_fault_write(struct console *console, const char *text, unsigned int length)
{
	irqscope_fault_spin(IRQSCOPE_FAULT_PRINTK, irqscope_fault_length_ns);
}

static struct console slow_console = {
	.name = "slow",
	.write = irqscope_fault_write,
	.flags = CON_ENABLED,
	.index = -1,
};

static void irqscope_fault_call_rcu(void)
{
	unsigned int index;

	for (index = 0; index < HEADS; index++) {
		if (READ_ONCE(heads[index].waits))
			continue;
		WRITE_ONCE(heads[index].waits, true);
		return call_rcu(&heads[index].rcu, irqscope_fault_rcu);
	}
}

/**
 * irqscope_callback_commit() - ask the kernel to call a culprit back
 * @kind: enum irqscope_fault_kind; those of other files are passed over
 *
 * In the injector's thread, on the CPU under test.
 */
void irqscope_callback_commit(u32 kind)
{
	unsigned int index;

	switch (kind) {
	case IRQSCOPE_FAULT_RCU:
		return irqscope_fault_call_rcu();
	case IRQSCOPE_FAULT_IRQ_WORK:
		irq_work_queue(irq_works++ % 2 ? &hard_irq_work : &irq_work);
		return;
	case IRQSCOPE_FAULT_STOP:
		stop_machine(irqscope_fault_stop, NULL, NULL);
		return;
	case IRQSCOPE_FAULT_TIMER_LIST:
		mod_timer(&timer, jiffies + 1);
		return;
	case IRQSCOPE_FAULT_TASKLETS:
		/* At the end of the section, where an interrupt would be left. */
		local_bh_disable();
		for (index = 0; index < STORM; index++)
			tasklet_schedule(&storm[index]);
		local_bh_enable();
		return;
	case IRQSCOPE_FAULT_PRINTK:
		pr_err("slow\n");
		return;
	}
}

static void irqscope_fault_irq_work_init(void)
{
	init_irq_work(&irq_work, irqscope_fault_irq_work);
#ifdef IRQ_WORK_INIT_HARD
	hard_irq_work = IRQ_WORK_INIT_HARD(irqscope_fault_irq_work);
#else
	init_irq_work(&hard_irq_work, irqscope_fault_irq_work);
#endif
}

/**
 * irqscope_callbacks_prepare() - make all that these culprits need
 * @kinds: mask of those that will act: without the kind there is no slow console
 *
 * Return: 0 or a negative errno
 */
int irqscope_callbacks_prepare(unsigned int kinds)
{
	unsigned int index;

	irqscope_fault_irq_work_init();
	timer_setup(&timer, irqscope_fault_timer_list, TIMER_PINNED);
	for (index = 0; index < STORM; index++)
		tasklet_setup(&storm[index], irqscope_fault_storm);
	console_is_there = kinds & BIT(IRQSCOPE_FAULT_PRINTK);
	if (!console_is_there)
		return 0;
	register_console(&slow_console);
	if (slow_console.flags & CON_ENABLED)
		return 0;
	pr_err("irqscope_faults: the kernel takes no other console\n");
	return -ENODEV;
}

/**
 * irqscope_callbacks_unprepare() - none of them acts any more when it returns
 */
void irqscope_callbacks_unprepare(void)
{
	unsigned int index;

	if (console_is_there)
		unregister_console(&slow_console);
	for (index = 0; index < STORM; index++)
		tasklet_kill(&storm[index]);
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0)
	timer_delete_sync(&timer);
#else
	del_timer_sync(&timer);
#endif
	irq_work_sync(&irq_work);
	irq_work_sync(&hard_irq_work);
	rcu_barrier();
}
