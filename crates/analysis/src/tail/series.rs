// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tails of the series of measured cases, and the time that return levels stand for.

use irqscope_quantity::Span;
use irqscope_wire::View;
use serde::Serialize;

use super::{TAIL_METHOD, Tail};
use crate::{Ascending, Measured, MeasuredCase, Result, SeriesName};

/// The limit of the extrapolation, as a multiple of the measured time.
const FARTHEST: f64 = 1_000.0;
/// Return periods where no time is named, as multiples of the number of samples.
const MULTIPLES: [f64; 3] = [1.0, 10.0, 100.0];

/// The tail of one series, or why there is none.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SeriesTail {
    /// The run's and the case's name.
    pub case: String,
    /// The series' name.
    pub series: String,
    /// How a tail is estimated.
    pub method: &'static str,
    /// Its nanoseconds are virtual ones.
    pub twin: bool,
    /// From one sample to the next.
    pub period_ns: Option<u64>,
    /// The estimate.
    pub tail: Option<Tail>,
    /// Why there is no estimate.
    pub refusal: Option<String>,
}

/// Which tails are asked for.
#[derive(Clone, Copy, Debug)]
pub struct TailAsk<'a> {
    /// Series by what a user calls them; empty: all.
    pub names: &'a [String],
    /// Of stages; `None`: the case's main view.
    pub view: Option<View>,
    /// The times in which a level is exceeded once; empty: once in as many samples, in ten and in a
    /// hundred times as many.
    pub every: &'a [Span],
}

/// Why tails cannot be estimated as asked.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TailError {
    #[error("nothing of that name was measured; there are: {have}")]
    Unknown { have: String },
    #[error("{name} has no period: the number of samples in a time is unknown; leave --every out")]
    NoPeriod { name: String },
    #[error(
        "--every goes farther than {FARTHEST} times what was measured of {name}; ask for less, or measure longer"
    )]
    TooFar { name: String },
}

/// Estimates the tails of all series that are asked for, in order of case and series.
///
/// # Errors
/// No series answers to a name, the times do not fit the series, or the disk's.
pub fn tails(cases: &[MeasuredCase], ask: &TailAsk<'_>) -> Result<Vec<SeriesTail>> {
    let mut all = Vec::new();
    for case in cases {
        for series in case.series.iter().filter(|series| ask.wants(case, series)) {
            all.push(SeriesTail::of(case, series, ask.every)?);
        }
    }
    if all.is_empty() {
        let names = cases.iter().flat_map(|case| &case.series);
        let mut names: Vec<String> = names.map(|series| series.name.to_string()).collect();
        names.dedup();
        return Err(TailError::Unknown { have: names.join(", ") }.into());
    }
    Ok(all)
}

impl TailAsk<'_> {
    fn wants(&self, case: &MeasuredCase, series: &Measured) -> bool {
        let is_named =
            self.names.is_empty() || self.names.iter().any(|name| series.name.answers_to(name));
        is_named && series.name.is_in(self.view.unwrap_or(case.main_view()))
    }
}

impl SeriesTail {
    fn of(case: &MeasuredCase, series: &Measured, every: &[Span]) -> Result<Self> {
        let period_ns = period_ns(case, series);
        let samples = return_periods(case, series, every, period_ns)?;
        let (tail, refusal) = match Tail::of(series, &samples)? {
            Ok(tail) => (Some(tail), None),
            Err(refusal) => (None, Some(refusal.to_string())),
        };
        Ok(Self {
            case: case.name(),
            series: series.name.to_string(),
            method: TAIL_METHOD,
            twin: case.summary.twin,
            period_ns,
            tail,
            refusal,
        })
    }
}

/// Returns the return periods in samples.
fn return_periods(
    case: &MeasuredCase,
    series: &Measured,
    every: &[Span],
    period_ns: Option<u64>,
) -> Result<Vec<f64>, TailError> {
    let count = series.sorted.count() as f64;
    if every.is_empty() {
        return Ok(MULTIPLES.map(|times| times * count).to_vec());
    }
    let name = || format!("{} {}", case.name(), series.name);
    let period = period_ns.ok_or_else(|| TailError::NoPeriod { name: name() })?;
    let all: Vec<f64> = every.iter().map(|span| span.0 as f64 / period as f64).collect();
    if all.iter().any(|samples| *samples > FARTHEST * count) {
        return Err(TailError::TooFar { name: name() });
    }
    Ok(all)
}

/// Returns the time from one sample to the next, where it is known: what was imported may not say it,
/// which is a period of 0.
fn period_ns(case: &MeasuredCase, series: &Measured) -> Option<u64> {
    let plan = case.case.plan.as_ref()?;
    let period_ns = match &series.name {
        // In turns each stage is asked by every n-th trigger.
        SeriesName::Stage { .. } => {
            let triggers = case.summary.triggers.max(1);
            let share = triggers as f64 / (series.sorted.count() + series.without).max(1) as f64;
            Some((plan.stages()?.period_ns as f64 * share) as u64)
        }
        SeriesName::Benchmark { benchmark, variant, .. } => {
            let asked = plan
                .benchmarks()
                .iter()
                .find(|one| one.kind() == *benchmark && one.variant() == *variant);
            asked?.period_ns()
        }
    };
    period_ns.filter(|ns| *ns > 0)
}
