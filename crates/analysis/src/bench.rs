// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Figures of benchmarks, and the check that every sample is accounted for.

use irqscope_run::{BenchSeries, BenchmarkData, CaseData};
use irqscope_wire::{Benchmark, BenchmarkKind, Beyond, Class, Instant, WatchedPart};
use serde::{Deserialize, Serialize};

use crate::{Ascending, Result, SeriesFigures, Statistics, Violation, Warning};

/// Figures of one series of a benchmark, over all its samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeriesSummary {
    /// The benchmark that was run.
    pub benchmark: BenchmarkKind,
    /// A clock, a policy or a way to wake, by which one benchmark is run in several ways.
    pub variant: String,
    /// A thread, as in `cpu0` or `cpu0.1`, or an instant within a round, as in `wait`.
    pub series: String,
    /// The CPU that its thread was pinned to; `None` if it was not pinned.
    pub cpu: Option<u16>,
    /// As its thread was really scheduled; none if the target never said.
    pub class: Option<String>,
    /// Samples that were received, each with a value; of an imported histogram all that its bins
    /// count.
    pub count: u64,
    /// The smallest value; `None`, as all figures down to `mean_ns`, where `count` is 0.
    pub min_ns: Option<i64>,
    /// The 5th percentile, by nearest rank as the others; it takes 200 values.
    pub p5_ns: Option<i64>,
    /// The median; of an even number of values the lower of the two in the middle; it takes 20.
    pub p50_ns: Option<i64>,
    /// The 95th percentile; it takes 200 values.
    pub p95_ns: Option<i64>,
    /// The 99th percentile; it takes 1,000 values.
    pub p99_ns: Option<i64>,
    /// The 99.9th percentile; it takes 10,000 values.
    pub p99_9_ns: Option<i64>,
    /// The 99.99th percentile; it takes 100,000 values.
    #[serde(default)]
    pub p99_99_ns: Option<i64>,
    /// The 99.999th percentile; it takes 1,000,000 values.
    #[serde(default)]
    pub p99_999_ns: Option<i64>,
    /// The largest value.
    pub max_ns: Option<i64>,
    /// The arithmetic mean.
    pub mean_ns: Option<f64>,
    /// The sample's standard deviation (n - 1); `None` of fewer than two values.
    pub stddev_ns: Option<f64>,
    /// Periods that had passed before their thread could see to them.
    pub skipped: u64,
    /// Measured, but there was no room to keep them; those beyond an imported histogram included.
    pub dropped: u64,
    /// The samples that lay beyond an imported histogram: greater than all others. Quantiles count
    /// them; those that lie among them are `None`, and so are mean and deviation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond: Option<Overflow>,
    /// Of a watch: the worst latency and those above the limit, the worst first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub timelines: Vec<Timeline>,
}

/// Samples beyond an imported histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overflow {
    /// How many there are.
    pub count: u64,
    /// None of them is less.
    pub from_ns: i64,
}

impl Overflow {
    const fn of(beyond: Beyond) -> Self {
        Self { count: beyond.count, from_ns: beyond.from.0 }
    }
}

impl SeriesSummary {
    fn new(data: &CaseData, figures: &SeriesFigures) -> Result<Self> {
        let benchmark = &data.benchmarks[figures.benchmark];
        let series = &benchmark.series[figures.series];
        let beyond = figures.values.beyond().map(Overflow::of);
        let figures = Statistics::of_all(&figures.values)?;
        let count = series.count.as_ref();
        Ok(Self {
            benchmark: benchmark.kind,
            variant: benchmark.variant.clone(),
            series: series.name.clone(),
            cpu: series.cpu,
            class: benchmark.class.map(|class| class.to_string()),
            count: figures.count - beyond.map_or(0, |beyond| beyond.count),
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
            skipped: count.map_or(0, |count| count.skipped),
            dropped: count.map_or(0, |count| count.dropped),
            beyond,
            timelines: timelines(benchmark, &series.name),
        })
    }

    /// Returns whether it is a latency or a length, and not only an instant within a round.
    pub fn is_figure(&self) -> bool {
        self.benchmark != BenchmarkKind::Inversion || self.series == Instant::WAIT
    }
}

/// One latency of a watch, with what the CPUs ran meanwhile.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timeline {
    /// When it began, on the target's CLOCK_MONOTONIC.
    pub at_ns: i64,
    /// The latency.
    pub ns: i64,
    /// In the order of time; they add up to the latency.
    pub parts: Vec<WatchedPart>,
}

impl Timeline {
    /// Returns what took the most of it, all its parts together, and for how long.
    pub fn culprit(&self) -> Option<(&WatchedPart, u64)> {
        let same = |one: &WatchedPart, other: &WatchedPart| {
            (&one.what, one.own) == (&other.what, other.own)
        };
        let all = |one: &WatchedPart| {
            self.parts.iter().filter(|other| same(one, other)).map(|part| part.ns).sum()
        };
        self.parts.iter().rev().map(|part| (part, all(part))).max_by_key(|(_, ns)| *ns)
    }
}

/// Returns the timelines of a series, the worst first. The worst may have been sent twice.
fn timelines(benchmark: &BenchmarkData, series: &str) -> Vec<Timeline> {
    let mine = benchmark.watched.iter().filter(|one| one.series == series);
    let timeline = |one: &irqscope_wire::WatchedLatency| Timeline {
        at_ns: one.at.0,
        ns: one.value.0,
        parts: one.parts.clone(),
    };
    let mut all: Vec<Timeline> = mine.map(timeline).collect();
    all.sort_by_key(|one| (std::cmp::Reverse(one.ns), one.at_ns));
    all.dedup();
    all
}

/// A benchmark that a target could not run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Unavailable {
    /// The benchmark that was asked for.
    pub benchmark: BenchmarkKind,
    /// The variant of it that could not be run.
    pub variant: String,
    /// The target's reason, in words for people.
    pub why: String,
}

pub(crate) fn summaries(data: &CaseData, all: &[SeriesFigures]) -> Result<Vec<SeriesSummary>> {
    all.iter().map(|one| SeriesSummary::new(data, one)).collect()
}

pub(crate) fn unavailable(data: &CaseData) -> Vec<Unavailable> {
    let of = |one: &BenchmarkData| {
        let (benchmark, variant) = (one.kind, one.variant.clone());
        one.unavailable.clone().map(|why| Unavailable { benchmark, variant, why })
    };
    data.benchmarks.iter().filter_map(of).collect()
}

/// Holds what was received against what the target says it sent, and that
/// against what was asked for.
pub(crate) fn violations(data: &CaseData) -> Vec<Violation> {
    let asked = data.plan.iter().flat_map(irqscope_wire::Plan::benchmarks);
    let mut violations = Vec::new();
    for (one, asked) in data.benchmarks.iter().zip(asked) {
        for series in &one.series {
            violations.extend(lost(one, series));
            violations.extend(unaccounted(one, series, asked));
        }
        if data.counters.is_some() && !one.has_ended() {
            violations.push(Violation::NoBenchmark(name(one)));
        }
    }
    violations
}

fn lost(one: &BenchmarkData, series: &BenchSeries) -> Option<Violation> {
    let count = series.count.as_ref()?;
    let (target, counted) = (count.taken, series.received);
    let series = format!("{} {}", name(one), series.name);
    (target != counted).then_some(Violation::BenchRecount { series, target, counted })
}

fn unaccounted(
    one: &BenchmarkData,
    series: &BenchSeries,
    benchmark: &Benchmark,
) -> Option<Violation> {
    let (count, asked) = (series.count.as_ref()?, benchmark.rounds()?);
    let terms = [count.taken, count.skipped, count.dropped];
    let sum = terms.iter().fold(0u64, |sum, term| sum.saturating_add(*term));
    let series = format!("{} {}", name(one), series.name);
    let [taken, skipped, dropped] = terms;
    (sum != asked).then_some(Violation::BenchIdentity { series, asked, taken, skipped, dropped })
}

pub(crate) fn warnings(data: &CaseData) -> Vec<Warning> {
    let mut warnings = Vec::new();
    for one in &data.benchmarks {
        if let Some(why) = &one.unavailable {
            warnings.push(Warning::NoBenchmark { benchmark: name(one), why: why.clone() });
        }
        let counts = || one.series.iter().filter_map(|series| series.count.as_ref());
        let (skipped, dropped): (u64, u64) = counts().fold((0, 0), |(skipped, dropped), count| {
            (skipped.saturating_add(count.skipped), dropped.saturating_add(count.dropped))
        });
        if skipped > 0 {
            warnings.push(Warning::BenchSkipped { benchmark: name(one), skipped });
        }
        // An import says itself what became of them.
        let imported = one.class == Some(Class::Unknown)
            || one.series.iter().any(|series| !series.counted.is_empty());
        if dropped > 0 && !imported {
            warnings.push(Warning::BenchDropped { benchmark: name(one), dropped });
        }
    }
    warnings
}

fn name(one: &BenchmarkData) -> String {
    format!("{} {}", one.kind, one.variant)
}
