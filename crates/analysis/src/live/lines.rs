// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The newest triggers while it is measured, for those who look at the lines, and the triggers that
//! are held for them. Each row that arrives is judged, and not each snapshot: no such trigger is
//! missed, however few snapshots there are.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use irqscope_run::SampleRow;
use irqscope_wire::{Nanoseconds, Shape, Stage, View};
use serde::Serialize;

use crate::scope::{Form, Look, ViewLines};

/// The number of newest triggers that are kept.
pub const RECENT: usize = 128;

/// Latencies from which on a trigger is held, by stage.
pub type Thresholds = BTreeMap<Stage, i64>;

/// The reason for which a trigger is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The longest latency of its stage until now.
    Worst,
    /// The newest latency that is at least as long as asked for.
    Above,
    /// The newest trigger that the stage did not answer.
    Missing,
}

/// A trigger that is held.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Capture {
    /// Why.
    pub reason: Reason,
    /// The stage.
    pub stage: Stage,
    /// The view.
    pub view: View,
    /// The trigger's number, from 0.
    pub seq: u64,
    /// Its latency; `None` where the stage did not answer.
    pub latency_ns: Option<i64>,
    /// How many triggers were such ones until now; of the longest, how often there was a longer one.
    pub count: u64,
    /// Its lines; empty where this capture was not asked for.
    pub lines: Vec<ViewLines>,
}

/// Lines while it is measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LiveLines {
    /// The newest triggers, `RECENT` at most.
    pub recent: Vec<ViewLines>,
    /// One for each reason, stage and view that has had any, in that order.
    pub captures: Vec<Capture>,
    /// Latencies from which on a trigger is held, by stage.
    pub above_ns: Thresholds,
    /// Triggers that have passed.
    pub triggers: u64,
}

type Key = (Reason, Stage, View);

#[derive(Clone, Debug, Default)]
struct Held {
    seq: u64,
    latency: Option<i64>,
    count: u64,
    rows: Vec<SampleRow>,
}

/// Rows of the newest triggers, and of those that are held.
#[derive(Debug, Default)]
pub(super) struct Newest {
    rows: VecDeque<SampleRow>,
    /// How many triggers `rows` has.
    kept: usize,
    triggers: u64,
    executes: bool,
    stages: BTreeSet<(View, Stage)>,
    held: BTreeMap<Key, Held>,
    /// Reasons to hold the newest trigger.
    due: Vec<Key>,
}

impl Newest {
    /// Adds a row; those of one trigger follow each other.
    pub fn add(&mut self, row: &SampleRow, above: &Thresholds) {
        if self.rows.back().is_none_or(|last| last.seq != row.seq) {
            self.settle();
            self.due.clear();
            self.triggers += 1;
            self.kept += 1;
            if self.kept > RECENT {
                self.drop_oldest();
            }
        }
        self.executes |= row.execution.is_some();
        self.stages.insert((row.view, row.stage));
        self.rows.push_back(*row);
        self.judge(row, above);
    }

    /// Gives what is held of the newest trigger all rows that it has until now.
    pub fn settle(&mut self) {
        let Some(seq) = self.rows.back().map(|row| row.seq).filter(|_| !self.due.is_empty()) else {
            return;
        };
        let rows = self.rows.iter().rev().take_while(|row| row.seq == seq);
        let mut rows: Vec<SampleRow> = rows.copied().collect();
        rows.reverse();
        for key in &self.due {
            if let Some(held) = self.held.get_mut(key) {
                held.rows.clone_from(&rows);
            }
        }
    }

    /// Forgets what was held for a threshold: another one holds.
    pub fn forget_above(&mut self) {
        self.held.retain(|(reason, _, _), _| *reason != Reason::Above);
        self.due.retain(|(reason, _, _)| *reason != Reason::Above);
    }

    pub fn triggers(&self) -> u64 {
        self.triggers
    }

    /// Returns all that is kept; `high`: how long the interrupt line is high from outside.
    pub fn lines(&self, high: Nanoseconds, above: &Thresholds) -> LiveLines {
        let shape = if self.executes { Shape::Pulse } else { Shape::Toggle };
        let look = |view| {
            let high = if view == View::Outside { high } else { Nanoseconds(0) };
            let stages = self.stages.iter().filter(|(of, _)| *of == view);
            let stages = stages.map(|(_, stage)| *stage).collect();
            Look { form: Form { shape, high }, stages }
        };
        let (outside, inside) = (look(View::Outside), look(View::Inside));
        let look = |view| if view == View::Outside { &outside } else { &inside };
        let rows: Vec<SampleRow> = self.rows.iter().copied().collect();
        let capture = |(&(reason, stage, view), held): (&Key, &Held)| Capture {
            reason,
            stage,
            view,
            seq: held.seq,
            latency_ns: held.latency,
            count: held.count,
            lines: ViewLines::of(&held.rows, look),
        };
        LiveLines {
            recent: ViewLines::of(&rows, look),
            captures: self.held.iter().map(capture).collect(),
            above_ns: above.clone(),
            triggers: self.triggers,
        }
    }

    fn drop_oldest(&mut self) {
        let oldest = self.rows.front().map(|row| row.seq);
        while self.rows.front().map(|row| row.seq) == oldest && oldest.is_some() {
            self.rows.pop_front();
        }
        self.kept -= 1;
    }

    fn judge(&mut self, row: &SampleRow, above: &Thresholds) {
        let latency = row.latency.map(|latency| latency.0);
        let worst = self.held.get(&(Reason::Worst, row.stage, row.view));
        let is_worst = latency.is_some_and(|latency| {
            worst.and_then(|held| held.latency).is_none_or(|most| latency > most)
        });
        let is_above =
            latency.zip(above.get(&row.stage)).is_some_and(|(latency, least)| latency >= *least);
        let reasons = [
            (Reason::Worst, is_worst),
            (Reason::Above, is_above),
            (Reason::Missing, row.is_missing()),
        ];
        for (reason, _) in reasons.into_iter().filter(|(_, is_so)| *is_so) {
            let key = (reason, row.stage, row.view);
            let held = self.held.entry(key).or_default();
            (held.seq, held.latency, held.count) = (row.seq, latency, held.count + 1);
            self.due.push(key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_run::FLAG_MISSING;

    fn row(seq: u64, stage: Stage, latency: Option<i64>) -> SampleRow {
        SampleRow {
            seq,
            trigger: Nanoseconds(seq.cast_signed() * 1_000_000),
            latency: latency.map(Nanoseconds),
            stage,
            view: View::Outside,
            cpu: None,
            flags: if latency.is_none() { FLAG_MISSING } else { 0 },
            interrupts: 0,
            execution: None,
        }
    }

    fn held(lines: &LiveLines, reason: Reason, stage: Stage) -> &Capture {
        let mut all = lines.captures.iter();
        all.find(|one| (one.reason, one.stage) == (reason, stage)).expect("it is held")
    }

    #[test]
    fn one_among_ten_thousand_is_held_with_all_its_lines() {
        let above = Thresholds::from([(Stage::User, 5_000)]);
        let mut newest = Newest::default();
        for seq in 0..10_000 {
            let user = match seq {
                1_234 => Some(9_000),
                5_000 => None,
                6_000 => Some(5_000),
                _ => Some(700),
            };
            newest.add(&row(seq, Stage::Irq, Some(300)), &above);
            newest.add(&row(seq, Stage::User, user), &above);
            newest.settle();
        }
        let lines = newest.lines(Nanoseconds(100), &above);
        assert_eq!(lines.triggers, 10_000);
        assert_eq!(lines.recent[0].seq.len(), RECENT);
        assert_eq!(lines.recent[0].seq.last(), Some(&9_999));

        let worst = held(&lines, Reason::Worst, Stage::User);
        assert_eq!((worst.seq, worst.latency_ns), (1_234, Some(9_000)));
        assert_eq!(worst.lines[0].lines.len(), 3);
        assert_eq!(worst.lines[0].lines[2].latency_ns, [Some(9_000)]);
        let late = held(&lines, Reason::Above, Stage::User);
        assert_eq!((late.seq, late.count), (6_000, 2));
        let missing = held(&lines, Reason::Missing, Stage::User);
        assert_eq!((missing.seq, missing.latency_ns, missing.count), (5_000, None, 1));
    }

    #[test]
    fn rows_of_a_trigger_that_come_later_are_held_too() {
        let mut newest = Newest::default();
        newest.add(&row(3, Stage::Irq, Some(300)), &Thresholds::new());
        newest.settle();
        newest.add(&row(3, Stage::User, Some(800)), &Thresholds::new());
        newest.settle();
        let lines = newest.lines(Nanoseconds(0), &Thresholds::new());
        assert_eq!(held(&lines, Reason::Worst, Stage::Irq).lines[0].lines.len(), 3);
        assert_eq!(lines.triggers, 1);
    }

    #[test]
    fn another_threshold_holds_anew() {
        let mut newest = Newest::default();
        newest.add(&row(3, Stage::Irq, Some(300)), &Thresholds::from([(Stage::Irq, 1)]));
        newest.settle();
        newest.forget_above();
        let lines = newest.lines(Nanoseconds(0), &Thresholds::new());
        assert!(lines.captures.iter().all(|one| one.reason != Reason::Above));
    }
}
