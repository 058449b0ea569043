// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The culprit of one latency, and the latencies of each culprit.

use std::collections::BTreeMap;

use irqscope_run::CaseData;
use irqscope_wire::{Nanoseconds, Stage};

use super::attribute::explain;
use super::cause::Cause;
use super::parts::Explained;

/// A cause of no more than this part of a latency holds nothing up.
pub(super) const NAMED: f64 = 0.05;

/// Returns the interference that accounts for the most of a latency, if it does for more than
/// `share` of it.
pub fn culprit(one: &Explained, share: f64) -> Option<(&Cause, Nanoseconds)> {
    let mut totals: BTreeMap<&Cause, i64> = BTreeMap::new();
    for segment in one.segments.iter().filter(|segment| segment.cause.kind.is_interference()) {
        *totals.entry(&segment.cause).or_default() += segment.length.0;
    }
    let (cause, length) = totals.into_iter().max_by_key(|(_, length)| *length)?;
    (length as f64 > share * one.latency.0 as f64).then_some((cause, Nanoseconds(length)))
}

/// Returns the culprits of a stage's responses, each with the longest latency that it held up, ns;
/// none where the case has no events.
pub fn culprits(data: &CaseData, stage: Stage) -> BTreeMap<Cause, i64> {
    let mut found = BTreeMap::new();
    if data.explained.is_none() {
        return found;
    }
    for one in explain(data).1.iter().filter(|one| one.stage == stage) {
        if let Some((cause, _)) = culprit(one, NAMED) {
            let longest = found.entry(cause.clone()).or_default();
            *longest = one.latency.0.max(*longest);
        }
    }
    found
}
