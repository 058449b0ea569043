// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Peaks: of values above a threshold that come in clusters only the largest of each
//! cluster is a witness of its own.
//!
//! Which belong together follows from the times between them (Ferro and Segers,
//! "Inference for clusters of extreme values", Journal of the Royal Statistical
//! Society B 65, 2003): the extremal index says how many clusters there are, and the
//! longest gaps are those between clusters. Nothing is left to be chosen.

/// The largest value of one cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Peak {
    /// Place in the series.
    pub at: u64,
    /// Above the threshold, in nanoseconds.
    pub excess: i64,
}

/// A value with its place in the series.
pub(crate) type Placed = (u64, i64);

/// Returns the peaks of the largest values of a series, in the order of time, and the extremal
/// index: one over the mean size of a cluster.
pub(crate) fn peaks(largest: &[Placed], threshold: i64) -> (Vec<Peak>, f64) {
    let above = largest.iter().filter(|(_, value)| *value > threshold);
    let above: Vec<Peak> = above
        .map(|(at, value)| Peak { at: *at, excess: value.saturating_sub(threshold) })
        .collect();
    let gaps: Vec<u64> = above.windows(2).map(|pair| pair[1].at - pair[0].at).collect();
    let index = extremal_index(&gaps);
    let between = longest(&gaps, index);
    let mut peaks: Vec<Peak> = Vec::new();
    for (place, one) in above.iter().enumerate() {
        let begins = place == 0 || gaps[place - 1] >= between;
        match peaks.last_mut() {
            Some(peak) if !begins => *peak = if one.excess > peak.excess { *one } else { *peak },
            _ => peaks.push(*one),
        }
    }
    (peaks, index)
}

/// Returns the intervals estimator, 1 for values that know nothing of each other.
fn extremal_index(gaps: &[u64]) -> f64 {
    let count = gaps.len() as f64;
    let far = gaps.iter().any(|gap| *gap > 2);
    let (less, lesser) = if far { (1.0, 2.0) } else { (0.0, 0.0) };
    let sum: f64 = gaps.iter().map(|gap| *gap as f64 - less).sum();
    let squares: f64 = gaps.iter().map(|gap| (*gap as f64 - less) * (*gap as f64 - lesser)).sum();
    if squares <= 0.0 { 1.0 } else { (2.0 * sum * sum / (count * squares)).min(1.0) }
}

/// Returns the shortest gap that lies between clusters; gaps of one length are on one side.
fn longest(gaps: &[u64], index: f64) -> u64 {
    let mut sorted = gaps.to_vec();
    sorted.sort_unstable_by(|a, b| b.cmp(a));
    let clusters = (index * (gaps.len() + 1) as f64).floor() as usize;
    // The last gap that is taken, and the first one that is not.
    let mut taken = clusters.min(sorted.len());
    while taken > 0 && taken < sorted.len() && sorted[taken - 1] == sorted[taken] {
        taken -= 1;
    }
    match taken {
        0 => u64::MAX,
        taken => sorted[taken - 1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_cluster_has_one_peak() {
        // Three values in a row, every hundred.
        let value = |n: u64| if n % 100 < 3 { 1_000 + n.cast_signed() % 100 } else { 10 };
        let series: Vec<Placed> = (0..3_000).map(|n| (n, value(n))).collect();
        let (peaks, index) = peaks(&series, 100);
        assert_eq!(peaks.len(), 30);
        assert!(peaks.iter().all(|peak| peak.at % 100 == 2 && peak.excess == 902));
        assert!((0.2..0.8).contains(&index), "{index}");
    }

    #[test]
    fn nothing_and_one_value_are_their_own_peaks() {
        assert_eq!(peaks(&[], 5).0, []);
        assert_eq!(peaks(&[(0, 1), (1, 9), (2, 1)], 5).0, [Peak { at: 1, excess: 4 }]);
    }
}
