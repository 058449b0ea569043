// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trigger `inject`: a real interrupt without hardware.
 *
 * Another CPU stamps the counter and asks the interrupt controller to send the
 * vector of a free line (7 on a PC) to the CPU under test: a timer does, on the
 * grid of pacing.c, or with line `memory` a generator, when it likes. Where there
 * is one CPU only the timer sends it to itself, and the interrupt is taken when
 * the timer's own interrupt has returned: that return is then part of every
 * latency.
 *
 * The trigger goes from the injecting CPU to the handler as the token pending
 * for stage irq. The handler inherits the reference that belongs to it.
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
		irqscope_execute(irq, cycles);
		if (READ_ONCE(scope->interrupt.armed))
			irqscope_spurious(scope);
		WRITE_ONCE(scope->interrupt.seen_cpu, smp_processor_id());
		return IRQ_HANDLED;
	}
	if (static_branch_unlikely(&irqscope_bare))
		irqscope_bare_raise(scope, token);
	else
		irqscope_sample_start(scope, token, cycles);
	/* Asked for this sample's thread, not for that of an earlier one? */
	if (atomic64_read(&thread->pending) == token)
		result = IRQ_WAKE_THREAD;
	if (!static_branch_unlikely(&irqscope_bare))
		irqscope_sample_drop(scope, token, 1);
	return result;
}

/*
 * The interrupt before must have been taken, or both would be one. Returns 1 if it
 * was not, 0, or a negative errno.
 */
static int irqscope_inject_token(struct irqscope *scope, u64 token)
{
	struct irqscope_responder *irq = &scope->stages[IRQSCOPE_IRQ];
	int err;

	if (unlikely(atomic64_cmpxchg(&irq->pending, 0, token)))
		return 1;
	err = irqscope_inject_interrupt(scope->interrupt.number);
	if (unlikely(err)) {
		irqscope_close_stage(irq);
		irqscope_run_end(scope, IRQSCOPE_INJECT_FAILED, err);
	}
	return err;
}

/* Holds the sample's one reference; the handler gets another. Returns as above. */
static int irqscope_inject(struct irqscope *scope, u64 token)
{
	int result;

	atomic_inc(&irqscope_flight(scope, token)->references);
	/* Before the token is in reach of a handler, which may be a late one. */
	irqscope_sample(scope, token)->trigger_cycles = get_cycles();
	result = irqscope_inject_token(scope, token);
	if (unlikely(result > 0)) {
		irqscope_sample_merge(scope, token);
		irqscope_sample_drop(scope, token, 1);
	}
	return result;
}

static int irqscope_inject_sample(struct irqscope *scope, struct irqscope_injection *injection)
{
	u64 token = irqscope_sample_open(scope);
	int result;

	if (unlikely(!token)) {
		injection->cycles = get_cycles();
		injection->flags = IRQSCOPE_INJECTION_DROPPED;
		return 0;
	}
	result = irqscope_inject(scope, token);
	injection->cycles = irqscope_sample(scope, token)->trigger_cycles;
	injection->number = token;
	irqscope_sample_drop(scope, token, 1);
	return result;
}

static int irqscope_inject_bare(struct irqscope *scope, struct irqscope_injection *injection)
{
	u64 token = irqscope_bare_open(scope);
	int result;

	injection->number = token;
	injection->cycles = get_cycles();
	result = irqscope_inject_token(scope, token);
	if (unlikely(result > 0))
		irqscope_count_shared(&scope->buffer.header->coalesced);
	return result;
}

/* Under the lock, so that the end of a run waits for it. */
static int irqscope_inject_locked(struct irqscope *scope, struct irqscope_injection *injection)
{
	struct irqscope_ring *header;
	int result;

	/* Only while a run takes them is there a ring for certain. */
	if (!scope->interrupt.open)
		return -EAGAIN;
	header = scope->buffer.header;
	if (header->triggers >= scope->settings.count)
		return -EAGAIN;
	if (static_branch_unlikely(&irqscope_bare))
		result = irqscope_inject_bare(scope, injection);
	else
		result = irqscope_inject_sample(scope, injection);
	if (result > 0)
		injection->flags = IRQSCOPE_INJECTION_MERGED;
	if (unlikely(header->triggers >= scope->settings.count))
		irqscope_run_end(scope, IRQSCOPE_FINISHED, 0);
	return min(result, 0);
}

/**
 * irqscope_inject_now() - make a trigger for a generator, from this CPU
 * @scope: the scope
 * @injection: what became of it; zero before
 *
 * Interrupts are off from the stamp to the injection, so that nothing comes in
 * between.
 *
 * Return: 0, -EAGAIN if no run wants one, or what the controller says
 */
int irqscope_inject_now(struct irqscope *scope, struct irqscope_injection *injection)
{
	unsigned long flags;
	int err;

	raw_spin_lock_irqsave(&scope->interrupt.injecting, flags);
	err = irqscope_inject_locked(scope, injection);
	raw_spin_unlock_irqrestore(&scope->interrupt.injecting, flags);
	return err;
}

static void irqscope_inject_let(struct irqscope *scope, bool open)
{
	raw_spin_lock_irq(&scope->interrupt.injecting);
	scope->interrupt.open = open;
	raw_spin_unlock_irq(&scope->interrupt.injecting);
}

/**
 * irqscope_inject_is_asked() - do the settings leave triggers to a generator?
 * @scope: the scope
 *
 * Return: true if so
 */
bool irqscope_inject_is_asked(const struct irqscope *scope)
{
	return scope->settings.trigger == IRQSCOPE_INJECT &&
	       irqscope_line_injects(scope->settings.line);
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

static int irqscope_inject_prepare_timer(struct irqscope *scope)
{
	scope->pacer.cpu = irqscope_inject_cpu(scope);
	if (!cpu_online(scope->pacer.cpu)) {
		pr_err("inject_cpu %d is not online\n", scope->pacer.cpu);
		return -ENODEV;
	}
	irqscope_hrtimer_setup(&scope->pacer.timer, irqscope_inject_fire);
	return irqscope_pacer_check(scope);
}

static int irqscope_inject_prepare_generator(struct irqscope *scope)
{
	scope->pacer.cpu = scope->cpu; /* there is no timer anywhere */
	if (irqscope_memory_watched())
		return 0;
	pr_err("line memory has no generator: start irqscope-agent generator first\n");
	return -ENODEV;
}

static int irqscope_inject_prepare(struct irqscope *scope)
{
	int err = irqscope_inject_is_asked(scope) ? irqscope_inject_prepare_generator(scope) :
						    irqscope_inject_prepare_timer(scope);

	if (err)
		return err;
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
	WRITE_ONCE(scope->interrupt.armed, true);
	if (!irqscope_inject_is_asked(scope)) {
		irqscope_pacer_start(scope);
		return;
	}
	irqscope_inject_let(scope, true);
	scope->line.port->enable_irq(scope->line.port);
}

/* As with trigger `line` the port's gate stays open until the last stage is gone. */
static void irqscope_inject_stop(struct irqscope *scope)
{
	if (irqscope_inject_is_asked(scope))
		irqscope_inject_let(scope, false);
	else
		irqscope_pacer_stop(scope);
	synchronize_hardirq(scope->interrupt.number); /* late threads are drained */
}

static void irqscope_inject_unprepare(struct irqscope *scope)
{
	if (scope->interrupt.armed && irqscope_inject_is_asked(scope))
		scope->line.port->disable_irq(scope->line.port);
	irqscope_irq_free(scope);
}

/**
 * irqscope_inject_init() - make what a generator's injections need
 * @scope: the scope
 */
void irqscope_inject_init(struct irqscope *scope)
{
	raw_spin_lock_init(&scope->interrupt.injecting);
}

const struct irqscope_trigger_ops irqscope_inject_trigger = {
	.prepare = irqscope_inject_prepare,
	.start = irqscope_inject_start,
	.stop = irqscope_inject_stop,
	.unprepare = irqscope_inject_unprepare,
	.uses_irq = true,
};
