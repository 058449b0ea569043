// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The length of an undisturbed step.
//!
//! Between two events a thread that was interrupted either returns to the kernel's own business
//! (the end of the interrupt, the scheduler) or goes on with its own; no event distinguishes the
//! two, but their lengths do. Steps are alike if they begin and end with events of the same kinds;
//! the tenth percentile of their lengths in the case is what an undisturbed one takes, and a step
//! that takes more than twice as much was disturbed: the rest has another cause.

use std::collections::HashMap;

use irqscope_wire::Stage;

use super::interval::{Interval, Mark};

/// The part of alike steps that is taken to be undisturbed.
const UNDISTURBED: f64 = 0.1;
/// A step this many times as long as an undisturbed one was disturbed.
const DISTURBED: u64 = 2;

/// Of fewer, even the shortest may have been disturbed.
const FEW: usize = 5;

/// The interrupted context decides how an interrupt is entered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entered {
    Idle,
    User,
    Kernel,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// From the trigger to its handler.
    Entry(Entered),
    Between(Mark, Mark),
    /// Of the thread that answers for this stage, until it answers.
    Own(Stage, Mark, Mark),
    /// As `Between`, of whatever runs.
    Any(Mark, Mark),
}

impl Step {
    pub fn of(interval: &Interval) -> Self {
        Self::Between(interval.began, interval.ended)
    }

    /// Returns whether it is one on the way from the handler to the answer.
    fn is_after(self) -> bool {
        matches!(self, Self::Between(..) | Self::Own(..))
    }

    pub fn any(interval: &Interval) -> Self {
        Self::Any(interval.began, interval.ended)
    }

    pub fn own(stage: Stage, interval: &Interval) -> Self {
        Self::Own(stage, interval.began, interval.ended)
    }
}

#[derive(Debug, Default)]
pub struct Baselines {
    lengths: HashMap<Step, Vec<u64>>,
    undisturbed: HashMap<Step, u64>,
}

impl Baselines {
    pub fn add(&mut self, step: Step, length: u64) {
        self.lengths.entry(step).or_default().push(length);
    }

    pub fn finish(&mut self) {
        let mut few = Vec::new();
        for (step, mut lengths) in std::mem::take(&mut self.lengths) {
            lengths.sort_unstable();
            let rank = ((lengths.len() - 1) as f64 * UNDISTURBED) as usize;
            self.undisturbed.insert(step, lengths[rank]);
            if lengths.len() < FEW {
                few.push(step);
            }
        }
        self.compare_few(&few);
        self.compare_entries();
    }

    /// Compares steps that have hardly any like: undisturbed, they take no longer than the longest
    /// of those that have.
    fn compare_few(&mut self, few: &[Step]) {
        let many =
            self.undisturbed.iter().filter(|(step, _)| step.is_after() && !few.contains(step));
        let Some(longest) = many.map(|(_, length)| *length).max() else { return };
        for step in few.iter().filter(|step| step.is_after()) {
            if let Some(own) = self.undisturbed.get_mut(step) {
                *own = (*own).min(longest);
            }
        }
    }

    /// Compares entries: the interrupted context changes one by little. Where a kind has hardly an
    /// undisturbed one (interrupts are disabled in most of the kernel's), the shortest kind counts.
    /// And out of the kernel an entry takes no longer than out of user mode, which has to change
    /// the stack first.
    fn compare_entries(&mut self) {
        let user = self.undisturbed.get(&Step::Entry(Entered::User)).copied();
        if let (Some(own), Some(user)) =
            (self.undisturbed.get_mut(&Step::Entry(Entered::Kernel)), user)
        {
            *own = (*own).min(user);
        }
        let entries = [Entered::Idle, Entered::User, Entered::Kernel].map(Step::Entry);
        let least = entries.iter().filter_map(|step| self.undisturbed.get(step)).min().copied();
        for step in entries {
            if let (Some(own), Some(least)) = (self.undisturbed.get_mut(&step), least)
                && *own > least.saturating_mul(DISTURBED)
            {
                *own = least;
            }
        }
    }

    /// Returns how much of a step of this length is the step itself.
    pub fn own(&self, step: Step, length: u64) -> u64 {
        let undisturbed = self.undisturbed.get(&step).copied().unwrap_or(length);
        if length <= undisturbed.saturating_mul(DISTURBED) { length } else { undisturbed }
    }
}

#[cfg(test)]
mod tests {
    use irqscope_wire::What;

    use super::*;

    #[test]
    fn the_rest_of_a_disturbed_step_is_told_from_the_step() {
        let mut baselines = Baselines::default();
        let step = Step::Entry(Entered::User);
        for length in [100, 101, 103, 150, 9_000] {
            baselines.add(step, length);
        }
        baselines.finish();
        assert_eq!(baselines.own(step, 103), 103);
        assert_eq!(baselines.own(step, 199), 199);
        assert_eq!(baselines.own(step, 9_000), 100);
        assert_eq!(baselines.own(Step::Entry(Entered::Idle), 77), 77, "nothing to compare with");
    }

    #[test]
    fn a_step_without_its_like_is_told_by_the_longest_of_the_others() {
        let mark = |what: What| std::mem::discriminant(&what);
        let [schedule, exit, idle] =
            [mark(What::Schedule), mark(What::TaskletExit), mark(What::IdleExit)];
        let mut baselines = Baselines::default();
        for length in [400, 410, 420, 430, 440] {
            baselines.add(Step::Between(schedule, exit), length);
        }
        baselines.add(Step::Between(exit, idle), 34_000);
        baselines.add(Step::Own(Stage::User, exit, idle), 300);
        baselines.finish();
        assert_eq!(baselines.own(Step::Between(exit, idle), 34_000), 400);
        assert_eq!(baselines.own(Step::Own(Stage::User, exit, idle), 300), 300, "short itself");
    }

    #[test]
    fn a_kind_of_entry_that_is_always_disturbed_is_told_by_the_others() {
        let mut baselines = Baselines::default();
        for length in [270, 271, 280] {
            baselines.add(Step::Entry(Entered::Idle), length);
        }
        for length in [2_200, 9_000] {
            baselines.add(Step::Entry(Entered::Kernel), length);
        }
        baselines.finish();
        assert_eq!(baselines.own(Step::Entry(Entered::Kernel), 2_200), 270);
    }

    #[test]
    fn an_entry_out_of_the_kernel_takes_no_longer_than_one_out_of_user_mode() {
        let mut baselines = Baselines::default();
        let (user, kernel) = (Step::Entry(Entered::User), Step::Entry(Entered::Kernel));
        baselines.add(user, 290);
        // Of the undisturbed ones two met a short section with interrupts disabled.
        for length in [430, 430, 260, 69_000, 48_000] {
            baselines.add(kernel, length);
        }
        baselines.add(kernel, 265);
        baselines.finish();
        assert_eq!(baselines.own(kernel, 69_000), 260);
        for _ in 0..20 {
            baselines.add(kernel, 430);
        }
        baselines.add(user, 290);
        baselines.finish();
        assert_eq!(baselines.own(kernel, 69_000), 290);
    }
}
