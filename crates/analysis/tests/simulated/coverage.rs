// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How often intervals hold the truth, and how often the test raises an alarm.

use irqscope_quantity::Quantile;
use std::path::Path;

use irqscope_analysis::{Counted, LEVEL, Measured, Ordered, SeriesName, Shift, WINDOWS, differ};
use irqscope_wire::{Stage, View};

use super::{Process, random};

/// The second series is this many times as long where there is something to find.
pub const SCALE: f64 = 1.1;

/// In per cent.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rate {
    /// Of all intervals, those that held the truth.
    pub held: f64,
    /// Of all simulations, those that had an interval.
    pub known: f64,
}

pub fn series(values: Vec<i64>) -> Measured {
    // This few need no file.
    let dir = Path::new("/nonexistent");
    Measured {
        name: SeriesName::Stage { stage: Stage::Irq, view: View::Inside },
        values: Ordered::of(values.iter().copied(), dir).unwrap(),
        sorted: Counted::of(values, dir).unwrap(),
        without: 0,
    }
}

/// Returns the coverage for each quantile; `samples`: the number of samples of either side. 1000 is the maximum of
/// a window.
pub fn coverage(
    process: Process,
    samples: [usize; 2],
    simulations: u32,
    quantiles: &[u32],
) -> Vec<Rate> {
    let mut random = random(1);
    let window = samples[0].min(samples[1]) / WINDOWS;
    let truths: Vec<f64> = quantiles.iter().map(|q| truth(process, window, *q)).collect();
    let mut counts = vec![(0u32, 0u32); quantiles.len()];
    for _ in 0..simulations {
        let base = series(process.series(&mut random, samples[0], 1.0));
        let other = series(process.series(&mut random, samples[1], SCALE));
        for ((held, known), (q, truth)) in counts.iter_mut().zip(quantiles.iter().zip(&truths)) {
            let shift =
                Shift::estimated(&base, &other, Quantile::per_mille(*q), LEVEL).unwrap().unwrap();
            if let Some(limits) = shift.interval {
                *known += 1;
                *held += u32::from((limits.low_ns..=limits.high_ns).contains(truth));
            }
        }
    }
    let percent = |part: u32, of: u32| 100.0 * f64::from(part) / f64::from(of);
    let rate =
        |(held, known)| Rate { held: percent(held, known), known: percent(known, simulations) };
    counts.into_iter().map(rate).collect()
}

/// Returns the true difference; that of maxima is of windows of `window` samples.
fn truth(process: Process, window: usize, thousandths: u32) -> f64 {
    if thousandths == 1000 {
        let maxima = [1.0, SCALE].map(|scale| window_maxima(process, window, scale));
        let mut differences: Vec<i64> =
            maxima[0].iter().zip(&maxima[1]).map(|(a, b)| b - a).collect();
        differences.sort_unstable();
        return differences[differences.len() / 2] as f64;
    }
    let share = f64::from(thousandths) / 1000.0;
    process.quantile(share, SCALE) - process.quantile(share, 1.0)
}

/// Returns the maxima of 10,001 windows; the same scale has the same ones.
fn window_maxima(process: Process, window: usize, scale: f64) -> Vec<i64> {
    let long = process.series(&mut random(scale.to_bits()), window * 10_001, scale);
    long.chunks(window).filter_map(|window| window.iter().max().copied()).collect()
}

/// Returns how often the test says at 5 % that two series differ, in per cent; `scale` 1: though
/// they do not.
pub fn alarms(process: Process, n: usize, simulations: u32, scale: f64) -> f64 {
    let mut random = random(3);
    let mut alarm = |_: &u32| {
        let base = series(process.series(&mut random, n, 1.0));
        let other = series(process.series(&mut random, n, scale));
        differ(&base, &other).unwrap().is_ok_and(|test| test.p <= 0.05)
    };
    let count = (0..simulations).filter(&mut alarm).count();
    100.0 * count as f64 / f64::from(simulations)
}
