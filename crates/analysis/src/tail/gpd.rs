// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The generalised Pareto distribution: what excesses over a high threshold follow,
//! whatever the values do (Pickands, "Statistical inference using extreme order
//! statistics", Annals of Statistics 3, 1975).

/// `1 - (1 + shape x / scale)^(-1/shape)`; exponential for shape 0, bounded below.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gpd {
    pub scale: f64,
    pub shape: f64,
}

/// Below it the likelihood has no maximum.
pub(crate) const LEAST_SHAPE: f64 = -1.0;
/// Nearer to zero than that a shape is zero.
const FLAT: f64 = 1e-7;

impl Gpd {
    /// Fits the distribution of the greatest likelihood, shapes from -1 on. As Grimshaw found
    /// ("Computing maximum likelihood estimates for the generalized Pareto distribution",
    /// Technometrics 35, 1993), one parameter is enough to look for: shape over scale decides both.
    /// Excesses are above zero.
    pub fn fit(excesses: &[f64]) -> Self {
        let mean = excesses.iter().sum::<f64>() / excesses.len().max(1) as f64;
        let largest = excesses.iter().copied().fold(0.0, f64::max);
        let exponential = Self { scale: mean, shape: 0.0 };
        if excesses.len() < 2 || largest <= 0.0 {
            return exponential;
        }
        let lowest = least_ratio(excesses, largest);
        let likelihood = |ratio: f64| Self::of_ratio(excesses, ratio, mean).likelihood(excesses);
        // From the bounded side over zero to heavy tails.
        let bounded = (0..14).map(|step| lowest * (1.0 - f64::from(step) / 14.0));
        let heavy = (0..16).map(|step| 0.02 * 2f64.powi(step) / mean);
        let grid: Vec<f64> = bounded.chain([0.0]).chain(heavy).collect();
        let ratio = maximum(&grid, likelihood);
        Self::of_ratio(excesses, ratio, mean)
    }

    fn of_ratio(excesses: &[f64], ratio: f64, mean: f64) -> Self {
        if (ratio * mean).abs() < FLAT {
            return Self { scale: mean, shape: 0.0 };
        }
        let shape = log_sum(excesses, ratio) / excesses.len() as f64;
        Self { scale: shape / ratio, shape }
    }

    /// Returns the likelihood's logarithm; minus infinity where an excess cannot be.
    pub fn likelihood(&self, excesses: &[f64]) -> f64 {
        let count = excesses.len() as f64;
        if self.scale.is_nan() || self.scale <= 0.0 {
            return f64::NEG_INFINITY;
        }
        if self.shape.abs() < FLAT {
            return -count * self.scale.ln() - excesses.iter().sum::<f64>() / self.scale;
        }
        let sum = log_sum(excesses, self.shape / self.scale);
        let likelihood = -count * self.scale.ln() - (1.0 + 1.0 / self.shape) * sum;
        // At -1 an excess may be as large as the bound.
        if self.shape <= LEAST_SHAPE + 1e-9 {
            let largest = excesses.iter().copied().fold(0.0, f64::max);
            let within = largest <= self.scale * (1.0 + 1e-9);
            return if within { -count * self.scale.ln() } else { f64::NEG_INFINITY };
        }
        if likelihood.is_nan() { f64::NEG_INFINITY } else { likelihood }
    }

    /// Returns the share at or below an excess.
    pub fn below(&self, excess: f64) -> f64 {
        if self.shape.abs() < FLAT {
            return -(-excess / self.scale).exp_m1();
        }
        let base = (self.shape * excess / self.scale).max(-1.0).ln_1p();
        -(-base / self.shape).exp_m1()
    }

    /// Returns the excess that such a share is above.
    pub fn above(&self, share: f64) -> f64 {
        if self.shape.abs() < FLAT {
            return -self.scale * share.ln();
        }
        self.scale / self.shape * (-self.shape * share.ln()).exp_m1()
    }

    /// Returns the same shape with the scale that lets `share` lie above `excess`.
    pub fn through(shape: f64, excess: f64, share: f64) -> Self {
        let unit = Self { scale: 1.0, shape }.above(share);
        Self { scale: excess / unit, shape }
    }
}

/// Sums `ln(1 + ratio x)`; NaN where one cannot be. A logarithm takes longer than seven products.
fn log_sum(excesses: &[f64], ratio: f64) -> f64 {
    let product =
        |eight: &[f64]| eight.iter().map(|excess| ratio.mul_add(*excess, 1.0)).product::<f64>();
    let is_possible = excesses.iter().all(|excess| ratio.mul_add(*excess, 1.0) > 0.0);
    if is_possible { excesses.chunks(8).map(|eight| product(eight).ln()).sum() } else { f64::NAN }
}

/// Returns the ratio of shape to scale at which the shape is -1.
fn least_ratio(excesses: &[f64], largest: f64) -> f64 {
    let shape = |ratio: f64| log_sum(excesses, ratio) / excesses.len() as f64;
    let (mut low, mut high) = (-1.0 / largest, 0.0);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        // NaN is at the bound.
        *if shape(middle) > LEAST_SHAPE { &mut high } else { &mut low } = middle;
    }
    high
}

/// Finds where a function has its maximum: the best point of an ascending grid, then a golden
/// section between its neighbours.
pub(crate) fn maximum(grid: &[f64], f: impl Fn(f64) -> f64) -> f64 {
    let values: Vec<f64> = grid.iter().map(|x| f(*x)).collect();
    let best = (0..grid.len()).max_by(|a, b| values[*a].total_cmp(&values[*b])).unwrap_or(0);
    let (mut low, mut high) = (grid[best.saturating_sub(1)], grid[(best + 1).min(grid.len() - 1)]);
    let golden = f64::midpoint(5f64.sqrt(), -1.0);
    let inner = |low: f64, high: f64| (high - golden * (high - low), low + golden * (high - low));
    let (mut left, mut right) = inner(low, high);
    let (mut at_left, mut at_right) = (f(left), f(right));
    for _ in 0..32 {
        if at_left >= at_right {
            (high, right, at_right) = (right, left, at_left);
            left = inner(low, high).0;
            at_left = f(left);
        } else {
            (low, left, at_left) = (left, right, at_right);
            right = inner(low, high).1;
            at_right = f(right);
        }
    }
    let inside = if at_left >= at_right { (left, at_left) } else { (right, at_right) };
    if values[best] >= inside.1 { grid[best] } else { inside.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns quantiles of a distribution, as a sample that is free of chance.
    fn ideal(gpd: Gpd, count: usize) -> Vec<f64> {
        (0..count).map(|n| gpd.above((n as f64 + 0.5) / count as f64)).collect()
    }

    #[test]
    fn the_fit_finds_what_it_was_given() {
        for shape in [-0.8, -0.3, 0.0, 0.25, 0.7] {
            let given = Gpd { scale: 1_000.0, shape };
            let found = Gpd::fit(&ideal(given, 2_000));
            assert!((found.shape - shape).abs() < 0.02, "{shape}: {found:?}");
            assert!((found.scale / 1_000.0 - 1.0).abs() < 0.02, "{shape}: {found:?}");
        }
    }

    #[test]
    fn no_other_parameters_are_more_likely() {
        let excesses = ideal(Gpd { scale: 50.0, shape: 0.3 }, 300);
        let best = Gpd::fit(&excesses);
        for (scale, shape) in [(1.01, 0.0), (0.99, 0.0), (1.0, 0.01), (1.0, -0.01), (1.02, -0.02)] {
            let other = Gpd { scale: best.scale * scale, shape: best.shape + shape };
            assert!(other.likelihood(&excesses) <= best.likelihood(&excesses) + 1e-9);
        }
    }

    #[test]
    fn shares_and_excesses_are_each_others_inverse() {
        for shape in [-1.0, -0.5, 0.0, 1e-9, 0.5] {
            let gpd = Gpd { scale: 7.0, shape };
            for share in [0.9, 0.5, 0.01, 1e-6] {
                assert!(
                    (1.0 - gpd.below(gpd.above(share)) - share).abs() < 1e-9,
                    "{shape} {share}"
                );
                let through = Gpd::through(shape, gpd.above(share), share);
                assert!((through.scale - 7.0).abs() < 1e-9);
            }
        }
    }
}
