// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How many phases of the kernel's tick a plan's triggers meet.
//!
//! A period that divides the tick, or nearly, meets the tick at a few instants only: what the tick
//! delays is then in all samples or in none, and no number of triggers shows the rest.

use irqscope_wire::{JitterKind, StagePlan};

/// The parts into which a tick is divided.
pub(crate) const PARTS: usize = 100;
/// Triggers that are looked at.
const MOST: u64 = 1 << 16;

/// Returns how many of the [`PARTS`] of a tick of `hz` the triggers meet; uniform jitter meets all
/// within its amount, exponential jitter all there are. A damaged record may name any frequency:
/// a tick shorter than a nanosecond counts as one.
pub(crate) fn met(asked: &StagePlan, hz: u32) -> usize {
    let tick = (1_000_000_000 / u64::from(hz.max(1))).max(1);
    let around = match asked.jitter.kind {
        JitterKind::None => 0,
        JitterKind::Uniform => asked.jitter.ns,
        JitterKind::Exponential => tick,
    };
    let part = tick as f64 / PARTS as f64;
    let (mut parts, mut met) = ([false; PARTS], 0);
    for instant in instants(asked).take(asked.count.min(MOST) as usize) {
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
    use irqscope_wire::{Burst, Jitter};

    use super::*;

    fn plan(period_ns: u64, jitter: Jitter) -> StagePlan {
        StagePlan { period_ns, jitter, count: 10_000, ..StagePlan::default() }
    }

    const NONE: Jitter = Jitter { kind: JitterKind::None, ns: 0 };

    #[test]
    fn a_period_that_divides_the_tick_meets_few_phases() {
        assert_eq!(met(&plan(1_000_000, NONE), 250), 4);
        assert_eq!(met(&plan(1_000_000, NONE), 1000), 1);
        assert_eq!(met(&plan(4_000_000, NONE), 250), 1);
        assert_eq!(met(&plan(50_000, NONE), 250), 80);
        assert_eq!(met(&plan(487_000, NONE), 250), PARTS);
        // Prime to the tick, and too near to one of its parts: 10,000 triggers move on by one more.
        assert_eq!(met(&plan(999_999, NONE), 250), 5);
    }

    #[test]
    fn any_frequency_and_any_burst_has_a_number_of_phases() {
        let burst = Some(Burst { triggers: 0, interval_ns: u64::MAX });
        for hz in [0, 1, 250, 1_000_000_001, u32::MAX] {
            let most = u64::MAX / 2 + 1;
            let jitter = Jitter { kind: JitterKind::Uniform, ns: most };
            for plan in [plan(most, jitter), StagePlan { burst, ..plan(u64::MAX, NONE) }] {
                assert!((1..=PARTS).contains(&met(&plan, hz)), "{hz} Hz");
            }
        }
    }

    #[test]
    fn jitter_meets_the_phases_around_and_bursts_those_of_their_triggers() {
        let uniform = |ns| Jitter { kind: JitterKind::Uniform, ns };
        // Half a part on each side: two parts, or three.
        assert!((8..=12).contains(&met(&plan(1_000_000, uniform(20_000)), 250)));
        assert_eq!(met(&plan(1_000_000, uniform(500_000)), 250), PARTS);
        let exponential = Jitter { kind: JitterKind::Exponential, ns: 1 };
        assert_eq!(met(&plan(1_000_000, exponential), 250), PARTS);
        let burst = Some(Burst { triggers: 16, interval_ns: 40_000 });
        assert_eq!(met(&StagePlan { burst, ..plan(20_000_000, NONE) }, 250), 16);
    }
}
