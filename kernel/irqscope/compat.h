/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All that differs between kernels 5.10 and current.
 *
 * By feature where the kernel shows one to the preprocessor, by version where
 * it does not. No other file looks at a kernel's version.
 */
#ifndef IRQSCOPE_COMPAT_H
#define IRQSCOPE_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/mm.h>
#include <linux/version.h>
#include <linux/workqueue.h>

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

/* 6.3 made vm_flags read-only but for its accessors. */
static inline void irqscope_vm_forbid_write(struct vm_area_struct *vma)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_clear(vma, VM_MAYWRITE);
#else
	vma->vm_flags &= ~VM_MAYWRITE;
#endif
}

/* Until 6.10 parport knew two models of drivers and had to be told. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 11, 0)
#define IRQSCOPE_PARPORT_DEVMODEL .devmodel = true,
#else
#define IRQSCOPE_PARPORT_DEVMODEL
#endif

#endif /* IRQSCOPE_COMPAT_H */
