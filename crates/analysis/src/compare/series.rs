// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What is compared: the values of one stage in one view, or of one series of a
//! benchmark, in the order of time.

use std::collections::BTreeMap;
use std::fmt;

use irqscope_run::{BenchSeries, BenchmarkData, CaseData};
use irqscope_wire::{BenchmarkKind, Instant, Stage, View};
use serde::Serialize;

/// What values are of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(untagged)]
pub enum SeriesName {
    Stage { stage: Stage, view: View },
    Benchmark { benchmark: BenchmarkKind, variant: String, series: String },
}

impl SeriesName {
    /// It is a latency or a length, and not only an instant within a round.
    fn is_figure(&self) -> bool {
        match self {
            Self::Benchmark { benchmark: BenchmarkKind::Inversion, series, .. } => {
                series == Instant::WAIT
            }
            _ => true,
        }
    }

    /// It is of no stage, or of a stage in this view.
    pub fn is_in(&self, of: View) -> bool {
        !matches!(self, Self::Stage { view, .. } if *view != of)
    }

    /// What it is called by who asks for it: a stage; a benchmark's kind, with its
    /// variant, with its series.
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

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Series {
    pub name: SeriesName,
    /// In nanoseconds, in the order of time.
    pub values: Vec<i64>,
    /// The same, ascending.
    pub sorted: Vec<i64>,
    /// Triggers and rounds that have no value: never answered, answered together
    /// with another, not recorded. Nobody knows how late they were.
    pub without: u64,
}

impl Series {
    pub fn new(name: SeriesName, values: Vec<i64>, without: u64) -> Self {
        let mut sorted = values.clone();
        sorted.sort_unstable();
        Self { name, values, sorted, without }
    }

    /// All of a case's: of each stage in its main view and then in the other one,
    /// or of each benchmark.
    pub fn of_case(data: &CaseData) -> Vec<Self> {
        let mut all = stages(data);
        all.extend(data.benchmarks.iter().flat_map(benchmark));
        all
    }
}

fn stages(data: &CaseData) -> Vec<Series> {
    let mut values: BTreeMap<(Stage, View), (Vec<i64>, u64)> = BTreeMap::new();
    for row in &data.rows {
        let (values, without) = values.entry((row.stage, row.view)).or_default();
        match row.latency {
            Some(latency) => values.push(latency.0),
            None => *without += 1,
        }
    }
    // No stage was started for these.
    let overrun = data.counters.map_or(0, |counters| counters.overrun);
    let series = |((stage, view), (values, without))| {
        Series::new(SeriesName::Stage { stage, view }, values, without + overrun)
    };
    values.into_iter().map(series).collect()
}

fn benchmark(one: &BenchmarkData) -> impl Iterator<Item = Series> + '_ {
    let name = |series: &BenchSeries| SeriesName::Benchmark {
        benchmark: one.kind,
        variant: one.variant.clone(),
        series: series.name.clone(),
    };
    let figures = one.series.iter().filter(move |series| name(series).is_figure());
    figures.map(move |series| {
        let values = series.rows.iter().map(|row| row.value.0).collect();
        let dropped = series.count.as_ref().map_or(0, |count| count.dropped);
        Series::new(name(series), values, dropped)
    })
}
