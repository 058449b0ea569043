// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Counts the samples as the driver does, to check it.

use irqscope_wire::{Counters, Outcome, Sample};

use crate::error::{Error, Result};

/// The account of the samples that were read.
#[derive(Debug, Default)]
pub struct Tally {
    complete: u64,
    missing: u64,
    coalesced: u64,
}

impl Tally {
    /// Counts a sample.
    pub fn add(&mut self, sample: &Sample) {
        let any = |outcome| sample.responses.iter().any(|response| response.outcome == outcome);
        if any(Outcome::Coalesced) {
            self.coalesced += 1;
        } else if any(Outcome::Missing) {
            self.missing += 1;
        } else {
            self.complete += 1;
        }
    }

    /// Checks that every trigger is accounted for, and that what was counted was also seen.
    ///
    /// # Errors
    /// The driver's counters and the samples disagree.
    pub fn check(&self, counted: Counters) -> Result<()> {
        if !counted.identity_holds() {
            return Err(Error::Identity(counted));
        }
        let seen = Counters {
            complete: self.complete,
            missing: self.missing,
            coalesced: self.coalesced,
            ..counted
        };
        if seen == counted { Ok(()) } else { Err(Error::Tally { seen, counted }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::{Cycles, Nanoseconds, Response, Seq, Stage};

    fn sample(outcomes: &[Outcome]) -> Sample {
        let response = |outcome: &Outcome| Response { stage: Stage::Irq, outcome: *outcome };
        Sample {
            seq: Seq(0),
            trigger_cycles: Cycles(0),
            trigger_ns: Nanoseconds(0),
            responses: outcomes.iter().map(response).collect(),
        }
    }

    #[test]
    fn merged_comes_before_missing_comes_before_complete() {
        let answered = Outcome::Answered { latency: 1, cpu: 0, interrupts: 0, executed: None };
        let mut tally = Tally::default();
        tally.add(&sample(&[answered, Outcome::Missing, Outcome::Coalesced]));
        tally.add(&sample(&[answered, Outcome::Missing]));
        tally.add(&sample(&[answered]));
        let counted = Counters {
            triggers: 5,
            complete: 1,
            missing: 1,
            coalesced: 1,
            dropped: 2,
            ..Default::default()
        };
        tally.check(counted).unwrap();
        let lost = Counters { complete: 2, dropped: 1, ..counted };
        assert!(matches!(tally.check(lost), Err(Error::Tally { .. })));
        let broken = Counters { triggers: 6, ..counted };
        assert!(matches!(tally.check(broken), Err(Error::Identity(_))));
    }
}
