// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The data of a run for exports: its cases, and in each of them sets of values.

use irqscope_analysis::{Ascending, CaseFigures, Counted};
use irqscope_quantity::Quantile;
use irqscope_run::{CaseData, LogIndex, RunDir};
use irqscope_wire::{BenchmarkKind, Started, View};

use crate::foreign::ForeignError;

/// A case of the run.
pub struct Case {
    /// Position in the manifest.
    pub number: u16,
    pub name: String,
}

/// The values of one stage in one view, or of one series of a benchmark.
pub struct Set {
    /// Names and values that distinguish it from others: `stage` and `view`, or `benchmark`,
    /// `variant` and `series`.
    pub labels: Vec<(&'static str, String)>,
    pub cpu: Option<u16>,
    /// Those that another interrupt hit are apart.
    parts: (Counted, Counted),
    /// Triggers or periods without a value, by what became of them.
    pub without: Vec<(&'static str, u64)>,
}

/// A case with its sets.
pub struct Sets {
    pub target: Option<Started>,
    pub sets: Vec<Set>,
}

/// Returns the chosen case, or all in the manifest's order.
pub fn cases(run: &RunDir, asked: Option<&str>) -> Result<Vec<Case>, ForeignError> {
    let all = run.manifest().cases.iter().zip(0..);
    let all: Vec<Case> =
        all.map(|(case, number)| Case { number, name: case.case.clone() }).collect();
    let Some(asked) = asked else { return Ok(all) };
    let known = all.iter().map(|case| case.name.clone()).collect();
    let chosen: Vec<Case> = all.into_iter().filter(|case| case.name == asked).collect();
    if chosen.is_empty() {
        return Err(ForeignError::NoCase { asked: asked.to_owned(), cases: known });
    }
    Ok(chosen)
}

impl Case {
    pub fn sets(&self, run: &RunDir, index: &LogIndex) -> Result<Sets, ForeignError> {
        let stream = run.stream(index, self.number)?;
        let figures = CaseFigures::of_stream(&stream, run.path())?;
        let data = stream.data();
        let stages = figures.stages.into_iter().map(|one| Set {
            labels: vec![("stage", one.stage.to_string()), ("view", one.view.to_string())],
            cpu: planned_cpu(data).filter(|_| one.view == View::Inside),
            parts: (one.clean, one.hit),
            without: vec![("missing", one.missing), ("coalesced", one.coalesced)],
        });
        let series = figures.series.into_iter().map(|one| {
            let of = &data.benchmarks[one.benchmark].series[one.series];
            let count = of.count.as_ref();
            Set {
                labels: vec![
                    ("benchmark", one.kind.to_string()),
                    ("variant", one.variant),
                    ("series", one.name),
                ],
                cpu: of.cpu,
                parts: (one.values, Counted::default()),
                without: vec![
                    ("skipped", count.map_or(0, |count| count.skipped)),
                    ("dropped", count.map_or(0, |count| count.dropped)),
                ],
            }
        });
        let sets = stages.chain(series).collect();
        Ok(Sets { target: data.started.clone(), sets })
    }

    /// Sets that have values, for formats that need some.
    ///
    /// # Errors
    /// There is none, or one has values below zero.
    pub fn histograms(
        &self,
        run: &RunDir,
        index: &LogIndex,
        format: &'static str,
    ) -> Result<Sets, ForeignError> {
        let mut sets = self.sets(run, index)?;
        sets.sets.retain(|set| set.values().count() > 0);
        if sets.sets.is_empty() {
            return Err(ForeignError::Nothing { of: format!(" of {}", self.name) });
        }
        let negative = |set: &&Set| set.values().min().is_some_and(|least| least < 0);
        match sets.sets.iter().find(negative) {
            Some(set) => Err(ForeignError::Negative { what: set.name(), format }),
            None => Ok(sets),
        }
    }
}

fn planned_cpu(data: &CaseData) -> Option<u16> {
    u16::try_from(data.plan.as_ref()?.cpu).ok()
}

impl Set {
    pub fn values(&self) -> irqscope_analysis::Both<'_> {
        irqscope_analysis::Both(&self.parts.0, &self.parts.1)
    }

    /// Returns `softirq inside`, `sched fifo 80 cpu0`.
    pub fn name(&self) -> String {
        self.labels.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(" ")
    }

    /// Returns whether values lie on both sides of zero by their nature.
    pub fn is_signed(&self) -> bool {
        let signed = [BenchmarkKind::Realfeel, BenchmarkKind::Jitter].map(BenchmarkKind::name);
        self.labels
            .iter()
            .any(|(name, value)| *name == "benchmark" && signed.contains(&value.as_str()))
    }

    /// Returns `softirq inside`, `cpu0`: among the sets of one benchmark it is enough.
    pub fn short_name(&self) -> String {
        let series = self.labels.iter().find(|(name, _)| *name == "series");
        series.map_or_else(|| self.name(), |(_, series)| series.clone())
    }

    /// Returns the figures by their names: `min`, the quantiles that there are enough values for,
    /// `max`; in nanoseconds. Empty without values.
    pub fn figures(&self) -> Result<Vec<(String, i64)>, ForeignError> {
        let values = self.values();
        let asked = Quantile::OF_SUMMARIES;
        let quantiles = values.quantiles(asked)?.into_iter();
        let named = asked.iter().zip(quantiles).map(|(asked, value)| (asked.to_string(), value));
        let least = std::iter::once((Quantile::MIN.to_string(), values.min()));
        let greatest = std::iter::once((Quantile::MAX.to_string(), values.max()));
        let all = least.chain(named).chain(greatest);
        Ok(all.filter_map(|(name, value)| Some((name, value?))).collect())
    }

    pub fn sum(&self) -> Result<i128, ForeignError> {
        let mut sum = 0i128;
        self.values().each(&mut |value, count| {
            sum = sum.saturating_add(i128::from(value).saturating_mul(i128::from(count)));
        })?;
        Ok(sum)
    }
}
