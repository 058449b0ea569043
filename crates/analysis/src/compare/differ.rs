// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whether two series come from one distribution.
//!
//! **Statistic.** Anderson and Darling's for two samples (Pettitt, Biometrika 63,
//! 1976): squared differences of both empirical distributions, each weighted by
//! what chance would make of it, so that tails count as much as the middle; at 40
//! levels from the 2.5th to the 99th percentile of both together.
//!
//! **Chance.** Permutation of windows: stretches of both series that are long against the
//! correlation and lie at such a distance that one knows nothing of the other are exchangeable if
//! nothing differs. All windows are dealt out to both sides again at random, and the test counts
//! how often chance gives as large a statistic (Lehmann and Romano, "Testing Statistical
//! Hypotheses", 15.2: such a test holds its level for every distribution and every number of
//! windows).
//!
//! **Cuts.** Where windows begin is arbitrary. Both series are cut twice, the
//! second time half a window later, and the larger probability counts.

use irqscope_quantity::Quantile;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use serde::Serialize;

use super::Series;
use super::exceedances::Exceedances;
use crate::{Ascending, Both, Ordered, Result};

/// How the test is made, as it stands in the output.
pub const TEST_METHOD: &str = "Anderson-Darling statistic of two samples, windows longer than the correlation permuted 1,999 times, the larger probability of two cuts";

const MOST_WINDOWS: usize = 40;
const FEWEST_WINDOWS: usize = 6;
/// Of the longer side, where the other one is so short that windows are: those that
/// are used lie farther apart.
const MOST_USED: usize = 1_000;
/// The least length of a window, as a multiple of the correlation.
const WINDOW_PER_LAG: usize = 4;
const PERMUTATIONS: u32 = 1_999;

/// Every fortieth of the values, and one farther out.
const LEVELS: [Quantile; 40] = {
    let mut levels = [Quantile::P99; 40];
    let mut place = 0;
    while place < 39 {
        levels[place] = Quantile::per_mille(25 * (place as u32 + 1));
        place += 1;
    }
    levels
};

/// A test of whether two series differ.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Test {
    /// Of the cut whose probability is the larger one.
    pub statistic: f64,
    /// How likely chance gives as large a statistic where nothing differs.
    pub p: f64,
    /// Values from which on nothing is known of the first.
    pub correlation: u64,
    /// Values in a window.
    pub window: u64,
    /// Of each side.
    pub windows: [u64; 2],
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooShort {
    /// How far the series is correlated.
    pub correlation: u64,
    /// How many values each side needs.
    pub needed: u64,
}

/// Tests whether two series differ.
///
/// # Errors
/// The disk's, where their values do not fit into memory.
pub fn differ(base: &Series, other: &Series) -> Result<Result<Test, TooShort>> {
    let gap = correlation(base)?.max(correlation(other)?).max(1);
    let series = [&base.values, &other.values];
    let [one, two] = series.map(|one| one.count() as usize);
    let Some(cut) = Cut::new(one.min(two), one.max(two), gap) else {
        let needed = ((WINDOW_PER_LAG + 1) * gap * (FEWEST_WINDOWS + 1)) as u64;
        return Ok(Err(TooShort { correlation: gap as u64, needed }));
    };
    let levels = levels(Both(&base.sorted, &other.sorted))?;
    let permuted = |start: usize| -> Result<_> {
        let mut windows = Vec::new();
        let mut counts = [0; 2];
        for (count, series) in counts.iter_mut().zip(series) {
            *count = cut.windows(series, start, &levels, &mut windows)?;
        }
        Ok((permute(&windows, counts, levels.len()), counts))
    };
    let (first, second) = (permuted(0)?, permuted(cut.pitch() / 2)?);
    let ((statistic, p), counts) = if first.0.1 >= second.0.1 { first } else { second };
    let windows = counts.map(|count| count as u64);
    Ok(Ok(Test { statistic, p, correlation: gap as u64, window: cut.window as u64, windows }))
}

/// Returns the farthest that any level is correlated.
fn correlation(series: &Series) -> Result<usize> {
    let levels = [100, 250, 500, 750, 900, 990]
        .map(|level| Quantile::per_mille(level).rank(series.sorted.count()));
    let mut farthest = 0;
    for level in series.sorted.at_ranks(levels)?.into_iter().flatten() {
        farthest = farthest.max(Exceedances::above(&series.values, level)?.decorrelation());
    }
    Ok(farthest)
}

/// Returns values of both series together, each once.
fn levels(both: Both<'_>) -> Result<Vec<i64>> {
    let found = both.at_ranks(LEVELS.map(|level| level.rank(both.count())))?;
    let mut levels: Vec<i64> = found.into_iter().flatten().collect();
    levels.dedup();
    // Above the greatest value there is nothing to distinguish.
    levels.retain(|level| both.max() != Some(*level));
    Ok(levels)
}

struct Cut {
    window: usize,
    gap: usize,
}

impl Cut {
    fn new(shortest: usize, longest: usize, gap: usize) -> Option<Self> {
        // One pitch is left over for the second cut.
        let least = (shortest / (FEWEST_WINDOWS + 1)).saturating_sub(gap);
        let wanted = (longest / (MOST_WINDOWS + 1)).saturating_sub(gap).max(WINDOW_PER_LAG * gap);
        let window = wanted.min(least);
        (window >= WINDOW_PER_LAG * gap && window > 0).then_some(Self { window, gap })
    }

    fn pitch(&self) -> usize {
        self.window + self.gap
    }

    /// Appends each window's shares at or below the levels; gives their number.
    fn windows(
        &self,
        series: &Ordered,
        start: usize,
        levels: &[i64],
        to: &mut Vec<f32>,
    ) -> Result<usize> {
        let len = (series.count() as usize).saturating_sub(start);
        let pitch = self.pitch() * (len / self.pitch()).div_ceil(MOST_USED).max(1);
        let mut below = vec![0u32; levels.len() + 1];
        // Values before the first window are in none.
        let (mut count, mut place, mut skip) = (0, 0, start);
        series.each(|piece| {
            let before = skip.min(piece.len());
            skip -= before;
            for value in &piece[before..] {
                if place < self.window {
                    below[levels.partition_point(|level| level < value)] += 1;
                }
                place += 1;
                if place == self.window {
                    let mut sum = 0;
                    to.extend(below[..levels.len()].iter().map(|count| {
                        sum += count;
                        sum as f32 / self.window as f32
                    }));
                    below.fill(0);
                    count += 1;
                }
                if place == pitch {
                    place = 0;
                }
            }
        })?;
        Ok(count)
    }
}

/// Returns the statistic, and its probability by permutation.
fn permute(windows: &[f32], [first, second]: [usize; 2], levels: usize) -> (f64, f64) {
    if levels == 0 {
        return (0.0, 1.0);
    }
    let rows: Vec<&[f32]> = windows.chunks(levels).collect();
    let total: Vec<f64> =
        (0..levels).map(|level| rows.iter().map(|row| f64::from(row[level])).sum()).collect();
    // The same windows on the smaller side are all that a permutation has to add up.
    let smaller = first.min(second);
    let all = (first + second) as f64;
    let statistic = |chosen: &[usize]| -> f64 {
        let mut sums = vec![0.0f64; levels];
        for row in chosen {
            sums.iter_mut().zip(rows[*row]).for_each(|(sum, share)| *sum += f64::from(*share));
        }
        let terms = sums.iter().zip(&total).map(|(sum, total)| {
            let pooled = total / all;
            let apart = sum / smaller as f64 - (total - sum) / (all - smaller as f64);
            apart * apart / (pooled * (1.0 - pooled)).max(1e-9)
        });
        terms.sum::<f64>() / levels as f64
    };
    let mut order: Vec<usize> = if first <= second {
        (0..first + second).collect()
    } else {
        (0..first + second).rev().collect()
    };
    let observed = statistic(&order[..smaller]);
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut reached = 1;
    for _ in 0..PERMUTATIONS {
        let (chosen, _) = order.partial_shuffle(&mut random, smaller);
        // Sums in another order differ in the last digits.
        reached += u32::from(statistic(chosen) >= observed * (1.0 - 1e-9));
    }
    (observed, f64::from(reached) / f64::from(PERMUTATIONS + 1))
}
