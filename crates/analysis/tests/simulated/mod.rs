// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Series of which everything is known: their quantiles follow from formulas.

#![allow(clippy::unwrap_used)] // the benchmark takes these, too

pub mod coverage;
pub mod tails;

use rand_distr::{Distribution, StandardNormal};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use statrs::distribution::{ContinuousCDF, Normal};

pub fn random(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// Draws a number above 0 and below 1.
pub fn uniform(random: &mut Xoshiro256PlusPlus) -> f64 {
    ((random.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// How latencies come about, in the order of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Process {
    /// Independent, skewed to the right as latencies are.
    Independent,
    /// Each depends on the one before: the correlation is this one.
    Autoregressive(f64),
    /// Now and then (2 % of the time) twenty in a row are three times as long.
    Bursts,
    /// Independent, a Pareto tail whose variance is infinite.
    HeavyTail,
    /// Independent, in steps of this many nanoseconds.
    Ties(i64),
}

/// How many in a burst, and the share of all that are in one.
const BURST: f64 = 20.0;
const IN_BURSTS: f64 = 0.02;

impl Process {
    pub fn name(self) -> String {
        match self {
            Self::Independent => "independent".into(),
            Self::Autoregressive(rho) => format!("AR(1), {rho}"),
            Self::Bursts => "bursts".into(),
            Self::HeavyTail => "heavy tail".into(),
            Self::Ties(step) => format!("ties, steps of {step} ns"),
        }
    }

    /// Makes `n` latencies, each `scale` times as long.
    pub fn series(self, random: &mut Xoshiro256PlusPlus, n: usize, scale: f64) -> Vec<i64> {
        let mut state: f64 = StandardNormal.sample(random);
        let mut burst = uniform(random) < IN_BURSTS;
        let mut next = || {
            let normal: f64 = StandardNormal.sample(random);
            match self {
                Self::Autoregressive(rho) => {
                    state = rho * state + (1.0 - rho * rho).sqrt() * normal;
                    latency(state)
                }
                Self::Bursts => {
                    let leave = 1.0 / BURST;
                    let enter = leave * IN_BURSTS / (1.0 - IN_BURSTS);
                    burst = uniform(random) < if burst { 1.0 - leave } else { enter };
                    latency(normal) * if burst { 3.0 } else { 1.0 }
                }
                Self::HeavyTail => pareto(uniform(random)),
                Self::Independent | Self::Ties(_) => latency(normal),
            }
        };
        (0..n).map(|_| self.round(next() * scale)).collect()
    }

    fn round(self, latency: f64) -> i64 {
        match self {
            Self::Ties(step) => (latency / step as f64).ceil() as i64 * step,
            _ => latency.round() as i64,
        }
    }

    /// Returns the true quantile.
    pub fn quantile(self, share: f64, scale: f64) -> f64 {
        let value = scale
            * match self {
                Self::HeavyTail => pareto(1.0 - share),
                Self::Bursts => inverse(share, burst_share),
                _ => latency(Normal::standard().inverse_cdf(share)),
            };
        match self {
            Self::Ties(_) => self.round(value) as f64,
            _ => value,
        }
    }
}

/// Makes a lognormal latency, about 10 µs in the middle.
fn latency(normal: f64) -> f64 {
    10_000.0 * (0.3 * normal).exp()
}

/// Makes values above 10 µs; `rest` is the share above the value.
fn pareto(rest: f64) -> f64 {
    10_000.0 * rest.powf(-1.0 / 1.5)
}

fn burst_share(value: f64) -> f64 {
    let below = |value: f64| Normal::standard().cdf((value / 10_000.0).ln() / 0.3);
    (1.0 - IN_BURSTS) * below(value) + IN_BURSTS * below(value / 3.0)
}

fn inverse(share: f64, below: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1e7);
    for _ in 0..100 {
        let middle = f64::midpoint(low, high);
        *if below(middle) < share { &mut low } else { &mut high } = middle;
    }
    low
}
