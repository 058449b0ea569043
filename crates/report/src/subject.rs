// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The subject of a figure: a stage in one view, or a series of a benchmark.

use irqscope_analysis::SeriesName;
use irqscope_wire::{BenchmarkKind, Stage, View};

use crate::bench::benchmark_text;
use crate::svg::Ink;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    Stage(Stage, View),
    Series { kind: BenchmarkKind, variant: String, series: String },
}

impl Subject {
    pub fn title(&self) -> String {
        match self {
            Self::Stage(stage, view) => stage_name(*stage, *view),
            // A CPU by itself says nothing; two do.
            Self::Series { kind, variant, series } => format!("{kind} {variant} {series}"),
        }
    }

    /// Says that there is no value.
    pub const fn nothing(&self) -> &'static str {
        match self {
            Self::Stage(..) => "No trigger was answered here.",
            Self::Series { .. } => "No sample was taken here.",
        }
    }

    /// Returns `stage softirq`, `benchmark sched fifo 80 cpu0`.
    pub fn named(&self) -> String {
        match self {
            Self::Stage(..) => format!("stage {}", self.title()),
            Self::Series { .. } => format!("benchmark {}", self.title()),
        }
    }

    /// Names its files: `softirq`, `softirq-outside`, `sched-fifo-80-cpu0`.
    pub fn file_name(&self) -> String {
        match self {
            Self::Stage(stage, View::Inside) => stage.name().into(),
            Self::Stage(stage, View::Outside) => format!("{stage}-outside"),
            Self::Series { .. } => self.title().replace([' ', '/'], "-"),
        }
    }

    /// Returns whether a limit of this name is its.
    pub fn answers_to(&self, name: &str) -> bool {
        match self {
            Self::Stage(stage, view) => {
                SeriesName::Stage { stage: *stage, view: *view }.answers_to(name)
            }
            Self::Series { kind, variant, series } => {
                let (variant, series) = (variant.clone(), series.clone());
                SeriesName::Benchmark { benchmark: *kind, variant, series }.answers_to(name)
            }
        }
    }

    /// Says from where to where, in a few words.
    pub fn text(&self) -> String {
        match self {
            Self::Stage(stage, _) => format!("from the trigger to {}", crate::stage_text(*stage)),
            Self::Series { kind, .. } => benchmark_text(*kind).into(),
        }
    }

    pub const fn ink(&self) -> Ink {
        match self {
            Self::Stage(stage, _) => Ink::Stage(*stage),
            Self::Series { kind, .. } => Ink::Benchmark(*kind),
        }
    }

    /// Names its values on an axis.
    pub fn quantity(&self) -> &'static str {
        match self {
            Self::Stage(..) => "latency",
            Self::Series { kind, series, .. } => match (kind, series.as_str()) {
                (BenchmarkKind::Gtod, _) => "difference",
                (BenchmarkKind::Inversion, _) => "wait",
                (BenchmarkKind::Spin, _) => "gap",
                (BenchmarkKind::Isolate, _) => "disturbance",
                (BenchmarkKind::Realfeel, _) | (BenchmarkKind::Jitter, "interval") => "deviation",
                (BenchmarkKind::Jitter, _) => "time",
                _ => "latency",
            },
        }
    }

    /// Returns whether values lie on both sides of zero.
    pub fn is_signed(&self) -> bool {
        self.quantity() == "deviation"
    }
}

impl From<&SeriesName> for Subject {
    fn from(name: &SeriesName) -> Self {
        match name {
            SeriesName::Stage { stage, view } => Self::Stage(*stage, *view),
            SeriesName::Benchmark { benchmark, variant, series } => {
                Self::Series { kind: *benchmark, variant: variant.clone(), series: series.clone() }
            }
        }
    }
}

/// Names the stage, with its view where it is not the usual one.
pub(crate) fn stage_name(stage: Stage, view: View) -> String {
    match view {
        View::Inside => stage.name().into(),
        View::Outside => format!("{stage} (outside)"),
    }
}
