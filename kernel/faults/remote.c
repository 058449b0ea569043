// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Culprits on another CPU, for which the one under test waits. A thread there has a
 * lock, or its interrupts off, for a known time; the injector's wants the lock, or a
 * call on that CPU, or that CPU's TLB flushed, in the middle of it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/timex.h>
#include <linux/vmalloc.h>

#include "faults.h"

#define KINDS	(BIT(IRQSCOPE_FAULT_REMOTE_LOCK) | BIT(IRQSCOPE_FAULT_REMOTE_OFF) |	\
		 BIT(IRQSCOPE_FAULT_TLB))

static DEFINE_RAW_SPINLOCK(irqscope_fault_lock);
static struct task_struct *holder;
static unsigned int holder_cpu;
static u32 wanted = IRQSCOPE_FAULT_KINDS;
static bool held;
static u64 called;
static u64 let_go;

static noinline void irqscope_fault_hold_lock(void)
{
	raw_spin_lock(&irqscope_fault_lock);
	/* Pairs with the injector's acquire: it finds the lock taken. */
	smp_store_release(&held, true);
	irqscope_fault_hold(irqscope_fault_length_ns);
	raw_spin_unlock(&irqscope_fault_lock);
}

static noinline void irqscope_fault_remote_off(void)
{
	unsigned long flags;

	local_irq_save(flags);
	smp_store_release(&held, true); /* likewise */
	irqscope_fault_hold(irqscope_fault_length_ns);
	WRITE_ONCE(let_go, get_cycles());
	local_irq_restore(flags);
}

static int irqscope_fault_holder(void *unused)
{
	while (!kthread_should_stop()) {
		u32 kind;

		set_current_state(TASK_INTERRUPTIBLE);
		if (READ_ONCE(wanted) == IRQSCOPE_FAULT_KINDS && !kthread_should_stop())
			schedule();
		__set_current_state(TASK_RUNNING);
		kind = xchg(&wanted, IRQSCOPE_FAULT_KINDS);
		if (kind == IRQSCOPE_FAULT_REMOTE_LOCK)
			irqscope_fault_hold_lock();
		else if (kind != IRQSCOPE_FAULT_KINDS)
			irqscope_fault_remote_off();
	}
	return 0;
}

static noinline void irqscope_fault_contend(void)
{
	unsigned long flags;
	u64 begin;

	local_irq_save(flags);
	begin = get_cycles();
	raw_spin_lock(&irqscope_fault_lock);
	irqscope_fault_note(IRQSCOPE_FAULT_REMOTE_LOCK, begin, get_cycles());
	raw_spin_unlock(&irqscope_fault_lock);
	local_irq_restore(flags);
}

static void irqscope_fault_called(void *unused)
{
	WRITE_ONCE(called, get_cycles()); /* the call's own order makes it seen */
}

/* Until the other CPU is called: what comes in here may keep this one longer. */
static noinline void irqscope_fault_call(void)
{
	u64 begin;

	preempt_disable();
	begin = get_cycles();
	smp_call_function_single(holder_cpu, irqscope_fault_called, NULL, 1);
	irqscope_fault_note(IRQSCOPE_FAULT_REMOTE_OFF, begin, READ_ONCE(called));
	preempt_enable();
}

/*
 * Until the other CPU can take the interrupt that asks it to forget a mapping of the
 * kernel's. vm_unmap_aliases() asks all CPUs at once for what vfree() has left.
 */
static noinline void irqscope_fault_shoot(void)
{
	u64 begin = get_cycles();
	u64 end;

	vm_unmap_aliases();
	end = READ_ONCE(let_go);
	if (end > begin)
		irqscope_fault_note(IRQSCOPE_FAULT_TLB, begin, end);
}

/**
 * irqscope_remote_commit() - let the CPU under test wait for another one
 * @kind: enum irqscope_fault_kind, of those that were prepared
 *
 * In the injector's thread, on the CPU under test.
 */
void irqscope_remote_commit(u32 kind)
{
	if (kind == IRQSCOPE_FAULT_TLB)
		vfree(vmalloc(PAGE_SIZE));
	WRITE_ONCE(let_go, 0);
	WRITE_ONCE(held, false);
	WRITE_ONCE(wanted, kind);
	wake_up_process(holder);
	while (!smp_load_acquire(&held)) { /* pairs with the release */
		if (kthread_should_stop())
			return;
		cond_resched();
	}
	if (kind == IRQSCOPE_FAULT_REMOTE_LOCK)
		irqscope_fault_contend();
	else if (kind == IRQSCOPE_FAULT_TLB)
		irqscope_fault_shoot();
	else
		irqscope_fault_call();
}

/**
 * irqscope_remote_prepare() - have a thread on another CPU, if a kind needs it
 * @kinds: mask of kinds
 * @cpu: the CPU under test
 *
 * Return: 0 or a negative errno, which was logged
 */
int irqscope_remote_prepare(unsigned int kinds, unsigned int cpu)
{
	if (!(kinds & KINDS))
		return 0;
	holder_cpu = cpumask_any_but(cpu_online_mask, cpu);
	if (holder_cpu >= nr_cpu_ids) {
		pr_err("remote-lock, remote-irqs-off and tlb-shootdown need a second CPU\n");
		return -ENODEV;
	}
	if (!IS_ENABLED(CONFIG_X86) && kinds & BIT(IRQSCOPE_FAULT_TLB)) {
		pr_err("tlb-shootdown needs a CPU that asks others by interrupt: x86\n");
		return -ENODEV;
	}
	WRITE_ONCE(wanted, IRQSCOPE_FAULT_KINDS);
	holder = kthread_create(irqscope_fault_holder, NULL, "irqscope-holder");
	if (IS_ERR(holder)) {
		int err = PTR_ERR(holder);

		holder = NULL;
		return err;
	}
	kthread_bind(holder, holder_cpu);
	wake_up_process(holder);
	return 0;
}

/**
 * irqscope_remote_unprepare() - none of them acts any more when it returns
 *
 * After the injector's end.
 */
void irqscope_remote_unprepare(void)
{
	if (holder)
		kthread_stop(holder);
	holder = NULL;
}
