// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The series that are compared: the values of one stage in one view, or of one series of a
//! benchmark, in the order of time.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use irqscope_run::{BenchRow, BenchSeries, BenchmarkData, CaseData, SampleRow};
use irqscope_wire::{BenchmarkKind, Instant, Stage, View};
use serde::Serialize;

use crate::figures::Keep;
use crate::ordered::OrderedWriter;
use crate::{Ascending, CaseFigures, Counted, Distribution, Ordered, Result};

/// The subject of a series' values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub enum SeriesName {
    #[allow(missing_docs, reason = "types say it")]
    Stage { stage: Stage, view: View },
    #[allow(missing_docs, reason = "names say it")]
    Benchmark { benchmark: BenchmarkKind, variant: String, series: String },
}

impl SeriesName {
    /// Returns whether it is a latency or a length, and not only an instant within a round.
    fn is_figure(&self) -> bool {
        match self {
            Self::Benchmark { benchmark: BenchmarkKind::Inversion, series, .. } => {
                series == Instant::WAIT
            }
            _ => true,
        }
    }

    /// Returns whether it is of no stage, or of a stage in this view.
    pub fn is_in(&self, of: View) -> bool {
        !matches!(self, Self::Stage { view, .. } if *view != of)
    }

    /// Returns whether a user may call it so: a stage; a benchmark's kind, with its variant, with
    /// its series.
    pub fn answers_to(&self, name: &str) -> bool {
        match self {
            Self::Stage { stage, .. } => stage.name() == name,
            Self::Benchmark { benchmark, .. } => {
                let whole = self.to_string();
                benchmark.name() == name
                    || whole == name
                    || whole.strip_prefix(name).is_some_and(|rest| rest.starts_with(' '))
            }
        }
    }
}

impl fmt::Display for SeriesName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stage { stage, view: View::Inside } => write!(f, "{stage}"),
            Self::Stage { stage, view: View::Outside } => write!(f, "{stage} (outside)"),
            Self::Benchmark { benchmark, variant, series } => {
                write!(f, "{benchmark} {variant} {series}")
            }
        }
    }
}

/// The values of one series.
#[derive(Clone, Debug)]
pub struct Series {
    /// Its name.
    pub name: SeriesName,
    /// In nanoseconds, in the order of time; empty where that is not known.
    pub values: Ordered,
    /// The same, ascending.
    pub sorted: Counted,
    /// Triggers and rounds that have no value: never answered, answered together with another, not
    /// recorded. It is unknown how late they were.
    pub without: u64,
}

impl Series {
    /// Returns whether the order of the values is known: of an imported histogram it is not.
    pub fn is_in_order(&self) -> bool {
        self.values.count() == self.sorted.count()
    }
}

/// Keeps the values of all series in the order of time, while they are counted.
pub(super) struct Keeper<'a> {
    dir: &'a Path,
    /// With how many triggers have no value.
    stages: BTreeMap<(Stage, View), (OrderedWriter, u64)>,
    /// Of the series that is passing.
    passing: OrderedWriter,
    /// In the order of [`CaseFigures::series`].
    series: Vec<Ordered>,
}

impl<'a> Keeper<'a> {
    pub fn new(dir: &'a Path) -> Self {
        let (stages, passing) = (BTreeMap::new(), OrderedWriter::new(dir));
        Self { dir, stages, passing, series: Vec::new() }
    }

    /// Returns all of a case's: of each stage in each view, or of each benchmark.
    pub fn finish(mut self, data: &CaseData, figures: CaseFigures) -> Result<Vec<Series>> {
        let CaseFigures { stages, series, .. } = figures;
        // No stage was started for these.
        let dropped = data.counters.map_or(0, |counters| counters.dropped);
        let mut all = Vec::new();
        for Distribution { stage, view, clean, hit, .. } in stages {
            let Some((values, without)) = self.stages.remove(&(stage, view)) else { continue };
            all.push(Series {
                name: SeriesName::Stage { stage, view },
                values: values.finish()?,
                sorted: clean.together(hit, self.dir)?,
                without: without + dropped,
            });
        }
        for (one, values) in series.into_iter().zip(self.series) {
            let count = &data.benchmarks[one.benchmark].series[one.series].count;
            let dropped = count.as_ref().map_or(0, |count| count.dropped);
            let beyond = one.values.beyond().map_or(0, |beyond| beyond.count);
            let without = dropped.saturating_sub(beyond);
            let (benchmark, variant, series) = (one.kind, one.variant, one.name);
            let name = SeriesName::Benchmark { benchmark, variant, series };
            all.push(Series { name, values, sorted: one.values, without });
        }
        all.retain(|series| series.name.is_figure());
        Ok(all)
    }
}

impl Keep for Keeper<'_> {
    fn stages(&mut self, rows: &[SampleRow]) -> Result<()> {
        for row in rows {
            let one = self.stages.entry((row.stage, row.view));
            let (values, without) = one.or_insert_with(|| (OrderedWriter::new(self.dir), 0));
            match row.latency {
                Some(latency) => values.add(latency.0)?,
                None => *without += 1,
            }
        }
        Ok(())
    }

    fn series(&mut self, _: &BenchmarkData, _: &BenchSeries, rows: &[BenchRow]) -> Result<()> {
        rows.iter().try_for_each(|row| self.passing.add(row.value.0))
    }

    /// Takes the end of every series.
    fn counted(&mut self, _: &BenchmarkData, _: &BenchSeries) -> Result<()> {
        let passed = std::mem::replace(&mut self.passing, OrderedWriter::new(self.dir));
        self.series.push(passed.finish()?);
        Ok(())
    }
}
