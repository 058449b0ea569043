// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The choice of the next step of a search for the first one in a row that is like its last one.

use std::collections::BTreeSet;

/// A row of candidates behind an earlier end, the last of which is the later end, and what is known of
/// them.
#[derive(Clone, Debug)]
pub struct Search {
    /// How likely each is the first one like the later end, in any unit.
    weights: Vec<f64>,
    low: usize,
    high: usize,
    skipped: BTreeSet<usize>,
}

/// The verdict of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is like the earlier end.
    Earlier,
    /// It is like the later end.
    Later,
    /// It cannot be built, or does not boot.
    Skipped,
}

impl Verdict {
    /// Returns its word, out of one for each end.
    pub fn word(self, [earlier, later]: [&'static str; 2]) -> &'static str {
        match self {
            Self::Earlier => earlier,
            Self::Later => later,
            Self::Skipped => "skip",
        }
    }
}

impl Search {
    /// Begins with a row whose last one is the later end, and before whose first one the earlier end is.
    pub fn new(weights: Vec<f64>) -> Self {
        let high = weights.len().saturating_sub(1);
        Self { weights, low: 0, high, skipped: BTreeSet::new() }
    }

    /// Returns the one to try next: where as much of the weight lies on one side as on the other.
    /// `None`: the first one is known, or only skipped ones are left before it.
    pub fn next(&self) -> Option<usize> {
        let open = || (self.low..self.high).filter(|at| !self.skipped.contains(at));
        let whole: f64 = self.weights[self.low..=self.high].iter().sum();
        // One like the earlier end rules out all up to itself, one like the later end all behind it.
        let before = |at: usize| self.weights[self.low..=at].iter().sum::<f64>();
        let imbalance = |at: usize| (before(at) - whole / 2.0).abs();
        open().min_by(|a, b| imbalance(*a).total_cmp(&imbalance(*b)))
    }

    pub fn note(&mut self, at: usize, verdict: Verdict) {
        match verdict {
            Verdict::Earlier => self.low = self.low.max(at + 1),
            Verdict::Later => self.high = self.high.min(at),
            Verdict::Skipped => {
                self.skipped.insert(at);
            }
        }
    }

    /// Returns the candidates that are left; one, if the search is at its end and nothing was
    /// skipped before it.
    pub fn left(&self) -> std::ops::RangeInclusive<usize> {
        self.low..=self.high
    }
}

/// Returns how many steps halving needs for a row of this length, the worst case.
pub fn steps_of_halving(candidates: usize) -> u32 {
    candidates.max(1).next_power_of_two().trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn find(weights: Vec<f64>, first: usize, skips: &[usize]) -> (Search, usize) {
        let mut search = Search::new(weights);
        let mut steps = 0;
        while let Some(at) = search.next() {
            steps += 1;
            let verdict = if at >= first { Verdict::Later } else { Verdict::Earlier };
            search.note(at, if skips.contains(&at) { Verdict::Skipped } else { verdict });
        }
        (search, steps)
    }

    #[test]
    fn every_first_one_is_found_in_as_many_steps_as_halving_takes() {
        for length in 1..=64 {
            for first in 0..length {
                let (search, steps) = find(vec![1.0; length], first, &[]);
                assert_eq!(search.left(), first..=first);
                assert!(steps <= steps_of_halving(length) as usize, "{length} {first}: {steps}");
            }
        }
    }

    #[test]
    fn a_likely_one_is_tried_first_and_an_unlikely_one_is_found_all_the_same() {
        let mut weights = vec![1.0; 64];
        weights[40] = 64.0;
        let (search, steps) = find(weights.clone(), 40, &[]);
        assert_eq!((search.left(), steps), (40..=40, 2));
        for first in 0..64 {
            let (search, steps) = find(weights.clone(), first, &[]);
            assert_eq!(search.left(), first..=first);
            assert!(steps <= 8, "{first}: {steps}");
        }
    }

    #[test]
    fn skipped_ones_before_the_first_one_are_left() {
        let (search, _) = find(vec![1.0; 16], 7, &[5, 6]);
        assert_eq!(search.left(), 5..=7);
        let (search, _) = find(vec![1.0; 16], 7, &[3, 12]);
        assert_eq!(search.left(), 7..=7);
        let all: Vec<usize> = (0..15).collect();
        assert_eq!(find(vec![1.0; 16], 7, &all).0.left(), 0..=15);
    }
}
