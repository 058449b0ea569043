// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How large the largest value of a stretch of time is.
//!
//! The maximum of a run is one value of a random quantity: no interval follows from it, and the
//! bootstrap is wrong for it (Bickel and Freedman, "Some asymptotic theory for the bootstrap",
//! Annals of Statistics 9, 1981). So a run is cut into 17 windows, whose maxima are 17 values of
//! the maximum of a 17th of a run. How much larger they are on one side than on the other, the
//! median of all differences of two of them says, and the interval belongs to it that follows from
//! the distribution of Mann and Whitney's statistic (Hodges and Lehmann, "Estimates of location
//! based on rank tests", Annals of Mathematical Statistics 34, 1963). Windows are long against the
//! correlation, and their maxima as good as independent. `irqscope tail` says what is expected
//! beyond the samples.

use super::interval::Interval;
use crate::{Ordered, Result};

/// The number of windows.
pub const WINDOWS: usize = 17;

/// How it is made, as it stands in the output.
pub const MAXIMUM_METHOD: &str = "maxima of 17 consecutive windows of each side: median of their differences, with the interval of Hodges and Lehmann (1963)";

/// The maxima of all windows, ascending.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Maxima([i64; WINDOWS]);

impl Maxima {
    /// Takes a series in the order of time; `None` if a window would hold less than ten values.
    pub fn of(series: &Ordered) -> Result<Option<Self>> {
        let n = series.count();
        if n < 10 * WINDOWS as u64 {
            return Ok(None);
        }
        let end = |window: usize| (window as u64 + 1) * n / WINDOWS as u64;
        let (mut maxima, mut window, mut place) = ([i64::MIN; WINDOWS], 0, 0);
        series.each(|piece| {
            for value in piece {
                window += usize::from(place == end(window));
                maxima[window] = maxima[window].max(*value);
                place += 1;
            }
        })?;
        maxima.sort_unstable();
        Ok(Some(Self(maxima)))
    }

    pub fn least(&self) -> i64 {
        self.0[0]
    }

    /// Returns by how much the maxima of `other` are larger; each is passed through `f` first.
    pub fn difference(&self, other: &Self, level: f64, f: impl Fn(f64) -> f64) -> Interval {
        let at = |ns: i64| f(ns as f64);
        let pairs = self.0.iter().flat_map(|base| other.0.iter().map(|one| at(*one) - at(*base)));
        let mut pairs: Vec<f64> = pairs.collect();
        pairs.sort_by(f64::total_cmp);
        let rank = rank((1.0 - level) / 2.0);
        let [low, high] = [pairs[rank - 1], pairs[pairs.len() - rank]];
        Interval { estimate: pairs[pairs.len() / 2], low, high }
    }
}

/// Returns the greatest rank below which Mann and Whitney's statistic lies with no more than this
/// probability, if both sides are alike; 1 at least.
fn rank(tail: f64) -> usize {
    // Numbers of ways, by their generating function: the Gaussian binomial.
    let mut ways = vec![0.0; WINDOWS * WINDOWS + 1];
    ways[0] = 1.0f64;
    for factor in 1..=WINDOWS {
        for u in (WINDOWS + factor..ways.len()).rev() {
            ways[u] -= ways[u - WINDOWS - factor];
        }
        for u in factor..ways.len() {
            ways[u] += ways[u - factor];
        }
    }
    let all: f64 = ways.iter().sum();
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
        // Mann-Whitney for 17 and 17: critical values 87 (5 %, two sides), 70 (1 %).
        assert_eq!((rank(0.025), rank(0.005)), (88, 71));
    }

    fn of(values: &[i64]) -> Option<Maxima> {
        let values = Ordered::of(values.iter().copied(), Path::new("/nonexistent")).unwrap();
        Maxima::of(&values).unwrap()
    }

    #[test]
    fn windows_share_no_value_and_leave_none_out() {
        let all: Vec<i64> = (1..=179).collect();
        let ends = (1..=WINDOWS).map(|window| (window * 179 / WINDOWS) as i64);
        assert_eq!(of(&all).unwrap().0.to_vec(), ends.collect::<Vec<_>>());
    }

    #[test]
    fn windows_that_are_alike_leave_no_doubt() {
        let ten = of(&[1, 10].repeat(200)).unwrap();
        let thirty = of(&[1, 30].repeat(200)).unwrap();
        let Interval { estimate, low, high } = ten.difference(&thirty, 0.95, |ns| ns);
        assert_eq!([estimate, low, high], [20.0; 3]);
        assert!(of(&[1; 169]).is_none());
    }
}
