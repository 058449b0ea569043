// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Return levels: values that are exceeded once in a number of samples, and how sure that is.
//!
//! Intervals are those of the profile likelihood (Coles, "An Introduction to
//! Statistical Modeling of Extreme Values", 2001, 4.3.3): all levels for which the
//! most likely shape is not less likely than the best fit by more than chance makes
//! it. They are not symmetric, as the truth is not.
//!
//! One threshold's interval is too short, because it takes the threshold for given: several
//! fit as well and say something else. An interval reaches over those of all thresholds that fit
//! (on the threshold's part in the uncertainty: Scarrott and MacDonald, "A review of extreme value
//! threshold estimation and uncertainty quantification", REVSTAT 10, 2012).
//!
//! A tail may seem to end where a cause that has not been met yet goes on. So the upper end is at
//! least that of an exponential tail, the lightest that has no end: worst-case execution times are
//! bounded by it for the same reason (Abella, Padilla, Castillo and Cazorla, "Measurement-Based
//! Worst-Case Execution Time Estimation Using the Coefficient of Variation", ACM TODAES 22, 2017).

use serde::Serialize;

use super::gpd::{Gpd, LEAST_SHAPE, maximum};

/// Half of the 95 % quantile of the chi-squared distribution with one degree of
/// freedom.
const DROP: f64 = 3.841_458_820_694_124 / 2.0;
/// The normal distribution's 97.5 % quantile.
const NORMAL: f64 = 1.959_963_984_540_054;
const MOST_SHAPE: f64 = 2.0;

/// A level with the time in which it is exceeded once.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ReturnLevel {
    /// The number of samples in which it is exceeded once (by a cluster of exceedances).
    pub samples: f64,
    /// The level.
    pub ns: f64,
    /// The interval's lower end.
    pub low_ns: f64,
    /// None if the samples set no limit.
    pub high_ns: Option<f64>,
}

/// Peaks over a threshold, and what was fitted to them.
pub(crate) struct Peaks<'a> {
    pub threshold: f64,
    pub excesses: &'a [f64],
    pub fit: Gpd,
    /// Peaks per sample.
    pub rate: f64,
}

impl Peaks<'_> {
    /// Returns the level; `None` if it lies below the threshold.
    pub fn level(&self, samples: f64) -> Option<ReturnLevel> {
        let share = 1.0 / (samples * self.rate);
        let best = self.fit.above(share);
        if share >= 1.0 || best <= 0.0 {
            return None;
        }
        let least = self.fit.likelihood(self.excesses) - DROP;
        let is_likely = |excess: f64| self.profile(excess, share) >= least;
        let largest = self.excesses.iter().copied().fold(best, f64::max);
        let (mut out, mut found) = (best, None);
        while found.is_none() && out < largest * 1e6 {
            out *= 2.0;
            found = (!is_likely(out)).then_some(out);
        }
        let high = found.map(|out| edge(best, out, is_likely).max(self.exponential(share)));
        let low = edge(best, 0.0, is_likely);
        let ns = |excess: f64| self.threshold + excess;
        Some(ReturnLevel { samples, ns: ns(best), low_ns: ns(low), high_ns: high.map(ns) })
    }

    /// Returns the upper end of an exponential tail's level: its scale is a mean of exponential
    /// values, whose logarithm is normal to one over the square root of their number.
    fn exponential(&self, share: f64) -> f64 {
        let count = self.excesses.len().max(1) as f64;
        let mean = self.excesses.iter().sum::<f64>() / count;
        -share.ln() * mean * (NORMAL / count.sqrt()).exp()
    }

    /// Returns the greatest likelihood with `share` of all peaks above `excess`.
    fn profile(&self, excess: f64, share: f64) -> f64 {
        let likelihood = |shape: f64| Gpd::through(shape, excess, share).likelihood(self.excesses);
        likelihood(maximum(&shapes(), likelihood))
    }

    /// Returns the shape's own interval.
    pub fn shape_interval(&self) -> [f64; 2] {
        let least = self.fit.likelihood(self.excesses) - DROP;
        let mean = self.excesses.iter().sum::<f64>() / self.excesses.len().max(1) as f64;
        let scales: Vec<f64> =
            (-24..=24).map(|step| mean * 2f64.powf(f64::from(step) / 6.0)).collect();
        let is_likely = |shape: f64| {
            let likelihood = |scale: f64| Gpd { scale, shape }.likelihood(self.excesses);
            likelihood(maximum(&scales, likelihood)) >= least
        };
        [LEAST_SHAPE, MOST_SHAPE].map(|end| edge(self.fit.shape, end, is_likely))
    }
}

/// Returns the last model's level, with an interval over those of all models; `None` if the level
/// lies below the last model's threshold.
pub(crate) fn level(models: &[Peaks<'_>], samples: f64) -> Option<ReturnLevel> {
    let (last, others) = models.split_last()?;
    let level = last.level(samples)?;
    let others = others.iter().filter_map(|model| model.level(samples));
    Some(others.fold(level, |hull, one| ReturnLevel {
        low_ns: hull.low_ns.min(one.low_ns),
        high_ns: hull.high_ns.zip(one.high_ns).map(|(left, right)| left.max(right)),
        ..hull
    }))
}

/// Returns an interval over those of all models' shapes.
pub(crate) fn shape_interval(models: &[Peaks<'_>]) -> [f64; 2] {
    let all = models.iter().map(Peaks::shape_interval);
    all.reduce(|[low, high], [left, right]| [low.min(left), high.max(right)])
        .unwrap_or([LEAST_SHAPE, MOST_SHAPE])
}

fn shapes() -> [f64; 25] {
    std::array::from_fn(|step| LEAST_SHAPE + (MOST_SHAPE - LEAST_SHAPE) * step as f64 / 24.0)
}

/// Finds how far from `inside` towards `outside` something holds.
fn edge(inside: f64, outside: f64, holds: impl Fn(f64) -> bool) -> f64 {
    if holds(outside) {
        return outside;
    }
    let (mut inside, mut outside) = (inside, outside);
    for _ in 0..30 {
        let middle = f64::midpoint(inside, outside);
        *if holds(middle) { &mut inside } else { &mut outside } = middle;
    }
    f64::midpoint(inside, outside)
}
