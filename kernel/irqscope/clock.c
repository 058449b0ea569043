// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cycles to nanoseconds and back.
 *
 * A trigger is known either as a CLOCK_MONOTONIC instant (the expiry of a
 * timer) or as a reading of the counter. The other one is computed from an
 * anchor: one reading of both clocks at the same time. Each sample has its own,
 * which no stage waits for: it is taken when the last stage has answered. The
 * clock's slewing (up to 500 ppm of the time since) then is in trigger_ns, which
 * says when a trigger was. Of a timer's trigger all latencies follow from the
 * anchor, and the first stage that has answered takes it.
 *
 * Where the clocksource is the cycle counter, ktime_get_snapshot() gives the
 * very reading from which it computes the time: no skew at all. Whether it is
 * so is seen from the reading, which then lies between two of our own; kernels
 * that do not name the clocksource's id need no other path. With any other
 * clocksource the middle of both is taken: wrong by less than half the time
 * which a reading of that clocksource takes.
 */
#include <linux/math64.h>
#include <linux/ktime.h>

#ifdef CONFIG_ARM64
#include <asm/arch_timer.h>
#endif
#ifdef CONFIG_RISCV
#include <linux/delay.h>
#endif
#ifdef CONFIG_X86
#include <asm/tsc.h>
#endif

#include "compat.h"
#include "internal.h"

#define FS_PER_NS	1000000ULL
#define FS_PER_S	1000000000000000ULL

struct irqscope_anchor {
	u64 cycles;
	u64 ns;
};

/**
 * irqscope_clock_tick_fs() - how long one cycle of the counter is
 *
 * Return: femtoseconds as the kernel calibrated them, 0 if it did not
 */
u64 irqscope_clock_tick_fs(void)
{
#if defined(CONFIG_X86)
	return tsc_khz ? div_u64(FS_PER_S / 1000, tsc_khz) : 0;
#elif defined(CONFIG_ARM64)
	return div_u64(FS_PER_S, arch_timer_get_cntfrq());
#elif defined(CONFIG_RISCV)
	return div64_u64(FS_PER_S, riscv_timebase);
#else
	return 0;
#endif
}

/* Clocksources that are not the counter have another idea of its reading. */
static struct irqscope_anchor irqscope_anchor(void)
{
	u64 before, cycles, after;
	unsigned long flags;
	ktime_t monotonic;

	local_irq_save(flags);
	before = get_cycles();
	cycles = irqscope_snapshot(&monotonic);
	after = get_cycles();
	local_irq_restore(flags);

	if (unlikely(cycles - before > after - before))
		cycles = before + (after - before) / 2;
	return (struct irqscope_anchor){ .cycles = cycles, .ns = ktime_to_ns(monotonic) };
}

/*
 * Scale a distance that may be negative: counters of two CPUs can differ. A quotient that
 * does not fit 64 bits is a divide error on x86.
 */
static s64 irqscope_scale(s64 distance, u64 by, u64 to)
{
	s64 scaled = mul_u64_u64_div_u64(abs(distance), by, to);

	return distance < 0 ? -scaled : scaled;
}

/**
 * irqscope_clock_settle() - compute a trigger's cycles or its nanoseconds
 * @scope: the scope
 * @sample: with trigger_ns if a timer's expiry is the trigger, else with trigger_cycles
 */
void irqscope_clock_settle(struct irqscope *scope, struct irqscope_sample *sample)
{
	struct irqscope_anchor anchor = irqscope_anchor();

	/* Whole: two stages that come at once both write it. */
	if (scope->trigger->expires)
		WRITE_ONCE(sample->trigger_cycles, anchor.cycles -
			   irqscope_scale(anchor.ns - sample->trigger_ns, FS_PER_NS,
					  scope->tick_fs));
	else
		WRITE_ONCE(sample->trigger_ns, anchor.ns -
			   irqscope_scale(anchor.cycles - sample->trigger_cycles,
					  scope->tick_fs, FS_PER_NS));
}
