// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The longest latencies of a series.

use irqscope_run::{
    FLAG_COALESCED, FLAG_EXTRA, FLAG_HIT, FLAG_LATE, FLAG_MISSING, FLAG_UNSURE, FLAG_WINDOW,
    SampleRow,
};
use irqscope_wire::{Stage, View};
use serde::Serialize;

/// The number of each series that are kept while it is measured.
pub const WORST: usize = 10;

/// The bits of samples.parquet by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// Another interrupt came between trigger and response.
    Hit,
    /// The stage was asked and did not answer in time.
    Missing,
    /// One run of the stage answered an earlier trigger and this one.
    Coalesced,
    /// Outside: a younger trigger was out already when the response came.
    Late,
    /// The trigger is not certain: the latency is an upper bound.
    Unsure,
    /// Outside: an edge that answered nothing came before the next trigger.
    Extra,
    /// Outside: the line was looked at in every cycle of the generator's clock.
    Window,
}

/// Returns those that are set.
pub fn flags(bits: u32) -> Vec<Flag> {
    let all = [
        (FLAG_HIT, Flag::Hit),
        (FLAG_MISSING, Flag::Missing),
        (FLAG_COALESCED, Flag::Coalesced),
        (FLAG_LATE, Flag::Late),
        (FLAG_UNSURE, Flag::Unsure),
        (FLAG_EXTRA, Flag::Extra),
        (FLAG_WINDOW, Flag::Window),
    ];
    all.into_iter().filter(|(bit, _)| bits & bit != 0).map(|(_, flag)| flag).collect()
}

/// One of them.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Worst {
    /// The stage that answered.
    pub stage: Stage,
    /// The clock behind the latency.
    pub view: View,
    /// The trigger's number, from 0.
    pub seq: u64,
    /// On the view's own clock.
    pub trigger_ns: i64,
    /// From the trigger to the stage's response.
    pub latency_ns: i64,
    /// The CPU on which the stage answered; `None` if only the generator saw it until now.
    pub cpu: Option<u16>,
    /// Other interrupts on that CPU since stage `irq`; 0 if only the generator saw the answer.
    pub interrupts: u16,
    /// The bits that its row in samples.parquet will have, as far as they are known now.
    pub flags: Vec<Flag>,
}

impl Worst {
    fn of(row: &SampleRow, latency_ns: i64) -> Self {
        let SampleRow { seq, trigger, stage, view, cpu, interrupts, .. } = *row;
        let flags = flags(row.flags);
        Self { stage, view, seq, trigger_ns: trigger.0, latency_ns, cpu, interrupts, flags }
    }
}

/// At most this number, longest first; of equal ones the older first.
#[derive(Clone, Debug)]
pub(crate) struct Longest {
    room: usize,
    rows: Vec<(i64, SampleRow)>,
}

impl Longest {
    pub fn new(room: usize) -> Self {
        Self { room, rows: Vec::new() }
    }

    pub fn add(&mut self, row: &SampleRow) {
        let Some(latency) = row.latency else { return };
        let full = self.rows.len() >= self.room;
        if full && self.rows.last().is_none_or(|(least, _)| latency.0 <= *least) {
            return;
        }
        let place = self.rows.partition_point(|(longer, _)| *longer >= latency.0);
        self.rows.insert(place, (latency.0, *row));
        self.rows.truncate(self.room);
    }

    pub fn rows(&self) -> impl Iterator<Item = &SampleRow> {
        self.rows.iter().map(|(_, row)| row)
    }

    pub fn all(&self) -> impl Iterator<Item = Worst> {
        self.rows.iter().map(|(latency, row)| Worst::of(row, *latency))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::Nanoseconds;

    fn row(seq: u64, latency: i64) -> SampleRow {
        SampleRow {
            seq,
            trigger: Nanoseconds(0),
            latency: Some(Nanoseconds(latency)),
            stage: Stage::Irq,
            view: View::Inside,
            cpu: None,
            flags: FLAG_LATE | FLAG_HIT,
            interrupts: 0,
            execution: None,
        }
    }

    #[test]
    fn the_longest_are_kept_and_the_older_of_two_equal_ones() {
        let mut longest = Longest::new(3);
        for (seq, latency) in [5, 9, 9, 1, 7, 9].into_iter().enumerate() {
            longest.add(&row(seq as u64, latency));
        }
        let kept: Vec<_> = longest.all().map(|one| (one.seq, one.latency_ns)).collect();
        assert_eq!(kept, [(1, 9), (2, 9), (5, 9)]);
        assert_eq!(longest.all().next().unwrap().flags, [Flag::Hit, Flag::Late]);
    }

    #[test]
    fn missing_answers_have_no_latency_and_none_is_kept_without_room() {
        let mut longest = Longest::new(0);
        longest.add(&row(1, 1));
        longest.add(&SampleRow { latency: None, ..row(1, 1) });
        assert_eq!(longest.all().count(), 0);
    }
}
