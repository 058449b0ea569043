// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whether excesses follow the distribution that was fitted to them.
//!
//! Anderson and Darling's statistic, which weighs the tails most. Its distribution
//! depends on the shape, because the parameters were fitted (Choulakian and
//! Stephens, "Goodness-of-fit tests for the generalized Pareto distribution",
//! Technometrics 43, 2001); here it comes from a parametric bootstrap: samples are
//! drawn from the fit and fitted themselves, until twenty of them lie farther off
//! than the data do, or 499 were drawn (Besag and Clifford, "Sequential Monte Carlo
//! p-values", Biometrika 78, 1991).

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::Rng;

use super::gpd::Gpd;

const MOST_DRAWN: u32 = 499;
const ENOUGH: u32 = 20;

/// Returns the probability that chance lies as far off as `excesses` do from their own fit.
pub(crate) fn probability(excesses: &[f64], fit: Gpd, random: &mut Xoshiro256PlusPlus) -> f64 {
    let observed = distance(excesses, fit);
    let mut farther = 0;
    for drawn in 1..=MOST_DRAWN {
        let sample: Vec<f64> = excesses.iter().map(|_| fit.above(uniform(random))).collect();
        farther += u32::from(distance(&sample, Gpd::fit(&sample)) >= observed);
        if farther == ENOUGH {
            return f64::from(ENOUGH) / f64::from(drawn);
        }
    }
    f64::from(farther + 1) / f64::from(MOST_DRAWN + 1)
}

/// Draws a number above 0 and below 1.
fn uniform(random: &mut Xoshiro256PlusPlus) -> f64 {
    ((random.next_u64() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
}

/// Returns Anderson and Darling's statistic.
fn distance(excesses: &[f64], fit: Gpd) -> f64 {
    let mut shares: Vec<f64> =
        excesses.iter().map(|excess| fit.below(*excess).clamp(1e-12, 1.0 - 1e-12)).collect();
    shares.sort_by(f64::total_cmp);
    let n = shares.len();
    let term = |(place, share): (usize, &f64)| {
        (2 * place + 1) as f64 * (share.ln() + (1.0 - shares[n - 1 - place]).ln())
    };
    -(n as f64) - shares.iter().enumerate().map(term).sum::<f64>() / n as f64
}

/// Returns the probability that chance spreads places so unevenly from 0 to 1: Kolmogorov and
/// Smirnov's test in Stephens' form for finite samples (Journal of the Royal Statistical Society B
/// 32, 1970). Places ascending.
pub(crate) fn evenness(places: &[f64]) -> f64 {
    let n = places.len() as f64;
    let off = |(place, at): (usize, &f64)| {
        (at - place as f64 / n).abs().max(((place + 1) as f64 / n - at).abs())
    };
    let farthest = places.iter().enumerate().map(off).fold(0.0, f64::max);
    let scaled = farthest * (n.sqrt() + 0.12 + 0.11 / n.sqrt());
    let term = |k: i32| {
        let sign = if k % 2 == 1 { 2.0 } else { -2.0 };
        sign * (-2.0 * f64::from(k * k) * scaled * scaled).exp()
    };
    if scaled < 0.2 { 1.0 } else { (1..=100).map(term).sum::<f64>().clamp(0.0, 1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::rand_core::SeedableRng;

    #[test]
    fn what_follows_is_not_rejected_and_what_does_not_is() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let good: Vec<f64> =
            (0..400).map(|_| Gpd { scale: 5.0, shape: 0.2 }.above(uniform(&mut random))).collect();
        assert!(probability(&good, Gpd::fit(&good), &mut random) > 0.05);
        let two: Vec<f64> =
            good.iter().enumerate().map(|(n, x)| if n % 3 == 0 { x + 20.0 } else { *x }).collect();
        assert!(probability(&two, Gpd::fit(&two), &mut random) < 0.01);
    }

    #[test]
    fn the_test_rejects_as_often_as_its_level_says() {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
        let rejected = |_: &u32| {
            let sample: Vec<f64> = (0..80)
                .map(|_| Gpd { scale: 1.0, shape: -0.2 }.above(uniform(&mut random)))
                .collect();
            probability(&sample, Gpd::fit(&sample), &mut random) <= 0.1
        };
        let count = (0..400).filter(rejected).count();
        assert!((20..=60).contains(&count), "{count} of 400 at level 10 %");
    }

    #[test]
    fn even_places_are_even() {
        let even: Vec<f64> = (0..100).map(|n| (f64::from(n) + 0.5) / 100.0).collect();
        assert!(evenness(&even) > 0.99);
        let late: Vec<f64> = even.iter().map(|at| 0.7 + 0.3 * at).collect();
        assert!(evenness(&late) < 1e-6);
        // The 5 % point of the asymptotic distribution is 1.358.
        let shifted: Vec<f64> =
            (0..10_000).map(|n| (f64::from(n) / 10_000.0 + 0.013_58).min(1.0)).collect();
        assert!((evenness(&shifted) - 0.05).abs() < 0.005);
    }
}
