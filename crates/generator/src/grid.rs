// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The time grid on which triggers are due. Integers only, so that every
//! generator makes the same grid of the same seed.

use irqscope_wire::{JitterKind, Settings};

/// ln 2 in 0.32.
const LN2: u128 = 2_977_044_472;

/// Steps from one grid point to the next.
#[derive(Clone, Debug)]
pub struct Grid {
    random: u64,
    /// Points of this burst that were passed.
    in_burst: u32,
}

impl Grid {
    /// Makes a generator of numbers from a seed.
    pub const fn new(seed: u64) -> Self {
        Self { random: seed, in_burst: 0 }
    }

    /// Returns the ticks to the next grid point, never fewer than `shortest`.
    ///
    /// Points of a burst are an interval apart; from the last of one to the first
    /// of the next it is what is left of the period.
    pub fn step(&mut self, settings: &Settings, shortest: u64) -> u64 {
        self.in_burst += 1;
        if self.in_burst < settings.burst {
            return settings.interval.0.max(shortest);
        }
        self.in_burst = 0;
        let bursts = u64::from(settings.burst.saturating_sub(1));
        let burst = settings.interval.0.saturating_mul(bursts);
        self.period(settings).saturating_sub(burst).max(shortest)
    }

    fn period(&mut self, settings: &Settings) -> u64 {
        let (period, amount) = (settings.period.0, settings.jitter_amount.0);
        let step = match settings.jitter {
            JitterKind::None => u128::from(period),
            JitterKind::Uniform => {
                // 63 random bits: 65 and 63 do not overflow.
                let width = 2 * u128::from(amount) + 1;
                let offset = (width * u128::from(self.random() >> 1)) >> 63;
                (u128::from(period) + offset).saturating_sub(u128::from(amount))
            }
            JitterKind::Exponential => {
                let log2 = minus_log2((self.random() >> 32) as u32 | 1);
                u128::from(period) + ((u128::from(amount) * u128::from(log2) * LN2) >> 48)
            }
        };
        u64::try_from(step).unwrap_or(u64::MAX)
    }

    /// Returns the next number of splitmix64 (Steele, Lea, Flood 2014): any seed is good.
    fn random(&mut self) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Returns -log2(x / 2^32) in 6.16 for x > 0. The highest bit's place is the integer part; each
/// squaring of the mantissa yields one binary digit more.
fn minus_log2(x: u32) -> u32 {
    let high = 31 - x.leading_zeros();
    let mut mantissa = u64::from(x) << (31 - high); // 1.31
    let mut log2 = high << 16;
    for digit in (0..16).rev() {
        mantissa = (mantissa * mantissa) >> 31;
        if mantissa >> 32 != 0 {
            mantissa >>= 1;
            log2 |= 1 << digit;
        }
    }
    (32 << 16) - log2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generator::tests::LIMITS;
    use irqscope_wire::{Cycles, Tick};

    fn settings(jitter: JitterKind, amount: u64) -> Settings {
        let initial = crate::initial(&LIMITS, Tick { femtoseconds: 1_000_000 });
        Settings { jitter, jitter_amount: Cycles(amount), ..initial }
    }

    #[test]
    fn uniform_jitter_stays_within_its_width_and_is_centred() {
        let settings = settings(JitterKind::Uniform, 1000);
        let mut grid = Grid::new(1);
        let steps: Vec<u64> = (0..20_000).map(|_| grid.step(&settings, 1)).collect();
        assert!(steps.iter().all(|step| (999_000..=1_001_000).contains(step)));
        let mean = steps.iter().sum::<u64>() / 20_000;
        assert!((999_985..=1_000_015).contains(&mean), "{mean}");
    }

    #[test]
    fn exponential_jitter_has_its_mean_and_is_never_negative() {
        let settings = settings(JitterKind::Exponential, 1_000_000);
        let mut grid = Grid::new(1);
        let steps: Vec<u64> = (0..20_000).map(|_| grid.step(&settings, 1)).collect();
        assert!(steps.iter().all(|step| *step >= 1_000_000));
        let mean = steps.iter().sum::<u64>() / 20_000;
        assert!((1_980_000..=2_020_000).contains(&mean), "{mean}");
    }

    #[test]
    fn a_burst_is_a_row_of_intervals_and_the_rest_of_its_period() {
        let burst =
            Settings { burst: 3, interval: Cycles(20_000), ..settings(JitterKind::Uniform, 1_000) };
        let (mut grid, mut plain) = (Grid::new(5), Grid::new(5));
        for _ in 0..100 {
            let steps = [0; 3].map(|_| grid.step(&burst, 1));
            assert_eq!(steps[..2], [20_000, 20_000]);
            let whole = plain.step(&settings(JitterKind::Uniform, 1_000), 1);
            assert_eq!(steps.iter().sum::<u64>(), whole);
        }
    }

    #[test]
    fn the_same_seed_makes_the_same_grid() {
        let settings = settings(JitterKind::Uniform, 1000);
        let steps = |seed| {
            let mut grid = Grid::new(seed);
            [0; 4].map(|_| grid.step(&settings, 1))
        };
        assert_eq!(steps(7), steps(7));
        assert_ne!(steps(7), steps(8));
    }

    #[test]
    fn no_step_is_shorter_than_the_shortest() {
        let settings = settings(JitterKind::Uniform, u64::MAX);
        let mut grid = Grid::new(3);
        assert!((0..1000).all(|_| grid.step(&settings, 10_000) >= 10_000));
    }

    #[test]
    fn logarithms_of_powers_of_two_are_exact() {
        assert_eq!([1, 2, 1 << 31].map(minus_log2), [32 << 16, 31 << 16, 1 << 16]);
    }
}
