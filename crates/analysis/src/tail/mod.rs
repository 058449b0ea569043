// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values to be expected beyond the samples: peaks over a threshold.
//!
//! Above a high threshold the largest values of clusters follow a generalised Pareto
//! distribution, whatever the values do. How high is high enough, the data say: the
//! lowest of up to a dozen thresholds from which on no fit is rejected.

mod decluster;
mod goodness;
mod gpd;
mod level;
mod series;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use serde::Serialize;

use crate::{Ascending, Measured, Ordered, Result};
use decluster::{Peak, Placed, peaks};
use goodness::{evenness, probability};
use gpd::Gpd;
use level::{Peaks, level, shape_interval};

pub use level::ReturnLevel;
pub use series::{SeriesTail, TailAsk, TailError, tails};

/// How it is made, as it stands in the output.
pub const TAIL_METHOD: &str = "peaks over threshold, declustered by the intervals estimator (Ferro and Segers 2003), generalised Pareto by maximum likelihood, lowest threshold from which on Anderson-Darling (parametric bootstrap) rejects no fit at 5 %, profile-likelihood intervals over it and all higher ones, their upper end at least an exponential tail's";

const FEWEST_SAMPLES: u64 = 1_000;
const FEWEST_PEAKS: u64 = 50;
/// Above the lowest threshold.
const MOST_EXCEEDANCES: u64 = 500;
const REJECTED: f64 = 0.05;
/// Peaks that lie so unevenly in time are no one's chance.
const UNEVEN: f64 = 0.01;

/// Why no tail is estimated: the data do not support it.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    #[error(
        "{samples} samples are too few to say anything of their tail; measure {FEWEST_SAMPLES} at least"
    )]
    FewSamples { samples: u64 },
    #[error(
        "the order of the samples is unknown, because a histogram was imported; measure it, or import what has every sample"
    )]
    NoOrder,
    #[error(
        "of {without} triggers there is no figure, and the latest responses may be among them; measure with a longer period or timeout"
    )]
    Unanswered { without: u64 },
    #[error(
        "the largest values make {peaks} peaks only, {FEWEST_PEAKS} are needed: they come in clusters, or are all the same; measure longer"
    )]
    FewPeaks { peaks: u64 },
    #[error(
        "of {peaks} peaks only {different} are different: the clock is too coarse for a tail; use a finer one"
    )]
    Coarse { peaks: usize, different: usize },
    #[error(
        "the peaks are not spread evenly over the run (p = {p:.4}): something changed while it was measured, and what comes is not what was; find out what in the course of time, or measure longer"
    )]
    Uneven { p: f64 },
    #[error(
        "no threshold has a tail of one kind above it (the best fit has p = {p:.3}): there are several causes of different length; see irqscope explain"
    )]
    NoFit { p: f64 },
    #[error(
        "the tail is so heavy (shape {shape:.2}) that it has no mean, and nothing can be said beyond the samples; find out what the largest values are"
    )]
    NoMean { shape: f64 },
}

/// The tail of one series.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Tail {
    /// Samples.
    pub samples: u64,
    /// The greatest sample.
    pub max_ns: i64,
    /// Values above it make the tail.
    pub threshold_ns: i64,
    /// The number of thresholds that fit, over which the intervals reach.
    pub thresholds: u64,
    /// Values above the threshold.
    pub exceedances: u64,
    /// Clusters of exceedances, each with its largest value.
    pub peaks: u64,
    /// One over the mean size of a cluster.
    pub extremal_index: f64,
    /// The distribution's scale.
    pub scale_ns: f64,
    /// Below zero the tail has an end; zero is exponential; above zero it is heavy.
    pub shape: f64,
    /// The shape's interval.
    pub shape_interval: [f64; 2],
    /// Where a tail with an end ends.
    pub end_ns: Option<f64>,
    /// How likely chance lies as far off as the data do from the fit.
    pub goodness_p: f64,
    /// The return levels.
    pub levels: Vec<ReturnLevel>,
}

impl Tail {
    /// Estimates the tail; `every` are the return periods in samples; those below the threshold are
    /// left out.
    ///
    /// # Errors
    /// The disk's, where values do not fit into memory.
    pub fn of(series: &Measured, every: &[f64]) -> Result<Result<Self, Refusal>> {
        let samples = series.sorted.count();
        if !series.is_in_order() {
            return Ok(Err(Refusal::NoOrder));
        }
        if samples < FEWEST_SAMPLES {
            return Ok(Err(Refusal::FewSamples { samples }));
        }
        if series.without > 0 {
            return Ok(Err(Refusal::Unanswered { without: series.without }));
        }
        let thresholds = thresholds(series)?;
        let lowest = thresholds.last().copied().unwrap_or(i64::MAX);
        let largest = largest(&series.values, lowest)?;
        let max_ns = series.sorted.max().unwrap_or(0);
        Ok(Self::above(&largest, &thresholds, samples, max_ns, every))
    }

    fn above(
        largest: &[Placed],
        thresholds: &[i64],
        samples: u64,
        max_ns: i64,
        every: &[f64],
    ) -> Result<Self, Refusal> {
        let accepted = accepted(largest, thresholds)?;
        let chosen = accepted.last().ok_or(Refusal::FewPeaks { peaks: 0 })?;
        let Candidate { threshold, peaks, index, fit, p, .. } = chosen;
        let places: Vec<f64> =
            peaks.iter().map(|peak| (peak.at as f64 + 0.5) / samples as f64).collect();
        let even = evenness(&places);
        if even < UNEVEN {
            return Err(Refusal::Uneven { p: even });
        }
        if fit.shape >= 1.0 {
            return Err(Refusal::NoMean { shape: fit.shape });
        }
        let models: Vec<_> = accepted.iter().map(|one| one.model(samples)).collect();
        Ok(Self {
            samples,
            max_ns,
            threshold_ns: *threshold,
            thresholds: models.len() as u64,
            exceedances: largest.iter().filter(|(_, value)| value > threshold).count() as u64,
            peaks: peaks.len() as u64,
            extremal_index: *index,
            scale_ns: fit.scale,
            shape: fit.shape,
            shape_interval: shape_interval(&models),
            end_ns: (fit.shape < 0.0).then(|| *threshold as f64 - fit.scale / fit.shape),
            goodness_p: *p,
            levels: every.iter().filter_map(|samples| level(&models, *samples)).collect(),
        })
    }
}

/// A threshold with what lies above it.
struct Candidate {
    threshold: i64,
    peaks: Vec<Peak>,
    index: f64,
    excesses: Vec<f64>,
    fit: Gpd,
    p: f64,
}

impl Candidate {
    fn model(&self, samples: u64) -> Peaks<'_> {
        Peaks {
            threshold: self.threshold as f64,
            excesses: &self.excesses,
            fit: self.fit,
            rate: self.peaks.len() as f64 / samples as f64,
        }
    }
}

/// Returns the candidates from the highest threshold down, as long as no fit is rejected; one at
/// least.
fn accepted(largest: &[Placed], thresholds: &[i64]) -> Result<Vec<Candidate>, Refusal> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut accepted, mut best, mut few) = (Vec::new(), 0.0f64, Refusal::FewPeaks { peaks: 0 });
    for threshold in thresholds {
        let candidate = match candidate(largest, *threshold, &mut random) {
            Ok(candidate) => candidate,
            Err(refusal) => {
                few = refusal;
                continue;
            }
        };
        best = best.max(candidate.p);
        if candidate.p <= REJECTED {
            break;
        }
        accepted.push(candidate);
    }
    if !accepted.is_empty() {
        return Ok(accepted);
    }
    Err(if best > 0.0 { Refusal::NoFit { p: best } } else { few })
}

/// Returns thresholds, descending, each with half as many exceedances again as the one before.
fn thresholds(series: &Measured) -> Result<Vec<i64>> {
    let n = series.sorted.count();
    let most = MOST_EXCEEDANCES.min(n / 20);
    let mut thresholds = Vec::new();
    let mut count = FEWEST_PEAKS;
    while count <= most {
        let [value] = series.sorted.at_ranks([n - count])?;
        thresholds.extend(value);
        count += count / 2;
    }
    thresholds.dedup();
    Ok(thresholds)
}

/// Returns the values above a threshold, which are few, in the order of time.
fn largest(values: &Ordered, threshold: i64) -> Result<Vec<Placed>> {
    let (mut largest, mut place) = (Vec::new(), 0);
    values.each(|piece| {
        for value in piece {
            if *value > threshold {
                largest.push((place, *value));
            }
            place += 1;
        }
    })?;
    Ok(largest)
}

fn candidate(
    largest: &[Placed],
    threshold: i64,
    random: &mut Xoshiro256PlusPlus,
) -> Result<Candidate, Refusal> {
    let (peaks, index) = peaks(largest, threshold);
    if (peaks.len() as u64) < FEWEST_PEAKS {
        return Err(Refusal::FewPeaks { peaks: peaks.len() as u64 });
    }
    let mut values: Vec<i64> = peaks.iter().map(|peak| peak.excess).collect();
    values.sort_unstable();
    values.dedup();
    if values.len() < peaks.len() / 2 {
        return Err(Refusal::Coarse { peaks: peaks.len(), different: values.len() });
    }
    // A value of whole nanoseconds lies in the middle of where it was.
    let excesses: Vec<f64> = peaks.iter().map(|peak| peak.excess as f64 - 0.5).collect();
    let fit = Gpd::fit(&excesses);
    let p = probability(&excesses, fit, random);
    Ok(Candidate { threshold, peaks, index, excesses, fit, p })
}
