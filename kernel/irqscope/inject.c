// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trigger `inject`: a real interrupt without hardware.
 *
 * A timer on another CPU stamps the counter and asks the interrupt controller
 * to send the vector of a free line (7 on a PC) to the CPU under test. Where
 * there is one CPU only it sends it to itself, and the interrupt is taken
 * when the timer's own interrupt has returned: that return is then part of
 * every latency.
 *
 * The sample goes from the timer to the handler as the token pending for
 * stage irq. The handler inherits the reference that belongs to it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpu.h>

#include "compat.h"
#include "hot.h"

static irqreturn_t irqscope_inject_handler(int number, void *data)
{
	struct irqscope *scope = data;
	struct irqscope_responder *irq = &scope->stages[IRQSCOPE_IRQ];
	struct irqscope_responder *thread = &scope->stages[IRQSCOPE_THREAD];
	u64 cycles = irqscope_enter(irq);
	u64 token = atomic64_xchg(&irq->pending, 0);
	irqreturn_t result = IRQ_HANDLED;

	scope->own_interrupts++;
	if (unlikely(!token)) {
		if (scope->interrupt.armed)
			irqscope_spurious(scope);
		WRITE_ONCE(scope->interrupt.seen_cpu, smp_processor_id());
		return IRQ_HANDLED;
	}
	irqscope_sample_start(scope, token, cycles);
	/* Asked for this sample's thread, not for that of an earlier one? */
	if (atomic64_read(&thread->pending) == token)
		result = IRQ_WAKE_THREAD;
	irqscope_sample_drop(scope, token, 1);
	return result;
}

/* Holds the sample's one reference; the handler gets another. */
static void irqscope_inject(struct irqscope *scope, u64 token)
{
	struct irqscope_responder *irq = &scope->stages[IRQSCOPE_IRQ];
	struct irqscope_sample *sample = irqscope_sample(scope, token);
	int err;

	atomic_inc(&irqscope_flight(scope, token)->references);
	/* Before the token is in reach of a handler, which may be a late one. */
	sample->trigger_cycles = get_cycles();
	if (unlikely(atomic64_cmpxchg(&irq->pending, 0, token))) {
		irqscope_sample_merge(scope, token);
		irqscope_sample_drop(scope, token, 1);
		return;
	}
	err = irq_inject_interrupt(scope->interrupt.number);
	if (unlikely(err)) {
		irqscope_close_stage(irq);
		irqscope_run_end(scope, IRQSCOPE_INJECT_FAILED, err);
	}
}

static enum hrtimer_restart irqscope_inject_fire(struct hrtimer *timer)
{
	struct irqscope *scope = container_of(timer, struct irqscope, pacer.timer);
	u64 token;

	if (unlikely(!irqscope_pacer_due(scope)))
		return irqscope_pacer_next(scope);

	token = irqscope_sample_open(scope);
	if (likely(token)) {
		irqscope_inject(scope, token);
		irqscope_clock_ns(scope, irqscope_sample(scope, token));
		irqscope_sample_drop(scope, token, 1);
	}
	return irqscope_pacer_next(scope);
}

static int irqscope_inject_cpu(const struct irqscope *scope)
{
	int cpu = scope->settings.inject_cpu;

	if (cpu >= 0)
		return cpu;
	cpu = cpumask_any_but(cpu_online_mask, scope->cpu);
	return cpu < nr_cpu_ids ? cpu : scope->cpu;
}

static int irqscope_inject_prepare(struct irqscope *scope)
{
	int err;

	scope->pacer.cpu = irqscope_inject_cpu(scope);
	if (!cpu_online(scope->pacer.cpu)) {
		pr_err("inject_cpu %d is not online\n", scope->pacer.cpu);
		return -ENODEV;
	}
	irqscope_hrtimer_setup(&scope->pacer.timer, irqscope_inject_fire);
	err = irqscope_irq_request(scope, irqscope_inject_handler);
	if (err)
		return err;
	err = irqscope_irq_probe(scope);
	if (err)
		irqscope_irq_free(scope);
	return err;
}

static void irqscope_inject_start(struct irqscope *scope)
{
	scope->interrupt.armed = true;
	irqscope_pacer_start(scope);
}

static void irqscope_inject_stop(struct irqscope *scope)
{
	irqscope_pacer_stop(scope);
	synchronize_hardirq(scope->interrupt.number); /* late threads are drained */
}

const struct irqscope_trigger_ops irqscope_inject_trigger = {
	.name = "inject",
	.prepare = irqscope_inject_prepare,
	.start = irqscope_inject_start,
	.stop = irqscope_inject_stop,
	.unprepare = irqscope_irq_free,
	.uses_irq = true,
};
