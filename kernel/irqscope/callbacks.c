// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Events of what the kernel calls back without a tracepoint that says so.
 *
 * Most kernels are built without rcu_invoke_callback (CONFIG_RCU_TRACE), and none
 * traces irq_work, stop_machine(), the end of a page fault or a call on other CPUs.
 * But each of them goes through a function that has what is called as its argument:
 * kprobes on those, which Linux places with ftrace at a function's entry. Likewise
 * for spinlocks, of which contention_begin shows the second waiter first. One that
 * the kernel lacks, or has inlined, is listed with the tracepoints that are lacking.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched/rt.h>
#include <linux/stop_machine.h>
#include <linux/sysfs.h>

#include "compat.h"
#include "internal.h"

static struct irqscope *irqscope_called_scope;

static nokprobe_inline void irqscope_called(u32 by, u64 function)
{
	irqscope_event(irqscope_called_scope, IRQSCOPE_CALLBACK_ENTRY, by, function);
}

static nokprobe_inline void irqscope_returned(u32 by)
{
	irqscope_event(irqscope_called_scope, IRQSCOPE_CALLBACK_EXIT, by, 0);
}

#ifdef IRQSCOPE_HAVE_ARGUMENTS

/*
 * A list's head is taken off and then called, whatever kind of RCU it is; without
 * one, or before the next, the callback before has returned. An offset in place of
 * a function means kfree().
 */
static int notrace hook_rcu(struct kprobe *probe, struct pt_regs *regs)
{
	/* struct rcu_cblist, which is the kernel's own: its first member. */
	struct rcu_head **list = (void *)regs_get_kernel_argument(regs, 0);

	if (*list)
		irqscope_called(IRQSCOPE_CALLED_RCU, (unsigned long)(*list)->func);
	else
		irqscope_returned(IRQSCOPE_CALLED_RCU);
	return 0;
}

static int notrace hook_irq_work(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	struct irq_work *work = (void *)regs_get_kernel_argument(regs, 0);

	irqscope_called(IRQSCOPE_CALLED_IRQ_WORK, (unsigned long)work->func);
	return 0;
}

static int notrace hook_irq_work_end(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	irqscope_returned(IRQSCOPE_CALLED_IRQ_WORK);
	return 0;
}

static int notrace hook_stop(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	/* struct multi_stop_data, likewise. */
	cpu_stop_fn_t *function = (void *)regs_get_kernel_argument(regs, 0);

	irqscope_called(IRQSCOPE_CALLED_STOP, (unsigned long)*function);
	return 0;
}

static int notrace hook_stop_end(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	irqscope_returned(IRQSCOPE_CALLED_STOP);
	return 0;
}

/* Of threads that have to be in time: loads have thousands. */
static int notrace hook_page_fault(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	if (!rt_task(current))
		return 1;
	irqscope_event(irqscope_called_scope, IRQSCOPE_PAGE_FAULT, 0, 0);
	return 0;
}

static int notrace hook_page_fault_end(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	irqscope_event(irqscope_called_scope, IRQSCOPE_PAGE_FAULT_END, 0, 0);
	return 0;
}

/* Both functions have what is to be called as their second argument. */
static int notrace hook_call(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	irqscope_event(irqscope_called_scope, IRQSCOPE_CALL_OTHERS, 0,
		       regs_get_kernel_argument(regs, 1));
	return 0;
}

static int notrace hook_call_end(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	irqscope_event(irqscope_called_scope, IRQSCOPE_CALL_OTHERS_END, 0, 0);
	return 0;
}

/* Of a waiter that is queued contention_begin and its end come in between. */
static int notrace hook_spin(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	unsigned long lock = regs_get_kernel_argument(regs, 0);

	*(unsigned long *)instance->data = lock;
	irqscope_event(irqscope_called_scope, IRQSCOPE_CONTENTION_BEGIN, 0, lock);
	return 0;
}

static int notrace hook_spin_end(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	irqscope_event(irqscope_called_scope, IRQSCOPE_CONTENTION_END, 0,
		       *(unsigned long *)instance->data);
	return 0;
}

#define SPIN	.entered = hook_spin, .left = hook_spin_end, .optional = true

/* Those with an end are return probes. */
static struct irqscope_hook {
	const char *name;
	kprobe_pre_handler_t at;
	kretprobe_handler_t entered;
	kretprobe_handler_t left;
	bool optional;
	struct kprobe probe;
	struct kretprobe both;
	bool there;
} irqscope_hooks[] = {
	{ .name = "rcu_cblist_dequeue", .at = hook_rcu },
	{ .name = "irq_work_single", .entered = hook_irq_work, .left = hook_irq_work_end },
	{ .name = "multi_cpu_stop", .entered = hook_stop, .left = hook_stop_end },
	{ .name = "handle_mm_fault", .entered = hook_page_fault, .left = hook_page_fault_end },
	{ .name = "smp_call_function_single", .entered = hook_call, .left = hook_call_end },
	{ .name = "smp_call_function_many_cond", .entered = hook_call, .left = hook_call_end },
	/* Which of the first three there is depends on the configuration. */
	{ .name = "native_queued_spin_lock_slowpath", SPIN },
	{ .name = "__pv_queued_spin_lock_slowpath", SPIN },
	{ .name = "queued_spin_lock_slowpath", SPIN },
	{ .name = "queued_read_lock_slowpath", SPIN },
	{ .name = "queued_write_lock_slowpath", SPIN },
};

/* The kernel writes into what it is given: anew each time. */
static void irqscope_hook_place(struct irqscope_hook *hook)
{
	if (hook->at) {
		hook->probe = (struct kprobe){
			.symbol_name = hook->name, .pre_handler = hook->at,
		};
		hook->there = !register_kprobe(&hook->probe);
		return;
	}
	hook->both = (struct kretprobe){
		.kp.symbol_name = hook->name,
		.entry_handler = hook->entered,
		.handler = hook->left,
		.data_size = sizeof(unsigned long),
	};
	hook->there = !register_kretprobe(&hook->both);
}

static void irqscope_hook_remove(struct irqscope_hook *hook)
{
	if (!hook->there)
		return;
	hook->there = false;
	if (hook->at)
		unregister_kprobe(&hook->probe);
	else
		unregister_kretprobe(&hook->both);
}

#else

static struct irqscope_hook {
	const char *name;
	bool optional;
	bool there;
} irqscope_hooks[] = {
	{ .name = "rcu_cblist_dequeue" },
	{ .name = "irq_work_single" },
	{ .name = "multi_cpu_stop" },
	{ .name = "handle_mm_fault" },
	{ .name = "smp_call_function_single" },
	{ .name = "smp_call_function_many_cond" },
};

static void irqscope_hook_place(struct irqscope_hook *hook)
{
}

static void irqscope_hook_remove(struct irqscope_hook *hook)
{
}

#endif /* IRQSCOPE_HAVE_ARGUMENTS */

/**
 * irqscope_callbacks_register() - have a probe wherever the kernel calls back
 * @scope: the scope, to which events go
 *
 * As irqscope_probes_get(). All else works without those that cannot be had.
 */
void irqscope_callbacks_register(struct irqscope *scope)
{
	unsigned int index;

	irqscope_called_scope = scope;
	scope->interference.hooks_lacking = 0;
	for (index = 0; index < ARRAY_SIZE(irqscope_hooks); index++) {
		irqscope_hook_place(&irqscope_hooks[index]);
		if (!irqscope_hooks[index].there && !irqscope_hooks[index].optional)
			scope->interference.hooks_lacking |= BIT(index);
	}
}

/**
 * irqscope_callbacks_unregister() - have none any more
 */
void irqscope_callbacks_unregister(void)
{
	unsigned int index;

	for (index = 0; index < ARRAY_SIZE(irqscope_hooks); index++)
		irqscope_hook_remove(&irqscope_hooks[index]);
}

/**
 * irqscope_callbacks_lacking() - list the functions that this kernel does not have
 * @scope: the scope, after a run with explain
 * @page: where they go, one a line
 * @length: what is in it already
 *
 * Return: how many bytes are in it
 */
ssize_t irqscope_callbacks_lacking(const struct irqscope *scope, char *page, ssize_t length)
{
	unsigned int index;

	for (index = 0; index < ARRAY_SIZE(irqscope_hooks); index++)
		if (scope->interference.hooks_lacking & BIT(index))
			length += sysfs_emit_at(page, length, "%s\n", irqscope_hooks[index].name);
	return length;
}
