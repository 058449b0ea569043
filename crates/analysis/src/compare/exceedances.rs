// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which values of a series lie above a level, in the order of time, and how far
//! they depend on each other.

use std::ops::Range;

use crate::{Ordered, Result};

/// One bit per value; counting them takes a 64th of the time that values would.
#[derive(Clone, Debug)]
pub(crate) struct Exceedances {
    words: Vec<u64>,
    len: usize,
    ones: u64,
}

impl Exceedances {
    /// Finds the exceedances of values in the order of time.
    pub fn above(values: &Ordered, level: i64) -> Result<Self> {
        let (mut words, mut len) = (Vec::new(), 0);
        values.each(|piece| {
            words.resize((len + piece.len()).div_ceil(64), 0u64);
            for (place, value) in (len..).zip(piece) {
                words[place / 64] |= u64::from(*value > level) << (place % 64);
            }
            len += piece.len();
        })?;
        let ones = words.iter().map(|word| u64::from(word.count_ones())).sum();
        Ok(Self { words, len, ones })
    }

    pub fn len(&self) -> usize {
        self.len
    }

    pub fn share(&self) -> f64 {
        self.ones as f64 / self.len.max(1) as f64
    }

    /// Returns how many there are in part of the series.
    pub fn count(&self, places: Range<usize>) -> u64 {
        let Range { start, end } = places;
        let mut count = 0;
        for word in start / 64..end.div_ceil(64) {
            let mut bits = self.words[word];
            if word == start / 64 {
                bits &= u64::MAX << (start % 64);
            }
            if word == end / 64 {
                bits &= (1u64 << (end % 64)).wrapping_sub(1);
            }
            count += u64::from(bits.count_ones());
        }
        count
    }

    /// Returns in how many stretches of `length` values there is any above the level.
    pub fn occupied(&self, length: usize) -> usize {
        let stretches = (0..self.len).step_by(length.max(1));
        stretches.filter(|start| self.count(*start..(start + length).min(self.len)) > 0).count()
    }

    /// Returns the correlation of the series with itself `lag` values later.
    fn autocorrelation(&self, lag: usize) -> f64 {
        let (n, share) = (self.len as f64, self.share());
        let first = self.ones - self.count(self.len - lag..self.len);
        let second = self.ones - self.count(0..lag);
        let sum = self.both(lag) as f64 - share * (first + second) as f64
            + (self.len - lag) as f64 * share * share;
        sum / (n * share * (1.0 - share))
    }

    /// Returns how many are above the level together with the value `lag` later.
    fn both(&self, lag: usize) -> u64 {
        let (skip, shift) = (lag / 64, lag % 64);
        let word = |place: usize| self.words.get(place).copied().unwrap_or(0);
        let later = |place: usize| match shift {
            0 => word(place + skip),
            _ => word(place + skip) >> shift | word(place + skip + 1) << (64 - shift),
        };
        let pairs = (0..self.words.len()).map(|place| word(place) & later(place));
        pairs.map(|bits| u64::from(bits.count_ones())).sum()
    }

    /// Returns the lag from which on the series is not correlated any more: the smallest after
    /// which the next `max(5, sqrt(log10 n))` correlations are all below `2 sqrt(log10 n / n)`, and
    /// `sqrt(n)` at the most.
    ///
    /// Politis and White, "Automatic block-length selection for the dependent
    /// bootstrap", Econometric Reviews 23 (2004), with the correction of Patton,
    /// Politis and White (2009), whose rule for `m` this is.
    pub fn decorrelation(&self) -> usize {
        let n = self.len as f64;
        if self.ones == 0 || self.ones == self.len as u64 || self.len < 16 {
            return 0;
        }
        let quiet = (n.log10().sqrt().ceil() as usize).max(5);
        let negligible = 2.0 * (n.log10() / n).sqrt();
        let last = (n.sqrt().ceil() as usize + quiet).min(self.len / 2);
        let mut run = 0;
        for lag in 1..=last {
            run = if self.autocorrelation(lag).abs() < negligible { run + 1 } else { 0 };
            if run == quiet {
                return lag - quiet;
            }
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn above(values: &[i64], level: i64) -> Exceedances {
        let values = Ordered::of(values.iter().copied(), Path::new("/nonexistent")).unwrap();
        Exceedances::above(&values, level).unwrap()
    }

    fn naive(values: &[i64], lag: usize) -> f64 {
        let n = values.len() as f64;
        let mean = values.iter().sum::<i64>() as f64 / n;
        let product = |k: usize| {
            let pairs = values.iter().zip(&values[k..]);
            pairs.map(|(a, b)| (*a as f64 - mean) * (*b as f64 - mean)).sum::<f64>()
        };
        product(lag) / product(0)
    }

    #[test]
    fn counts_and_correlations_agree_with_naive_ones() {
        let values: Vec<i64> =
            (0..1000).map(|n: i64| i64::from(n * n % 37 > 20 || n % 11 == 3)).collect();
        let bits = above(&values, 0);
        for range in [0..1000, 0..0, 63..65, 64..128, 5..999, 960..1000] {
            let expected = values[range.clone()].iter().sum::<i64>();
            assert_eq!(bits.count(range.clone()), expected as u64, "{range:?}");
        }
        for lag in [1, 2, 63, 64, 65, 200] {
            let expected = naive(&values, lag);
            assert!((bits.autocorrelation(lag) - expected).abs() < 1e-12, "lag {lag}");
        }
    }

    #[test]
    fn runs_of_ten_are_correlated_over_ten_and_constants_over_nothing() {
        // A run of ten goes up or down by a hash that has no pattern.
        let hash = |n: u64| (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32).count_ones() % 2;
        let values: Vec<i64> = (0..20_000).map(|n| i64::from(hash(n / 10 * 7919 + 3))).collect();
        let lag = above(&values, 0).decorrelation();
        assert!((8..=30).contains(&lag), "{lag}");
        assert_eq!(above(&[7; 500], 0).decorrelation(), 0);
        assert_eq!(above(&[], 0).decorrelation(), 0);
    }
}
