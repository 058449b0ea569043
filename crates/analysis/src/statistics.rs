// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Exact order statistics and moments.

use irqscope_quantity::Quantile;

use crate::Result;
use crate::counted::Ascending;

/// How quantiles are made, as it is written into the summary.
///
/// Type 1 of Hyndman and Fan, "Sample Quantiles in Statistical Packages", The
/// American Statistician 50 (1996): the smallest value with at least that
/// share of all values at or below it. Always a value that was measured.
pub const QUANTILE_METHOD: &str = "nearest-rank (inverse ECDF, Hyndman-Fan type 1)";

/// Returns the value at a quantile's rank among values in ascending order. It chooses a
/// sample, also among a handful; a figure takes more of them ([`Ascending::quantile`]).
pub fn quantile(sorted: &[i64], quantile: Quantile) -> Option<i64> {
    let rank = quantile.rank(sorted.len() as u64);
    sorted.get(usize::try_from(rank).ok()?.checked_sub(1)?).copied()
}

/// Figures about one set of latencies, in nanoseconds; all `None` if it is
/// empty, and a quantile with fewer than ten values beyond it.
/// The standard deviation is the sample's (n - 1), `None` for one value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Values, those that are alike each for itself.
    pub count: u64,
    /// The least value.
    pub min: Option<i64>,
    /// The 5th percentile, by nearest rank as the others; it takes 200 values.
    pub p5: Option<i64>,
    /// The median; of an even number of values the lower of the two in the middle; it takes 20.
    pub p50: Option<i64>,
    /// The 95th percentile; it takes 200 values.
    pub p95: Option<i64>,
    /// The 99th percentile; it takes 1,000 values.
    pub p99: Option<i64>,
    /// The 99.9th percentile; it takes 10,000 values.
    pub p99_9: Option<i64>,
    /// The 99.99th percentile; it takes 100,000 values.
    pub p99_99: Option<i64>,
    /// The 99.999th percentile; it takes 1,000,000 values.
    pub p99_999: Option<i64>,
    /// The greatest value.
    pub max: Option<i64>,
    /// The arithmetic mean of an exact sum, whatever the order of the values.
    pub mean: Option<f64>,
    /// The standard deviation in two passes, corrected for the mean's rounding (Chan, Golub and
    /// LeVeque 1983).
    pub stddev: Option<f64>,
}

impl Statistics {
    /// Computes the statistics of values in ascending order.
    pub fn of(sorted: &[i64]) -> Self {
        debug_assert!(sorted.is_sorted());
        // A slice has no disk that could fail.
        Self::of_all(&Sorted(sorted)).unwrap_or_default()
    }

    /// Computes them in two passes over the values, whatever holds them.
    ///
    /// # Errors
    /// The disk's, where a file holds them.
    pub fn of_all(values: &impl Ascending) -> Result<Self> {
        let count = values.count();
        let [p5, p50, p95, p99, p99_9, p99_99, p99_999] =
            values.quantiles(Quantile::OF_SUMMARIES)?;
        // Of values beyond a histogram no mean is known.
        let mean = if values.beyond().is_none() { mean(values)? } else { None };
        Ok(Self {
            count,
            min: values.min(),
            p5,
            p50,
            p95,
            p99,
            p99_9,
            p99_99,
            p99_999,
            max: values.max(),
            mean,
            stddev: mean.map(|mean| stddev(values, mean)).transpose()?.flatten(),
        })
    }
}

/// Values in ascending order, all in memory.
struct Sorted<'a>(&'a [i64]);

impl Ascending for Sorted<'_> {
    fn count(&self) -> u64 {
        self.0.len() as u64
    }

    fn min(&self) -> Option<i64> {
        self.0.first().copied()
    }

    fn max(&self) -> Option<i64> {
        self.0.last().copied()
    }

    fn each(&self, take: &mut dyn FnMut(i64, u64)) -> Result<()> {
        self.0.iter().for_each(|value| take(*value, 1));
        Ok(())
    }
}

/// Computes the mean. The sum is exact, so the order of the values does not matter.
fn mean(values: &impl Ascending) -> Result<Option<f64>> {
    let mut sum = 0i128;
    values.each(&mut |value, count| {
        sum = sum.saturating_add(i128::from(value).saturating_mul(i128::from(count)));
    })?;
    let count = values.count();
    Ok((count > 0).then(|| sum as f64 / count as f64))
}

/// Computes the deviation in two passes with Björck's correction for the mean's rounding (Chan,
/// Golub and LeVeque, "Algorithms for Computing the Sample Variance", 1983).
fn stddev(values: &impl Ascending, mean: f64) -> Result<Option<f64>> {
    let count = values.count() as f64;
    let (mut squares, mut rest) = (0.0, 0.0);
    values.each(&mut |value, times| {
        let (deviation, times) = (value as f64 - mean, times as f64);
        squares += times * deviation * deviation;
        rest += times * deviation;
    })?;
    let variance = (squares - rest * rest / count) / (count - 1.0);
    Ok((values.count() > 1).then(|| variance.max(0.0).sqrt()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Computes it by the definition, without ranks.
    fn naive_quantile(values: &[i64], share: f64) -> i64 {
        let at_or_below = |x: i64| values.iter().filter(|v| **v <= x).count() as f64;
        let needed = share * values.len() as f64 - 1e-9;
        values.iter().copied().filter(|x| at_or_below(*x) >= needed).min().unwrap()
    }

    #[test]
    fn quantiles_of_one_to_ten_are_the_textbook_ones() {
        let values: Vec<i64> = (1..=10).collect();
        let got = [0, 50, 100, 101, 500, 950, 999, 1000]
            .map(|q| quantile(&values, Quantile::per_mille(q)).unwrap());
        assert_eq!(got, [1, 1, 1, 2, 5, 10, 10, 10]);
        assert_eq!(quantile(&[], Quantile::P50), None);
    }

    #[test]
    fn a_thousand_values_have_their_999th_as_p99_9() {
        let values: Vec<i64> = (1..=1000).collect();
        assert_eq!(quantile(&values, Quantile::P99_9), Some(999));
    }

    #[test]
    fn no_quantile_has_fewer_than_ten_values_beyond_it() {
        let of = |count: i64| Statistics::of(&(1..=count).collect::<Vec<_>>());
        let (few, enough) = (of(999), of(1_000));
        assert_eq!((few.p5, few.p95, few.p99, few.max), (Some(50), Some(950), None, Some(999)));
        assert_eq!((enough.p99, enough.p99_9, enough.max), (Some(990), None, Some(1_000)));
        assert_eq!(
            [of(19).p50, of(20).p50, of(199).p5, of(200).p5],
            [None, Some(10), None, Some(10)]
        );
    }

    #[test]
    fn moments_of_a_known_set_are_exact() {
        let statistics = Statistics::of(&[2, 4, 4, 4, 5, 5, 7, 9]);
        assert_eq!(statistics.mean, Some(5.0));
        assert_eq!(statistics.stddev, Some((32.0f64 / 7.0).sqrt()));
        let shifted: Vec<i64> =
            [2, 4, 4, 4, 5, 5, 7, 9].iter().map(|v| v + 1_000_000_000_000).collect();
        assert_eq!(Statistics::of(&shifted).stddev, statistics.stddev);
    }

    #[test]
    fn nothing_and_one_value_have_no_spread() {
        assert_eq!(Statistics::of(&[]), Statistics::default());
        let one = Statistics::of(&[7]);
        assert_eq!((one.mean, one.stddev, one.p99_9, one.max), (Some(7.0), None, None, Some(7)));
    }

    proptest! {
        #[test]
        fn quantiles_agree_with_their_definition(
            mut values in prop::collection::vec(-1000i64..1000, 1..300),
            thousandths in 1u32..=1000,
        ) {
            values.sort_unstable();
            let share = f64::from(thousandths) / 1000.0;
            let asked = Quantile::per_mille(thousandths);
            prop_assert_eq!(quantile(&values, asked), Some(naive_quantile(&values, share)));
        }

        #[test]
        fn moments_agree_with_naive_ones(
            mut values in prop::collection::vec(0i64..10_000_000, 2..300),
        ) {
            values.sort_unstable();
            let n = values.len() as f64;
            let mean = values.iter().map(|v| *v as f64).sum::<f64>() / n;
            let variance = values.iter().map(|v| (*v as f64 - mean).powi(2)).sum::<f64>() / (n - 1.0);
            let got = Statistics::of(&values);
            prop_assert!((got.mean.unwrap() - mean).abs() <= 1e-9 * mean.abs().max(1.0));
            prop_assert!((got.stddev.unwrap() - variance.sqrt()).abs() <= 1e-6 * variance.sqrt().max(1.0));
        }
    }
}
