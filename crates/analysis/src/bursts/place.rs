// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The answers to the triggers at one place of all bursts: the first ones, the second ones, and so on.

use std::collections::BTreeMap;

use irqscope_run::SampleRow;
use irqscope_wire::Stage;
use serde::Serialize;

/// One stage's answers to the triggers at one place of every burst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BurstPlace {
    /// The stage.
    pub stage: Stage,
    /// The place in the burst, from 0.
    pub place: u64,
    /// Triggers that a run of the stage's own answered.
    pub answered: u64,
    /// Triggers that were merged with an earlier one.
    pub coalesced: u64,
    /// Triggers that were never answered.
    pub missing: u64,
    /// Of those that were answered, the shortest latency.
    pub min_ns: Option<i64>,
    /// The longest latency.
    pub max_ns: Option<i64>,
}

/// Counts by stage and place.
#[derive(Default)]
pub(super) struct Places(BTreeMap<(Stage, u64), BurstPlace>);

impl Places {
    pub fn add(&mut self, row: &SampleRow, place: u64) {
        let stage = row.stage;
        let one = self.0.entry((stage, place)).or_insert(BurstPlace {
            stage,
            place,
            answered: 0,
            coalesced: 0,
            missing: 0,
            min_ns: None,
            max_ns: None,
        });
        one.coalesced += u64::from(row.is_coalesced());
        one.missing += u64::from(row.is_missing());
        if let Some(latency) = row.latency {
            one.answered += 1;
            one.min_ns = Some(one.min_ns.map_or(latency.0, |min| min.min(latency.0)));
            one.max_ns = Some(one.max_ns.map_or(latency.0, |max| max.max(latency.0)));
        }
    }

    /// Returns all in order of stage and place.
    pub fn finish(self) -> Vec<BurstPlace> {
        self.0.into_values().collect()
    }
}
