// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Joining the views: what the generator saw on its lines, and what the target
//! recorded of its stages.
//!
//! Trigger n of the generator is sample n of the driver, and line k is the k-th
//! asked stage: of a driver in the stages' order, without one as they were named.
//!
//! **Pairing again.** From outside a line that two triggers were merged on looks
//! like one whose answers are late (crate `generator`). The target's record says
//! which triggers a stage answered. Where a line has exactly as many edges as
//! the record has answers, the n-th edge is the n-th answer, and every latency
//! is certain. Elsewhere the generator's own pairing stands, and answers that
//! came after a younger trigger say that they are unsure.
//!
//! **One clock.** Where both views are on one clock (the twin), the trigger's
//! true instant is known to the inside view as well, and its latencies count
//! from there instead of from the handler's stamp. The two latencies of a sample
//! then differ by what lies between a stage's stamp and its edge.

use std::collections::BTreeMap;

use irqscope_wire::{Answer, ExtraEdge, Nanoseconds, OutsideSample, Stage, Tick, View};

use crate::outside::{Edge, OutsideData, latency as latency_of, nanoseconds, span, width};
use crate::row::{
    FLAG_EXTRA, FLAG_LATE, FLAG_MERGED, FLAG_MISSING, FLAG_UNSURE, FLAG_WINDOW, SampleRow,
};

/// How well the views fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Join {
    /// The generator watched another number of lines than stages were asked:
    /// nobody knows which line is whose, and there is no row from outside.
    pub other_lines: Option<(usize, usize)>,
    /// Answers whose trigger is not certain.
    pub unsure: u64,
    /// Edges that answered nothing, on lines that could not be paired again. (On
    /// the others they are late answers to triggers that were given up.)
    pub extra: u64,
}

/// The rows of the view from outside, line by line, each of the stage that is named
/// for it. `inside` may be empty.
pub(crate) fn outside_rows(
    outside: &OutsideData,
    stages: &[Stage],
    inside: &[SampleRow],
) -> (Vec<SampleRow>, Join) {
    let (Some(hello), mut join) = (&outside.hello, Join::default()) else {
        return (Vec::new(), Join::default());
    };
    let lines = outside.lines(hello);
    if lines != stages.len() {
        join.other_lines = Some((lines, stages.len()));
        return (Vec::new(), join);
    }
    let mut rows = Vec::with_capacity(outside.samples.len() * stages.len());
    for (line, stage) in stages.iter().copied().enumerate() {
        let record: BTreeMap<u64, &SampleRow> =
            inside.iter().filter(|row| row.stage == stage).map(|row| (row.seq, row)).collect();
        let offset = outside.offset(line);
        let line = Line { outside, line, stage, tick: hello.tick, offset, record: &record };
        match line.certain() {
            Some(certain) => rows.extend(certain),
            None => {
                join.extra += line.extras();
                rows.extend(line.as_seen());
            }
        }
    }
    join.unsure = rows.iter().filter(|row| row.flags & FLAG_UNSURE != 0).count() as u64;
    (rows, join)
}

/// One response line with the record of its stage.
struct Line<'a> {
    outside: &'a OutsideData,
    line: usize,
    stage: Stage,
    tick: Tick,
    /// Ticks of every latency that are the generator's own.
    offset: i64,
    record: &'a BTreeMap<u64, &'a SampleRow>,
}

impl Line<'_> {
    /// The n-th edge is the n-th answer of the record; `None` if they do not
    /// match.
    fn certain(&self) -> Option<Vec<SampleRow>> {
        let edges = self.outside.edges(self.line);
        let answers = self.record.values().filter(|row| row.latency.is_some()).count();
        if !self.outside.has_every_edge() || edges.len() != answers {
            return None;
        }
        let mut edges = edges.into_iter();
        let triggers: Vec<u64> = self.outside.samples.iter().map(|one| one.trigger.0).collect();
        let mut rows = Vec::with_capacity(triggers.len());
        for (index, sample) in self.outside.samples.iter().enumerate() {
            let record = *self.record.get(&sample.seq.0)?;
            let mut row = self.row(index, record.flags);
            if record.latency.is_some() {
                let Edge { at, width, window } = edges.next()?;
                row.latency =
                    Some(latency_of(self.tick, at.checked_sub(sample.trigger.0)?, self.offset));
                row.execution = width.map(|width| nanoseconds(self.tick, width));
                let late = triggers.get(index + 1).is_some_and(|next| *next <= at);
                row.flags |= if late { FLAG_LATE } else { 0 };
                row.flags |= if window { FLAG_WINDOW } else { 0 };
            }
            rows.push(row);
        }
        Some(rows)
    }

    fn extras(&self) -> u64 {
        let mine = |extra: &&ExtraEdge| usize::from(extra.line) == self.line;
        self.outside.extras.iter().filter(mine).count() as u64
    }

    /// As the generator paired edges with triggers.
    fn as_seen(&self) -> Vec<SampleRow> {
        let seen = |sample: &OutsideSample| {
            let mut row = outside_row(sample, self.line, self.stage, self.tick, self.offset);
            if let Some(record) = self.record.get(&sample.seq.0) {
                (row.cpu, row.interrupts) = (record.cpu, record.interrupts);
                let hit = record.flags & !(FLAG_MISSING | FLAG_MERGED);
                row.flags |= if row.latency.is_some() { hit } else { 0 };
            }
            row
        };
        self.outside.samples.iter().map(seen).collect()
    }

    fn row(&self, index: usize, flags: u32) -> SampleRow {
        let sample = &self.outside.samples[index];
        let record = self.record.get(&sample.seq.0);
        let extra = if sample.extra >> self.line & 1 != 0 { FLAG_EXTRA } else { 0 };
        SampleRow {
            seq: sample.seq.0,
            trigger: nanoseconds(self.tick, sample.trigger.0),
            latency: None,
            stage: self.stage,
            view: View::Outside,
            cpu: record.and_then(|record| record.cpu),
            flags: flags | extra,
            interrupts: record.map_or(0, |record| record.interrupts),
            execution: None,
        }
    }
}

/// One line of a sample as the generator paired it, whatever the target has
/// recorded. `offset`: ticks of its latency that are the generator's own.
pub fn outside_row(
    sample: &OutsideSample,
    line: usize,
    stage: Stage,
    tick: Tick,
    offset: i64,
) -> SampleRow {
    let answer = sample.answers.get(line);
    let latency = answer.and_then(span).map(|span| latency_of(tick, span, offset));
    // Late: a younger trigger was out by then.
    let pairing = match answer {
        Some(Answer::Prompt(_)) => 0,
        Some(Answer::Late(_)) => FLAG_LATE | FLAG_UNSURE,
        Some(Answer::Named(_)) => FLAG_LATE,
        Some(Answer::Coalesced) => FLAG_MERGED,
        Some(Answer::Missing) | None => FLAG_MISSING,
    };
    let extra = if sample.extra >> line & 1 != 0 { FLAG_EXTRA } else { 0 };
    let window = latency.is_some() && sample.window >> line & 1 != 0;
    let window = if window { FLAG_WINDOW } else { 0 };
    let execution = latency.and_then(|_| width(sample, line));
    SampleRow {
        seq: sample.seq.0,
        trigger: nanoseconds(tick, sample.trigger.0),
        latency,
        stage,
        view: View::Outside,
        cpu: None,
        flags: pairing | extra | window,
        interrupts: 0,
        execution: execution.map(|width| nanoseconds(tick, width)),
    }
}

/// Lets the inside rows count from the trigger's true instant. `stamps` are the
/// counter's readings at the handler's entry, by sequence number, on the
/// generator's own clock.
pub(crate) fn count_from_trigger(
    inside: &mut [SampleRow],
    outside: &OutsideData,
    stamps: &BTreeMap<u64, u64>,
) {
    let Some(tick) = outside.tick() else { return };
    let delays: BTreeMap<u64, i64> = outside
        .samples
        .iter()
        .filter_map(|sample| {
            let stamp = stamps.get(&sample.seq.0)?;
            Some((sample.seq.0, nanoseconds(tick, stamp.checked_sub(sample.trigger.0)?).0))
        })
        .collect();
    for row in inside {
        let Some(delay) = delays.get(&row.seq) else { continue };
        row.trigger = Nanoseconds(row.trigger.0.saturating_sub(*delay));
        row.latency = row.latency.map(|latency| Nanoseconds(latency.0.saturating_add(*delay)));
    }
}
