// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How many phases of the kernel's tick a plan's triggers, or a benchmark's periods, meet.
//!
//! A period that divides the tick, or nearly, meets the tick at a few instants only: what the tick
//! delays is then in all samples or in none, and no number of them shows the rest.

use irqscope_wire::{Benchmark, JitterKind, StagePlan};

/// The parts into which a tick is divided.
pub(crate) const PARTS: usize = 100;
/// Triggers that are looked at.
const MOST: u64 = 1 << 16;

/// Returns how many of the [`PARTS`] of a tick of `hz` the triggers meet; uniform jitter meets all
/// within its amount, exponential jitter all there are.
pub(crate) fn of_triggers(asked: &StagePlan, hz: u32) -> usize {
    let tick = tick_ns(hz);
    let around = match asked.jitter.kind {
        JitterKind::None => 0,
        JitterKind::Uniform => asked.jitter.ns,
        JitterKind::Exponential => tick,
    };
    met(instants(asked).take(asked.count.min(MOST) as usize), around, tick)
}

/// A benchmark whose periods meet few parts of the tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Few {
    /// The parts that they meet, of [`PARTS`].
    pub(crate) met: usize,
    /// The next longer period, in whole microseconds, with which as many samples meet as many parts
    /// as they can.
    pub(crate) better_us: Option<u64>,
}

/// Longer periods that are looked at for a better one, in microseconds.
const LONGER: u64 = 1_000;

/// Returns how many parts the periods of a benchmark meet, if it is less than half of what as many
/// samples could meet; none, too, where it has no time grid: a relative sleep begins whenever the
/// one before it ended.
pub(crate) fn few_of_benchmark(asked: &Benchmark, hz: u32) -> Option<Few> {
    let (period, count) = match asked {
        Benchmark::Sched(one) => (one.period_ns, one.count),
        Benchmark::Async(one) => (one.period_ns, one.count),
        Benchmark::Jitter(one) => (one.period_ns, one.count),
        _ => return None,
    };
    let count = count.min(MOST);
    let most = (count as usize).min(PARTS);
    let of =
        |period: u64| met((0..count).map(|number| number.wrapping_mul(period)), 0, tick_ns(hz));
    let met = of(period);
    let longer = |us: &u64| of(us.saturating_mul(1_000)) == most;
    (met < most / 2).then(|| {
        let from = period / 1_000 + 1;
        Few { met, better_us: (from..from.saturating_add(LONGER)).find(longer) }
    })
}

/// Returns a tick's length. A damaged record may name any frequency: a tick shorter than a
/// nanosecond counts as one.
fn tick_ns(hz: u32) -> u64 {
    (1_000_000_000 / u64::from(hz.max(1))).max(1)
}

/// Returns how many parts of a tick there are within `around` of the instants, all in nanoseconds.
fn met(instants: impl Iterator<Item = u64>, around: u64, tick: u64) -> usize {
    let part = tick as f64 / PARTS as f64;
    let (mut parts, mut met) = ([false; PARTS], 0);
    for instant in instants {
        let from = (instant % tick) as f64 - around as f64;
        let first = (from / part).floor() as i64;
        let last = ((from + 2.0 * around as f64) / part).floor() as i64;
        for at in first..=last.min(first + PARTS as i64 - 1) {
            let was_met = std::mem::replace(&mut parts[at.rem_euclid(PARTS as i64) as usize], true);
            met += usize::from(!was_met);
        }
        if met == PARTS {
            break;
        }
    }
    met
}

/// Returns the instants of the grid, in nanoseconds from its first one.
fn instants(asked: &StagePlan) -> impl Iterator<Item = u64> {
    let one = asked.burst.map(|one| (one.triggers.max(1), one.interval_ns));
    let (triggers, interval) = one.unwrap_or((1, 0));
    let period = asked.period_ns;
    let burst = move |start: u64| {
        (0..u64::from(triggers)).map(move |at| start.wrapping_add(at.wrapping_mul(interval)))
    };
    (0..).map(move |number: u64| number.wrapping_mul(period)).flat_map(burst)
}

#[cfg(test)]
mod tests {
    use irqscope_wire::{Async, Burst, Jitter, PeriodicJitter, Sched, Sleep};

    use super::*;

    fn plan(period_ns: u64, jitter: Jitter) -> StagePlan {
        StagePlan { period_ns, jitter, count: 10_000, ..StagePlan::default() }
    }

    const NONE: Jitter = Jitter { kind: JitterKind::None, ns: 0 };

    #[test]
    fn a_period_that_divides_the_tick_meets_few_phases() {
        assert_eq!(of_triggers(&plan(1_000_000, NONE), 250), 4);
        assert_eq!(of_triggers(&plan(1_000_000, NONE), 1000), 1);
        assert_eq!(of_triggers(&plan(4_000_000, NONE), 250), 1);
        assert_eq!(of_triggers(&plan(50_000, NONE), 250), 80);
        assert_eq!(of_triggers(&plan(487_000, NONE), 250), PARTS);
        // Prime to the tick, and too near to one of its parts: 10,000 triggers move on by one more.
        assert_eq!(of_triggers(&plan(999_999, NONE), 250), 5);
    }

    #[test]
    fn any_frequency_and_any_burst_has_a_number_of_phases() {
        let burst = Some(Burst { triggers: 0, interval_ns: u64::MAX });
        for hz in [0, 1, 250, 1_000_000_001, u32::MAX] {
            let most = u64::MAX / 2 + 1;
            let jitter = Jitter { kind: JitterKind::Uniform, ns: most };
            for plan in [plan(most, jitter), StagePlan { burst, ..plan(u64::MAX, NONE) }] {
                assert!((1..=PARTS).contains(&of_triggers(&plan, hz)), "{hz} Hz");
            }
        }
    }

    #[test]
    fn jitter_meets_the_phases_around_and_bursts_those_of_their_triggers() {
        let uniform = |ns| Jitter { kind: JitterKind::Uniform, ns };
        // Half a part on each side: two parts, or three.
        assert!((8..=12).contains(&of_triggers(&plan(1_000_000, uniform(20_000)), 250)));
        assert_eq!(of_triggers(&plan(1_000_000, uniform(500_000)), 250), PARTS);
        let exponential = Jitter { kind: JitterKind::Exponential, ns: 1 };
        assert_eq!(of_triggers(&plan(1_000_000, exponential), 250), PARTS);
        let burst = Some(Burst { triggers: 16, interval_ns: 40_000 });
        assert_eq!(of_triggers(&StagePlan { burst, ..plan(20_000_000, NONE) }, 250), 16);
    }

    fn jitter(period_us: u64, count: u64) -> Benchmark {
        let period_ns = period_us * 1_000;
        Benchmark::Jitter(PeriodicJitter { period_ns, count, ..PeriodicJitter::default() })
    }

    #[test]
    fn a_benchmark_on_a_grid_meets_few_phases_and_a_longer_period_more() {
        let few = few_of_benchmark(&jitter(1_000, 1_000), 250).unwrap();
        assert_eq!(few.met, 4);
        let better = few.better_us.unwrap();
        assert!(better > 1_000, "{better}");
        assert_eq!(few_of_benchmark(&jitter(better, 1_000), 250), None);
        assert_eq!(few_of_benchmark(&jitter(1_000, 1_000), 1_000).unwrap().met, 1);
        let relative = Benchmark::Sleep(Sleep { period_ns: 4_000_000, ..Sleep::default() });
        assert_eq!(few_of_benchmark(&relative, 250), None);
    }

    #[test]
    fn defaults_meet_the_ticks_of_all_usual_frequencies() {
        for hz in [100, 250, 300, 1_000] {
            for one in [
                Benchmark::Sched(Sched::default()),
                Benchmark::Async(Async::default()),
                Benchmark::Jitter(PeriodicJitter::default()),
            ] {
                assert_eq!(few_of_benchmark(&one, hz), None, "{one:?} at {hz} Hz");
                let period = one.period_ns().unwrap();
                let met = met((0..500).map(|number| number * period), 0, tick_ns(hz));
                assert_eq!(met, PARTS, "{one:?} at {hz} Hz");
            }
        }
    }

    #[test]
    fn few_samples_are_held_against_as_many_phases() {
        assert_eq!(few_of_benchmark(&jitter(1_037, 20), 250), None);
        assert_eq!(few_of_benchmark(&jitter(1_000, 20), 250).unwrap().met, 4);
        assert_eq!(few_of_benchmark(&jitter(1_000, 0), 250), None);
    }
}
