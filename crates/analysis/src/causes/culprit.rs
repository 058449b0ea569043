// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The culprit of one latency.

use std::collections::BTreeMap;

use irqscope_wire::Nanoseconds;

use super::cause::Cause;
use super::parts::Explained;

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
