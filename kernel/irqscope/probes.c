// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Probes on the kernel's tracepoints.
 *
 * Tracepoints are not exported one by one, so they are looked for by name among
 * all that the kernel has. One that is not there is listed in sysfs; all else
 * works without it. The compiler checks each probe against the kernel's own
 * declaration, as far as headers have one in every version.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/interrupt.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/tracepoint.h>
#include <trace/events/irq.h>
#include <trace/events/nmi.h>
#include <trace/events/power.h>
#include <trace/events/rcu.h>
#include <trace/events/sched.h>
#include <trace/events/timer.h>
#include <trace/events/workqueue.h>

#include "compat.h"
#include "internal.h"

static void notrace probe_irq_entry(void *data, int irq, struct irqaction *action)
{
	irqscope_event(data, IRQSCOPE_IRQ_ENTRY, irq, (unsigned long)action->handler);
	if (action->dev_id != data)
		irqscope_context_entered(data, irqscope_interrupted(), false);
}

static void notrace probe_irq_exit(void *data, int irq, struct irqaction *action, int result)
{
	irqscope_event(data, IRQSCOPE_IRQ_EXIT, irq, 0);
}

static void notrace probe_softirq_entry(void *data, unsigned int vector)
{
	irqscope_event(data, IRQSCOPE_SOFTIRQ_ENTRY, vector, 0);
}

static void notrace probe_softirq_exit(void *data, unsigned int vector)
{
	irqscope_event(data, IRQSCOPE_SOFTIRQ_EXIT, vector, 0);
}

static void notrace probe_softirq_raise(void *data, unsigned int vector)
{
	irqscope_event(data, IRQSCOPE_SOFTIRQ_RAISE, vector, 0);
}

static void notrace probe_tasklet_entry(void *data, struct tasklet_struct *tasklet, void *function)
{
	irqscope_event(data, IRQSCOPE_TASKLET_ENTRY, 0, (unsigned long)function);
}

static void notrace probe_tasklet_exit(void *data, struct tasklet_struct *tasklet, void *function)
{
	irqscope_event(data, IRQSCOPE_TASKLET_EXIT, 0, (unsigned long)function);
}

static void notrace probe_hrtimer_entry(IRQSCOPE_HRTIMER_ENTRY_ARGUMENTS)
{
	irqscope_event(data, IRQSCOPE_HRTIMER_ENTRY, 0,
		       (unsigned long)irqscope_hrtimer_function(timer));
}

static void notrace probe_hrtimer_exit(void *data, struct hrtimer *timer)
{
	irqscope_event(data, IRQSCOPE_HRTIMER_EXIT, 0, 0);
}

static void notrace probe_timer_entry(void *data, struct timer_list *timer, unsigned long base)
{
	irqscope_event(data, IRQSCOPE_TIMER_ENTRY, 0, (unsigned long)timer->function);
}

static void notrace probe_timer_exit(void *data, struct timer_list *timer)
{
	irqscope_event(data, IRQSCOPE_TIMER_EXIT, 0, 0);
}

static void notrace probe_work_start(void *data, struct work_struct *work)
{
	irqscope_event(data, IRQSCOPE_WORK_START, 0, (unsigned long)work->func);
}

static void notrace probe_work_end(void *data, struct work_struct *work, work_func_t function)
{
	irqscope_event(data, IRQSCOPE_WORK_END, 0, (unsigned long)function);
}

static void notrace probe_switch(IRQSCOPE_SWITCH_ARGUMENTS)
{
	u64 next_one = next->prio + 1;

	if (preempt)
		next_one |= IRQSCOPE_PREEMPTED;
	irqscope_event(data, IRQSCOPE_SWITCH, next->pid, next_one);
}

/*
 * The scheduler's first act that can be seen: RCU notes a context switch before
 * the run queue is locked. RCU notes other acts by the same tracepoint.
 */
static void notrace probe_schedule(void *data, const char *act)
{
	if (!strcmp(act, "Start context switch"))
		irqscope_event(data, IRQSCOPE_SCHEDULE, 0, 0);
}

static void notrace probe_wakeup(void *data, struct task_struct *task)
{
	irqscope_event(data, IRQSCOPE_WAKEUP, task->pid, task->prio + 1);
}

static void notrace probe_statistics(IRQSCOPE_STATISTICS_ARGUMENTS)
{
	irqscope_event(data, IRQSCOPE_STATISTICS, task->pid, runtime);
}

static void notrace probe_contention_begin(void *data, void *lock, unsigned int flags)
{
	irqscope_event(data, IRQSCOPE_CONTENTION_BEGIN, flags, (unsigned long)lock);
}

static void notrace probe_contention_end(void *data, void *lock, int result)
{
	irqscope_event(data, IRQSCOPE_CONTENTION_END, result, (unsigned long)lock);
}

static void notrace probe_idle(void *data, unsigned int state, unsigned int cpu)
{
	bool leaves = state == PWR_EVENT_EXIT;

	irqscope_event(data, leaves ? IRQSCOPE_IDLE_EXIT : IRQSCOPE_IDLE_ENTRY,
		       leaves ? 0 : state, 0);
}

static void notrace probe_nmi(void *data, void *handler, s64 ns, int handled)
{
	irqscope_event(data, IRQSCOPE_NMI, ns, (unsigned long)handler);
}

/* Where the kernel traces the flags: the functions that disable and enable. */
#define FLAGS_PROBE(_name, _kind)							\
	static void notrace probe_##_name(void *data, unsigned long ip,			\
					  unsigned long parent)				\
	{										\
		irqscope_event(data, _kind, 0, ip);					\
	}

FLAGS_PROBE(irq_disable, IRQSCOPE_IRQS_OFF)
FLAGS_PROBE(irq_enable, IRQSCOPE_IRQS_ON)
FLAGS_PROBE(preempt_disable, IRQSCOPE_PREEMPT_OFF)
FLAGS_PROBE(preempt_enable, IRQSCOPE_PREEMPT_ON)

/* Not every architecture counts all of them apart. */
#define VECTOR_PROBES(_name, _vector)							\
	static void __maybe_unused notrace						\
	probe_##_name##_entry(void *data, int number)					\
	{										\
		u64 address = irqscope_interrupted();					\
											\
		irqscope_event(data, IRQSCOPE_VECTOR_ENTRY, _vector, address);		\
		irqscope_context_entered(data, address, true);				\
	}										\
	static void __maybe_unused notrace						\
	probe_##_name##_exit(void *data, int number)					\
	{										\
		irqscope_event(data, IRQSCOPE_VECTOR_EXIT, _vector, 0);			\
	}

VECTOR_PROBES(local_timer, IRQSCOPE_LOCAL_TIMER)
VECTOR_PROBES(reschedule, IRQSCOPE_RESCHEDULE)
VECTOR_PROBES(call_function, IRQSCOPE_CALL_FUNCTION)
VECTOR_PROBES(call_function_single, IRQSCOPE_CALL_FUNCTION_SINGLE)
VECTOR_PROBES(irq_work, IRQSCOPE_IRQ_WORK)
VECTOR_PROBES(x86_platform_ipi, IRQSCOPE_PLATFORM_IPI)
VECTOR_PROBES(error_apic, IRQSCOPE_ERROR_APIC)
VECTOR_PROBES(thermal_apic, IRQSCOPE_THERMAL)
VECTOR_PROBES(threshold_apic, IRQSCOPE_THRESHOLD)

/* At most 64, for the mask of those that are lacking. */
static struct irqscope_probe {
	const char *name;
	void *function;
	struct tracepoint *point;
} irqscope_probes[] = {
	{ "irq_handler_entry", probe_irq_entry },
	{ "irq_handler_exit", probe_irq_exit },
	{ "softirq_entry", probe_softirq_entry },
	{ "softirq_exit", probe_softirq_exit },
	{ "softirq_raise", probe_softirq_raise },
	{ "tasklet_entry", probe_tasklet_entry },
	{ "tasklet_exit", probe_tasklet_exit },
	{ "hrtimer_expire_entry", probe_hrtimer_entry },
	{ "hrtimer_expire_exit", probe_hrtimer_exit },
	{ "timer_expire_entry", probe_timer_entry },
	{ "timer_expire_exit", probe_timer_exit },
	{ "workqueue_execute_start", probe_work_start },
	{ "workqueue_execute_end", probe_work_end },
	{ "sched_switch", probe_switch },
	{ "sched_wakeup", probe_wakeup },
	{ "rcu_utilization", probe_schedule },
	{ "sched_stat_runtime", probe_statistics },
	{ "contention_begin", probe_contention_begin },
	{ "contention_end", probe_contention_end },
	{ "cpu_idle", probe_idle },
	{ "nmi_handler", probe_nmi },
	{ "irq_disable", probe_irq_disable },
	{ "irq_enable", probe_irq_enable },
	{ "preempt_disable", probe_preempt_disable },
	{ "preempt_enable", probe_preempt_enable },
#ifdef CONFIG_X86
	{ "local_timer_entry", probe_local_timer_entry },
	{ "local_timer_exit", probe_local_timer_exit },
	{ "reschedule_entry", probe_reschedule_entry },
	{ "reschedule_exit", probe_reschedule_exit },
	{ "call_function_entry", probe_call_function_entry },
	{ "call_function_exit", probe_call_function_exit },
	{ "call_function_single_entry", probe_call_function_single_entry },
	{ "call_function_single_exit", probe_call_function_single_exit },
	{ "irq_work_entry", probe_irq_work_entry },
	{ "irq_work_exit", probe_irq_work_exit },
	{ "x86_platform_ipi_entry", probe_x86_platform_ipi_entry },
	{ "x86_platform_ipi_exit", probe_x86_platform_ipi_exit },
	{ "error_apic_entry", probe_error_apic_entry },
	{ "error_apic_exit", probe_error_apic_exit },
	{ "thermal_apic_entry", probe_thermal_apic_entry },
	{ "thermal_apic_exit", probe_thermal_apic_exit },
	{ "threshold_apic_entry", probe_threshold_apic_entry },
	{ "threshold_apic_exit", probe_threshold_apic_exit },
#endif
};

/* Never called: a probe with another type than its tracepoint does not compile. */
static void __maybe_unused irqscope_probes_check(void)
{
	check_trace_callback_type_irq_handler_entry(probe_irq_entry);
	check_trace_callback_type_irq_handler_exit(probe_irq_exit);
	check_trace_callback_type_softirq_entry(probe_softirq_entry);
	check_trace_callback_type_hrtimer_expire_entry(probe_hrtimer_entry);
	check_trace_callback_type_hrtimer_expire_exit(probe_hrtimer_exit);
	check_trace_callback_type_timer_expire_entry(probe_timer_entry);
	check_trace_callback_type_timer_expire_exit(probe_timer_exit);
	check_trace_callback_type_workqueue_execute_start(probe_work_start);
	check_trace_callback_type_workqueue_execute_end(probe_work_end);
	check_trace_callback_type_sched_switch(probe_switch);
	check_trace_callback_type_sched_wakeup(probe_wakeup);
	check_trace_callback_type_rcu_utilization(probe_schedule);
	check_trace_callback_type_sched_stat_runtime(probe_statistics);
	check_trace_callback_type_cpu_idle(probe_idle);
	check_trace_callback_type_nmi_handler(probe_nmi);
}

static void irqscope_probe_find(struct tracepoint *point, void *unused)
{
	unsigned int index;

	for (index = 0; index < ARRAY_SIZE(irqscope_probes); index++)
		if (!strcmp(point->name, irqscope_probes[index].name))
			irqscope_probes[index].point = point;
}

/**
 * irqscope_probes_unregister() - take all probes away, or those before the first that lacks
 * @scope: the scope
 *
 * None is running when they are gone.
 */
void irqscope_probes_unregister(struct irqscope *scope)
{
	unsigned int index;

	irqscope_callbacks_unregister();
	for (index = 0; index < ARRAY_SIZE(irqscope_probes); index++) {
		const struct irqscope_probe *probe = &irqscope_probes[index];

		if (!(scope->interference.lacking & BIT_ULL(index)))
			tracepoint_probe_unregister(probe->point, probe->function, scope);
	}
	tracepoint_synchronize_unregister();
}

/**
 * irqscope_probes_register() - put a probe on every tracepoint that there is
 * @scope: the scope, to which events go
 *
 * Return: 0 or a negative errno, which was logged
 */
int irqscope_probes_register(struct irqscope *scope)
{
	unsigned int index;
	int err;

	BUILD_BUG_ON(ARRAY_SIZE(irqscope_probes) > 64);
	for_each_kernel_tracepoint(irqscope_probe_find, NULL);
	scope->interference.lacking = 0;
	for (index = 0; index < ARRAY_SIZE(irqscope_probes); index++) {
		const struct irqscope_probe *probe = &irqscope_probes[index];

		if (!probe->point) {
			scope->interference.lacking |= BIT_ULL(index);
			continue;
		}
		err = tracepoint_probe_register(probe->point, probe->function, scope);
		if (err) {
			pr_err("no probe on tracepoint %s (%d)\n", probe->name, err);
			scope->interference.lacking |= GENMASK_ULL(63, index);
			irqscope_probes_unregister(scope);
			return err;
		}
	}
	irqscope_callbacks_register(scope);
	return 0;
}

/**
 * irqscope_probes_lacking() - list the tracepoints that this kernel does not have
 * @scope: the scope, after a run with explain
 * @page: where they go, one a line
 *
 * Return: how many bytes
 */
ssize_t irqscope_probes_lacking(struct irqscope *scope, char *page)
{
	unsigned int index;
	ssize_t length = 0;

	mutex_lock(&scope->probing.lock);
	for (index = 0; index < ARRAY_SIZE(irqscope_probes); index++)
		if (scope->interference.lacking & BIT_ULL(index))
			length += sysfs_emit_at(page, length, "%s\n", irqscope_probes[index].name);
	length = irqscope_callbacks_lacking(scope, page, length);
	mutex_unlock(&scope->probing.lock);
	return length;
}
