// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From when to when: latencies as readings of the target's counter, so that what
//! happened in between can be found.

use std::collections::BTreeMap;

use irqscope_wire::{Outcome, Stage, Tick, View};

use crate::CaseData;

/// One stage's latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The trigger's number.
    pub seq: u64,
    /// The stage.
    pub stage: Stage,
    /// Readings of the target's counter.
    pub from: u64,
    /// Its end.
    pub to: u64,
}

impl CaseData {
    /// Returns every answered latency of a case with events, by sequence number and stage. Where
    /// the generator's clock is the target's (the twin), from its trigger to its edge; else as the
    /// target saw it.
    pub fn spans(&self) -> (View, Vec<Span>) {
        let shared = self.plan.as_ref().is_some_and(irqscope_wire::Plan::shares_clock);
        match (&self.outside, self.tick()) {
            (Some(_), Some(tick)) if shared => (View::Outside, self.edges(tick)),
            _ => (View::Inside, self.records()),
        }
    }

    fn records(&self) -> Vec<Span> {
        let mut spans = Vec::new();
        for sample in &self.raw {
            let from = sample.trigger_cycles.0;
            for response in &sample.responses {
                if let Outcome::Answered { latency, .. } = response.outcome {
                    let to = from.saturating_add_signed(latency);
                    spans.push(Span { seq: sample.seq.0, stage: response.stage, from, to });
                }
            }
        }
        spans
    }

    /// Returns spans between edges: both clocks count the same nanoseconds, of which the counter's
    /// tick is a whole number.
    fn edges(&self, tick: Tick) -> Vec<Span> {
        const NANOSECOND: u64 = 1_000_000;
        let per_cycle = (tick.femtoseconds / NANOSECOND).max(1);
        let outside = self.outside.iter().flat_map(|outside| &outside.samples);
        let triggers: BTreeMap<u64, u64> =
            outside.map(|sample| (sample.seq.0, sample.trigger.0)).collect();
        let rows = self.rows.iter().filter(|row| row.view == View::Outside && !row.is_unsure());
        rows.filter_map(|row| {
            let from = *triggers.get(&row.seq)?;
            let to = from.checked_add_signed(row.latency?.0)?;
            let (from, to) = (from / per_cycle, to / per_cycle);
            Some(Span { seq: row.seq, stage: row.stage, from, to })
        })
        .collect()
    }
}
