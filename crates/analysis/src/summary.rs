// SPDX-License-Identifier: Apache-2.0 OR MIT
//! summary.json.

use std::collections::{BTreeMap, BTreeSet};

use irqscope_run::{RunDir, RunError, read_own};
use irqscope_wire::{Account, Mode, Stage, View};
use serde::{Deserialize, Serialize};

use crate::{
    AnalysisError, Ascending, Counted, Distribution, EdgeOffset, ObserverEffect, OutsideAccount,
    Result, SeedsSummary, SeriesSummary, Statistics, Unavailable,
};

/// The summary's format.
///
/// 1: first. 2: `overrun` is `dropped`, `merged` is `coalesced`, and a log that was cut off has
/// `unrecorded` and `open` triggers; there are p99.99 and p99.999. 3: a quantile with fewer than ten
/// values beyond it is null.
pub const VERSION: u32 = 3;

pub(crate) const FILE: &str = "summary.json";

/// The contents of summary.json: what a run's log says about each of its cases.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// The file's format, which is `VERSION` of the program that wrote it.
    pub version: u32,
    /// SHA-256 over all samples; the form is in the crate `run`.
    pub digest: String,
    /// How the quantiles of all cases are made: by nearest rank, which is type 1 of Hyndman and Fan
    /// (1996).
    pub quantile_method: String,
    /// The version of irqscope that has measured, which may be older than the one that made this
    /// file.
    pub tool_version: String,
    /// The scenario's name, as the manifest has it.
    pub scenario: String,
    /// Every case ran to its end.
    pub complete: bool,
    /// About the run as a whole.
    pub warnings: Vec<String>,
    /// In the manifest's order.
    pub cases: Vec<CaseSummary>,
    /// Of the cases that were measured with and without the view from inside.
    #[serde(default)]
    pub observer_effects: Vec<ObserverEffect>,
    /// Of each case that was measured with several seeds, its figures over them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seeds: Vec<SeedsSummary>,
}

/// The account of one case, its figures, and what speaks against them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CaseSummary {
    /// `kernel/state`, unique in its run; in a sweep `kernel/state/frequency`, with one of several
    /// seeds `kernel/state/seed-7`.
    pub case: String,
    /// The case that this is one step of, in a sweep.
    #[serde(default)]
    pub step_of: Option<String>,
    /// The only stage that this step is about, in a sweep of one stage after the other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_stage: Option<Stage>,
    /// The case that this is with one of several seeds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed_of: Option<String>,
    /// The seed, of one of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Of one of several seeds: the digest that a run of this seed and of nothing else has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed_digest: Option<String>,
    /// The kernel's name in the scenario; `release` is its own.
    pub kernel: String,
    /// As the kernel calls itself; empty if it never spoke.
    pub release: String,
    /// The system state's name in the scenario, such as `idle`.
    pub state: String,
    /// From trigger to trigger, as it was asked for; jitter comes on top.
    #[serde(default)]
    pub period_ns: Option<u64>,
    /// Which stages one trigger asked.
    #[serde(default = "together")]
    pub mode: Mode,
    /// The driver's counts; those of the samples where it never reported. Where
    /// a generator sent the triggers they are counted there.
    pub triggers: u64,
    /// Triggers that every asked stage answered by a response of its own.
    pub complete: u64,
    /// Per stage, how many triggers it did not answer.
    pub missing: BTreeMap<Stage, u64>,
    /// Triggers that lack at least one stage: the identity's term.
    pub missing_triggers: u64,
    /// Triggers that were answered together with an earlier one; those that a generator sent and
    /// whose interrupt was lost in a pending one are among them.
    pub coalesced: u64,
    /// Triggers whose sample found no room.
    #[serde(alias = "overrun")]
    pub dropped: u64,
    /// Triggers of which the log has no record, because it was cut off.
    #[serde(default)]
    pub unrecorded: u64,
    /// Triggers that were not accounted for when the log was cut off.
    #[serde(default)]
    pub open: u64,
    /// Points of the time grid without a trigger; no term of the identity.
    pub skipped: u64,
    /// Runs of a stage with no trigger pending, by the driver's count; 0 if it never reported.
    pub spurious: u64,
    /// The driver reported its counters, and there is no violation of any kind.
    pub identity_holds: bool,
    /// The driver reported its counters.
    pub finished: bool,
    /// The rig or the target said why it could not go on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub failed: bool,
    /// The clock counts executed instructions.
    pub twin: bool,
    /// The length of one count of the target's cycle counter; `None` if neither the plan nor the
    /// target gave it.
    pub tick_femtoseconds: Option<u64>,
    /// The virtual time that one instruction takes; the twin only.
    pub instruction_femtoseconds: Option<u64>,
    /// Why the figures must not be used; empty in a valid measurement.
    pub violations: Vec<String>,
    /// Why the figures may be doubtful, each with its remedy; in a sweep without the signs of
    /// overload, which it looks for.
    pub warnings: Vec<String>,
    /// The generator's own account; None where there was none.
    pub outside: Option<OutsideAccount>,
    /// By stage; only where both views are on one clock.
    #[serde(default)]
    pub edge_offsets: Vec<EdgeOffset>,
    /// In order of stage and view, outside first. A stage that was set up and never answered is
    /// here with a count of 0; of benchmarks there are no stages.
    pub stages: Vec<StageSummary>,
    /// Every series of every benchmark, in order; there are none where stages
    /// were asked.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub benchmarks: Vec<SeriesSummary>,
    /// Benchmarks that the target could not run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unavailable: Vec<Unavailable>,
}

fn together() -> Mode {
    Mode::Together
}

/// Statistics are over every answered trigger, those hit by another interrupt
/// included.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StageSummary {
    /// The stage that was asked.
    pub stage: Stage,
    /// The clock behind the latencies: the generator's (outside) or the target's cycle counter
    /// (inside).
    pub view: View,
    /// Responses, which all have a latency; the figures are of these alone.
    pub count: u64,
    /// The shortest latency; `None`, as all figures down to `mean_ns`, where `count` is 0.
    pub min_ns: Option<i64>,
    /// The 5th percentile, by nearest rank as the others; it takes 200 latencies.
    pub p5_ns: Option<i64>,
    /// The median; of an even number of latencies the lower of the two in the middle; it takes 20.
    pub p50_ns: Option<i64>,
    /// The 95th percentile; it takes 200 latencies.
    pub p95_ns: Option<i64>,
    /// The 99th percentile; it takes 1,000 latencies.
    pub p99_ns: Option<i64>,
    /// The 99.9th percentile; it takes 10,000 latencies.
    pub p99_9_ns: Option<i64>,
    /// The 99.99th percentile; it takes 100,000 latencies.
    #[serde(default)]
    pub p99_99_ns: Option<i64>,
    /// The 99.999th percentile; it takes 1,000,000 latencies.
    #[serde(default)]
    pub p99_999_ns: Option<i64>,
    /// The longest latency.
    pub max_ns: Option<i64>,
    /// The arithmetic mean.
    pub mean_ns: Option<f64>,
    /// The sample's standard deviation (n - 1); `None` of fewer than two latencies.
    pub stddev_ns: Option<f64>,
    /// The cost of one stamp, in instructions; known in the twin only.
    pub cost_instructions: Option<u64>,
    /// The cost of one stamp and answer in counts of the target's counter, measured when the driver
    /// is loaded; the same in both views, `None` if the target never sent it.
    pub cost_cycles: Option<u64>,
    /// The same cost as time; `None` as well where the counter's tick is not known.
    pub cost_ns: Option<i64>,
    /// Triggers that asked the stage and had no answer within `trigger.timeout`.
    pub missing: u64,
    /// Triggers that one run of the stage answered together with an earlier one.
    #[serde(alias = "merged")]
    pub coalesced: u64,
    /// Answered, but the trigger is not certain: the latency is an upper bound.
    #[serde(default)]
    pub unsure: u64,
    /// Answered, but another interrupt came in between.
    pub hit: u64,
    /// None where stages have no execution times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution: Option<ExecutionSummary>,
}

/// From a stage's response to the end of what it executed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ExecutionSummary {
    /// Responses whose end was seen.
    pub count: u64,
    /// The shortest execution.
    pub min_ns: i64,
    /// The median, by nearest rank; it takes 20 responses.
    pub p50_ns: Option<i64>,
    /// The 99th percentile, by nearest rank; it takes 1,000 responses.
    pub p99_ns: Option<i64>,
    /// The longest execution.
    pub max_ns: i64,
}

impl ExecutionSummary {
    fn of(values: &Counted) -> Result<Option<Self>> {
        let figures = Statistics::of_all(values)?;
        let Statistics { count, p50: p50_ns, p99: p99_ns, .. } = figures;
        let extremes = figures.min.zip(figures.max);
        Ok(extremes.map(|(min_ns, max_ns)| Self { count, min_ns, p50_ns, p99_ns, max_ns }))
    }
}

impl StageSummary {
    pub(crate) fn new(distribution: &Distribution) -> Result<Self> {
        let figures = Statistics::of_all(&distribution.all())?;
        Ok(Self {
            stage: distribution.stage,
            view: distribution.view,
            count: figures.count,
            min_ns: figures.min,
            p5_ns: figures.p5,
            p50_ns: figures.p50,
            p95_ns: figures.p95,
            p99_ns: figures.p99,
            p99_9_ns: figures.p99_9,
            p99_99_ns: figures.p99_99,
            p99_999_ns: figures.p99_999,
            max_ns: figures.max,
            mean_ns: figures.mean,
            stddev_ns: figures.stddev,
            cost_instructions: None,
            cost_cycles: None,
            cost_ns: None,
            missing: distribution.missing,
            coalesced: distribution.coalesced,
            unsure: distribution.unsure,
            hit: distribution.hit.count(),
            execution: ExecutionSummary::of(&distribution.execution)?,
        })
    }
}

impl CaseSummary {
    /// Returns what became of every trigger.
    pub fn account(&self) -> Account {
        Account {
            triggers: self.triggers,
            complete: self.complete,
            missing: self.missing_triggers,
            coalesced: self.coalesced,
            dropped: self.dropped,
            unrecorded: self.unrecorded,
            open: self.open,
            skipped: self.skipped,
        }
    }

    /// Returns one stage's figures in one view; `None` if it was not set up there.
    pub fn stage(&self, stage: Stage, view: View) -> Option<&StageSummary> {
        self.stages.iter().find(|summary| summary.stage == stage && summary.view == view)
    }
}

/// The part of a summary that says how to read the rest.
#[derive(Deserialize)]
struct Version {
    version: u32,
}

impl Summary {
    /// Reads what [`derive`](crate::derive) wrote.
    ///
    /// # Errors
    /// The file cannot be read, it is no summary ([`AnalysisError::Json`]), or it is one of another
    /// version ([`AnalysisError::Version`]).
    pub fn read(run: &RunDir) -> Result<Self> {
        let path = run.path().join(FILE);
        let text = read_own(&path).map_err(|error| RunError::io("read", &path, error))?;
        let json = |source| AnalysisError::Json { path: path.clone(), source };
        let Version { version } = serde_json::from_str(&text).map_err(json)?;
        if version != VERSION {
            return Err(AnalysisError::Version { path, version, ours: VERSION });
        }
        serde_json::from_str(&text).map_err(json)
    }

    pub(crate) fn write(&self, run: &RunDir) -> Result<()> {
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|source| AnalysisError::Json { path: run.path().join(FILE), source })?;
        text.push('\n');
        run.write(FILE, text.as_bytes())?;
        Ok(())
    }

    /// Returns the texts of the cases' lists, each once, with the cases that have it.
    pub fn told(&self, list: fn(&CaseSummary) -> &Vec<String>) -> Vec<(String, &str)> {
        let mut told: Vec<(Vec<&CaseSummary>, &str)> = Vec::new();
        for case in &self.cases {
            for text in list(case) {
                match told.iter_mut().find(|(_, known)| known == text) {
                    Some((cases, _)) => cases.push(case),
                    None => told.push((vec![case], text)),
                }
            }
        }
        told.into_iter().map(|(cases, text)| (self.names(&cases), text)).collect()
    }

    /// Names cases; where all steps of a swept case, or all its seeds, are among them, its name stands
    /// for them.
    fn names(&self, cases: &[&CaseSummary]) -> String {
        fn of(case: &CaseSummary) -> Option<&str> {
            case.step_of.as_deref().or(case.seed_of.as_deref())
        }
        let told: BTreeSet<&str> = cases.iter().map(|case| case.case.as_str()).collect();
        let whole = |name: &str| {
            let mut all = self.cases.iter().filter(|one| of(one) == Some(name));
            all.all(|one| told.contains(one.case.as_str()))
        };
        let name = |case: &&CaseSummary| match of(case) {
            Some(name) if whole(name) => name.to_owned(),
            _ => case.case.clone(),
        };
        let mut names: Vec<String> = cases.iter().map(name).collect();
        names.dedup();
        names.join(", ")
    }

    /// Stands wherever figures of the twin are shown; `None` if none are.
    pub fn caveat(&self) -> Option<String> {
        let case = self.cases.iter().find(|case| case.twin)?;
        // If the twin was seen only through its generator, the instruction length is unknown.
        let times =
            case.instruction_femtoseconds.map(|long| format!(" x {} ns", long as f64 / 1e6));
        let times = times.unwrap_or_default();
        Some(format!(
            "virtual nanoseconds: executed instructions{times}; \
             the structure of a latency, not a hardware latency"
        ))
    }

    /// Returns every stage and view that any case has, in order.
    pub fn stages(&self) -> Vec<(Stage, View)> {
        let stages = self.cases.iter().flat_map(|case| &case.stages);
        let mut all: Vec<_> = stages.map(|stage| (stage.stage, stage.view)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Returns an error if any case's figures must not be used.
///
/// # Errors
/// [`AnalysisError::InvalidMeasurement`] with the violations of all cases, each after its case's
/// name.
pub fn check(summary: &Summary) -> Result<()> {
    let told = |case: &CaseSummary| {
        let told = case.violations.iter().map(|violation| format!("{}: {violation}", case.case));
        told.collect::<Vec<_>>()
    };
    let violations: Vec<String> = summary.cases.iter().flat_map(told).collect();
    if violations.is_empty() {
        return Ok(());
    }
    Err(AnalysisError::InvalidMeasurement { violations })
}
