// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Triggers whose answer is not explained, by why.

use std::collections::BTreeSet;

use irqscope_run::{CaseData, SampleRow};
use irqscope_wire::View;
use serde::Serialize;

/// The reasons why one stage's answers to triggers of a case were not explained. The terms are
/// disjoint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// Answers whose trigger is not certain; they may be late ones.
    pub unsure: u64,
    /// Answered together with an earlier trigger.
    pub coalesced: u64,
    /// The stage did not answer.
    pub missing: u64,
    /// Answers at an instant that the case's clocks do not have.
    pub unplaced: u64,
    /// Triggers of the case of which there is no sample of any stage: dropped, or not in the log.
    pub unrecorded: u64,
}

impl LeftOut {
    /// Counts the rows of one stage and one view, of which `explained` were explained.
    pub(super) fn of<'a>(
        rows: impl Iterator<Item = &'a SampleRow>,
        explained: usize,
        unrecorded: u64,
    ) -> Self {
        let mut left = Self { unrecorded, ..Self::default() };
        let mut certain = 0;
        for row in rows {
            let term = match row.latency {
                Some(_) if row.is_unsure() => &mut left.unsure,
                Some(_) => &mut certain,
                None if row.is_coalesced() => &mut left.coalesced,
                None => &mut left.missing,
            };
            *term += 1;
        }
        left.unplaced = u64::saturating_sub(certain, explained as u64);
        left
    }

    /// Returns how many there are.
    pub fn total(&self) -> u64 {
        self.terms().iter().map(|(count, _)| count).sum()
    }

    /// Returns the terms, each with what is to be said of it.
    pub fn terms(&self) -> [(u64, &'static str); 5] {
        [
            (self.unsure, "with no certain trigger"),
            (self.coalesced, "merged with an earlier one"),
            (self.missing, "without an answer"),
            (self.unplaced, "at no known instant"),
            (self.unrecorded, "without a sample"),
        ]
    }

    /// Adds another stage's.
    pub fn plus(self, other: Self) -> Self {
        Self {
            unsure: self.unsure + other.unsure,
            coalesced: self.coalesced + other.coalesced,
            missing: self.missing + other.missing,
            unplaced: self.unplaced + other.unplaced,
            unrecorded: self.unrecorded + other.unrecorded,
        }
    }
}

/// Returns how many triggers of a case have no row in this view.
pub(super) fn unrecorded(data: &CaseData, view: View) -> u64 {
    let rows = data.rows.iter().filter(|row| row.view == view);
    let samples = rows.map(|row| row.seq).collect::<BTreeSet<_>>().len() as u64;
    let target = data.counters.map_or(0, |counters| counters.triggers);
    let generator = data.outside.as_ref().map_or(0, |outside| outside.totals().triggers);
    let triggers = if view == View::Outside { generator } else { target.max(generator) };
    triggers.saturating_sub(samples)
}
