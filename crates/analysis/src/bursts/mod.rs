// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bursts: what was raised against what ran, and what was handed to ksoftirqd.
//!
//! A trigger that finds a stage pending is merged into the run that is pending:
//! the flag of a softirq, and the bit of a tasklet or of a work item, does not
//! count. Which trigger that run answers is the driver's record: the oldest one.

mod ksoftirqd;
mod place;

use std::collections::BTreeMap;

use irqscope_run::{CaseData, SampleRow};
use irqscope_wire::{Burst as Asked, Compensate, Stage, View};
use serde::Serialize;

pub use ksoftirqd::{Ahead, Handed};
pub use place::BurstPlace;

/// All bursts of one case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bursts {
    /// The case.
    pub case: String,
    /// The view.
    pub view: View,
    /// Triggers in each.
    pub triggers: u32,
    /// From one trigger of a burst to the next.
    pub interval_ns: u64,
    /// The stage's way with triggers that come while it is pending.
    pub compensate: Compensate,
    /// Over all bursts, by stage and place in the burst.
    pub places: Vec<BurstPlace>,
    /// The bursts, in order.
    pub bursts: Vec<Burst>,
}

/// One burst.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Burst {
    /// Of its first trigger.
    pub seq: u64,
    /// Interrupts that were asserted.
    pub asserted: u64,
    /// Its stages.
    pub stages: Vec<BurstStage>,
    /// How often softirqs were handed to ksoftirqd; only with `explain`.
    pub handed: Vec<Handed>,
}

/// One stage in one burst.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BurstStage {
    /// The stage.
    pub stage: Stage,
    /// How often it was asked for: triggers whose handler ran.
    pub raised: u64,
    /// How often it ran.
    pub ran: u64,
    /// Responses that never came.
    pub missing: u64,
    /// Triggers that were merged, and into which.
    pub merged: Vec<Merge>,
    /// Of its runs, in nanoseconds.
    pub min_ns: Option<i64>,
    /// The greatest value.
    pub max_ns: Option<i64>,
}

/// Triggers by their number in the burst, from 0. A trigger may be merged into
/// one of an earlier burst; then its number is negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Merge {
    /// The trigger's place in the burst.
    pub trigger: i64,
    /// The place of the one that answered it.
    pub into: i64,
}

impl Bursts {
    /// Makes the bursts; `None` if the case has no bursts, or nothing was recorded.
    pub fn of(data: &CaseData) -> Option<Self> {
        let asked = data.asked()?;
        let Asked { triggers, interval_ns } = asked.burst?;
        let view = if data.outside.is_some() { View::Outside } else { View::Inside };
        let mut by_seq: BTreeMap<u64, BTreeMap<Stage, &SampleRow>> = BTreeMap::new();
        for row in data.rows.iter().filter(|row| row.view == view) {
            by_seq.entry(row.seq).or_default().insert(row.stage, row);
        }
        let (mut last, size) = (Last::new(), u64::from(triggers.max(1)));
        let mut bursts: BTreeMap<u64, Burst> = BTreeMap::new();
        let mut places = place::Places::default();
        for (seq, rows) in &by_seq {
            let first = seq - seq % size;
            let burst = bursts.entry(first).or_insert_with(|| Burst {
                seq: first,
                asserted: 0,
                stages: Vec::new(),
                handed: Vec::new(),
            });
            burst.asserted += 1;
            // Where the handler itself was merged or lost nothing was raised.
            let handled = rows.get(&Stage::Irq).is_none_or(|irq| irq.latency.is_some());
            for row in rows.values() {
                burst.add(row, handled, &mut last);
                places.add(row, seq - first);
            }
        }
        let mut bursts: Vec<Burst> = bursts.into_values().collect();
        ksoftirqd::add(data, &mut bursts);
        Some(Self {
            case: data.case.clone(),
            view,
            triggers,
            interval_ns,
            compensate: asked.compensate(),
            places: places.finish(),
            bursts,
        })
    }
}

/// The last trigger that each stage answered.
type Last = BTreeMap<Stage, u64>;

impl Burst {
    fn add(&mut self, row: &SampleRow, handled: bool, last: &mut Last) {
        let place = self.stages.iter().position(|one| one.stage == row.stage);
        let place = place.unwrap_or_else(|| {
            self.stages.push(BurstStage::none(row.stage));
            self.stages.len() - 1
        });
        let stage = &mut self.stages[place];
        stage.raised += u64::from(handled || row.stage == Stage::Irq);
        stage.missing += u64::from(row.is_missing());
        if row.is_coalesced() {
            let number = |seq: u64| seq as i64 - self.seq as i64;
            let into = last.get(&row.stage).map_or(-1, |seq| number(*seq));
            stage.merged.push(Merge { trigger: number(row.seq), into });
        }
        if let Some(latency) = row.latency {
            last.insert(row.stage, row.seq);
            stage.ran += 1;
            stage.min_ns = Some(stage.min_ns.map_or(latency.0, |min| min.min(latency.0)));
            stage.max_ns = Some(stage.max_ns.map_or(latency.0, |max| max.max(latency.0)));
        }
    }
}

impl BurstStage {
    const fn none(stage: Stage) -> Self {
        let merged = Vec::new();
        Self { stage, raised: 0, ran: 0, missing: 0, merged, min_ns: None, max_ns: None }
    }
}
