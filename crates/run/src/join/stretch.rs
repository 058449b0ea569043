// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which edge of a line answers which trigger, where the target has a record.
//!
//! From outside a line that two triggers were merged on looks like one whose answers
//! are late (crate `generator`). The target's record says which triggers a stage
//! answered. At an instant at which every line has shown exactly as many edges as the
//! record has answers to the triggers before, nothing is under way: between two such
//! instants lies a stretch, in which the n-th edge of a line is the n-th answer of the
//! record, and every latency is certain.
//!
//! Where an edge was lost or came from elsewhere a line does not get there any more.
//! Once the generator saw no late answer to [`QUIET`] triggers in a row, or after
//! [`LONGEST`] triggers, the stretch ends nevertheless. On lines whose numbers
//! are not equal the generator's own rule stands then (an edge answers the oldest trigger
//! that waits), and answers that came after a younger trigger say that they are unsure.

use std::collections::VecDeque;

use irqscope_wire::{Answer, Outcome, Response, Stage};

use super::matching::{Record, Seen};
use super::rows::Lines;
use crate::SampleRow;
use crate::outside::{Edge, span, width};

/// The triggers in a row without a late answer that show that nothing is under way.
const QUIET: usize = 64;
/// Bounds the memory that a stretch takes.
const LONGEST: usize = 1 << 17;

/// The triggers since nothing was under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Stretch {
    open: VecDeque<(Seen, Record)>,
    lines: Vec<Line>,
    doubtful: bool,
    /// The youngest triggers without a late answer.
    quiet: usize,
}

#[derive(Clone, Debug, Default)]
struct Line {
    /// In order.
    edges: VecDeque<(Edge, bool)>,
    /// Answers in the record.
    answers: usize,
}

impl Line {
    /// Takes an edge; `extra`: the generator saw no trigger for it.
    fn add(&mut self, edge: Edge, extra: bool) {
        let place = self.edges.partition_point(|(earlier, _)| earlier.at <= edge.at);
        self.edges.insert(place, (edge, extra));
    }

    fn shown(&self, until: u64) -> usize {
        self.edges.partition_point(|(edge, _)| edge.at < until)
    }

    fn is_even(&self, until: u64) -> bool {
        self.shown(until) == self.answers
    }
}

impl Stretch {
    /// Takes an edge that the generator saw no trigger for.
    pub fn add_extra(&mut self, line: usize, at: u64) {
        if self.lines.len() <= line {
            self.lines.resize_with(line + 1, Line::default);
        }
        self.lines[line].add(Edge { at, width: None, window: false }, true);
    }

    /// Takes the next trigger; hands out the rows of a stretch that ends before it.
    /// Returns its edges that answered nothing.
    pub fn add(
        &mut self,
        seen: Seen,
        record: Record,
        lines: &Lines,
        rows: &mut Vec<SampleRow>,
    ) -> u64 {
        let (at, count) = (seen.sample.trigger.0, lines.stages.len());
        let extra = if self.ends(at, count) { self.end(at, lines, rows) } else { 0 };
        self.lines.resize_with(self.lines.len().max(count), Line::default);
        for (number, line) in self.lines.iter_mut().take(count).enumerate() {
            if let Some(span) = seen.sample.answers.get(number).and_then(span) {
                let window = seen.sample.window >> number & 1 != 0;
                let width = width(&seen.sample, number);
                line.add(Edge { at: at.saturating_add(span), width, window }, false);
            }
            line.answers += usize::from(is_answered(&record, lines.stages[number]));
        }
        let late = |answer: &Answer| matches!(answer, Answer::Late(_) | Answer::Named(_));
        self.quiet = if seen.sample.answers.iter().any(late) { 0 } else { self.quiet + 1 };
        self.doubtful |= seen.doubtful;
        self.open.push_back((seen, record));
        extra
    }

    fn ends(&self, before: u64, count: usize) -> bool {
        let even = || self.lines.iter().take(count).all(|line| line.is_even(before));
        let long = self.quiet >= QUIET || self.open.len() >= LONGEST;
        !self.open.is_empty() && (long || even())
    }

    /// Hands out the rows of all open triggers; their edges are those before an instant.
    /// Returns the edges that answered nothing, on lines that are not certain.
    pub fn end(&mut self, before: u64, lines: &Lines, rows: &mut Vec<SampleRow>) -> u64 {
        self.lines.resize_with(lines.stages.len(), Line::default);
        let certain: Vec<bool> =
            (0..lines.stages.len()).map(|line| self.is_certain(line, before, lines)).collect();
        // Where no line fits the record it may be of other triggers.
        let trusted = lines.one_clock || certain.contains(&true);
        let mut extra = 0;
        let mut columns = Vec::with_capacity(certain.len());
        for (line, certain) in certain.into_iter().enumerate() {
            let (column, more) = self.pair(line, before, certain, trusted, lines);
            columns.push(column.into_iter());
            extra += more;
        }
        for (seen, record) in self.open.drain(..) {
            let first = rows.len();
            rows.extend(columns.iter_mut().filter_map(|column| column.next().flatten()));
            if let Record::Of { sample, unsure } = record {
                lines.inside(&sample, Some(&seen.sample), unsure, rows);
            }
            rows[first..].sort_by_key(SampleRow::key);
        }
        (self.doubtful, self.quiet) = (false, 0);
        extra
    }

    /// Makes one line's rows of all open triggers, none for those that did not ask its stage, and
    /// counts its edges that answered nothing.
    fn pair(
        &mut self,
        number: usize,
        before: u64,
        certain: bool,
        trusted: bool,
        lines: &Lines,
    ) -> (Vec<Option<SampleRow>>, u64) {
        let line = &mut self.lines[number];
        let shown = line.shown(before);
        let edges: Vec<(Edge, bool)> = line.edges.drain(..shown).collect();
        line.answers = 0;
        let listed = edges.iter().filter(|(_, extra)| *extra).count() as u64;
        if !certain && (self.doubtful || self.is_named(number)) {
            let row = |(seen, record): &(Seen, Record)| {
                let record = trusted.then_some(record);
                let asked = lines.asks(&seen.sample, number, record);
                asked.then(|| lines.as_seen(&seen.sample, number, record))
            };
            return (self.open.iter().map(row).collect(), listed);
        }
        let answers = self.answers(number, certain || trusted, &edges, lines);
        let instants = self.open.iter().map(|(seen, _)| seen.sample.trigger.0).skip(1);
        let nexts = instants.map(Some).chain([(before < u64::MAX).then_some(before)]);
        let row = |(((seen, record), edge), next): ((&(Seen, Record), _), _)| {
            let record = (certain || trusted).then_some(record);
            let asked = lines.asks(&seen.sample, number, record);
            asked.then(|| lines.answered(&seen.sample, number, record, edge, next, certain))
        };
        let rows = self.open.iter().zip(answers).zip(nexts).map(row).collect();
        (rows, if certain { 0 } else { listed })
    }

    /// Finds the edge that answers each open trigger: the oldest one that waits has the next
    /// edge. With the record those wait that it has an answer of.
    fn answers(
        &self,
        number: usize,
        recorded: bool,
        edges: &[(Edge, bool)],
        lines: &Lines,
    ) -> Vec<Option<Edge>> {
        let waits = |seen: &Seen, record: &Record| match record {
            Record::Lost if recorded => false,
            Record::Of { .. } if recorded => is_answered(record, lines.stages[number]),
            _ => lines.asks(&seen.sample, number, None),
        };
        let mut answers = vec![None; self.open.len()];
        let mut waiting =
            self.open.iter().enumerate().filter(|(_, (seen, record))| waits(seen, record));
        let mut oldest = waiting.next();
        for (edge, _) in edges {
            let out = oldest.filter(|(_, (seen, _))| seen.sample.trigger.0 <= edge.at);
            if let Some((place, _)) = out {
                answers[place] = Some(*edge);
                oldest = waiting.next();
            }
        }
        answers
    }

    /// Returns whether the target said of an answer on this line which trigger it is of.
    fn is_named(&self, line: usize) -> bool {
        let named =
            |answer: Option<&Answer>| matches!(answer, Some(Answer::Named(_) | Answer::Coalesced));
        self.open.iter().any(|(seen, _)| named(seen.sample.answers.get(line)))
    }

    /// Returns whether the n-th edge of this line can be the n-th answer of the record.
    fn is_certain(&self, number: usize, before: u64, lines: &Lines) -> bool {
        let (Some(line), stage) = (self.lines.get(number), lines.stages[number]) else {
            return false;
        };
        if self.doubtful || !line.is_even(before) {
            return false;
        }
        let mut edges = line.edges.iter();
        self.open.iter().all(|(seen, record)| match record {
            Record::None => false,
            Record::Lost => true,
            Record::Of { sample, .. } => match response(&sample.responses, stage) {
                None => lines.in_turn,
                Some(Response { outcome: Outcome::Answered { .. }, .. }) => {
                    edges.next().is_some_and(|(edge, _)| edge.at >= seen.sample.trigger.0)
                }
                Some(_) => true,
            },
        })
    }
}

pub(super) fn response(responses: &[Response], stage: Stage) -> Option<&Response> {
    responses.iter().find(|response| response.stage == stage)
}

fn is_answered(record: &Record, stage: Stage) -> bool {
    let Record::Of { sample, .. } = record else { return false };
    let response = response(&sample.responses, stage);
    response.is_some_and(|response| matches!(response.outcome, Outcome::Answered { .. }))
}
