// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One stage in one view, while it is measured.

use hdrhistogram::Histogram;
use irqscope_quantity::Quantile;
use irqscope_run::SampleRow;
use irqscope_wire::{Stage, View};
use serde::Serialize;

use super::bins::Bins;
use super::course::{Course, Points};
use super::worst::{Longest, WORST, Worst};

/// Longer latencies (18 minutes) share the last bin; minimum, mean and maximum know
/// better.
const LONGEST_NS: u64 = 1 << 40;
const DIGITS: u8 = 3;

/// The known figures of a series, in nanoseconds; see docs/dashboard-api.md.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LiveSeries {
    /// The stage that was asked.
    pub stage: Stage,
    /// The clock behind the latencies: the generator's or the target's.
    pub view: View,
    /// Responses, which all have a latency; the figures are of these alone.
    pub count: u64,
    /// Triggers that asked the stage and had no answer in time.
    pub missing: u64,
    /// Triggers that one run of the stage answered together with an earlier one.
    pub coalesced: u64,
    /// Answered, but the trigger is not certain: the latency is an upper bound.
    pub unsure: u64,
    /// Answered, but another interrupt came in between.
    pub hit: u64,
    /// The shortest latency, exact; `None`, as all figures, where `count` is 0.
    pub min_ns: Option<i64>,
    /// The arithmetic mean, exact as the finished run's.
    pub mean_ns: Option<f64>,
    /// The longest latency, exact.
    pub max_ns: Option<i64>,
    /// The jitter: the sample's standard deviation (n - 1), by Welford's method; `None` of fewer
    /// than two.
    pub stddev_ns: Option<f64>,
    /// The 5th percentile, from a histogram of three significant digits: within 0.1 % of nearest
    /// rank; it takes 200 latencies.
    pub p5_ns: Option<i64>,
    /// The median, as near to nearest rank as `p5_ns`; it takes 20 latencies.
    pub p50_ns: Option<i64>,
    /// The 95th percentile, likewise; it takes 200 latencies.
    pub p95_ns: Option<i64>,
    /// The 99th percentile; it takes 1,000 latencies.
    pub p99_ns: Option<i64>,
    /// The 99.9th percentile; it takes 10,000 latencies.
    pub p99_9_ns: Option<i64>,
    /// The 99.99th percentile; it takes 100,000 latencies.
    pub p99_99_ns: Option<i64>,
    /// The 99.999th percentile; it takes 1,000,000 latencies.
    pub p99_999_ns: Option<i64>,
    /// None where they were not asked for.
    pub histogram: Option<Bins>,
    /// Minimum, mean and maximum over the triggers' time; `None` where `histogram` is.
    pub course: Option<Points>,
}

pub(super) struct Series {
    stage: Stage,
    view: View,
    values: Histogram<u64>,
    sum: i128,
    /// The mean until now, and the squares of what is beside it.
    mean: f64,
    squares: f64,
    min: i64,
    max: i64,
    missing: u64,
    coalesced: u64,
    unsure: u64,
    hit: u64,
    course: Course,
    worst: Longest,
}

impl Series {
    pub fn new(stage: Stage, view: View, period_ns: u64) -> Option<Self> {
        Some(Self {
            stage,
            view,
            // Grows up to the longest latency, and no farther.
            values: Histogram::new_with_max(1 << 20, DIGITS).ok().map(resizing)?,
            sum: 0,
            mean: 0.0,
            squares: 0.0,
            min: i64::MAX,
            max: i64::MIN,
            missing: 0,
            coalesced: 0,
            unsure: 0,
            hit: 0,
            course: Course::new(period_ns),
            worst: Longest::new(WORST),
        })
    }

    pub fn add(&mut self, row: &SampleRow) {
        let Some(latency) = row.latency else {
            self.coalesced += u64::from(row.is_coalesced());
            self.missing += u64::from(!row.is_coalesced());
            return;
        };
        let latency = latency.0;
        // Only `record` lets the histogram grow; no value is too long for it then.
        let recorded = self.values.record(u64::try_from(latency).unwrap_or(0).min(LONGEST_NS));
        debug_assert!(recorded.is_ok());
        self.sum = self.sum.saturating_add(latency.into());
        let beside = latency as f64 - self.mean;
        self.mean += beside / self.values.len() as f64;
        self.squares += beside * (latency as f64 - self.mean);
        self.min = self.min.min(latency);
        self.max = self.max.max(latency);
        self.unsure += u64::from(row.is_unsure());
        self.hit += u64::from(row.is_hit());
        self.course.add(row.trigger.0, latency);
        self.worst.add(row);
    }

    /// Counts the triggers of which it has a row.
    pub fn rows(&self) -> u64 {
        self.values.len() + self.missing + self.coalesced
    }

    pub fn figures(&self, drawn: bool) -> LiveSeries {
        let count = self.values.len();
        let known = |value| (count > 0).then_some(value);
        LiveSeries {
            stage: self.stage,
            view: self.view,
            count,
            missing: self.missing,
            coalesced: self.coalesced,
            unsure: self.unsure,
            hit: self.hit,
            min_ns: known(self.min),
            mean_ns: (count > 0).then(|| self.sum as f64 / count as f64),
            max_ns: known(self.max),
            stddev_ns: (count > 1).then(|| (self.squares / (count - 1) as f64).sqrt()),
            p5_ns: self.quantile(Quantile::P5),
            p50_ns: self.quantile(Quantile::P50),
            p95_ns: self.quantile(Quantile::P95),
            p99_ns: self.quantile(Quantile::P99),
            p99_9_ns: self.quantile(Quantile::P99_9),
            p99_99_ns: self.quantile(Quantile::P99_99),
            p99_999_ns: self.quantile(Quantile::P99_999),
            histogram: drawn.then(|| self.bins()),
            course: drawn.then(|| self.course.points()),
        }
    }

    pub fn worst(&self) -> impl Iterator<Item = Worst> {
        self.worst.all()
    }

    /// Returns a quantile, if there are values enough for it: the histogram's bins have an upper
    /// end; no value lay beyond the extremes.
    fn quantile(&self, quantile: Quantile) -> Option<i64> {
        // In the middle between two ranks, so that no rounding gives the next one.
        let count = self.values.len();
        let middle = (quantile.rank(count) as f64 - 0.5) / count.max(1) as f64;
        let value = i64::try_from(self.values.value_at_quantile(middle)).unwrap_or(i64::MAX);
        quantile.is_known_of(count).then(|| value.clamp(self.min, self.max))
    }

    fn bins(&self) -> Bins {
        Bins::of(self.values.iter_recorded().map(|step| {
            let value = self.values.lowest_equivalent(step.value_iterated_to());
            (i64::try_from(value).unwrap_or(i64::MAX), step.count_at_value())
        }))
    }
}

fn resizing(mut histogram: Histogram<u64>) -> Histogram<u64> {
    histogram.auto(true);
    histogram
}
