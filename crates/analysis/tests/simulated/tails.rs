// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tails of which everything is known.

use irqscope_analysis::Tail;
use rand_xoshiro::Xoshiro256PlusPlus;
use statrs::distribution::{ContinuousCDF, Normal};

use super::coverage::series;
use super::{random, uniform};

/// The values above 10 µs, by the share above them; and the shape of their limit.
#[derive(Clone, Copy)]
pub struct Known {
    pub name: &'static str,
    pub shape: f64,
    pub above: fn(f64) -> f64,
}

pub const KNOWN: [Known; 7] = [
    Known { name: "exponential", shape: 0.0, above: |share| 1e4 - 5e3 * share.ln() },
    Known { name: "Pareto, index 4", shape: 0.25, above: |share| 1e4 * share.powf(-0.25) },
    Known { name: "Pareto, index 2", shape: 0.5, above: |share| 1e4 * share.powf(-0.5) },
    Known { name: "uniform", shape: -1.0, above: |share| 1e4 + 2e4 * (1.0 - share) },
    Known {
        name: "Weibull, 0.7",
        shape: 0.0,
        above: |share| 1e4 + 5e3 * (-share.ln()).powf(1.0 / 0.7),
    },
    Known { name: "Weibull, 2", shape: 0.0, above: |share| 1e4 + 5e3 * (-share.ln()).sqrt() },
    Known {
        name: "lognormal, 0.3",
        shape: 0.0,
        above: |share| 1e4 * (0.3 * Normal::standard().inverse_cdf(1.0 - share)).exp(),
    },
];

/// The outcome of all simulations.
#[derive(Debug)]
pub struct Found {
    /// The median.
    pub shape: f64,
    /// Of all tails, in per cent: those whose interval held the level that is
    /// exceeded once in ten times as many samples.
    pub held: f64,
    /// The median of the estimated level over the true one.
    pub ratio: f64,
    /// Of all simulations, in per cent.
    pub refused: f64,
}

pub fn draw(known: Known, n: usize, random: &mut Xoshiro256PlusPlus) -> Vec<i64> {
    (0..n).map(|_| (known.above)(uniform(random)).round() as i64).collect()
}

pub fn simulate(known: Known, n: usize, simulations: usize) -> Found {
    let mut random = random(1);
    let (samples, mut held) = (10.0 * n as f64, 0);
    let truth = (known.above)(1.0 / samples);
    let (mut shapes, mut ratios) = (Vec::new(), Vec::new());
    for _ in 0..simulations {
        let series = series(draw(known, n, &mut random));
        let Ok(tail) = Tail::of(&series, &[samples]).unwrap() else { continue };
        let level = tail.levels[0];
        held +=
            usize::from(level.low_ns <= truth && level.high_ns.is_none_or(|high| truth <= high));
        shapes.push(tail.shape);
        ratios.push(level.ns / truth);
    }
    let percent = |part: usize, of: usize| 100.0 * part as f64 / of as f64;
    let refused = percent(simulations - shapes.len(), simulations);
    let held = percent(held, shapes.len());
    Found { shape: median(shapes), held, ratio: median(ratios), refused }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
