// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The interrupt line of a run, and the stages irq and thread.
 *
 * Triggers `inject` and `line` come through a real interrupt line. Its hard
 * handler is requested with IRQF_NO_THREAD and is stage irq; stage thread is
 * its threaded handler, woken by the handler's return value: after all the
 * other stages were raised.
 *
 * Trigger `timer` has no line. Stage thread then lives on a private virtual
 * interrupt that nothing can raise, and is woken with irq_wake_thread():
 * genirq's path from there on is the same.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/irq.h>
#include <linux/sched.h>
#include <linux/sched/task.h>

#include "compat.h"
#include "hot.h"

#define PROBES		16
#define PROBE_WAIT_MS	50
#define THREAD_WAIT_MS	1000

static irqreturn_t irqscope_thread_fn(int number, void *data)
{
	struct irqscope *scope = data;
	struct irqscope_responder *stage = &scope->stages[IRQSCOPE_THREAD];
	u64 cycles = irqscope_enter(stage);

	/* Woken once before the run, to learn which thread it is. */
	if (unlikely(!READ_ONCE(stage->task)))
		WRITE_ONCE(stage->task, get_task_struct(current));
	else
		irqscope_answer(stage, cycles);
	return IRQ_HANDLED;
}

static irqreturn_t irqscope_virtual_handler(int number, void *data)
{
	return IRQ_NONE; /* nothing raises it */
}

static int irqscope_virtual_request(struct irqscope *scope)
{
	/* Without an owner: an interrupt in use must not pin its own module. */
	int number = __irq_alloc_descs(-1, 0, 1, NUMA_NO_NODE, NULL, NULL);
	int err;

	if (number < 0)
		return number;
	/* Where memory is short genirq may hand out a number without a descriptor. */
	if (!irq_get_irq_data(number))
		return -ENOMEM;
	irq_set_chip_and_handler(number, &dummy_irq_chip, handle_simple_irq);
	irq_clear_status_flags(number, IRQ_NOREQUEST);
	err = request_threaded_irq(number, irqscope_virtual_handler, irqscope_thread_fn,
				   IRQF_NO_THREAD, "irqscope", scope);
	if (err)
		irq_free_desc(number);
	else
		scope->interrupt.number = number;
	return err;
}

static void irqscope_virtual_free(struct irqscope *scope)
{
	free_irq(scope->interrupt.number, scope);
	irq_free_desc(scope->interrupt.number);
	scope->interrupt.number = 0;
}

static unsigned int irqscope_irq_number(const struct irqscope *scope)
{
	const struct irqscope_port *port = scope->line.port;

	return port && port->irq ? port->irq : scope->settings.irq;
}

static int irqscope_irq_bind(struct irqscope *scope, unsigned int number)
{
	const struct cpumask *cpus = cpumask_of(scope->cpu);
	struct irqscope_port *port = scope->line.port;
	int err = irqscope_irq_set_affinity(number, cpus);

	if (err && port && port->move)
		err = port->move(port, cpus);
	return num_possible_cpus() > 1 ? err : 0;
}

/**
 * irqscope_irq_request() - request the port's interrupt, or settings/irq, on
 * the CPU under test
 * @scope: the scope
 * @handler: its hard handler
 *
 * Return: 0 or a negative errno, which was logged
 */
int irqscope_irq_request(struct irqscope *scope, irq_handler_t handler)
{
	bool threaded = scope->settings.stages & BIT(IRQSCOPE_THREAD);
	unsigned int number = irqscope_irq_number(scope);
	const struct cpumask *affinity = irq_get_affinity_mask(number);
	int err;

	scope->interrupt.armed = false;
	/* Before the request, which starts the line on CPUs that are online. */
	cpumask_copy(&scope->interrupt.affinity, affinity ? affinity : cpu_possible_mask);
	err = request_threaded_irq(number, handler, threaded ? irqscope_thread_fn : NULL,
				   IRQF_NO_THREAD, "irqscope", scope);
	if (err) {
		pr_err("irq %u cannot be requested (%d): choose a free line in settings/irq\n",
		       number, err);
		return err;
	}
	err = irqscope_irq_bind(scope, number);
	if (err) {
		pr_err("irq %u cannot be bound to cpu %d (%d)\n", number, scope->cpu, err);
		free_irq(number, scope);
		return err;
	}
	scope->interrupt.number = number;
	return 0;
}

/**
 * irqscope_irq_free() - undo irqscope_irq_request()
 * @scope: the scope
 *
 * An IOAPIC without interrupt remapping moves a line that is in use with its next
 * interrupt only, and of this one there will be none: until then the kernel goes on
 * with the old affinity but shows the one to come, and the next request takes what
 * it finds. An unused line has its affinity at once. The first call is for a
 * move that was still waiting: it must not come true later.
 */
void irqscope_irq_free(struct irqscope *scope)
{
	unsigned int number = scope->interrupt.number;

	irqscope_irq_set_affinity(number, &scope->interrupt.affinity);
	free_irq(number, scope);
	irqscope_irq_set_affinity(number, &scope->interrupt.affinity);
	scope->interrupt.number = 0;
}

static int irqscope_irq_probe_once(struct irqscope *scope)
{
	int waited_ms;
	int err;

	WRITE_ONCE(scope->interrupt.seen_cpu, -1);
	err = irqscope_inject_interrupt(scope->interrupt.number);
	for (waited_ms = 0; !err && waited_ms < PROBE_WAIT_MS; waited_ms++) {
		if (READ_ONCE(scope->interrupt.seen_cpu) >= 0)
			return 0;
		usleep_range(1000, 2000);
	}
	return err ? err : -ETIMEDOUT;
}

/**
 * irqscope_irq_probe() - inject until the CPU under test has answered
 * @scope: the scope, with a requested line that is not armed
 *
 * Without interrupt remapping an IOAPIC's new affinity takes effect with the
 * next interrupt only, so the first may still go elsewhere.
 *
 * Return: 0 or a negative errno, which was logged
 */
int irqscope_irq_probe(struct irqscope *scope)
{
	unsigned int number = scope->interrupt.number;
	int probes;
	int err;

	for (probes = 0; probes < PROBES; probes++) {
		err = irqscope_irq_probe_once(scope);
		/* An emulated or overcommitted CPU may stand still for longer than this. */
		if (err && err != -ETIMEDOUT)
			break;
		if (!err && READ_ONCE(scope->interrupt.seen_cpu) == scope->cpu)
			return 0;
	}
	if (err == -EOPNOTSUPP)
		pr_err("irq %u cannot be injected: this kernel lacks CONFIG_GENERIC_IRQ_INJECTION (CONFIG_GENERIC_IRQ_DEBUGFS=y)\n",
		       number);
	else if (err == -EINVAL)
		pr_err("irq %u cannot be injected: it is not activated or level-triggered; choose an edge-triggered line that is wired to the controller (7 on a PC)\n",
		       number);
	else if (err)
		pr_err("irq %u does not answer to an injection (%d)\n", number, err);
	else
		pr_err("irq %u is handled on cpu %d, not on cpu %d\n", number,
		       scope->interrupt.seen_cpu, scope->cpu);
	return err ? err : -ENODEV;
}

/* genirq would move the thread with its interrupt, but only at the next one. */
static int irqscope_thread_bind(struct irqscope *scope, struct task_struct *task)
{
	int err = set_cpus_allowed_ptr(task, cpumask_of(scope->cpu));

	if (err) {
		pr_err("%s cannot be bound to cpu %d (%d)\n", task->comm, scope->cpu, err);
		return err;
	}
	return irqscope_sched_apply(task, &scope->settings.thread);
}

static int irqscope_thread_find(struct irqscope *scope)
{
	struct irqscope_responder *stage = &scope->stages[IRQSCOPE_THREAD];
	int waited_ms;

	irq_wake_thread(scope->interrupt.number, scope);
	for (waited_ms = 0; waited_ms < THREAD_WAIT_MS; waited_ms++) {
		if (READ_ONCE(stage->task))
			return irqscope_thread_bind(scope, stage->task);
		usleep_range(1000, 2000);
	}
	pr_err("the thread of irq %u does not run\n", scope->interrupt.number);
	return -ETIMEDOUT;
}

static void irqscope_thread_forget(struct irqscope_responder *stage)
{
	struct irqscope *scope = stage->scope;

	if (!scope->trigger->uses_irq)
		irqscope_virtual_free(scope);
	else
		synchronize_irq(scope->interrupt.number);
	if (stage->task)
		put_task_struct(stage->task);
	stage->task = NULL;
}

static int irqscope_thread_prepare(struct irqscope_responder *stage)
{
	struct irqscope *scope = stage->scope;
	int err;

	if (!scope->trigger->uses_irq) {
		err = irqscope_virtual_request(scope);
		if (err) {
			pr_err("no virtual interrupt for stage thread (%d)\n", err);
			return err;
		}
	}
	err = irqscope_thread_find(scope);
	if (err)
		irqscope_thread_forget(stage);
	return err;
}

static void irqscope_thread_raise(struct irqscope_responder *stage)
{
	struct irqscope *scope = stage->scope;

	if (!scope->trigger->uses_irq)
		irq_wake_thread(scope->interrupt.number, scope);
}

/* The thread asks for itself: no handler is there to return IRQ_WAKE_THREAD. */
static void irqscope_thread_again(struct irqscope_responder *stage)
{
	struct irqscope *scope = stage->scope;

	irq_wake_thread(scope->interrupt.number, scope);
}

const struct irqscope_stage_ops irqscope_thread_stage = {
	.prepare = irqscope_thread_prepare,
	.raise = irqscope_thread_raise,
	.again = irqscope_thread_again,
	.unprepare = irqscope_thread_forget,
};

static int irqscope_hard_prepare(struct irqscope_responder *stage)
{
	return 0; /* the trigger has done it */
}

static void irqscope_hard_unprepare(struct irqscope_responder *stage)
{
}

const struct irqscope_stage_ops irqscope_irq_stage = {
	.prepare = irqscope_hard_prepare,
	.unprepare = irqscope_hard_unprepare,
};
