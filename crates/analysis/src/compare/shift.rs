// SPDX-License-Identifier: Apache-2.0 OR MIT
//! By how much one quantile of two series differs.

use irqscope_quantity::Quantile;
use serde::Serialize;

use super::Series;
use super::interval::{Interval, quantile_interval};
use super::maximum::Maxima;
use crate::{Ascending, Result};

/// One quantile, or the maximum, of a series (`other`) against the same of another
/// one (`base`), in nanoseconds.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Shift {
    /// As a number between 0 and 1; 1 is the maximum.
    pub quantile: Quantile,
    /// Of the first side; none of too few samples, and where it lies beyond an imported histogram.
    pub base_ns: Option<i64>,
    /// Of the second side, likewise.
    pub other_ns: Option<i64>,
    /// The second less the first.
    pub difference_ns: Option<i64>,
    /// Of `base_ns`; none if that is not above zero.
    pub percent: Option<f64>,
    /// None where the figures are exact, and where there are too few samples. Of
    /// the maximum: of the maximum of [`window`](Self::window) samples, see
    /// [`MAXIMUM_METHOD`](super::MAXIMUM_METHOD).
    pub interval: Option<Limits>,
    /// Of how many samples the interval of the maximum is; none elsewhere.
    pub window: Option<u64>,
    /// How many samples of either side it takes for the figure itself, or about how many for an
    /// interval; none where nothing lacks.
    pub needed: Option<u64>,
}

/// Both limits of a difference, in nanoseconds and in per cent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Limits {
    /// The estimate.
    pub estimate_ns: f64,
    /// The interval's lower end.
    pub low_ns: f64,
    /// The interval's upper end.
    pub high_ns: f64,
    /// None where a limit of either side is not above zero.
    pub percent: Option<[f64; 2]>,
}

impl Limits {
    fn of(base: Interval, other: Interval) -> Self {
        let is_positive = base.low > 0.0 && other.low > 0.0;
        let logarithms = base.map(f64::ln).difference(&other.map(f64::ln));
        Self::new(base.difference(&other), is_positive.then_some(logarithms))
    }

    fn of_maxima(maxima: &Maxima, level: f64) -> Self {
        let logarithms = maxima.is_positive().then(|| maxima.difference(level, f64::ln));
        Self::new(maxima.difference(level, |ns| ns), logarithms)
    }

    /// Makes a shift; ratios are differences of logarithms.
    fn new(difference: Interval, logarithms: Option<Interval>) -> Self {
        let Interval { estimate, low, high } = difference;
        let percent = logarithms.map(|ln| ln.map(|ln| ln.exp_m1() * 100.0));
        let percent = percent.map(|ratio| [ratio.low, ratio.high]);
        Self { estimate_ns: estimate, low_ns: low, high_ns: high, percent }
    }
}

impl Shift {
    /// Returns the figures alone; `None` if either side has no value.
    ///
    /// # Errors
    /// The disk's, where values do not fit into memory.
    pub fn exact(base: &Series, other: &Series, quantile: Quantile) -> Result<Option<Self>> {
        if base.sorted.is_empty() || other.sorted.is_empty() {
            return Ok(None);
        }
        let at = |series: &Series| series.sorted.quantile(quantile);
        let (base_ns, other_ns) = (at(base)?, at(other)?);
        let difference_ns = base_ns.zip(other_ns).map(|(base, other)| other.saturating_sub(base));
        let part = base_ns.filter(|base| *base > 0).zip(difference_ns);
        let percent = part.map(|(base, difference)| difference as f64 / base as f64 * 100.0);
        let is_known = |series: &Series| quantile.is_known_of(series.sorted.count());
        let lacks = !is_known(base) || !is_known(other);
        let needed = lacks.then(|| quantile.needs());
        let (interval, window) = (None, None);
        Ok(Some(Self {
            quantile,
            base_ns,
            other_ns,
            difference_ns,
            percent,
            interval,
            window,
            needed,
        }))
    }

    /// Returns the shift with an interval that holds the truth with probability `level`.
    ///
    /// # Errors
    /// The disk's, where values do not fit into memory.
    pub fn estimated(
        base: &Series,
        other: &Series,
        quantile: Quantile,
        level: f64,
    ) -> Result<Option<Self>> {
        let Some(mut shift) = Self::exact(base, other, quantile)? else { return Ok(None) };
        if quantile == Quantile::MAX {
            let maxima = Maxima::of(&base.values, &other.values)?;
            shift.window = maxima.as_ref().map(|maxima| maxima.window);
            shift.interval = maxima.map(|maxima| Limits::of_maxima(&maxima, level));
            return Ok(Some(shift));
        }
        if shift.difference_ns.is_none() {
            return Ok(Some(shift));
        }
        let of = |one: &Series| quantile_interval(one, quantile, level);
        match (of(base)?, of(other)?) {
            (Ok(base), Ok(other)) => shift.interval = Some(Limits::of(base, other)),
            (base, other) => {
                let needed = [base.err(), other.err()].into_iter().flatten().flatten();
                shift.needed = needed.map(|few| few.needed).max();
            }
        }
        Ok(Some(shift))
    }
}
