// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From frames to rows, as they arrive: what the generator saw on its lines, joined
//! with what the target recorded of its stages. The finished run and the live views
//! are made of the same rows.
//!
//! Line k is the k-th asked stage: of a driver in the stages' order, without one as
//! they were named. `matching` finds the record of each trigger, `stretch` the edges
//! that answer it, `rows` makes rows of both.
//!
//! **One clock.** Where both views are on one clock (the twin), the trigger's
//! true instant is known to the inside view as well, and its latencies count
//! from there instead of from the handler's stamp. The two latencies of a sample
//! then differ by what lies between a stage's stamp and its edge.

mod matching;
mod rows;
mod stretch;

use irqscope_wire::{Message, Mode, Packet, Plan, Sample, Stage, Tick, View};

use crate::row::FLAG_UNSURE;
use crate::{SampleRow, Source};
use matching::{Matched, Matching, Seen};
use rows::Lines;
use stretch::Stretch;

pub(crate) use rows::inside_rows;

/// How well the views fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fit {
    /// The generator watched another number of lines than stages were asked:
    /// it is not known which line is whose, and there is no row from outside.
    pub other_lines: Option<(usize, usize)>,
    /// Answers from outside whose trigger is not certain.
    pub unsure: u64,
    /// Edges that answered nothing, on lines that could not be paired with the record.
    /// (On the others they are late answers to triggers that were given up.)
    pub extra: u64,
}

/// Rows in the making. Its memory grows with the triggers whose record has not arrived
/// and with what is under way.
#[derive(Clone, Debug, Default)]
pub struct Join {
    without_agent: bool,
    planned: Vec<Stage>,
    /// As the plan has it; none without a plan.
    record: Option<bool>,
    generator: bool,
    /// In order.
    started: Option<Vec<Stage>>,
    lines: Lines,
    /// How many lines the first sample has.
    watched: Option<usize>,
    matching: Matching,
    stretch: Stretch,
    /// Extra edges until now, as the generator counted them.
    extras: u64,
    last: Option<u64>,
    dropped: u64,
    /// There are rows from outside.
    made: bool,
    fit: Fit,
}

impl Join {
    /// Begins a case. `without_agent`: nothing on the target takes part.
    pub fn new(without_agent: bool) -> Self {
        Self { without_agent, ..Self::default() }
    }

    /// Returns how well the views fit.
    pub fn fit(&self) -> Fit {
        self.fit
    }

    /// Returns the tick of the target's counter.
    pub fn counter_tick(&self) -> Option<Tick> {
        self.lines.counter
    }

    /// Returns whether the target has records of the generator's triggers, or will have.
    pub fn has_record(&self) -> bool {
        !self.without_agent && self.record.unwrap_or(true)
    }

    /// Counts the triggers whose record has not arrived.
    pub fn waiting(&self) -> usize {
        self.matching.waiting()
    }

    /// Takes a plan; its exact tick comes before the one that the target calibrated.
    pub fn learn_plan(&mut self, plan: &Plan) {
        self.lines.counter = plan.tick.or(self.lines.counter);
        self.lines.one_clock = plan.shares_clock();
        self.lines.in_turn = plan.stages().is_some_and(|asked| asked.mode == Mode::Isolated);
        self.planned = plan.stages().map_or_else(Vec::new, |asked| asked.stages.clone());
        self.record = Some(plan.has_view(View::Inside));
        self.generator |= plan.outside().is_some();
    }

    /// Takes a frame of one case; the frames of each stream come in their order. Adds
    /// the rows that are certain now, in order of trigger, stage and view.
    pub fn take(&mut self, source: Source, message: &Message, rows: &mut Vec<SampleRow>) {
        match (source, message) {
            (Source::Generator, Message::GeneratorHello(hello)) => {
                self.generator = true;
                self.lines.tick = Some(hello.tick);
            }
            (Source::Generator, Message::Calibration(calibration)) => {
                self.lines.calibration = Some(calibration.clone());
            }
            (Source::Generator, Message::Packet(packet)) => self.packet(packet, rows),
            (Source::Generator, _) => {}
            (_, Message::Plan(plan)) => self.learn_plan(plan),
            (_, Message::Started(started)) => {
                self.lines.counter.get_or_insert(started.tick);
                self.started = Some(sorted(&started.stages));
                self.name_lines();
            }
            (_, Message::Samples(samples)) => self.samples(samples, rows),
            _ => {}
        }
    }

    /// Adds the rows that are left where nothing more will arrive.
    pub fn finish(&mut self, rows: &mut Vec<SampleRow>) {
        self.advance(true, rows);
        let first = rows.len();
        self.fit.extra += self.stretch.end(u64::MAX, &self.lines, rows);
        self.count(&rows[first..]);
    }

    /// Makes the rows of a packet as the generator paired them, to be shown until the
    /// record has arrived.
    pub fn as_seen(&self, packet: &Packet) -> Vec<SampleRow> {
        packet.samples.iter().flat_map(|sample| self.lines.all_seen(sample)).collect()
    }

    fn packet(&mut self, packet: &Packet, rows: &mut Vec<SampleRow>) {
        if self.lines.tick.is_none() {
            return;
        }
        if let (Some(sample), None) = (packet.samples.first(), self.watched) {
            self.watched = Some(sample.answers.len());
            self.name_lines();
        }
        for extra in &packet.extras {
            if self.has_record() {
                self.stretch.add_extra(extra.line.into(), extra.at.0);
            } else {
                self.fit.extra += 1;
            }
        }
        let doubtful = self.misses_edges(packet);
        for sample in &packet.samples {
            let gap = self.last.is_some_and(|last| sample.seq.0 != last.wrapping_add(1));
            self.last = Some(sample.seq.0);
            self.trigger(Seen { sample: sample.clone(), doubtful: doubtful || gap }, rows);
        }
        self.advance(false, rows);
    }

    /// Returns whether edges were counted since the packet before that are not listed.
    fn misses_edges(&mut self, packet: &Packet) -> bool {
        let more = packet.totals.extra.saturating_sub(self.extras);
        let dropped = packet.totals.dropped.saturating_sub(self.dropped);
        (self.extras, self.dropped) = (packet.totals.extra, packet.totals.dropped);
        more != packet.extras.len() as u64 || dropped > 0
    }

    fn trigger(&mut self, seen: Seen, rows: &mut Vec<SampleRow>) {
        if self.has_record() {
            self.matching.add_trigger(seen);
            return;
        }
        let first = rows.len();
        rows.extend(self.lines.all_seen(&seen.sample));
        rows[first..].sort_by_key(SampleRow::key);
        self.count(&rows[first..]);
    }

    fn samples(&mut self, samples: &[Sample], rows: &mut Vec<SampleRow>) {
        if self.lines.counter.is_none() {
            return;
        }
        for sample in samples {
            if self.generator && self.has_record() {
                self.matching.add_record(sample.clone());
            } else {
                self.lines.inside(sample, None, false, rows);
            }
        }
        self.advance(false, rows);
    }

    fn advance(&mut self, ended: bool, rows: &mut Vec<SampleRow>) {
        let first = rows.len();
        while let Some(matched) = self.matching.next(self.lines.one_clock, ended) {
            match matched {
                Matched::Trigger(seen, record) => {
                    self.fit.extra += self.stretch.add(seen, record, &self.lines, rows);
                }
                Matched::Alone(sample, number) => self.alone(&sample, number, rows),
            }
        }
        self.count(&rows[first..]);
    }

    /// Adds the rows of a record whose trigger is not known: on one clock it counts from its
    /// own stamp.
    fn alone(&mut self, sample: &Sample, number: u64, rows: &mut Vec<SampleRow>) {
        let first = rows.len();
        self.lines.inside(sample, None, false, rows);
        if self.lines.one_clock {
            for row in &mut rows[first..] {
                row.seq = number;
                row.flags |= if row.latency.is_some() { FLAG_UNSURE } else { 0 };
            }
        }
    }

    fn count(&mut self, rows: &[SampleRow]) {
        let unsure = |row: &&SampleRow| row.is_unsure() && row.view == View::Outside;
        self.made |= rows.iter().any(|row| row.view == View::Outside);
        self.fit.unsure += rows.iter().filter(unsure).count() as u64;
    }

    /// Names the stages of the lines. The target may say it only at the end: until then, all
    /// that were asked for, or those of them that every kernel has. Rows that were made
    /// by then must be right.
    fn name_lines(&mut self) {
        let Some(watched) = self.watched else { return };
        let asked = if self.without_agent { self.planned.clone() } else { sorted(&self.planned) };
        let everywhere = asked.iter().copied().filter(|stage| stage.since().is_none()).collect();
        let all = match &self.started {
            Some(started) => vec![started.clone()],
            None => vec![asked, everywhere],
        };
        let stages = all.iter().find(|stages| stages.len() == watched);
        let wrong = self.made && stages != Some(&self.lines.stages);
        if wrong || stages.is_none() {
            self.fit.other_lines = Some((watched, all[0].len()));
        } else {
            self.fit.other_lines = None;
        }
        if !self.made {
            self.lines.stages = stages.cloned().unwrap_or_default();
        }
    }
}

fn sorted(stages: &[Stage]) -> Vec<Stage> {
    let mut stages = stages.to_vec();
    stages.sort_unstable();
    stages
}
