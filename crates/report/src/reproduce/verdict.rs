// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whether our figures have the reference's sign and order, and how large the effect is in both.

use serde::Serialize;

use super::{Claim, Entry, Summaries};

/// Numbers of a reference that are nearer than this have no order.
const ALIKE: f64 = 0.05;
/// Figures of ours that are nearer than this show no effect.
const NO_EFFECT: f64 = 0.01;
/// Figures that are called equal differ by no more.
const EQUAL: f64 = 0.10;
/// Effects of one size differ by no more than this factor.
const SIZE: f64 = 2.0;

/// An entry with our figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome<'a> {
    /// The entry.
    pub entry: &'a Entry,
    /// Ours, in the entry's unit and order; empty where some could not be had.
    pub ours: Vec<f64>,
    /// The verdict.
    pub verdict: Verdict,
    /// The last quantity by the first one, in the reference.
    pub their_ratio: Option<f64>,
    /// The same of ours.
    pub our_ratio: Option<f64>,
    /// How ours compares with theirs; none where one of both is not known.
    pub size: Option<Size>,
}

/// An effect's size beside another's, whichever way they go: a half and twice are as large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Size {
    /// They differ by a factor of less than two.
    Alike,
    /// Ours is smaller.
    Smaller,
    /// Ours is larger.
    Larger,
}

impl Size {
    /// Compares our effect with theirs.
    pub(super) fn of(theirs: Option<f64>, ours: Option<f64>) -> Option<Self> {
        let strength = |ratio: f64| (ratio > 0.0).then(|| ratio.max(ratio.recip()));
        let factor = strength(ours?)? / strength(theirs?)?;
        Some(match factor {
            _ if factor >= SIZE => Self::Larger,
            _ if factor <= SIZE.recip() => Self::Smaller,
            _ => Self::Alike,
        })
    }
}

/// A verdict on sign and order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "is", content = "why", rename_all = "lowercase")]
pub enum Verdict {
    /// Ours have the reference's.
    Agrees,
    /// They have not.
    Differs,
    /// There are no figures of ours.
    Missing(String),
}

impl<'a> Outcome<'a> {
    /// Compares an entry with the figures of the experiments.
    pub fn of(entry: &'a Entry, summaries: &Summaries) -> Self {
        let scale = entry.unit.of_time().map_or(1.0, |unit| unit.ns() as f64);
        let figure = |one| summaries.figure(one).map(|figure| figure / scale);
        let ours: Result<Vec<f64>, String> = match &entry.lacks {
            Some(lacks) => Err(lacks.clone()),
            None => entry.quantities.iter().map(figure).collect(),
        };
        let theirs: Vec<f64> = entry.quantities.iter().filter_map(|one| one.theirs).collect();
        let (ours, verdict) = match ours {
            Ok(ours) => {
                let agrees = match entry.claim {
                    Claim::Order => in_order(&theirs, &ours),
                    Claim::Equal => are_equal(&ours),
                    Claim::Present => ours.iter().all(|figure| *figure > 0.0),
                };
                (ours, if agrees { Verdict::Agrees } else { Verdict::Differs })
            }
            Err(why) => (Vec::new(), Verdict::Missing(why)),
        };
        let (their_ratio, our_ratio) = (ratio(&theirs), ratio(&ours));
        let is_compared = verdict == Verdict::Agrees;
        let size = is_compared.then(|| Size::of(their_ratio, our_ratio)).flatten();
        Self { their_ratio, our_ratio, size, entry, ours, verdict }
    }

    /// Returns whether it agrees, or says why not.
    pub fn is_explained(&self) -> bool {
        self.verdict == Verdict::Agrees
            || self.entry.because.is_some()
            || self.entry.lacks.is_some()
    }
}

/// Returns whether each two of ours have the order of theirs, by more than no effect; where there are
/// no numbers of theirs, whether ours ascend.
fn in_order(theirs: &[f64], ours: &[f64]) -> bool {
    let are_near = |x: f64, y: f64, part: f64| (x - y).abs() <= part * x.abs().max(y.abs());
    let pairs = (0..ours.len()).flat_map(|a| (a + 1..ours.len()).map(move |b| (a, b)));
    pairs.into_iter().all(|(a, b)| {
        let rises = match (theirs.get(a), theirs.get(b)) {
            (Some(x), Some(y)) if are_near(*x, *y, ALIKE) => return true,
            (Some(x), Some(y)) => x < y,
            _ => true,
        };
        !are_near(ours[a], ours[b], NO_EFFECT) && (ours[a] < ours[b]) == rises
    })
}

fn are_equal(ours: &[f64]) -> bool {
    let most = ours.iter().copied().fold(f64::MIN, f64::max);
    let least = ours.iter().copied().fold(f64::MAX, f64::min);
    most - least <= EQUAL * most.abs().max(least.abs())
}

/// Returns the last by the first; none of fewer than two, or of nothing above zero.
fn ratio(figures: &[f64]) -> Option<f64> {
    let (first, last) = (figures.first()?, figures.last()?);
    (figures.len() > 1 && *first > 0.0).then(|| last / first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_the_references_and_not_the_sizes() {
        assert!(in_order(&[847.0, 192.0], &[18.6, 12.3]));
        assert!(!in_order(&[847.0, 192.0], &[12.3, 18.6]));
        assert!(!in_order(&[847.0, 192.0], &[12.3, 12.2]), "no effect is no agreement");
        // 4.0 and 4.7 have an order, 24 and 24.5 none.
        assert!(in_order(&[4.0, 4.7, 24.1], &[2.4, 2.5, 8.6]));
        assert!(!in_order(&[4.0, 4.7, 24.1], &[2.5, 2.4, 8.6]));
        assert!(in_order(&[24.0, 24.5], &[3.0, 2.0]));
        assert!(in_order(&[], &[1.0, 2.0, 3.0]) && !in_order(&[], &[1.0, 3.0, 2.0]));
    }

    #[test]
    fn effects_have_a_size_whichever_way_they_go() {
        let size = |theirs, ours| Size::of(Some(theirs), Some(ours));
        assert_eq!(size(0.25, 0.2), Some(Size::Alike));
        assert_eq!(size(0.25, 0.9), Some(Size::Smaller));
        assert_eq!(size(3.0, 30.0), Some(Size::Larger));
        assert_eq!(size(1.0, 1.1), Some(Size::Alike));
        assert_eq!((Size::of(None, Some(2.0)), size(0.0, 1.0)), (None, None));
    }

    #[test]
    fn equal_is_to_a_tenth_and_a_ratio_is_of_the_last_by_the_first() {
        assert!(are_equal(&[5.25, 5.08, 5.26]) && !are_equal(&[1.0, 1.2]));
        assert_eq!(ratio(&[800.0, 1.0, 200.0]), Some(0.25));
        assert_eq!((ratio(&[1.0]), ratio(&[0.0, 1.0]), ratio(&[])), (None, None, None));
    }
}
