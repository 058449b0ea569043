// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What is to be expected beyond the samples: peaks over a threshold.
//!
//! Above a high threshold the largest values of clusters follow a generalised Pareto
//! distribution, whatever the values do. How high is high enough, the data say: the
//! lowest of up to a dozen thresholds from which on no fit is rejected.

mod decluster;
mod goodness;
mod gpd;
mod level;

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::SeedableRng;
use serde::Serialize;

use crate::Measured;
use decluster::{Peak, peaks};
use goodness::{evenness, probability};
use gpd::Gpd;
use level::Peaks;

pub use level::ReturnLevel;

/// How it is made, as it stands in the output.
pub const TAIL_METHOD: &str = "peaks over threshold, declustered by the intervals estimator (Ferro and Segers 2003), generalised Pareto by maximum likelihood, profile-likelihood intervals, lowest threshold from which on Anderson-Darling (parametric bootstrap) rejects no fit at 5 %";

const FEWEST_SAMPLES: usize = 1_000;
const FEWEST_PEAKS: usize = 50;
/// Above the lowest threshold.
const MOST_EXCEEDANCES: usize = 500;
const REJECTED: f64 = 0.05;
/// Peaks that lie so unevenly in time are no one's chance.
const UNEVEN: f64 = 0.01;

/// Why no tail is estimated: the data do not support it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Refusal {
    #[error(
        "{samples} samples are too few to say anything of their tail; measure {FEWEST_SAMPLES} at least"
    )]
    FewSamples { samples: usize },
    #[error(
        "of {without} triggers there is no figure, and the latest responses may be among them; measure with a longer period or timeout"
    )]
    Unanswered { without: u64 },
    #[error(
        "the largest values make {peaks} peaks only, {FEWEST_PEAKS} are needed: they come in clusters, or are all the same; measure longer"
    )]
    FewPeaks { peaks: usize },
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
    pub samples: u64,
    pub max_ns: i64,
    /// Values above it make the tail.
    pub threshold_ns: i64,
    pub exceedances: u64,
    /// Clusters of exceedances, each with its largest value.
    pub peaks: u64,
    /// One over the mean size of a cluster.
    pub extremal_index: f64,
    pub scale_ns: f64,
    /// Below zero the tail has an end; zero is exponential; above zero it is heavy.
    pub shape: f64,
    pub shape_interval: [f64; 2],
    /// Where a tail with an end ends.
    pub end_ns: Option<f64>,
    /// How likely chance lies as far off as the data do from the fit.
    pub goodness_p: f64,
    pub levels: Vec<ReturnLevel>,
}

impl Tail {
    /// `every` are the return periods in samples; those below the threshold are
    /// left out.
    pub fn of(series: &Measured, every: &[f64]) -> Result<Self, Refusal> {
        let samples = series.values.len();
        if samples < FEWEST_SAMPLES {
            return Err(Refusal::FewSamples { samples });
        }
        if series.without > 0 {
            return Err(Refusal::Unanswered { without: series.without });
        }
        let chosen = choose(series)?;
        let Candidate { threshold, peaks, index, excesses, fit, p } = &chosen;
        let places: Vec<f64> =
            peaks.iter().map(|peak| (peak.at as f64 + 0.5) / samples as f64).collect();
        let even = evenness(&places);
        if even < UNEVEN {
            return Err(Refusal::Uneven { p: even });
        }
        if fit.shape >= 1.0 {
            return Err(Refusal::NoMean { shape: fit.shape });
        }
        let rate = peaks.len() as f64 / samples as f64;
        let model = Peaks { threshold: *threshold as f64, excesses, fit: *fit, rate };
        Ok(Self {
            samples: samples as u64,
            max_ns: series.sorted.last().copied().unwrap_or(0),
            threshold_ns: *threshold,
            exceedances: above(series, *threshold) as u64,
            peaks: peaks.len() as u64,
            extremal_index: *index,
            scale_ns: fit.scale,
            shape: fit.shape,
            shape_interval: model.shape_interval(),
            end_ns: (fit.shape < 0.0).then(|| *threshold as f64 - fit.scale / fit.shape),
            goodness_p: *p,
            levels: every.iter().filter_map(|samples| model.level(*samples)).collect(),
        })
    }
}

fn above(series: &Measured, threshold: i64) -> usize {
    series.sorted.len() - series.sorted.partition_point(|value| *value <= threshold)
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

/// From the highest threshold down, as long as no fit is rejected.
fn choose(series: &Measured) -> Result<Candidate, Refusal> {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let (mut chosen, mut best, mut few) = (None, 0.0f64, Refusal::FewPeaks { peaks: 0 });
    for threshold in thresholds(series) {
        let candidate = match candidate(series, threshold, &mut random) {
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
        chosen = Some(candidate);
    }
    match (chosen, best > 0.0) {
        (Some(chosen), _) => Ok(chosen),
        (None, true) => Err(Refusal::NoFit { p: best }),
        (None, false) => Err(few),
    }
}

/// Descending, each with half as many exceedances again as the one before.
fn thresholds(series: &Measured) -> Vec<i64> {
    let n = series.sorted.len();
    let most = MOST_EXCEEDANCES.min(n / 20);
    let mut thresholds = Vec::new();
    let mut count = FEWEST_PEAKS;
    while count <= most {
        thresholds.push(series.sorted[n - 1 - count]);
        count += count / 2;
    }
    thresholds.dedup();
    thresholds
}

fn candidate(
    series: &Measured,
    threshold: i64,
    random: &mut Xoshiro256PlusPlus,
) -> Result<Candidate, Refusal> {
    let (peaks, index) = peaks(&series.values, threshold);
    if peaks.len() < FEWEST_PEAKS {
        return Err(Refusal::FewPeaks { peaks: peaks.len() });
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
