// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Trigger `sleep`: the user stage's thread sleeps by itself, as any program does
 * that is to run at a time of its own, and the expiry is the trigger.
 *
 * read() of /dev/irqscope-user does not block but hands out until when to sleep.
 * The kernel's own timer of clock_nanosleep() wakes the thread, in the kernel's own
 * way. Two probes see it: one when it is started, by the thread and for that
 * instant, one right before its function runs. There stage irq is stamped, and the
 * sample is opened that the thread will answer.
 *
 * A thread sleeps only when it has answered: the grid is closed, and its points
 * that have passed by then are counted as skipped. A sleep that begins when its
 * point is over is no trigger.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ktime.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <trace/events/timer.h>

#include "compat.h"
#include "hot.h"

#define STAGES	(BIT(IRQSCOPE_IRQ) | BIT(IRQSCOPE_USER))

static void notrace probe_sleep_starts(IRQSCOPE_HRTIMER_START_ARGUMENTS)
{
	struct irqscope *scope = data;
	struct irqscope_sleep *sleep = &scope->sleep;
	u64 until_ns;

	if (likely(current != READ_ONCE(sleep->task)) || !in_task())
		return;
	/* The soft end: a thread without a real-time policy may sleep longer. */
	until_ns = ktime_to_ns(hrtimer_get_softexpires(timer));
	if (until_ns != READ_ONCE(sleep->point_ns) || ktime_to_ns(ktime_get()) >= until_ns)
		timer = NULL;
	WRITE_ONCE(sleep->timer, timer);
}

static void irqscope_sleep_fire(struct irqscope *scope, u64 cycles)
{
	struct irqscope_responder *irq = &scope->stages[IRQSCOPE_IRQ];
	u64 token;

	irqscope_toggle(irq);
	if (raw_smp_processor_id() == scope->cpu)
		scope->own_interrupts++;
	token = irqscope_sample_open(scope);
	if (unlikely(!token)) {
		irqscope_execute(irq, cycles);
		return;
	}
	irqscope_sample(scope, token)->trigger_ns = scope->sleep.point_ns;
	irqscope_user_hand(scope, token, cycles);
	irqscope_sample_start(scope, token, cycles);
	irqscope_sample_drop(scope, token, 1);
}

static void notrace probe_sleep_ends(IRQSCOPE_HRTIMER_ENTRY_ARGUMENTS)
{
	struct irqscope *scope = data;
	struct irqscope_sleep *sleep = &scope->sleep;
	unsigned long flags;
	u64 cycles;

	if (likely(timer != READ_ONCE(sleep->timer)))
		return;
	irqscope_delay(&scope->stages[IRQSCOPE_IRQ]);
	cycles = get_cycles();
	WRITE_ONCE(sleep->timer, NULL);
	if (unlikely(!READ_ONCE(sleep->armed)))
		return;
	/* On RT the timer of a thread without a real-time policy expires in a softirq. */
	local_irq_save(flags);
	irqscope_sleep_fire(scope, cycles);
	local_irq_restore(flags);
}

/* Never called: see irqscope_probes_check(). */
static void __maybe_unused irqscope_sleep_check(void)
{
	check_trace_callback_type_hrtimer_start(probe_sleep_starts);
	check_trace_callback_type_hrtimer_expire_entry(probe_sleep_ends);
}

static struct {
	const char *name;
	void *function;
	struct tracepoint *point;
} irqscope_sleep_probes[] = {
	{ "hrtimer_start", probe_sleep_starts },
	{ "hrtimer_expire_entry", probe_sleep_ends },
};

static void irqscope_sleep_find(struct tracepoint *point, void *unused)
{
	unsigned int index;

	for (index = 0; index < ARRAY_SIZE(irqscope_sleep_probes); index++)
		if (!strcmp(point->name, irqscope_sleep_probes[index].name))
			irqscope_sleep_probes[index].point = point;
}

static void irqscope_sleep_unregister_below(struct irqscope *scope, unsigned int end)
{
	while (end--)
		tracepoint_probe_unregister(irqscope_sleep_probes[end].point,
					    irqscope_sleep_probes[end].function, scope);
	tracepoint_synchronize_unregister();
}

/**
 * irqscope_sleep_register() - put both probes on their tracepoints
 * @scope: the scope
 *
 * Return: 0 or a negative errno, which was logged
 */
int irqscope_sleep_register(struct irqscope *scope)
{
	unsigned int index;
	int err;

	for_each_kernel_tracepoint(irqscope_sleep_find, NULL);
	for (index = 0; index < ARRAY_SIZE(irqscope_sleep_probes); index++) {
		struct tracepoint *point = irqscope_sleep_probes[index].point;

		err = point ? tracepoint_probe_register(point,
							irqscope_sleep_probes[index].function,
							scope) : -ENODEV;
		if (err) {
			pr_err("trigger sleep: no probe on tracepoint %s (%d)\n",
			       irqscope_sleep_probes[index].name, err);
			irqscope_sleep_unregister_below(scope, index);
			return err;
		}
	}
	return 0;
}

/**
 * irqscope_sleep_unregister() - take both probes away
 * @scope: the scope
 *
 * None is running when they are gone.
 */
void irqscope_sleep_unregister(struct irqscope *scope)
{
	irqscope_sleep_unregister_below(scope, ARRAY_SIZE(irqscope_sleep_probes));
}

/**
 * irqscope_sleep_is_asked() - do sleeps make the triggers of this run?
 * @scope: the scope
 *
 * Return: true while such a run is active
 */
bool irqscope_sleep_is_asked(const struct irqscope *scope)
{
	return READ_ONCE(scope->active) && scope->settings.trigger == IRQSCOPE_SLEEP;
}

/**
 * irqscope_sleep_is_wanted() - may the thread be handed a sleep?
 * @scope: the scope
 *
 * Return: true if a read() of it need not wait
 */
bool irqscope_sleep_is_wanted(const struct irqscope *scope)
{
	return READ_ONCE(scope->sleep.armed);
}

/* Goes on to a point of the grid that the thread can still sleep for. */
static void irqscope_sleep_go_on(struct irqscope *scope)
{
	struct irqscope_sleep *sleep = &scope->sleep;
	u64 soon_ns = ktime_to_ns(ktime_get()) + IRQSCOPE_PERIOD_MIN_NS;
	u64 point_ns = sleep->point_ns;
	bool first = true;

	do {
		if (!first)
			irqscope_count(&scope->buffer.header->skipped);
		first = false;
		point_ns += max_t(s64, irqscope_pacer_step_ns(scope), IRQSCOPE_PERIOD_MIN_NS);
	} while (point_ns < soon_ns);
	WRITE_ONCE(sleep->point_ns, point_ns);
}

/**
 * irqscope_sleep_next() - say until when the thread is to sleep
 * @scope: the scope
 * @call: to be filled in
 *
 * In its read(). A sleep that it has not answered by now is closed without an answer. The
 * last answer ends the run.
 *
 * Return: false if it is to wait for the end of the run
 */
bool irqscope_sleep_next(struct irqscope *scope, struct irqscope_call *call)
{
	struct irqscope_sleep *sleep = &scope->sleep;

	WRITE_ONCE(sleep->task, NULL);
	WRITE_ONCE(sleep->timer, NULL);
	irqscope_close_stage(&scope->stages[IRQSCOPE_USER]);
	if (!READ_ONCE(sleep->armed))
		return false;
	if (READ_ONCE(scope->buffer.header->triggers) >= scope->settings.count) {
		WRITE_ONCE(sleep->armed, false);
		irqscope_run_end(scope, IRQSCOPE_FINISHED, 0);
		return false;
	}
	irqscope_sleep_go_on(scope);
	call->seq = READ_ONCE(scope->buffer.header->triggers);
	call->number = READ_ONCE(scope->buffer.produced) + 1;
	call->until_ns = sleep->point_ns;
	WRITE_ONCE(sleep->task, current);
	return true;
}

static int irqscope_sleep_prepare(struct irqscope *scope)
{
	const struct irqscope_settings *settings = &scope->settings;

	if (settings->stages & ~STAGES || !(settings->stages & BIT(IRQSCOPE_USER))) {
		pr_err("trigger sleep asks stage user, and irq beside it: set stages\n");
		return -EINVAL;
	}
	if (settings->burst != 1 || settings->pacing != IRQSCOPE_CLOSED) {
		pr_err("a thread sleeps when it has answered: set pacing to closed, burst to 1\n");
		return -EINVAL;
	}
	if (!READ_ONCE(scope->user.present)) {
		pr_err("trigger sleep needs a thread: let it open /dev/irqscope-user\n");
		return -ENXIO;
	}
	memset(&scope->sleep, 0, sizeof(scope->sleep));
	return 0;
}

static void irqscope_sleep_start(struct irqscope *scope)
{
	scope->pacer.random = scope->settings.seed;
	scope->pacer.stride = 1;
	scope->pacer.in_burst = 0;
	WRITE_ONCE(scope->sleep.point_ns, ktime_to_ns(ktime_get()));
	WRITE_ONCE(scope->sleep.armed, true);
	irqscope_user_wake(scope);
}

static void irqscope_sleep_stop(struct irqscope *scope)
{
	WRITE_ONCE(scope->sleep.armed, false);
	tracepoint_synchronize_unregister(); /* no probe has seen it armed any more */
}

static void irqscope_sleep_unprepare(struct irqscope *scope)
{
}

const struct irqscope_trigger_ops irqscope_sleep_trigger = {
	.prepare = irqscope_sleep_prepare,
	.start = irqscope_sleep_start,
	.stop = irqscope_sleep_stop,
	.unprepare = irqscope_sleep_unprepare,
	.expires = true,
};
