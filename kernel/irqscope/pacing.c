// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The time grid on which triggers are made.
 *
 * One pinned hard timer walks the grid, by period plus jitter; each of its steps
 * may be a burst. With open pacing each point of the grid is a trigger; with
 * closed pacing only those that find the previous sample closed. The point after
 * the last trigger ends the run, so that the last sample has as much room as
 * every other.
 *
 * All arithmetic is integer and done after the stages have been raised.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/smp.h>

#include "compat.h"
#include "hot.h"

#define WAIT_NS_MAX	BIT(20)	/* of a closed grid that waits */

static s64 irqscope_jitter_ns(struct irqscope *scope)
{
	u64 amplitude = scope->settings.jitter_ns;
	u64 *state = &scope->pacer.random;

	if (scope->settings.jitter == IRQSCOPE_NO_JITTER)
		return 0;
	if (scope->settings.jitter == IRQSCOPE_UNIFORM)
		return (s64)irqscope_random_below(state, 2 * amplitude + 1) - amplitude;
	return irqscope_random_exponential(state, amplitude);
}

/**
 * irqscope_pacer_step_ns() - go from this point of the grid to the next
 * @scope: the scope
 *
 * The triggers of a burst are interval_ns apart, bursts period_ns plus jitter from
 * first to first.
 *
 * Return: how far that is, which may be less than IRQSCOPE_PERIOD_MIN_NS
 */
s64 irqscope_pacer_step_ns(struct irqscope *scope)
{
	struct irqscope_pacer *pacer = &scope->pacer;
	s64 interval_ns = scope->settings.interval_ns;

	if (++pacer->in_burst < scope->settings.burst)
		return interval_ns;
	pacer->in_burst = 0;
	return pacer->stride * scope->settings.period_ns + irqscope_jitter_ns(scope) -
	       (scope->settings.burst - 1) * interval_ns;
}

/*
 * A closed grid that waits for a sample visits fewer and fewer of its points:
 * looking is an interrupt on the CPU that is looked at. At 50 us and 256 busy
 * processes, most of a run was that. The points passed over are counted.
 */
static void irqscope_widen(struct irqscope *scope)
{
	struct irqscope_pacer *pacer = &scope->pacer;
	__u64 *skipped = &scope->buffer.header->skipped;

	if (2 * pacer->stride * scope->settings.period_ns <= WAIT_NS_MAX)
		pacer->stride *= 2;
	WRITE_ONCE(*skipped, *skipped + pacer->stride);
}

/**
 * irqscope_pacer_check() - can triggers be made as the settings say?
 * @scope: the scope
 *
 * Return: 0 or -EINVAL, which was logged
 */
int irqscope_pacer_check(const struct irqscope *scope)
{
	const struct irqscope_settings *settings = &scope->settings;

	if (settings->burst == 1)
		return 0;
	if (settings->pacing != IRQSCOPE_OPEN) {
		pr_err("a burst does not wait for answers: set pacing to open or burst to 1\n");
		return -EINVAL;
	}
	if (settings->period_ns / settings->burst < settings->interval_ns) {
		pr_err("period_ns must be at least burst times interval_ns\n");
		return -EINVAL;
	}
	return 0;
}

/**
 * irqscope_pacer_due() - is this point of the grid a trigger?
 * @scope: the scope
 *
 * Called first in the timer's function, after the stamp. A sample that has
 * been open for longer than the timeout is closed here; the stages it misses
 * may well come later and are then spurious.
 *
 * Return: true if a trigger is to be made now
 */
bool irqscope_pacer_due(struct irqscope *scope)
{
	struct irqscope_ring *header = scope->buffer.header;
	u64 now_ns = ktime_to_ns(hrtimer_get_expires(&scope->pacer.timer));
	u64 timeout_ns = scope->settings.timeout_ms * NSEC_PER_MSEC;

	if (scope->pacer.cpu == scope->cpu)
		scope->own_interrupts++;
	if (unlikely(header->triggers >= scope->settings.count))
		return false;
	if (scope->settings.pacing == IRQSCOPE_OPEN)
		return true;
	if (likely(!irqscope_samples_open(scope))) {
		scope->pacer.opened_ns = now_ns;
		scope->pacer.stride = 1;
		return true;
	}
	irqscope_widen(scope);
	if (now_ns - scope->pacer.opened_ns > timeout_ns)
		irqscope_close_all(scope);
	return false;
}

/**
 * irqscope_pacer_next() - go to the next point of the grid, or end the run
 * @scope: the scope
 *
 * Return: what the timer's function returns
 */
enum hrtimer_restart irqscope_pacer_next(struct irqscope *scope)
{
	struct hrtimer *timer = &scope->pacer.timer;
	s64 step_ns;

	if (unlikely(atomic_read(&scope->verdict) != IRQSCOPE_RUNNING))
		return HRTIMER_NORESTART;
	if (unlikely(scope->pacer.ending)) {
		irqscope_run_end(scope, IRQSCOPE_FINISHED, 0);
		return HRTIMER_NORESTART;
	}
	scope->pacer.ending = scope->buffer.header->triggers >= scope->settings.count;
	step_ns = irqscope_pacer_step_ns(scope);
	hrtimer_add_expires_ns(timer, max_t(s64, step_ns, IRQSCOPE_PERIOD_MIN_NS));
	return HRTIMER_RESTART;
}

static void irqscope_pacer_arm(void *data)
{
	struct irqscope *scope = data;
	ktime_t first = ktime_add_ns(ktime_get(), scope->settings.period_ns);

	hrtimer_start(&scope->pacer.timer, first, HRTIMER_MODE_ABS_PINNED_HARD);
}

/**
 * irqscope_pacer_start() - begin the grid one period from now
 * @scope: the scope, with pacer.timer set up and pacer.cpu chosen and online
 */
void irqscope_pacer_start(struct irqscope *scope)
{
	scope->pacer.random = scope->settings.seed;
	scope->pacer.ending = false;
	scope->pacer.stride = 1;
	scope->pacer.in_burst = 0;
	/* "Pinned" means the CPU on which the timer is started. */
	smp_call_function_single(scope->pacer.cpu, irqscope_pacer_arm, scope, 1);
}

/**
 * irqscope_pacer_stop() - no point of the grid is to come, none is running
 * @scope: the scope
 */
void irqscope_pacer_stop(struct irqscope *scope)
{
	hrtimer_cancel(&scope->pacer.timer);
}
