// SPDX-License-Identifier: Apache-2.0 OR MIT
//! sweep.json: how each stage answers as triggers come faster, and where it
//! stops keeping up.

use irqscope_run::{RunDir, RunError};
use irqscope_wire::{Mode, Stage, View};
use serde::{Deserialize, Serialize};

use crate::{AnalysisError, CaseSummary, QUANTILE_METHOD, Result, StageSummary, Summary};

/// The format of sweep.json.
///
/// 1: first.
pub const VERSION: u32 = 1;

pub(crate) const FILE: &str = "sweep.json";

/// All steps of a run, in order of case and stage.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sweep {
    /// The file's format, which is [`VERSION`] of the program that wrote it.
    pub version: u32,
    /// The summary's: over all samples.
    pub digest: String,
    /// How the quantiles of all points are made; see [`QUANTILE_METHOD`].
    pub quantile_method: String,
    /// The version of irqscope that has measured.
    pub tool_version: String,
    /// The scenario's name.
    pub scenario: String,
    /// By swept case in the manifest's order, and then by stage.
    pub series: Vec<Series>,
}

/// One stage of one case at every frequency.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// `kernel/state`.
    pub case: String,
    /// The kernel's name in the scenario.
    pub kernel: String,
    /// The system state's name in the scenario.
    pub state: String,
    /// The stage that was asked.
    pub stage: Stage,
    /// The main view of its cases: outside, where there is a generator.
    pub view: View,
    /// Where the stage stops keeping up.
    pub knee: Knee,
    /// By frequency, ascending.
    pub points: Vec<Point>,
}

/// The highest frequency at which, and at all steps below which, the stage kept
/// up. It lies between two steps: the last good one is given, and the first that
/// was not.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Knee {
    /// It did not keep up with the lowest frequency.
    Below {
        /// The lowest frequency of the sweep.
        next_hz: f64,
    },
    /// It kept up with one step, and not with the next.
    At {
        /// The last step that it kept up with.
        frequency_hz: f64,
        /// The first step that it did not keep up with.
        next_hz: f64,
        /// `next_hz` by `frequency_hz`: how finely the knee is known.
        ratio: f64,
    },
    /// It kept up with the highest frequency.
    Beyond {
        /// The highest frequency of the sweep.
        frequency_hz: f64,
    },
}

/// One stage at one frequency.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The case of the run: `kernel/state/frequency`.
    pub case: String,
    /// One by the period that was really set.
    pub frequency_hz: f64,
    /// From trigger to trigger: as the generator really set it, without one as it was asked for; 0
    /// if it is not known.
    pub period_ns: i64,
    /// Every trigger had a response of its own, and nothing is in doubt.
    pub keeps_up: bool,
    /// The case has no valid result: no figure here may be used.
    pub invalid: bool,
    /// Those that asked this stage.
    pub triggers: u64,
    /// Responses; the figures are over these alone.
    pub count: u64,
    /// The median latency, by nearest rank; `None`, as the other two figures, where `count` is 0.
    pub p50_ns: Option<i64>,
    /// The 99th percentile, by nearest rank.
    pub p99_ns: Option<i64>,
    /// The longest latency.
    pub max_ns: Option<i64>,
    /// Triggers that an earlier one's response answered as well.
    #[serde(alias = "merged")]
    pub coalesced: u64,
    /// Triggers that the stage did not answer within `trigger.timeout`.
    pub missing: u64,
    /// Responses whose trigger is not certain.
    pub unsure: u64,
    /// Of all stages: interrupts that never reached the handler.
    pub lost_interrupts: u64,
    /// Of all stages: samples that the generator could not keep.
    pub dropped: u64,
    /// Of all stages: triggers that were due and were not sent.
    pub skipped: u64,
}

impl Sweep {
    /// Makes the sweep; `None` if the run is no sweep.
    pub fn of(summary: &Summary) -> Option<Self> {
        let mut names: Vec<&str> = summary.cases.iter().filter_map(step_of).collect();
        names.dedup();
        let series = names.iter().flat_map(|name| all_series(summary, name)).collect();
        (!names.is_empty()).then(|| Self {
            version: VERSION,
            digest: summary.digest.clone(),
            quantile_method: QUANTILE_METHOD.into(),
            tool_version: summary.tool_version.clone(),
            scenario: summary.scenario.clone(),
            series,
        })
    }

    /// Returns the names of the cases that were swept, in order.
    pub fn cases(&self) -> Vec<&str> {
        let mut cases: Vec<&str> = self.series.iter().map(|one| one.case.as_str()).collect();
        cases.dedup();
        cases
    }

    /// Returns every stage that any case has, in order.
    pub fn stages(&self) -> Vec<Stage> {
        let mut stages: Vec<Stage> = self.series.iter().map(|one| one.stage).collect();
        stages.sort_unstable();
        stages.dedup();
        stages
    }

    /// Returns one stage of all cases that have it.
    pub fn of_stage(&self, stage: Stage) -> impl Iterator<Item = &Series> {
        self.series.iter().filter(move |one| one.stage == stage)
    }

    /// Returns the largest factor from one frequency to the next.
    pub fn ratio(&self) -> Option<f64> {
        let pairs = self.series.iter().flat_map(|one| one.points.windows(2));
        let ratios = pairs.map(|pair| pair[1].frequency_hz / pair[0].frequency_hz);
        ratios.max_by(f64::total_cmp)
    }

    pub(crate) fn write(&self, run: &RunDir) -> Result<()> {
        let path = || run.path().join(FILE);
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|source| AnalysisError::Json { path: path(), source })?;
        text.push('\n');
        run.write(FILE, text.as_bytes())?;
        Ok(())
    }

    /// Reads what [`derive`](crate::derive) wrote.
    ///
    /// # Errors
    /// The file cannot be read, or it is no sweep: [`AnalysisError::Json`]. Its version is not
    /// compared.
    pub fn read(run: &RunDir) -> Result<Self> {
        let path = run.path().join(FILE);
        let text =
            irqscope_run::read_own(&path).map_err(|error| RunError::io("read", &path, error))?;
        serde_json::from_str(&text).map_err(|source| AnalysisError::Json { path, source })
    }
}

fn step_of(case: &CaseSummary) -> Option<&str> {
    case.step_of.as_deref()
}

/// Returns the stages of one swept case. One that a step lacks, because that step has no result,
/// has a point there all the same.
fn all_series(summary: &Summary, name: &str) -> Vec<Series> {
    let steps = || summary.cases.iter().filter(|case| step_of(case) == Some(name));
    let is_about = |case: &CaseSummary, stage| case.step_stage.is_none_or(|only| only == stage);
    let mut stages: Vec<(Stage, View)> = steps()
        .flat_map(|case| case.stages.iter().filter(|stage| stage.view == case.main_view()))
        .map(|stage| (stage.stage, stage.view))
        .collect();
    stages.sort_unstable();
    stages.dedup();
    let series = |(stage, view)| {
        let about = steps().filter(|case| is_about(case, stage));
        let mut points: Vec<Point> =
            about.map(|case| Point::new(case, case.stage(stage, view))).collect();
        points.sort_by(|a, b| a.frequency_hz.total_cmp(&b.frequency_hz));
        let first = steps().next()?;
        Some(Series {
            case: name.to_owned(),
            kernel: first.kernel.clone(),
            state: first.state.clone(),
            stage,
            view,
            knee: Knee::of(&points)?,
            points,
        })
    };
    stages.into_iter().filter_map(series).collect()
}

impl Knee {
    /// Finds the knee of points in ascending order; `None` of nothing.
    pub fn of(points: &[Point]) -> Option<Self> {
        let first_bad = points.iter().position(|point| !point.keeps_up);
        let frequency = |index: usize| points.get(index).map(|point| point.frequency_hz);
        Some(match first_bad {
            None => Self::Beyond { frequency_hz: frequency(points.len().checked_sub(1)?)? },
            Some(0) => Self::Below { next_hz: frequency(0)? },
            Some(bad) => {
                let (frequency_hz, next_hz) = (frequency(bad - 1)?, frequency(bad)?);
                Self::At { frequency_hz, next_hz, ratio: next_hz / frequency_hz }
            }
        })
    }

    /// Returns the last frequency that the stage kept up with.
    pub fn frequency_hz(self) -> Option<f64> {
        match self {
            Self::Below { .. } => None,
            Self::At { frequency_hz, .. } | Self::Beyond { frequency_hz } => Some(frequency_hz),
        }
    }
}

impl Series {
    /// Returns the last point up to the knee.
    pub fn at_knee(&self) -> Option<&Point> {
        self.points.iter().take_while(|point| point.keeps_up).last()
    }

    /// Returns the first point beyond the knee.
    pub fn beyond_knee(&self) -> Option<&Point> {
        self.points.iter().find(|point| !point.keeps_up)
    }
}

impl Point {
    fn new(case: &CaseSummary, stage: Option<&StageSummary>) -> Self {
        let outside = case.outside.as_ref();
        let asked = || case.period_ns.and_then(|period| i64::try_from(period).ok());
        // A generator that never sent its settings has a period of 0.
        let seen = outside.map(|outside| outside.period_ns).filter(|period| *period > 0);
        let period_ns = seen.or_else(asked).unwrap_or(0);
        let of_stage = |count: fn(&StageSummary) -> u64| stage.map_or(0, count);
        let mut point = Self {
            case: case.case.clone(),
            frequency_hz: 1e9 / period_ns.max(1) as f64,
            period_ns,
            keeps_up: false,
            // Without a generator it is unknown what the target never saw.
            invalid: !case.identity_holds || outside.is_none() || stage.is_none(),
            triggers: match case.mode {
                Mode::Together => case.triggers,
                Mode::Isolated => of_stage(|one| one.count + one.coalesced + one.missing),
            },
            count: of_stage(|one| one.count),
            p50_ns: stage.and_then(|one| one.p50_ns),
            p99_ns: stage.and_then(|one| one.p99_ns),
            max_ns: stage.and_then(|one| one.max_ns),
            coalesced: of_stage(|one| one.coalesced),
            missing: of_stage(|one| one.missing),
            unsure: of_stage(|one| one.unsure),
            lost_interrupts: outside.and_then(|one| one.lost_interrupts).unwrap_or(0),
            dropped: outside.map_or(0, |one| one.dropped),
            skipped: case.skipped,
        };
        let spoilt = point.failings().iter().any(|(count, _)| *count > 0);
        point.keeps_up =
            !point.invalid && !spoilt && point.triggers > 0 && point.count == point.triggers;
        point
    }

    /// Counts what keeps a stage from having answered every trigger.
    pub fn failings(&self) -> [(u64, &'static str); 6] {
        [
            (self.coalesced, "coalesced"),
            (self.missing, "missing"),
            (self.unsure, "unsure"),
            (self.lost_interrupts, "interrupts lost"),
            (self.dropped, "dropped"),
            (self.skipped, "not sent"),
        ]
    }
}
