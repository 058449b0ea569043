// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The time grid on which triggers are made.
 *
 * One pinned hard timer walks the grid, by period plus jitter. With open
 * pacing each point of the grid is a trigger; with closed pacing only those
 * that find the previous sample closed. The point after the last trigger ends
 * the run, so that the last sample has as much room as every other.
 *
 * All arithmetic is integer and done after the stages have been raised.
 */
#include <linux/math64.h>
#include <linux/smp.h>

#include "compat.h"
#include "hot.h"

#define LN2_Q32		2977044472ULL
#define WAIT_NS_MAX	BIT(20)	/* of a closed grid that waits */

/* splitmix64: any seed is good, and it has no state but a counter. */
static u64 irqscope_random(u64 *state)
{
	u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/*
 * -log2(x / 2^32) in 16.16 for 1 <= x < 2^32: the position of the highest bit
 * gives the integer; each squaring of the mantissa gives one bit more.
 */
static u32 irqscope_minus_log2(u32 x)
{
	int high = fls(x) - 1;
	u64 mantissa = (u64)x << (31 - high); /* 1.31 */
	u32 log2 = high << 16;
	int bit;

	for (bit = 15; bit >= 0; bit--) {
		mantissa = mantissa * mantissa >> 31;
		if (mantissa >> 32) {
			mantissa >>= 1;
			log2 |= BIT(bit);
		}
	}
	return (32 << 16) - log2;
}

static s64 irqscope_jitter_ns(struct irqscope *scope)
{
	u64 amplitude = scope->settings.jitter_ns;
	u32 random;

	if (scope->settings.jitter == IRQSCOPE_NO_JITTER)
		return 0;
	random = irqscope_random(&scope->pacer.random) >> 32;
	if (scope->settings.jitter == IRQSCOPE_UNIFORM)
		return (s64)mul_u64_u32_shr(2 * amplitude + 1, random, 32) - amplitude;
	/* -ln(u) = -log2(u) ln 2 */
	return mul_u64_u64_div_u64(amplitude * irqscope_minus_log2(random | 1),
				   LN2_Q32, 1ULL << 48);
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
	step_ns = scope->pacer.stride * scope->settings.period_ns + irqscope_jitter_ns(scope);
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
