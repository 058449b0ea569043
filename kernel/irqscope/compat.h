/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that differs between kernels 5.10 and current.
 *
 * By feature where the kernel shows one to the preprocessor, by version where
 * it does not. No other file looks at a kernel's version.
 */
#ifndef IRQSCOPE_COMPAT_H
#define IRQSCOPE_COMPAT_H

#ifdef CONFIG_X86
#include <asm/msr.h>
#endif
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/prio.h>
#include <linux/timekeeping.h>
#include <linux/version.h>
#include <linux/workqueue.h>
#include <uapi/linux/sched.h>
#include <uapi/linux/sched/types.h>

/* BH workqueues came with 6.9. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
#define IRQSCOPE_HAVE_WORK_BH
#endif

/* 6.17 renamed system_wq and system_unbound_wq after what they are. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 17, 0)
#define irqscope_system_wq		system_percpu_wq
#define irqscope_system_unbound_wq	system_dfl_wq
#else
#define irqscope_system_wq		system_wq
#define irqscope_system_unbound_wq	system_unbound_wq
#endif

/* 6.13 joined hrtimer_init() and the setting of the function. */
static inline void irqscope_hrtimer_setup(struct hrtimer *timer,
					  enum hrtimer_restart (*function)(struct hrtimer *))
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS_PINNED_HARD);
	timer->function = function;
#endif
}

/* 6.15 made hrtimer's function private. */
static __always_inline void *irqscope_hrtimer_function(const struct hrtimer *timer)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
	return ACCESS_PRIVATE(timer, function);
#else
	return timer->function;
#endif
}

/* 5.18 gave sched_switch the state, 5.19 put it at the end. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 19, 0)
#define IRQSCOPE_SWITCH_ARGUMENTS						\
	void *data, bool preempt, struct task_struct *prev,			\
	struct task_struct *next, unsigned int state
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(5, 18, 0)
#define IRQSCOPE_SWITCH_ARGUMENTS						\
	void *data, bool preempt, unsigned int state,				\
	struct task_struct *prev, struct task_struct *next
#else
#define IRQSCOPE_SWITCH_ARGUMENTS						\
	void *data, bool preempt, struct task_struct *prev, struct task_struct *next
#endif

/* 7.x hands out the time itself, earlier ones a pointer to it. */
#ifdef IRQSCOPE_HAVE_EXPIRY_BY_VALUE
#define IRQSCOPE_HRTIMER_ENTRY_ARGUMENTS					\
	void *data, struct hrtimer *timer, ktime_t now
#else
#define IRQSCOPE_HRTIMER_ENTRY_ARGUMENTS					\
	void *data, struct hrtimer *timer, ktime_t *now
#endif

/* 6.19 says whether it was armed before, and so do Debian's older ones. */
#ifdef IRQSCOPE_HAVE_WAS_ARMED
#define IRQSCOPE_HRTIMER_START_ARGUMENTS					\
	void *data, struct hrtimer *timer, enum hrtimer_mode mode, bool was_armed
#else
#define IRQSCOPE_HRTIMER_START_ARGUMENTS					\
	void *data, struct hrtimer *timer, enum hrtimer_mode mode
#endif

/* 6.8 dropped the virtual run time. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 8, 0)
#define IRQSCOPE_STATISTICS_ARGUMENTS						\
	void *data, struct task_struct *task, u64 runtime
#else
#define IRQSCOPE_STATISTICS_ARGUMENTS						\
	void *data, struct task_struct *task, u64 runtime, u64 virtual
#endif

/* Modules may call irq_set_affinity() since 5.14; the hint set it before. */
static inline int irqscope_irq_set_affinity(unsigned int irq, const struct cpumask *mask)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
	return irq_set_affinity(irq, mask);
#else
	int err = irq_set_affinity_hint(irq, mask);

	irq_set_affinity_hint(irq, NULL);
	return err;
#endif
}

#ifdef CONFIG_X86
/* 6.16 renamed what reads all 64 bits, and 7.x dropped what reads them in halves. */
static inline int irqscope_rdmsr_on_cpu(unsigned int cpu, u32 msr, u64 *value)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
	return rdmsrq_safe_on_cpu(cpu, msr, value);
#else
	return rdmsrl_safe_on_cpu(cpu, msr, value);
#endif
}
#endif

/* Kernels without debugfs for interrupts have no injection, unless they are wanted for it. */
static inline int irqscope_inject_interrupt(unsigned int irq)
{
#ifdef IRQSCOPE_HAVE_INJECTION
	return irq_inject_interrupt(irq);
#else
	return -EOPNOTSUPP;
#endif
}

/* 6.3 made vm_flags read-only but for its accessors. */
static inline void irqscope_vm_forbid_write(struct vm_area_struct *vma)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_clear(vma, VM_MAYWRITE);
#else
	vma->vm_flags &= ~VM_MAYWRITE;
#endif
}

/*
 * On x86 the local timer, the IPIs and NMIs are counted apart. irq_work's IPI is
 * left out, since the driver sends it itself to wake its reader. 7.x keeps the
 * counts in an array; the macro came with it.
 */
static __always_inline u64 irqscope_arch_interrupts(unsigned int cpu)
{
	u64 sum = 0;
#ifdef CONFIG_X86_LOCAL_APIC
	const irq_cpustat_t *stat = &per_cpu(irq_stat, cpu);

#ifdef inc_perf_irq_stat
	sum += READ_ONCE(stat->counts[IRQ_COUNT_APIC_TIMER]) +
	       READ_ONCE(stat->counts[IRQ_COUNT_NMI]);
#ifdef CONFIG_SMP
	sum += READ_ONCE(stat->counts[IRQ_COUNT_RESCHEDULE]) +
	       READ_ONCE(stat->counts[IRQ_COUNT_CALL_FUNCTION]);
#endif
#else
	sum += READ_ONCE(stat->apic_timer_irqs) + READ_ONCE(stat->__nmi_count);
#ifdef CONFIG_SMP
	sum += READ_ONCE(stat->irq_resched_count) + READ_ONCE(stat->irq_call_count);
#endif
#endif
#endif
	return sum;
}

/*
 * The clocksource's counter and CLOCK_MONOTONIC at one instant. Until 7.x a
 * snapshot has real time only; the distance of the two is stable but for the
 * moment in which the clock is set. Kbuild looks for the newer symbol.
 */
static inline u64 irqscope_snapshot(ktime_t *monotonic)
{
	struct system_time_snapshot snapshot;
#ifdef IRQSCOPE_HAVE_SNAPSHOT_ID
	ktime_get_snapshot_id(CLOCK_MONOTONIC, &snapshot);
	*monotonic = snapshot.systime;
#else
	ktime_t offset, check;

	do {
		offset = ktime_mono_to_any(0, TK_OFFS_REAL);
		ktime_get_snapshot(&snapshot);
		check = ktime_mono_to_any(0, TK_OFFS_REAL);
	} while (unlikely(offset != check));
	*monotonic = ktime_sub(snapshot.real, offset);
#endif
	return snapshot.cycles;
}

/*
 * 5.10 has sched_setattr_nocheck() but not for modules: those have one real-time
 * priority, in the middle, and nice values. Kbuild looks for the symbol.
 */
static inline int irqscope_sched_setattr(struct task_struct *task, const struct sched_attr *attr)
{
#ifdef IRQSCOPE_HAVE_SETATTR
	return sched_setattr_nocheck(task, attr);
#else
	if (attr->sched_policy == SCHED_NORMAL)
		sched_set_normal(task, attr->sched_nice);
	else if (attr->sched_policy == SCHED_FIFO && attr->sched_priority == MAX_RT_PRIO / 2)
		sched_set_fifo(task);
	else
		return -EOPNOTSUPP;
	return 0;
#endif
}

/* The priority of a thread that was not given another. */
#ifdef IRQSCOPE_HAVE_SETATTR
#define IRQSCOPE_FIFO_DEFAULT	80
#else
#define IRQSCOPE_FIFO_DEFAULT	50
#endif

/* Until 6.10 parport knew two models of drivers and asked for the model. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#define IRQSCOPE_PARPORT_DEVMODEL .devmodel = true,
#else
#define IRQSCOPE_PARPORT_DEVMODEL
#endif

/* Where x86 counts what keeps a CPU from preemption; 6.2 to 6.14 had it among other hot words. */
#ifdef CONFIG_X86_64
static inline const void *irqscope_preempt_word(unsigned int cpu)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 2, 0) && LINUX_VERSION_CODE < KERNEL_VERSION(6, 15, 0)
	return per_cpu_ptr(&pcpu_hot.preempt_count, cpu);
#else
	return per_cpu_ptr(&__preempt_count, cpu);
#endif
}
#endif

/* A probed function's arguments; not every architecture shows them. */
#if defined(CONFIG_KPROBES) && defined(CONFIG_KRETPROBES) && \
	defined(CONFIG_HAVE_FUNCTION_ARG_ACCESS_API)
#define IRQSCOPE_HAVE_ARGUMENTS
#endif

#endif /* IRQSCOPE_COMPAT_H */
