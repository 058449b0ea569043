// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Confidence intervals for a quantile, and for the difference of two.
//!
//! **One quantile.** Between two order statistics, whose ranks follow from the
//! binomial distribution alone, whatever the values' is; between whole ranks it is
//! interpolated (Hutson, "Calculating nonparametric confidence intervals for
//! quantiles using fractional order statistics", Journal of Applied Statistics 26,
//! 1999).
//!
//! **Correlated samples.** n correlated samples are worth fewer independent ones.
//! How many follows from batches: consecutive stretches that are long against the
//! correlation. The spread of their shares of values above the quantile, over the
//! spread that independence would give, is the design effect, and its own
//! uncertainty is that of Student's t with one degree of freedom less than there
//! are batches (Korn and Graubard, "Confidence intervals for proportions with small
//! expected number of positive counts", Survey Methodology 24, 1998). How long the
//! batches have to be, the samples say themselves
//! ([`decorrelation`](super::exceedances::Exceedances::decorrelation)).
//!
//! **Differences.** Two runs are independent of each other: the limits of both are
//! combined as in Zou and Donner, "Construction of confidence limits about effect
//! measures: a general approach", Statistics in Medicine 27 (2008) (MOVER).
//!
//! A block bootstrap would do the same with more work and less certainty: it draws
//! blocks of the same length, adds the noise of drawing, and it has no answer where
//! a quantile lies beyond what the samples can bound; ranks say so.

use irqscope_quantity::Quantile;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, Normal, StudentsT};
use statrs::function::beta::beta_reg;

use super::Series;
use super::exceedances::Exceedances;
use crate::{Ascending, Counted, Result};

/// How intervals are made, as it stands in the output.
pub const INTERVAL_METHOD: &str = "fractional order statistics (Hutson 1999) of the effective sample size from batches (Korn and Graubard 1998) as long as the correlation asks (Politis and White 2004), differences by MOVER (Zou and Donner 2008)";

const MOST_BATCHES: usize = 64;
const FEWEST_BATCHES: usize = 8;
/// The length of a batch, as a multiple of the correlation.
const BATCH_PER_LAG: usize = 8;
/// Values beyond a quantile that are correlated say one thing, not many. With fewer groups of them
/// than this, the part of chance in it is unknown.
const FEWEST_GROUPS: usize = 12;

/// An estimate with both limits of its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    pub estimate: f64,
    pub low: f64,
    pub high: f64,
}

impl Interval {
    /// Returns `other` minus `self`; both independent of each other.
    pub fn difference(&self, other: &Self) -> Self {
        let estimate = other.estimate - self.estimate;
        let below = (other.estimate - other.low).hypot(self.high - self.estimate);
        let above = (other.high - other.estimate).hypot(self.estimate - self.low);
        Self { estimate, low: estimate - below, high: estimate + above }
    }

    pub fn map(self, f: impl Fn(f64) -> f64) -> Self {
        Self { estimate: f(self.estimate), low: f(self.low), high: f(self.high) }
    }
}

/// Why there is no interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooFew {
    /// How many samples like these it would take, about.
    pub needed: u64,
}

/// Returns the quantile of a series with its interval at `level`. `Err(None)`
/// without a single value whose place in time is known.
pub(crate) fn quantile_interval(
    series: &Series,
    quantile: Quantile,
    level: f64,
) -> Result<Result<Interval, Option<TooFew>>> {
    let Series { values, sorted, .. } = series;
    let Some(estimate) = sorted.quantile(quantile)?.filter(|_| series.is_in_order()) else {
        return Ok(Err(None));
    };
    let share = quantile.share();
    let n = sorted.count() as f64;
    // The quantile itself included: many values may be the same.
    let above = Exceedances::above(values, estimate.saturating_sub(1))?;
    let lag = above.decorrelation().max(1);
    // Farther in, where there are ten times as many, correlation shows better.
    let inside = sorted.quantile(quantile.farther_in())?;
    let inside = Exceedances::above(values, inside.unwrap_or(estimate))?;
    let groups = above.occupied(lag.max(inside.decorrelation()));
    if groups < FEWEST_GROUPS {
        let needed = n * FEWEST_GROUPS as f64 / groups.max(1) as f64;
        return Ok(Err(Some(TooFew { needed: needed.ceil() as u64 })));
    }
    let effective = effective_size(&above, lag, level);
    let ranks = Ranks { n: effective, share, tail: (1.0 - level) / 2.0 };
    let needed = (ranks.fewest() * n / effective).ceil() as u64;
    let Some(limits) = ranks.find() else { return Ok(Err(Some(TooFew { needed }))) };
    let rank = |rank: f64| rank / (effective + 1.0) * (n + 1.0);
    let (low, high) = (between(sorted, rank(limits.0))?, between(sorted, rank(limits.1))?);
    let estimate = estimate as f64;
    Ok(Ok(Interval { estimate, low: low.min(estimate), high: high.max(estimate) }))
}

/// Returns what a series is worth in independent samples where this level is concerned, its own
/// uncertainty included; `lag` is how far it is correlated.
fn effective_size(above: &Exceedances, lag: usize, level: f64) -> f64 {
    let n = above.len();
    let batches = (n / (BATCH_PER_LAG * lag)).clamp(FEWEST_BATCHES, MOST_BATCHES);
    let share = above.share();
    if n < 2 * FEWEST_BATCHES || share <= 0.0 || share >= 1.0 {
        return n as f64;
    }
    let edges = |batch: usize| batch * n / batches..(batch + 1) * n / batches;
    let off = |batch: usize| above.count(edges(batch)) as f64 - edges(batch).len() as f64 * share;
    let squares: f64 = (0..batches).map(|batch| off(batch).powi(2)).sum();
    let freedom = (batches - 1) as f64;
    let effect = squares / freedom * batches as f64 / (n as f64 * share * (1.0 - share));
    n as f64 / effect.max(f64::MIN_POSITIVE) * doubt(freedom, level)
}

/// Returns how much less a size is worth that had to be estimated.
fn doubt(freedom: f64, level: f64) -> f64 {
    let tail = 1.0 - (1.0 - level) / 2.0;
    let normal = Normal::standard().inverse_cdf(tail);
    let student = StudentsT::new(0.0, 1.0, freedom).map_or(normal, |t| t.inverse_cdf(tail));
    (normal / student).powi(2)
}

/// The ranks among `n` independent samples that the quantile `share` lies between.
struct Ranks {
    n: f64,
    share: f64,
    tail: f64,
}

impl Ranks {
    fn find(&self) -> Option<(f64, f64)> {
        let below = |rank: f64| beta_reg(rank, self.n - rank + 1.0, self.share);
        // The first and the last sample are as far as ranks go.
        if self.n < 1.0 || below(1.0) < 1.0 - self.tail || below(self.n) > self.tail {
            return None;
        }
        let variance = self.n * self.share * (1.0 - self.share);
        if variance > 100.0 {
            return Some(self.expanded(variance));
        }
        let solve = |wanted: f64| {
            let (mut low, mut high) = (1.0, self.n);
            for _ in 0..60 {
                let middle = f64::midpoint(low, high);
                *if below(middle) > wanted { &mut low } else { &mut high } = middle;
            }
            f64::midpoint(low, high)
        };
        Some((solve(1.0 - self.tail), solve(self.tail)))
    }

    /// Returns the same by Cornish and Fisher's expansion, where the exact way is long.
    fn expanded(&self, variance: f64) -> (f64, f64) {
        let z = Normal::standard().inverse_cdf(1.0 - self.tail);
        let middle = self.n * self.share + 0.5 + (1.0 - 2.0 * self.share) * (z * z - 1.0) / 6.0;
        (middle - z * variance.sqrt(), middle + z * variance.sqrt())
    }

    /// Returns how many it takes for both limits to be samples.
    fn fewest(&self) -> f64 {
        let rarer = self.share.min(1.0 - self.share).max(1e-9);
        self.tail.ln() / (1.0 - rarer).ln()
    }
}

/// Interpolates between two order statistics; ranks count from 1.
fn between(sorted: &Counted, rank: f64) -> Result<f64> {
    let last = sorted.count();
    let rank = rank.clamp(1.0, last as f64);
    let below = rank as u64;
    let both = sorted.at_ranks([below, (below + 1).min(last)])?;
    let [at, next] = both.map(|value| value.unwrap_or_default() as f64);
    Ok(at + (rank - below as f64) * (next - at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_independent_samples_are_the_textbook_ranks() {
        // Conover, "Practical Nonparametric Statistics": of 16 samples, the median
        // lies between the 4th and the 13th with 97.9 %, between the 5th and the
        // 12th with 92.3 %; so at 95 % in between.
        let (low, high) = Ranks { n: 16.0, share: 0.5, tail: 0.025 }.find().unwrap();
        assert!((4.0..5.0).contains(&low) && (12.0..13.0).contains(&high), "{low} {high}");
        assert!((low + high - 17.0).abs() < 1e-9);
    }

    #[test]
    fn a_thousandth_needs_3688_independent_samples() {
        let ranks = |n| Ranks { n, share: 0.999, tail: 0.025 };
        assert!(ranks(3_687.0).find().is_none() && ranks(3_688.0).find().is_some());
        assert_eq!(ranks(100.0).fewest().ceil(), 3_688.0);
    }

    #[test]
    fn the_expansion_meets_the_exact_ranks() {
        for share in [0.01, 0.5, 0.9, 0.999] {
            let n = 99.0 / (share * (1.0 - share));
            let ranks = Ranks { n, share, tail: 0.025 };
            let (exact, near) = (ranks.find().unwrap(), ranks.expanded(99.0));
            let off = (exact.0 - near.0).abs().max((exact.1 - near.1).abs());
            assert!(off < 0.2, "{share}: {exact:?} {near:?}");
        }
    }

    #[test]
    fn differences_are_as_wide_as_both_together() {
        let (a, b) = (
            Interval { estimate: 10.0, low: 7.0, high: 14.0 },
            Interval { estimate: 30.0, low: 26.0, high: 33.0 },
        );
        assert_eq!(
            a.difference(&b),
            Interval { estimate: 20.0, low: 20.0 - 32f64.sqrt(), high: 20.0 + 18f64.sqrt() }
        );
    }
}
