// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rows of one trigger.

use irqscope_wire::{Answer, Calibration, Nanoseconds, OutsideSample, Sample, Stage, Tick, View};

use super::matching::Record;
use super::stretch::response;
use crate::SampleRow;
use crate::outside::{Edge, latency, nanoseconds, offset, span, width};
use crate::row::{FLAG_COALESCED, FLAG_EXTRA, FLAG_LATE, FLAG_MISSING, FLAG_UNSURE, FLAG_WINDOW};

/// The facts about both ends that rows are made with.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    /// By line; empty where it is not known whose the lines are.
    pub stages: Vec<Stage>,
    /// Of the generator's clock.
    pub tick: Option<Tick>,
    pub calibration: Option<Calibration>,
    /// Of the target's counter.
    pub counter: Option<Tick>,
    /// Both are one clock.
    pub one_clock: bool,
    /// The first line's stage is asked by each trigger, one other in turn.
    pub in_turn: bool,
}

impl Lines {
    /// Returns whether a trigger asked a line's stage, as far as it is known. No record: by what the
    /// generator saw.
    pub fn asks(&self, sample: &OutsideSample, line: usize, record: Option<&Record>) -> bool {
        match record {
            _ if !self.in_turn || line == 0 => true,
            Some(Record::Of { sample, .. }) => {
                response(&sample.responses, self.stages[line]).is_some()
            }
            Some(Record::Lost) => false,
            Some(Record::None) | None => sample.answers.get(line) != Some(&Answer::Unasked),
        }
    }

    /// Makes a trigger's rows as the generator paired them, one for each line that it asked.
    pub fn all_seen(&self, sample: &OutsideSample) -> impl Iterator<Item = SampleRow> {
        let lines = 0..self.stages.len();
        let asked = lines.filter(move |line| self.asks(sample, *line, None));
        asked.map(move |line| self.seen(sample, line))
    }

    /// Makes the row of one line as the generator paired it, with the target's record of it.
    pub fn as_seen(
        &self,
        sample: &OutsideSample,
        line: usize,
        record: Option<&Record>,
    ) -> SampleRow {
        let row = self.seen(sample, line);
        let Some(Record::Of { sample: record, .. }) = record else { return row };
        let Some(inside) = self.row(record, row.stage) else { return row };
        let hit = inside.flags & !(FLAG_MISSING | FLAG_COALESCED);
        let hit = if row.latency.is_some() { hit } else { 0 };
        let SampleRow { cpu, interrupts, .. } = inside;
        SampleRow { cpu, interrupts, flags: row.flags | hit, ..row }
    }

    /// Makes the row of one line with the edge that answered it, if one did. `next`: the
    /// instant of the trigger after it. `certain`: the edge is known to be this trigger's.
    pub fn answered(
        &self,
        sample: &OutsideSample,
        line: usize,
        record: Option<&Record>,
        edge: Option<Edge>,
        next: Option<u64>,
        certain: bool,
    ) -> SampleRow {
        let inside = match record {
            Some(Record::Of { sample, .. }) => self.row(sample, self.stages[line]),
            _ => None,
        };
        let recorded = match (inside, record) {
            (Some(inside), _) => inside.flags,
            (None, Some(Record::Lost)) => FLAG_COALESCED,
            _ => 0,
        };
        let row = SampleRow {
            cpu: inside.and_then(|inside| inside.cpu),
            interrupts: inside.map_or(0, |inside| inside.interrupts),
            flags: recorded | extra(sample, line),
            ..self.blank(sample, line)
        };
        let (Some(edge), Some(tick)) = (edge, self.tick) else {
            let unanswered = recorded & (FLAG_COALESCED | FLAG_MISSING) == 0;
            let flags = if unanswered { extra(sample, line) | FLAG_MISSING } else { row.flags };
            let cpu = row.cpu.filter(|_| !unanswered);
            return SampleRow { flags, cpu, ..row };
        };
        let late = next.is_some_and(|next| next <= edge.at);
        let unsure = late && !certain || matches!(record, Some(Record::Of { unsure: true, .. }));
        let set = |is: bool, flag: u32| if is { flag } else { 0 };
        let span = edge.at.saturating_sub(sample.trigger.0);
        SampleRow {
            latency: Some(latency(tick, span, self.offset(line))),
            execution: edge.width.map(|width| nanoseconds(tick, width)),
            flags: row.flags
                | set(late, FLAG_LATE)
                | set(unsure, FLAG_UNSURE)
                | set(edge.window, FLAG_WINDOW),
            ..row
        }
    }

    /// Makes the row of one line as the generator paired it, whatever the target has recorded.
    pub fn seen(&self, sample: &OutsideSample, line: usize) -> SampleRow {
        let answer = sample.answers.get(line);
        // Late: a younger trigger was out by then.
        let pairing = match answer {
            Some(Answer::Prompt(_)) => 0,
            Some(Answer::Late(_)) => FLAG_LATE | FLAG_UNSURE,
            Some(Answer::Named(_)) => FLAG_LATE,
            Some(Answer::Coalesced) => FLAG_COALESCED,
            Some(Answer::Missing | Answer::Unasked) | None => FLAG_MISSING,
        };
        let row = self.blank(sample, line);
        let (Some(span), Some(tick)) = (answer.and_then(span), self.tick) else {
            return SampleRow { flags: pairing | extra(sample, line), ..row };
        };
        let window = if sample.window >> line & 1 != 0 { FLAG_WINDOW } else { 0 };
        SampleRow {
            latency: Some(latency(tick, span, self.offset(line))),
            flags: pairing | extra(sample, line) | window,
            execution: width(sample, line).map(|width| nanoseconds(tick, width)),
            ..row
        }
    }

    /// Adds the rows of the view inside, one for each stage that was asked. On one clock they
    /// count from the trigger's instant instead of from the handler's stamp, and have
    /// the trigger's number.
    pub fn inside(
        &self,
        sample: &Sample,
        seen: Option<&OutsideSample>,
        unsure: bool,
        rows: &mut Vec<SampleRow>,
    ) {
        let Some(counter) = self.counter else { return };
        let all = inside_rows(sample, counter);
        let Some(seen) = seen.filter(|_| self.one_clock) else {
            rows.extend(all);
            return;
        };
        let since = sample.trigger_cycles.0.checked_sub(seen.trigger.0);
        let delay = since.zip(self.tick).map_or(0, |(since, tick)| nanoseconds(tick, since).0);
        rows.extend(all.map(|row| SampleRow {
            seq: seen.seq.0,
            trigger: Nanoseconds(row.trigger.0.saturating_sub(delay)),
            latency: row.latency.map(|latency| Nanoseconds(latency.0.saturating_add(delay))),
            flags: row.flags | if unsure && row.latency.is_some() { FLAG_UNSURE } else { 0 },
            ..row
        }));
    }

    /// Makes the row of a stage as the target recorded it.
    fn row(&self, sample: &Sample, stage: Stage) -> Option<SampleRow> {
        let response = response(&sample.responses, stage)?;
        Some(SampleRow::new(sample, response, View::Inside, self.counter?))
    }

    fn offset(&self, line: usize) -> i64 {
        offset(self.calibration.as_ref(), line)
    }

    fn blank(&self, sample: &OutsideSample, line: usize) -> SampleRow {
        let trigger = self.tick.map_or(Nanoseconds(0), |tick| nanoseconds(tick, sample.trigger.0));
        SampleRow {
            seq: sample.seq.0,
            trigger,
            latency: None,
            stage: self.stages[line],
            view: View::Outside,
            cpu: None,
            flags: 0,
            interrupts: 0,
            execution: None,
        }
    }
}

fn extra(sample: &OutsideSample, line: usize) -> u32 {
    if sample.extra >> line & 1 != 0 { FLAG_EXTRA } else { 0 }
}

/// Makes one row for each stage that was asked.
pub(crate) fn inside_rows(sample: &Sample, tick: Tick) -> impl Iterator<Item = SampleRow> {
    let row = move |response| SampleRow::new(sample, response, View::Inside, tick);
    sample.responses.iter().map(row)
}
