// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When which culprit acts, and the truth about it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/fs.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/math64.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/timex.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "faults.h"

#define KEPT	65536

/* Kinds whose timing this module does not control. */
#define ELSEWHERE									\
	(BIT(IRQSCOPE_FAULT_INVERSION) | BIT(IRQSCOPE_FAULT_INHERITANCE) |		\
	 BIT(IRQSCOPE_FAULT_SMI) | BIT(IRQSCOPE_FAULT_PAGE_FAULTS))

/* Without those that need a second CPU. */
static unsigned int kinds = BIT(IRQSCOPE_FAULT_REMOTE_LOCK) - 1;
module_param(kinds, uint, 0444);
MODULE_PARM_DESC(kinds, "mask of kinds, bit n is enum irqscope_fault_kind n");

unsigned int irqscope_fault_length_ns = 200000;
module_param_named(length_ns, irqscope_fault_length_ns, uint, 0444);
MODULE_PARM_DESC(length_ns, "how long a culprit holds the CPU");

static unsigned int interval_ns = 1500000;
module_param(interval_ns, uint, 0444);
MODULE_PARM_DESC(interval_ns, "mean distance of two culprits");

static unsigned int cpu;
module_param(cpu, uint, 0444);
MODULE_PARM_DESC(cpu, "the CPU under test");

static unsigned int irq = 3;
module_param(irq, uint, 0444);
MODULE_PARM_DESC(irq, "a free, edge-triggered interrupt line");

static unsigned long seed = 1;
module_param(seed, ulong, 0444);
MODULE_PARM_DESC(seed, "of the order and the instants");

static struct irqscope_fault *faults;
static atomic_t fault_count;
static u32 read_count;
static DEFINE_MUTEX(reading); /* guards read_count */
static struct task_struct *injector;
static unsigned long opened;

/**
 * irqscope_fault_note() - write down that a culprit held the CPU
 * @kind: enum irqscope_fault_kind
 * @begin: cycle counter
 * @end: likewise
 *
 * Any context.
 */
void irqscope_fault_note(u32 kind, u64 begin, u64 end)
{
	u32 number = atomic_inc_return(&fault_count) - 1;

	if (number >= KEPT)
		return;
	faults[number] = (struct irqscope_fault){
		.begin = begin, .end = end, .kind = kind, .number = number,
	};
}

/**
 * irqscope_fault_hold() - hold the CPU
 * @ns: for how long
 *
 * Any context.
 */
void irqscope_fault_hold(u64 ns)
{
	u64 until = ktime_get_mono_fast_ns() + ns;

	while (ktime_get_mono_fast_ns() < until)
		barrier(); /* not cpu_relax(), which gives a virtual CPU away */
}

/**
 * irqscope_fault_spin() - hold the CPU, and write it down
 * @kind: enum irqscope_fault_kind
 * @ns: for how long
 *
 * Any context.
 */
void irqscope_fault_spin(u32 kind, u64 ns)
{
	u64 begin = get_cycles();

	irqscope_fault_hold(ns);
	irqscope_fault_note(kind, begin, get_cycles());
}

/* xorshift64: the instants need no more, and they have to be the same each time. */
static u64 irqscope_fault_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

static u32 irqscope_fault_next(unsigned int among)
{
	u32 kind;

	do {
		kind = (u32)irqscope_fault_random() % IRQSCOPE_FAULT_KINDS;
	} while (!(among & BIT(kind)));
	return kind;
}

static void irqscope_fault_sleep(void)
{
	ktime_t span = ns_to_ktime(interval_ns / 2 + (u32)irqscope_fault_random() % interval_ns);

	set_current_state(TASK_INTERRUPTIBLE);
	if (!kthread_should_stop())
		schedule_hrtimeout(&span, HRTIMER_MODE_REL);
	__set_current_state(TASK_RUNNING);
}

static int irqscope_inject_faults(void *unused)
{
	unsigned int own = kinds & ~ELSEWHERE;

	while (!kthread_should_stop()) {
		irqscope_fault_sleep();
		if (own)
			irqscope_fault_commit(irqscope_fault_next(own));
	}
	return 0;
}

static int irqscope_faults_start(void)
{
	int err = irqscope_culprits_prepare(cpu, irq);

	if (err)
		return err;
	atomic_set(&fault_count, 0);
	read_count = 0;
	err = irqscope_callbacks_prepare(kinds);
	if (err)
		goto unprepare;
	err = irqscope_remote_prepare(kinds, cpu);
	if (err)
		goto unprepare_callbacks;
	if (kinds & BIT(IRQSCOPE_FAULT_SMI)) {
		err = irqscope_smi_prepare();
		if (err)
			goto unprepare_remote;
	}
	injector = kthread_create(irqscope_inject_faults, NULL, "irqscope-faults");
	if (IS_ERR(injector)) {
		err = PTR_ERR(injector);
		goto unprepare_smi;
	}
	kthread_bind(injector, cpu);
	wake_up_process(injector);
	return 0;

unprepare_smi:
	irqscope_smi_unprepare();
unprepare_remote:
	irqscope_remote_unprepare();
unprepare_callbacks:
	irqscope_callbacks_unprepare();
unprepare:
	irqscope_culprits_unprepare(irq);
	return err;
}

static int irqscope_faults_open(struct inode *inode, struct file *file)
{
	int err;

	if (test_and_set_bit(0, &opened))
		return -EBUSY;
	err = irqscope_faults_start();
	if (err) {
		clear_bit_unlock(0, &opened);
		return err;
	}
	return stream_open(inode, file);
}

static int irqscope_faults_release(struct inode *inode, struct file *file)
{
	kthread_stop(injector);
	irqscope_smi_unprepare();
	irqscope_remote_unprepare();
	irqscope_callbacks_unprepare();
	irqscope_culprits_unprepare(irq);
	clear_bit_unlock(0, &opened);
	return 0;
}

/* A culprit counts itself before it is written down: the last one may be incomplete. */
static ssize_t irqscope_faults_read_locked(char __user *to, size_t length)
{
	u32 ready;
	size_t count;

	irqscope_smi_tell();
	ready = min_t(u32, atomic_read(&fault_count), KEPT);
	count = min_t(size_t, length / sizeof(*faults), ready - read_count);
	if (copy_to_user(to, &faults[read_count], count * sizeof(*faults)))
		return -EFAULT;
	read_count += count;
	return count * sizeof(*faults);
}

static ssize_t irqscope_faults_read(struct file *file, char __user *to, size_t length,
				    loff_t *position)
{
	ssize_t done;

	if (mutex_lock_interruptible(&reading))
		return -EINTR;
	done = irqscope_faults_read_locked(to, length);
	mutex_unlock(&reading);
	return done;
}

static const struct file_operations irqscope_faults_fops = {
	.owner = THIS_MODULE,
	.open = irqscope_faults_open,
	.release = irqscope_faults_release,
	.read = irqscope_faults_read,
};

static struct miscdevice irqscope_faults_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "irqscope-faults",
	.fops = &irqscope_faults_fops,
};

static int __init irqscope_faults_init(void)
{
	int err;

	if (!(kinds & (BIT(IRQSCOPE_FAULT_KINDS) - 1)) || !seed || !interval_ns ||
	    !cpu_online(cpu)) {
		pr_err("kinds, seed and interval_ns must not be 0, cpu must be online\n");
		return -EINVAL;
	}
	faults = vzalloc(array_size(KEPT, sizeof(*faults)));
	if (!faults)
		return -ENOMEM;
	err = misc_register(&irqscope_faults_device);
	if (err)
		vfree(faults);
	return err;
}

static void __exit irqscope_faults_exit(void)
{
	misc_deregister(&irqscope_faults_device);
	vfree(faults);
}

module_init(irqscope_faults_init);
module_exit(irqscope_faults_exit);

MODULE_DESCRIPTION("Culprits of known kind, name and length, for testing irqscope");
MODULE_AUTHOR("The irqscope developers");
MODULE_LICENSE("GPL");
