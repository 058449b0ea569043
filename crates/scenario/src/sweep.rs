// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A sweep: every case at one trigger frequency after the other.

use irqscope_quantity::Frequency;
use irqscope_wire::{Mode, Plan, Stage, StagePlan};

use crate::check::PERIOD_NS;
use crate::raw::SweepText;
use crate::scenario::Case;

/// Frequencies from the lowest to the highest, each the same factor above the
/// one before.
///
/// Useful invariant: they ascend strictly, and begin and end where they were
/// asked to.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sweep {
    millihertz: Vec<u64>,
}

/// Why there is no such sweep.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SweepError {
    #[error("a sweep lies within {} to {}, which {} does not", Frequency(LOWEST), Frequency(HIGHEST), Frequency(*.0))]
    OutOfRange(u64),
    #[error("a sweep rises: {} does not lie below {}", Frequency(*.from), Frequency(*.to))]
    NotRising { from: u64, to: u64 },
    #[error("a sweep takes 1 to 24 steps in each octave")]
    Density,
}

const LOWEST: u64 = 1_000_000_000_000_u64.div_ceil(*PERIOD_NS.end());
const HIGHEST: u64 = 1_000_000_000_000 / *PERIOD_NS.start();

impl Sweep {
    /// Makes a sweep from one frequency to another in millihertz, both included, in equal factors
    /// of at most 2^(1/`steps_per_octave`).
    pub(crate) fn of(text: &SweepText) -> Result<Self, SweepError> {
        if !(1..=24).contains(&text.steps_per_octave) {
            return Err(SweepError::Density);
        }
        Self::new(text.from.0, text.to.0, text.steps_per_octave)
    }

    fn new(from: u64, to: u64, steps_per_octave: u16) -> Result<Self, SweepError> {
        for millihertz in [from, to] {
            if !(LOWEST..=HIGHEST).contains(&millihertz) {
                return Err(SweepError::OutOfRange(millihertz));
            }
        }
        if from >= to {
            return Err(SweepError::NotRising { from, to });
        }
        let octaves = (to as f64 / from as f64).log2();
        // A whole number of steps is not to become one more by rounding.
        let steps = (octaves * f64::from(steps_per_octave.max(1)) - 1e-9).ceil().max(1.0);
        let at = |step: u32| from as f64 * (octaves * f64::from(step) / steps).exp2();
        let within = (1..steps as u32).map(|step| readable(at(step)));
        let mut millihertz: Vec<u64> = [from].into_iter().chain(within).chain([to]).collect();
        millihertz.dedup();
        Ok(Self { millihertz })
    }

    /// Returns each case once per frequency; where stages are isolated once for each of them, so that
    /// none waits for what one beside it has left.
    pub(crate) fn over(&self, cases: Vec<Case>) -> Vec<Case> {
        let steps = |case: Case| self.millihertz.iter().map(move |one| step(&case, *one));
        cases.into_iter().flat_map(one_by_one).flat_map(steps).collect()
    }
}

/// Returns a case for each stage that it asks in turn, beside `irq` if it asks that.
fn one_by_one(case: Case) -> Vec<Case> {
    let isolated = case.plan.stages().filter(|asked| asked.mode == Mode::Isolated);
    let all = isolated.map_or_else(Vec::new, |asked| asked.stages.clone());
    if all.len() < 2 {
        return vec![case];
    }
    let has_irq = all.contains(&Stage::Irq);
    let alone = |stage: &Stage| {
        let beside = has_irq && *stage != Stage::Irq;
        let stages: Vec<Stage> = beside.then_some(Stage::Irq).into_iter().chain([*stage]).collect();
        let plan = case.plan.with_stages(|asked| asked.stages.clone_from(&stages));
        let plan = Plan { case: format!("{}/{stage}", case.plan.case), ..plan };
        let of = Some(case.plan.case.clone());
        Case { plan, step_of: of, step_stage: Some(*stage), ..case.clone() }
    };
    all.iter().map(alone).collect()
}

/// Makes a step, in which the jitter keeps its share of the period: the rate alone is swept.
fn step(case: &Case, millihertz: u64) -> Case {
    let period_ns = (1e12 / millihertz as f64).round() as u64;
    let slow_down = |asked: &mut StagePlan| {
        let before = std::mem::replace(&mut asked.period_ns, period_ns);
        let ns = &mut asked.jitter.ns;
        let share = u128::from(*ns) * u128::from(period_ns) / u128::from(before.max(1));
        *ns = u64::try_from(share).unwrap_or(u64::MAX).max(u64::from(*ns > 0));
    };
    let name = format!("{}/{}", case.plan.case, Frequency(millihertz));
    let plan = Plan { case: name, ..case.plan.with_stages(slow_down) };
    let of = case.step_of.as_ref().unwrap_or(&case.plan.case);
    Case { step_of: Some(of.clone()), plan, ..case.clone() }
}

/// Rounds to three digits: a name must be short, and a step need not be exact.
fn readable(millihertz: f64) -> u64 {
    let unit = 10f64.powf((millihertz.log10().floor() - 2.0).max(0.0));
    ((millihertz / unit).round() * unit).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KHZ: u64 = 1_000_000;

    fn names(sweep: &Sweep) -> Vec<String> {
        sweep.millihertz.iter().map(|one| Frequency(*one).to_string()).collect()
    }

    #[test]
    fn steps_are_equal_factors_with_readable_names() {
        let octaves = Sweep::new(KHZ, 8 * KHZ, 1).unwrap();
        assert_eq!(names(&octaves), ["1kHz", "2kHz", "4kHz", "8kHz"]);
        let halves = Sweep::new(KHZ, 4 * KHZ, 2).unwrap();
        assert_eq!(names(&halves), ["1kHz", "1.41kHz", "2kHz", "2.83kHz", "4kHz"]);
        // 3.3 octaves are four steps of less than one.
        let decade = Sweep::new(16_000, 160_000, 1).unwrap();
        assert_eq!(names(&decade), ["16Hz", "28.5Hz", "50.6Hz", "90Hz", "160Hz"]);
    }

    #[test]
    fn what_is_no_sweep_says_why() {
        let why = |from, to| Sweep::new(from, to, 2).unwrap_err().to_string();
        assert_eq!(why(0, KHZ), "a sweep lies within 1mHz to 100kHz, which 0mHz does not");
        assert!(why(KHZ, 101 * KHZ).contains("which 101kHz does not"));
        assert_eq!(why(2 * KHZ, 1_500_000), "a sweep rises: 2kHz does not lie below 1.5kHz");
        assert!(why(KHZ, KHZ).contains("rises"));
    }

    proptest! {
        #[test]
        fn a_sweep_rises_from_end_to_end_in_steps_that_are_fine_enough(
            from in 1_000u64..HIGHEST, to in 1_000u64..HIGHEST, density in 1u16..=24,
        ) {
            prop_assume!(from < to);
            let sweep = Sweep::new(from, to, density).unwrap();
            let all = &sweep.millihertz;
            prop_assert_eq!((all.first(), all.last()), (Some(&from), Some(&to)));
            prop_assert!(all.windows(2).all(|pair| pair[0] < pair[1]));
            // Three digits are exact to half a per cent.
            let most = f64::from(density).recip().exp2() * 1.011;
            prop_assert!(all.windows(2).all(|pair| pair[1] as f64 / pair[0] as f64 <= most));
        }

        #[test]
        fn a_name_says_its_frequency_exactly(millihertz in 1u64..=HIGHEST) {
            let text = Frequency(millihertz).to_string();
            let unit = text.find(|c: char| c.is_ascii_alphabetic()).unwrap();
            let number: f64 = text[..unit].parse().unwrap();
            let scale = match &text[unit..] { "kHz" => 1e6, "Hz" => 1e3, _ => 1.0 };
            prop_assert_eq!((number * scale).round() as u64, millihertz);
        }
    }
}
