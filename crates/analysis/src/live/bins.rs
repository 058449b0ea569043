// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A histogram to be drawn: few bins, whatever the values are.

use serde::Serialize;

/// No histogram has more bins.
pub const BINS: usize = 512;

/// Bits of a value that are distinguished, at the finest.
const FINEST: u32 = 11;

/// Bins that hold something, ascending. Both ends of a bin belong to it. Bins are as
/// wide as a power of two, wider where values are larger.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Bins {
    /// The lowest value that belongs to each bin.
    pub lower_ns: Vec<i64>,
    /// The highest value that belongs to each bin.
    pub upper_ns: Vec<i64>,
    /// How many values each bin holds, at least one.
    pub counts: Vec<u64>,
}

impl Bins {
    /// Makes bins of values in ascending order, each with how often it came.
    pub fn of(ascending: impl IntoIterator<Item = (i64, u64)>) -> Self {
        let mut bits = FINEST;
        let mut bins = Self::default();
        for (value, count) in ascending {
            bins.add(value, count, bits);
            while bins.counts.len() > BINS {
                bits -= 1;
                bins = bins.coarser(bits);
            }
        }
        bins
    }

    /// Makes coarser bins: those of fewer bits hold whole bins of more.
    fn coarser(self, bits: u32) -> Self {
        let mut bins = Self::default();
        for (lower, count) in self.lower_ns.into_iter().zip(self.counts) {
            bins.add(lower, count, bits);
        }
        bins
    }

    fn add(&mut self, value: i64, count: u64, bits: u32) {
        let (lower, upper) = bin(value, bits);
        match (self.lower_ns.last(), self.counts.last_mut()) {
            (Some(last), Some(counted)) if *last == lower => *counted += count,
            _ => {
                self.lower_ns.push(lower);
                self.upper_ns.push(upper);
                self.counts.push(count);
            }
        }
    }
}

/// Returns the values that share the highest bits with this one. Those below zero, which only a
/// counter that is not to be trusted gives, mirror those above.
fn bin(value: i64, bits: u32) -> (i64, i64) {
    let length = 64 - value.unsigned_abs().leading_zeros();
    let mask = (1i64 << length.saturating_sub(bits).min(62)) - 1;
    match value < 0 {
        true => (-(value.saturating_neg() | mask), -(value.saturating_neg() & !mask)),
        false => (value & !mask, value | mask),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn small_values_have_bins_of_their_own() {
        let bins = Bins::of([(5, 2), (6, 1), (2047, 3)]);
        assert_eq!(bins.lower_ns, [5, 6, 2047]);
        assert_eq!((bins.upper_ns, bins.counts), (vec![5, 6, 2047], vec![2, 1, 3]));
    }

    #[test]
    fn bins_get_wider_when_there_are_too_many() {
        let bins = Bins::of((0..100_000).map(|value| (value, 1)));
        assert!(bins.counts.len() <= BINS && bins.counts.len() > BINS / 4);
        assert_eq!(bins.counts.iter().sum::<u64>(), 100_000);
    }

    proptest! {
        #[test]
        fn no_value_is_lost_and_bins_do_not_overlap(
            values in proptest::collection::btree_set(any::<i64>(), 0..3000),
        ) {
            let bins = Bins::of(values.iter().map(|value| (*value, 1)));
            prop_assert_eq!(bins.counts.iter().sum::<u64>(), values.len() as u64);
            prop_assert!(bins.counts.len() <= BINS);
            prop_assert!(bins.lower_ns.iter().zip(&bins.upper_ns).all(|(low, high)| low <= high));
            let gaps = bins.upper_ns.iter().zip(bins.lower_ns.iter().skip(1));
            prop_assert!(gaps.into_iter().all(|(high, next)| high < next));
        }
    }
}
