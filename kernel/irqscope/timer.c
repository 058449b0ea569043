// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trigger `timer`: a hard hrtimer on the CPU under test.
 *
 * The instant is the timer's expiry, known in nanoseconds before it comes.
 * Stage irq is the timer's function: on every kernel, RT included, it runs in
 * the interrupt itself.
 */
#include "compat.h"
#include "hot.h"

static enum hrtimer_restart irqscope_timer_fire(struct hrtimer *timer)
{
	struct irqscope *scope = container_of(timer, struct irqscope, pacer.timer);
	struct irqscope_responder *irq = &scope->stages[IRQSCOPE_IRQ];
	u64 cycles, token;

	irqscope_delay(irq);
	cycles = get_cycles();
	if (unlikely(!irqscope_pacer_due(scope)))
		return irqscope_pacer_next(scope);
	irqscope_toggle(irq);

	token = irqscope_sample_open(scope);
	if (likely(token)) {
		irqscope_sample(scope, token)->trigger_ns =
			ktime_to_ns(hrtimer_get_expires(timer));
		irqscope_sample_start(scope, token, cycles);
		irqscope_sample_drop(scope, token, 1);
	} else {
		irqscope_execute(irq, cycles);
	}
	return irqscope_pacer_next(scope);
}

static int irqscope_timer_prepare(struct irqscope *scope)
{
	scope->pacer.cpu = scope->cpu;
	irqscope_hrtimer_setup(&scope->pacer.timer, irqscope_timer_fire);
	return irqscope_pacer_check(scope);
}

static void irqscope_timer_unprepare(struct irqscope *scope)
{
}

const struct irqscope_trigger_ops irqscope_timer_trigger = {
	.prepare = irqscope_timer_prepare,
	.start = irqscope_pacer_start,
	.stop = irqscope_pacer_stop,
	.unprepare = irqscope_timer_unprepare,
	.expires = true,
};
