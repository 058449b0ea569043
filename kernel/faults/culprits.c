// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The culprits. Each has a function, or a thread, of its own name: it is what an
 * explanation has to find.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/irq.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/timex.h>
#include <linux/version.h>
#include <linux/workqueue.h>
#include <uapi/linux/sched/types.h>

#include "faults.h"

#define BURST	8

static struct hrtimer hard_timer, soft_timer, launcher, burst[BURST], under_timer, over_timer;
static struct tasklet_struct tasklet;
static struct work_struct work;
static struct task_struct *hog;
static bool hog_wanted;
static unsigned int fault_cpu, fault_irq;

static noinline void irqscope_fault_irqs_off(void)
{
	unsigned long flags;

	local_irq_save(flags);
	irqscope_fault_spin(IRQSCOPE_FAULT_IRQS_OFF, irqscope_fault_length_ns);
	local_irq_restore(flags);
}

static noinline void irqscope_fault_inner(void)
{
	unsigned long flags;

	local_irq_save(flags);
	irqscope_fault_spin(IRQSCOPE_FAULT_NESTED, irqscope_fault_length_ns);
	local_irq_restore(flags);
	barrier(); /* no tail call: this function stays on the stack */
}

static noinline void irqscope_fault_outer(void)
{
	unsigned long flags;

	local_irq_save(flags);
	irqscope_fault_inner();
	local_irq_restore(flags);
}

static noinline void irqscope_fault_preempt_off(void)
{
	preempt_disable();
	irqscope_fault_spin(IRQSCOPE_FAULT_PREEMPT_OFF, irqscope_fault_length_ns);
	preempt_enable();
}

static noinline void irqscope_fault_bh_off(void)
{
	local_bh_disable();
	irqscope_fault_spin(IRQSCOPE_FAULT_BH_OFF, irqscope_fault_length_ns);
	local_bh_enable();
}

static noinline void irqscope_fault_within(void)
{
	unsigned long flags;

	local_irq_save(flags);
	irqscope_fault_spin(IRQSCOPE_FAULT_IRQS_PREEMPT, irqscope_fault_length_ns / 2);
	local_irq_restore(flags);
	barrier(); /* no tail call: this function stays on the stack */
}

/* A quarter, half of it with interrupts off, and a quarter. */
static noinline void irqscope_fault_around(void)
{
	u64 begin;

	preempt_disable();
	begin = get_cycles();
	irqscope_fault_hold(irqscope_fault_length_ns / 4);
	irqscope_fault_within();
	irqscope_fault_hold(irqscope_fault_length_ns / 4);
	irqscope_fault_note(IRQSCOPE_FAULT_IRQS_PREEMPT, begin, get_cycles());
	preempt_enable();
}

static enum hrtimer_restart irqscope_fault_over(struct hrtimer *timer)
{
	irqscope_fault_spin(IRQSCOPE_FAULT_HRTIMER_SOFTIRQ, irqscope_fault_length_ns / 2);
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart irqscope_fault_under(struct hrtimer *timer)
{
	irqscope_fault_spin(IRQSCOPE_FAULT_HRTIMER_SOFTIRQ, irqscope_fault_length_ns);
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart irqscope_fault_hrtimer(struct hrtimer *timer)
{
	irqscope_fault_spin(IRQSCOPE_FAULT_HRTIMER, irqscope_fault_length_ns);
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart irqscope_fault_softirq(struct hrtimer *timer)
{
	irqscope_fault_spin(IRQSCOPE_FAULT_SOFTIRQ, irqscope_fault_length_ns);
	return HRTIMER_NORESTART;
}

static enum hrtimer_restart irqscope_fault_timers(struct hrtimer *timer)
{
	irqscope_fault_spin(IRQSCOPE_FAULT_TIMERS, irqscope_fault_length_ns / BURST);
	return HRTIMER_NORESTART;
}

static irqreturn_t irqscope_fault_handler(int irq, void *data)
{
	irqscope_fault_spin(IRQSCOPE_FAULT_IRQ, irqscope_fault_length_ns);
	return IRQ_HANDLED;
}

static void irqscope_fault_tasklet(struct tasklet_struct *unused)
{
	irqscope_fault_spin(IRQSCOPE_FAULT_TASKLET, irqscope_fault_length_ns);
}

static void irqscope_fault_work(struct work_struct *unused)
{
	irqscope_fault_spin(IRQSCOPE_FAULT_WORK, irqscope_fault_length_ns);
}

static int irqscope_fault_thread(void *unused)
{
	while (!kthread_should_stop()) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (!READ_ONCE(hog_wanted) && !kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
		if (!xchg(&hog_wanted, false))
			continue;
		irqscope_fault_spin(IRQSCOPE_FAULT_THREAD, irqscope_fault_length_ns);
	}
	return 0;
}

/* From an interrupt, so that what it raises runs at once and not in ksoftirqd. */
static enum hrtimer_restart irqscope_fault_launch(struct hrtimer *timer)
{
	tasklet_schedule(&tasklet);
	return HRTIMER_NORESTART;
}

static void irqscope_fault_arm(struct hrtimer *timer, enum hrtimer_mode mode, u64 ns)
{
	hrtimer_start(timer, ns_to_ktime(ns), mode);
}

/**
 * irqscope_fault_commit() - let one culprit act, or ask it to
 * @kind: enum irqscope_fault_kind
 *
 * In the injector's thread, on the CPU under test.
 */
void irqscope_fault_commit(u32 kind)
{
	unsigned int index;
	u64 each;

	switch (kind) {
	case IRQSCOPE_FAULT_IRQS_OFF:
		return irqscope_fault_irqs_off();
	case IRQSCOPE_FAULT_NESTED:
		return irqscope_fault_outer();
	case IRQSCOPE_FAULT_PREEMPT_OFF:
		return irqscope_fault_preempt_off();
	case IRQSCOPE_FAULT_BH_OFF:
		return irqscope_fault_bh_off();
	case IRQSCOPE_FAULT_HRTIMER:
		return irqscope_fault_arm(&hard_timer, HRTIMER_MODE_REL_PINNED_HARD, 10000);
	case IRQSCOPE_FAULT_SOFTIRQ:
		return irqscope_fault_arm(&soft_timer, HRTIMER_MODE_REL_PINNED_SOFT, 10000);
	case IRQSCOPE_FAULT_TASKLET:
		return irqscope_fault_arm(&launcher, HRTIMER_MODE_REL_PINNED_HARD, 10000);
	case IRQSCOPE_FAULT_TIMERS:
		each = irqscope_fault_length_ns / BURST + 5000;
		for (index = 0; index < BURST; index++)
			irqscope_fault_arm(&burst[index], HRTIMER_MODE_REL_PINNED_HARD,
					   10000 + index * each);
		return;
	case IRQSCOPE_FAULT_IRQS_PREEMPT:
		return irqscope_fault_around();
	case IRQSCOPE_FAULT_HRTIMER_SOFTIRQ:
		irqscope_fault_arm(&under_timer, HRTIMER_MODE_REL_PINNED_SOFT, 10000);
		irqscope_fault_arm(&over_timer, HRTIMER_MODE_REL_PINNED_HARD,
				   10000 + irqscope_fault_length_ns / 4);
		return;
	case IRQSCOPE_FAULT_IRQ:
		irq_inject_interrupt(fault_irq);
		return;
	case IRQSCOPE_FAULT_WORK:
		schedule_work_on(fault_cpu, &work);
		return;
	case IRQSCOPE_FAULT_THREAD:
		WRITE_ONCE(hog_wanted, true);
		wake_up_process(hog);
		return;
	case IRQSCOPE_FAULT_REMOTE_LOCK:
	case IRQSCOPE_FAULT_REMOTE_OFF:
	case IRQSCOPE_FAULT_TLB:
		return irqscope_remote_commit(kind);
	default:
		return irqscope_callback_commit(kind);
	}
}

static void irqscope_fault_timer_init(struct hrtimer *timer, enum hrtimer_mode mode,
				      enum hrtimer_restart (*function)(struct hrtimer *))
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, mode);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, mode);
	timer->function = function;
#endif
}

/* Above all stages; 5.10 gives a module's thread the priority in the middle, and no other. */
static void irqscope_hog_raise(void)
{
#ifdef IRQSCOPE_HAVE_SETATTR
	struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_FIFO,
		.sched_priority = 90,
	};

	sched_setattr_nocheck(hog, &attr);
#else
	sched_set_fifo(hog);
#endif
}

static int irqscope_hog_start(unsigned int cpu)
{
	hog = kthread_create(irqscope_fault_thread, NULL, "irqscope-hog");
	if (IS_ERR(hog))
		return PTR_ERR(hog);
	kthread_bind(hog, cpu);
	irqscope_hog_raise();
	wake_up_process(hog);
	return 0;
}

/**
 * irqscope_culprits_prepare() - make all that culprits need
 * @cpu: the CPU under test
 * @irq: a free, edge-triggered interrupt line
 *
 * Return: 0 or a negative errno
 */
int irqscope_culprits_prepare(unsigned int cpu, unsigned int irq)
{
	unsigned int index;
	int err;

	fault_cpu = cpu;
	fault_irq = irq;
	irqscope_fault_timer_init(&hard_timer, HRTIMER_MODE_REL_PINNED_HARD,
				  irqscope_fault_hrtimer);
	irqscope_fault_timer_init(&soft_timer, HRTIMER_MODE_REL_PINNED_SOFT,
				  irqscope_fault_softirq);
	irqscope_fault_timer_init(&launcher, HRTIMER_MODE_REL_PINNED_HARD, irqscope_fault_launch);
	for (index = 0; index < BURST; index++)
		irqscope_fault_timer_init(&burst[index], HRTIMER_MODE_REL_PINNED_HARD,
					  irqscope_fault_timers);
	irqscope_fault_timer_init(&under_timer, HRTIMER_MODE_REL_PINNED_SOFT,
				  irqscope_fault_under);
	irqscope_fault_timer_init(&over_timer, HRTIMER_MODE_REL_PINNED_HARD, irqscope_fault_over);
	tasklet_setup(&tasklet, irqscope_fault_tasklet);
	INIT_WORK(&work, irqscope_fault_work);
	err = request_irq(irq, irqscope_fault_handler, IRQF_NO_THREAD, "irqscope-faults", &work);
	if (err) {
		pr_err("irq %u is not free (%d): choose another\n", irq, err);
		return err;
	}
	err = irqscope_hog_start(cpu);
	if (err)
		free_irq(irq, &work);
	return err;
}

/**
 * irqscope_culprits_unprepare() - none of them acts any more when it returns
 * @irq: as it was prepared
 */
void irqscope_culprits_unprepare(unsigned int irq)
{
	unsigned int index;

	hrtimer_cancel(&hard_timer);
	hrtimer_cancel(&soft_timer);
	hrtimer_cancel(&launcher);
	for (index = 0; index < BURST; index++)
		hrtimer_cancel(&burst[index]);
	hrtimer_cancel(&under_timer);
	hrtimer_cancel(&over_timer);
	tasklet_kill(&tasklet);
	cancel_work_sync(&work);
	free_irq(irq, &work);
	kthread_stop(hog);
}
