// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The table of triggers, and trigger `line`.
 *
 * With trigger `line` a port's interrupt input asks, at instants that the other
 * end of the wire chooses. The target cannot know that instant: the trigger's
 * stamp is the handler's own, stage irq's latency is zero from inside, and only
 * the view from outside has the whole of it. Pacing, period and jitter are the
 * generator's business and have no meaning here.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include "hot.h"

static u64 irqscope_line_sample(struct irqscope *scope, u64 cycles)
{
	u64 token = irqscope_sample_open(scope);

	if (unlikely(!token)) {
		irqscope_sample_turn(scope);
		irqscope_execute(&scope->stages[IRQSCOPE_IRQ], cycles);
		return 0;
	}
	irqscope_sample(scope, token)->trigger_cycles = cycles;
	irqscope_sample_start(scope, token, cycles);
	irqscope_sample_drop(scope, token, 1);
	return token;
}

static u64 irqscope_line_bare(struct irqscope *scope)
{
	u64 token = irqscope_bare_open(scope);

	irqscope_bare_raise(scope, token);
	return token;
}

static irqreturn_t irqscope_line_handler(int number, void *data)
{
	struct irqscope *scope = data;
	struct irqscope_responder *thread = &scope->stages[IRQSCOPE_THREAD];
	u64 cycles = irqscope_enter(&scope->stages[IRQSCOPE_IRQ]);
	irqreturn_t result = IRQ_HANDLED;
	u64 token;

	scope->own_interrupts++;
	if (unlikely(!READ_ONCE(scope->interrupt.armed))) {
		WRITE_ONCE(scope->interrupt.seen_cpu, smp_processor_id());
		return IRQ_HANDLED;
	}
	if (unlikely(scope->buffer.header->triggers >= scope->settings.count)) {
		irqscope_execute(&scope->stages[IRQSCOPE_IRQ], cycles);
		irqscope_spurious(scope);
		return IRQ_HANDLED;
	}
	if (static_branch_unlikely(&irqscope_bare))
		token = irqscope_line_bare(scope);
	else
		token = irqscope_line_sample(scope, cycles);
	if (token && atomic64_read(&thread->pending) == token)
		result = IRQ_WAKE_THREAD;
	if (unlikely(scope->buffer.header->triggers >= scope->settings.count))
		irqscope_run_end(scope, IRQSCOPE_FINISHED, 0);
	return result;
}

static int irqscope_line_prepare(struct irqscope *scope)
{
	int err;

	if (!scope->line.port || scope->line.port->injects) {
		pr_err("trigger line needs a port: set line to parport or another that has one\n");
		return -EINVAL;
	}
	err = irqscope_irq_request(scope, irqscope_line_handler);
	if (err)
		return err;
	/*
	 * An affinity takes effect with the next interrupt on some controllers:
	 * let that not be the first trigger. Not all of them can be injected.
	 */
	if (!scope->line.port->gated)
		irqscope_irq_probe(scope);
	return 0;
}

static void irqscope_line_start(struct irqscope *scope)
{
	WRITE_ONCE(scope->interrupt.armed, true);
	scope->line.port->enable_irq(scope->line.port);
}

/*
 * The port's own gate stays open until the last stage is gone: late responses
 * are still to come, some of them through the gate's own register, and closing
 * it notifies the observer outside that no more will come.
 */
static void irqscope_line_stop(struct irqscope *scope)
{
	disable_hardirq(scope->interrupt.number);
}

static void irqscope_line_unprepare(struct irqscope *scope)
{
	/*
	 * Masked at the controller by now: whatever raises the line may go past
	 * the gate, and a port may raise it when the gate is closed. QEMU's does.
	 */
	if (scope->interrupt.armed)
		scope->line.port->disable_irq(scope->line.port);
	irqscope_irq_free(scope);
}

const struct irqscope_trigger_ops irqscope_line_trigger = {
	.prepare = irqscope_line_prepare,
	.start = irqscope_line_start,
	.stop = irqscope_line_stop,
	.unprepare = irqscope_line_unprepare,
	.uses_irq = true,
};

#define IRQSCOPE_TRIGGER_NAME(number, name) \
	[IRQSCOPE_##number] = #name,
#define IRQSCOPE_TRIGGER_OPS(number, name) \
	[IRQSCOPE_##number] = &irqscope_##name##_trigger,

const char *const irqscope_trigger_names[] = {
	IRQSCOPE_TRIGGER_LIST(IRQSCOPE_TRIGGER_NAME)
	NULL
};

/**
 * irqscope_trigger_ops() - look a trigger up
 * @trigger: enum irqscope_trigger
 *
 * Return: its operations
 */
const struct irqscope_trigger_ops *irqscope_trigger_ops(u32 trigger)
{
	static const struct irqscope_trigger_ops *const triggers[] = {
		IRQSCOPE_TRIGGER_LIST(IRQSCOPE_TRIGGER_OPS)
	};

	return triggers[trigger];
}
