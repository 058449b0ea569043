// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The accounting identity: triggers sent = complete + missing + coalesced +
//! dropped. The driver counts, and the samples are counted again here.

use irqscope_run::{CaseData, SampleRow};
use irqscope_wire::{Account, Counters, View};

use crate::Violation;

/// The identity's terms as the samples have them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recount {
    /// Triggers of which the log has a sample of the inside view.
    pub samples: u64,
    /// Samples in which every stage that was asked has answered.
    pub complete: u64,
    /// Samples in which a stage did not answer, and none was merged.
    pub missing: u64,
    /// Samples in which one run of a stage answered this trigger and an earlier one.
    pub coalesced: u64,
    /// Sequence numbers that have more than one sample.
    pub repeated: u64,
    /// Latencies below zero.
    pub negative: u64,
}

impl Recount {
    /// Begins with a case of which no row was added yet.
    pub(crate) fn begin(data: &CaseData) -> Self {
        Self { samples: data.samples, ..Self::default() }
    }

    /// Adds rows in order, all of a trigger at once. Every sample is counted once:
    /// as coalesced if any stage was merged, else as missing if any is, else as
    /// complete. The outside view shows the same triggers again and is left out.
    pub(crate) fn add(&mut self, rows: &[SampleRow]) {
        rows.chunk_by(|a, b| a.seq == b.seq).for_each(|sample| self.add_sample(sample));
    }

    fn add_sample(&mut self, rows: &[SampleRow]) {
        let mut inside = rows.iter().filter(|row| row.view == View::Inside).peekable();
        if inside.peek().is_none() {
            return;
        }
        let (mut coalesced, mut missing, mut repeated) = (false, false, false);
        let mut last = None;
        for row in inside {
            coalesced |= row.is_coalesced();
            missing |= row.is_missing();
            repeated |= last == Some(row.stage);
            last = Some(row.stage);
            self.negative += u64::from(row.latency.is_some_and(|latency| latency.0 < 0));
        }
        self.repeated += u64::from(repeated);
        match (coalesced, missing) {
            (true, _) => self.coalesced += 1,
            (false, true) => self.missing += 1,
            (false, false) => self.complete += 1,
        }
    }

    /// Returns the account of the samples, where the driver never reported its own.
    pub(crate) fn account(&self) -> Account {
        let Self { samples, complete, missing, coalesced, .. } = *self;
        Account { triggers: samples, complete, missing, coalesced, ..Account::default() }
    }

    /// Holds the recount against the driver's counters.
    pub fn violations(&self, counters: &Counters) -> Vec<Violation> {
        let mut violations = Vec::new();
        if !counters.identity_holds() {
            violations.push(Violation::Identity(*counters));
        }
        let pairs = [
            ("samples", counters.triggers.saturating_sub(counters.dropped), self.samples),
            ("complete", counters.complete, self.complete),
            ("missing", counters.missing, self.missing),
            ("coalesced", counters.coalesced, self.coalesced),
        ];
        for (what, driver, counted) in pairs.into_iter().filter(|(_, a, b)| a != b) {
            violations.push(Violation::Recount { what, driver, counted });
        }
        if self.repeated > 0 {
            violations.push(Violation::Repeated(self.repeated));
        }
        if self.negative > 0 {
            violations.push(Violation::NegativeLatency(self.negative));
        }
        violations
    }
}
