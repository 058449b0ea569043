// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How large the largest value of a stretch of time is.
//!
//! The maximum of a run is one value of a random quantity: no interval follows from it, and the
//! bootstrap is wrong for it (Bickel and Freedman, "Some asymptotic theory for the bootstrap",
//! Annals of Statistics 9, 1981). So the shorter run is cut into 17 windows, and the longer one into
//! as many of the same length as it has, since the maximum of more samples is larger. How much larger
//! the windows' maxima are on one side than on the other, the median of all differences of two of
//! them says, and the interval belongs to it that follows from the distribution of Mann and Whitney's
//! statistic (Hodges and Lehmann, "Estimates of location based on rank tests", Annals of Mathematical
//! Statistics 34, 1963). Windows are long against the correlation, and their maxima as good as
//! independent. `irqscope tail` says what is expected beyond the samples.

use super::interval::Interval;
use crate::{Ordered, Result};

/// The number of windows of the shorter series.
pub const WINDOWS: usize = 17;
/// The most windows of the longer series: more narrow the interval no further.
const MOST_WINDOWS: u64 = 10 * WINDOWS as u64;
/// The fewest values of a window.
const FEWEST_VALUES: u64 = 10;

/// How it is made, as it stands in the output.
pub const MAXIMUM_METHOD: &str = "maxima of windows of the same length, 17 of the shorter side: median of their differences, with the interval of Hodges and Lehmann (1963)";

/// The maxima of windows of two series.
#[derive(Clone, Debug)]
pub(crate) struct Maxima {
    base: Vec<i64>,
    other: Vec<i64>,
    /// The number of values of each window.
    pub window: u64,
}

impl Maxima {
    /// Takes two series in the order of time; `None` if a window would hold less than ten values.
    ///
    /// # Errors
    /// The disk's, where values do not fit into memory.
    pub fn of(base: &Ordered, other: &Ordered) -> Result<Option<Self>> {
        let window = base.count().min(other.count()) / WINDOWS as u64;
        if window < FEWEST_VALUES {
            return Ok(None);
        }
        Ok(Some(Self { base: maxima(base, window)?, other: maxima(other, window)?, window }))
    }

    pub fn is_positive(&self) -> bool {
        self.base.iter().chain(&self.other).all(|ns| *ns > 0)
    }

    /// Returns by how much the maxima of `other` are larger; each is passed through `f` first.
    pub fn difference(&self, level: f64, f: impl Fn(f64) -> f64) -> Interval {
        let at = |ns: i64| f(ns as f64);
        let pairs =
            self.base.iter().flat_map(|base| self.other.iter().map(|one| at(*one) - at(*base)));
        let mut pairs: Vec<f64> = pairs.collect();
        pairs.sort_by(f64::total_cmp);
        let rank = rank([self.base.len(), self.other.len()], (1.0 - level) / 2.0);
        let [low, high] = [pairs[rank - 1], pairs[pairs.len() - rank]];
        Interval { estimate: pairs[pairs.len() / 2], low, high }
    }
}

/// Returns the maxima of windows of `length` values, spread evenly over the series.
fn maxima(series: &Ordered, length: u64) -> Result<Vec<i64>> {
    let n = series.count();
    let windows = (n / length).min(MOST_WINDOWS);
    let begin = |window: u64| (u128::from(window) * u128::from(n) / u128::from(windows)) as u64;
    let (mut maxima, mut place) = (vec![i64::MIN; windows as usize], 0);
    let (mut window, mut from, mut next) = (0, 0, begin(1));
    series.each(|piece| {
        for value in piece {
            if place == next {
                window += 1;
                (from, next) = (next, begin(window as u64 + 1));
            }
            if place - from < length {
                maxima[window] = maxima[window].max(*value);
            }
            place += 1;
        }
    })?;
    Ok(maxima)
}

/// Returns the greatest rank below which Mann and Whitney's statistic of these numbers of values of either
/// side lies with no more than this probability, if both sides are alike; 1 at least.
fn rank([base, other]: [usize; 2], tail: f64) -> usize {
    // Numbers of ways, by their generating function: the Gaussian binomial. Those of low ranks are
    // sums of a few, and exact.
    let mut ways = vec![0.0; base * other + 1];
    ways[0] = 1.0f64;
    for factor in 1..=base {
        for u in (other + factor..ways.len()).rev() {
            ways[u] -= ways[u - other - factor];
        }
        for u in factor..ways.len() {
            ways[u] += ways[u - factor];
        }
    }
    // The statistic's distribution is symmetric, and all ways are the binomial coefficient.
    let all: f64 = (1..=base).map(|one| (other + one) as f64 / one as f64).product();
    let mut sum = 0.0;
    let below = ways.iter().take_while(|ways| {
        sum += **ways;
        sum / all <= tail
    });
    below.count().max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn ranks_are_those_of_the_tables() {
        // Mann-Whitney for 17 and 17: critical values 87 (5 %, two sides), 70 (1 %); for 17 and 20,
        // either way round: 105, 86.
        assert_eq!((rank([17, 17], 0.025), rank([17, 17], 0.005)), (88, 71));
        assert_eq!((rank([17, 20], 0.025), rank([20, 17], 0.005)), (106, 87));
    }

    #[test]
    fn ranks_of_many_are_those_of_the_normal_distribution() {
        let (m, n) = (17.0f64, 170.0f64);
        let near = m * n / 2.0 - 1.959_964 * (m * n * (m + n + 1.0) / 12.0).sqrt();
        let found = rank([17, 170], 0.025) as f64;
        assert!((found - near).abs() < 3.0, "{found} {near}");
    }

    fn ordered(values: impl IntoIterator<Item = i64>) -> Ordered {
        Ordered::of(values, Path::new("/nonexistent")).unwrap()
    }

    fn of(base: impl IntoIterator<Item = i64>, other: &[i64]) -> Option<Maxima> {
        Maxima::of(&ordered(base), &ordered(other.iter().copied())).unwrap()
    }

    #[test]
    fn windows_have_one_length_and_share_no_value() {
        let both = of(1..=179, &(1..=358).collect::<Vec<_>>()).unwrap();
        assert_eq!((both.window, both.base.len(), both.other.len()), (10, 17, 35));
        let ends =
            |n: usize, windows: usize| (0..windows).map(move |i| (i * n / windows + 10) as i64);
        assert!(both.base.iter().copied().eq(ends(179, 17)));
        assert!(both.other.iter().copied().eq(ends(358, 35)));
    }

    #[test]
    fn a_long_series_is_looked_at_in_many_places() {
        let both = of(0..20_000, &[1; 170]).unwrap();
        assert_eq!((both.window, both.base.len()), (10, 170));
        assert!(both.base.windows(2).all(|pair| (110..130).contains(&(pair[1] - pair[0]))));
    }

    #[test]
    fn windows_that_are_alike_leave_no_doubt() {
        let both = of([1, 10].repeat(200), &[1, 30].repeat(900)).unwrap();
        let Interval { estimate, low, high } = both.difference(0.95, |ns| ns);
        assert_eq!([estimate, low, high], [20.0; 3]);
        assert!(of([1; 169], &[1; 1_000]).is_none());
    }
}
