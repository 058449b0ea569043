// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Intervals over independent replications.
//!
//! Each seed is a run of its own, and a figure of it is one draw of a random quantity:
//! samples of a run are correlated, draws are not. Their mean has the interval of Student's t with one
//! degree of freedom less than there are seeds (the method of independent replications: Law and Kelton,
//! "Simulation Modeling and Analysis", chapter 9).
//!
//! Student's t takes the draws for normal. Means and medians of a run nearly are; far quantiles and
//! maxima are skewed, and with few seeds their interval holds the truth less often than it says
//! (docs/figures.md has how often).

use statrs::distribution::{ContinuousCDF, StudentsT};

use crate::compare::Interval;

/// How figures over seeds are made, as it stands in the output.
pub const SEEDS_METHOD: &str = "mean of the figures of all seeds, with the interval of Student's t (independent replications, Law and Kelton, chapter 9)";

/// Returns the mean.
pub(crate) fn mean(draws: &[f64]) -> f64 {
    draws.iter().sum::<f64>() / draws.len().max(1) as f64
}

/// Returns the mean with its interval; `None` of one draw, and where all draws are the same: their
/// spread is then below what can be seen, and not zero.
pub(crate) fn of_mean(draws: &[f64], level: f64) -> Option<Interval> {
    around(mean(draws), squared_error(draws)?, draws.len() as f64 - 1.0, level)
}

fn around(estimate: f64, squared_error: f64, freedom: f64, level: f64) -> Option<Interval> {
    let student = StudentsT::new(0.0, 1.0, freedom).ok()?;
    let reach = student.inverse_cdf(1.0 - (1.0 - level) / 2.0) * squared_error.sqrt();
    Some(Interval { estimate, low: estimate - reach, high: estimate + reach })
}

/// Returns the variance of the mean; `None` where there is none to be seen.
fn squared_error(draws: &[f64]) -> Option<f64> {
    let [first, rest @ ..] = draws else { return None };
    if rest.iter().all(|one| one == first) {
        return None;
    }
    let (mean, count) = (mean(draws), draws.len() as f64);
    let squares: f64 = draws.iter().map(|one| (one - mean).powi(2)).sum();
    Some(squares / (count - 1.0) / count)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_distr::{Distribution, Exp1, Normal, Pareto};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use statrs::function::gamma::ln_gamma;

    const LEVEL: f64 = 0.95;
    const TIMES: usize = 2_000;

    /// Counts how often of 2,000 an interval holds the truth, in per cent.
    fn held(mut one: impl FnMut(&mut Xoshiro256PlusPlus) -> (Interval, f64)) -> f64 {
        let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
        let held = (0..TIMES).filter(|_| {
            let (Interval { low, high, .. }, truth) = one(&mut random);
            low <= truth && truth <= high
        });
        100.0 * held.count() as f64 / TIMES as f64
    }

    fn draws<T: Distribution<f64>>(
        random: &mut Xoshiro256PlusPlus,
        of: T,
        count: usize,
    ) -> Vec<f64> {
        of.sample_iter(random).take(count).collect()
    }

    #[test]
    fn the_interval_is_the_textbook_one() {
        // t of 4 degrees of freedom at 97.5 % is 2.776; the standard deviation of 1 to 5 is 1.5811.
        let Interval { estimate, low, high } = of_mean(&[1.0, 2.0, 3.0, 4.0, 5.0], LEVEL).unwrap();
        let reach = 2.7764 * 1.5811 / 5f64.sqrt();
        assert!(estimate == 3.0 && (high - 3.0 - reach).abs() < 1e-3, "{high}");
        assert!((3.0 - low - reach).abs() < 1e-3, "{low}");
    }

    #[test]
    fn of_one_draw_and_of_equal_ones_there_is_none() {
        assert_eq!(of_mean(&[], LEVEL), None);
        assert_eq!(of_mean(&[7.0], LEVEL), None);
        assert_eq!(of_mean(&[7.0; 5], LEVEL), None);
    }

    #[test]
    fn intervals_of_five_normal_draws_hold_the_truth_in_95_of_100() {
        let normal = Normal::new(100.0, 20.0).unwrap();
        let means = held(|random| (of_mean(&draws(random, normal, 5), LEVEL).unwrap(), 100.0));
        assert!((means - 95.0).abs() <= 1.5, "{means}");
    }

    #[test]
    fn intervals_of_a_heavy_tails_maxima_hold_the_truth_less_often() {
        const N: usize = 1_000;
        let of = |maximum: &dyn Fn(&mut Xoshiro256PlusPlus) -> f64, truth: f64, seeds: usize| {
            held(|random| {
                let maxima: Vec<f64> = (0..seeds).map(|_| maximum(random)).collect();
                (of_mean(&maxima, LEVEL).unwrap(), truth)
            })
        };
        let greatest = |all: Vec<f64>| all.into_iter().fold(0.0, f64::max);
        // The expectation of the greatest of N: of exponential values the Nth harmonic number, of
        // Pareto's with index 3 by the gamma function.
        let light = |random: &mut Xoshiro256PlusPlus| greatest(draws(random, Exp1, N));
        let harmonic: f64 = (1..=N).map(|n| (n as f64).recip()).sum();
        let pareto = Pareto::new(1.0, 3.0).unwrap();
        let heavy = |random: &mut Xoshiro256PlusPlus| greatest(draws(random, pareto, N));
        let n = N as f64 + 1.0;
        let frechet = (ln_gamma(n) + ln_gamma(2.0 / 3.0) - ln_gamma(n - 1.0 / 3.0)).exp();
        let light = [3, 5, 20].map(|seeds| of(&light, harmonic, seeds));
        let heavy = [3, 5, 20].map(|seeds| of(&heavy, frechet, seeds));
        println!("exponential {light:?}, Pareto {heavy:?} with 3, 5 and 20 seeds");
        assert!(light.iter().all(|held| (91.0..96.5).contains(held)), "{light:?}");
        assert!(heavy.iter().all(|held| (70.0..92.0).contains(held)), "{heavy:?}");
    }
}
