// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A finished run in the form of the live views, so that one page draws both.

use std::collections::BTreeMap;

use irqscope_run::{CaseStream, RunDir, SampleRow};
use irqscope_wire::{Stage, View};
use serde::Serialize;

use super::bins::Bins;
use super::course::{Course, Points};
use super::worst::{Flag, Longest, flags};
use crate::figures::Keep;
use crate::{Ascending, Both, CaseFigures, Distribution, Result, Segment, explain};

/// One series as it is drawn.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Drawn {
    /// The stage that was asked.
    pub stage: Stage,
    /// The clock behind the latencies.
    pub view: View,
    /// All latencies, those that another interrupt hit included.
    pub histogram: Bins,
    /// The same latencies over the time of their triggers.
    pub course: Points,
}

/// Draws every series of a case, in order of stage and view.
///
/// # Errors
/// The disk's.
pub fn drawn(run: &RunDir, stream: &CaseStream<'_>) -> Result<Vec<Drawn>> {
    let period = stream.data().asked().map_or(1_000_000, |asked| asked.period_ns);
    let mut courses = Courses { period, all: BTreeMap::new() };
    let figures = CaseFigures::of(stream, run.path(), &mut courses)?;
    let mut all = Vec::new();
    for Distribution { stage, view, clean, hit, .. } in figures.stages {
        let mut pairs = Vec::new();
        Both(&clean, &hit).each(&mut |value, count| pairs.push((value, count)))?;
        let course = courses.all.remove(&(stage, view)).unwrap_or_else(|| Course::new(period));
        all.push(Drawn { stage, view, histogram: Bins::of(pairs), course: course.points() });
    }
    Ok(all)
}

struct Courses {
    period: u64,
    all: BTreeMap<(Stage, View), Course>,
}

impl Keep for Courses {
    fn stages(&mut self, rows: &[SampleRow]) -> Result<()> {
        for row in rows {
            if let Some(latency) = row.latency {
                let course = self.all.entry((row.stage, row.view));
                let course = course.or_insert_with(|| Course::new(self.period));
                course.add(row.trigger.0, latency.0);
            }
        }
        Ok(())
    }

    fn series(
        &mut self,
        _: &irqscope_run::BenchmarkData,
        _: &irqscope_run::BenchSeries,
        _: &[irqscope_run::BenchRow],
    ) -> Result<()> {
        Ok(())
    }

    fn counted(
        &mut self,
        _: &irqscope_run::BenchmarkData,
        _: &irqscope_run::BenchSeries,
    ) -> Result<()> {
        Ok(())
    }
}

/// A long latency with all that is known of its trigger.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WorstSample {
    /// The trigger's number, from 0.
    pub seq: u64,
    /// On the view's own clock.
    pub trigger_ns: i64,
    /// From the trigger to the stage's response; exact, as samples.parquet has it.
    pub latency_ns: i64,
    /// The CPU on which the stage answered; `None` if only the generator saw it.
    pub cpu: Option<u16>,
    /// Other interrupts on that CPU since stage `irq`; 0 if only the generator saw the answer.
    pub interrupts: u16,
    /// The bits of its row in samples.parquet that are set.
    pub flags: Vec<Flag>,
    /// From the response to the end of what the stage executed; `None` where stages have no
    /// execution times, or the end was not seen.
    pub execution_ns: Option<i64>,
    /// All other series of the same trigger.
    pub others: Vec<Other>,
    /// None where the run has no events, or this view is not the explained one.
    pub segments: Option<Vec<Part>>,
}

/// One series' answer to the same trigger.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Other {
    /// The stage that was asked, which may be the same one in the other view.
    pub stage: Stage,
    /// The clock behind its latency.
    pub view: View,
    /// From the same trigger to its response; `None` where it has no answer of its own.
    pub latency_ns: Option<i64>,
    /// The bits of its row in samples.parquet that are set.
    pub flags: Vec<Flag>,
}

/// A segment of a latency, from its trigger on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// Where it begins, counted from the trigger.
    pub start_ns: i64,
    /// How long it lasts; the lengths of all segments add up to the latency.
    pub length_ns: i64,
    /// The kind of cause, such as `irqs-off`.
    pub cause: &'static str,
    /// The function, interrupt or thread behind it; empty where the kind says it all.
    pub name: String,
    /// Facts that are known besides, such as callers or a priority.
    pub detail: String,
}

impl From<&Segment> for Part {
    fn from(segment: &Segment) -> Self {
        Self {
            start_ns: segment.start.0,
            length_ns: segment.length.0,
            cause: segment.cause.kind.name(),
            name: segment.cause.name.clone(),
            detail: segment.cause.detail.clone(),
        }
    }
}

/// Returns the longest latencies of one series, and which view is explained.
///
/// # Errors
/// The disk's.
pub fn worst_samples(
    stream: &CaseStream<'_>,
    stage: Stage,
    view: View,
    limit: usize,
) -> Result<(Option<View>, Vec<WorstSample>)> {
    let mut longest = Longest::new(limit);
    let is_asked = |row: &&SampleRow| row.stage == stage && row.view == view;
    stream.stages(|rows| {
        rows.iter().filter(is_asked).for_each(|row| longest.add(row));
        Ok::<(), crate::AnalysisError>(())
    })?;
    let mut others: BTreeMap<u64, Vec<Other>> =
        longest.rows().map(|row| (row.seq, Vec::new())).collect();
    stream.stages(|rows| {
        for row in rows.iter().filter(|row| !is_asked(row)) {
            others.entry(row.seq).and_modify(|all| all.push(Other::of(row)));
        }
        Ok::<(), crate::AnalysisError>(())
    })?;
    let explained = stream.data().explained.is_some().then(|| explain(stream.data()));
    let segments = |row: &SampleRow| {
        let (_, all) = explained.as_ref().filter(|(of, _)| *of == view)?;
        let one = all.iter().find(|one| one.seq == row.seq && one.stage == stage)?;
        Some(one.segments.iter().map(Part::from).collect())
    };
    let sample = |row: &SampleRow| {
        Some(WorstSample {
            seq: row.seq,
            trigger_ns: row.trigger.0,
            latency_ns: row.latency?.0,
            cpu: row.cpu,
            interrupts: row.interrupts,
            flags: flags(row.flags),
            execution_ns: row.execution.map(|execution| execution.0),
            others: others.get(&row.seq).cloned().unwrap_or_default(),
            segments: segments(row),
        })
    };
    let samples = longest.rows().filter_map(sample).collect();
    Ok((explained.as_ref().map(|(view, _)| *view), samples))
}

impl Other {
    fn of(row: &SampleRow) -> Self {
        let (stage, view, flags) = (row.stage, row.view, flags(row.flags));
        Self { stage, view, latency_ns: row.latency.map(|latency| latency.0), flags }
    }
}
