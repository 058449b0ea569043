// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bins of one width on one axis for all cases of a stage.

use irqscope_wire::Tick;

use crate::{Distribution, quantile};

const FEWEST_BINS: i64 = 50;

/// From `start_ns` in steps of `bin_ns`; the last bin ends at `end_ns()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    pub start_ns: i64,
    pub bin_ns: i64,
    pub bins: usize,
}

impl Axis {
    /// An axis for distributions that are to be compared. 1 µs bins where that
    /// gives 50 to 125 of them, else another width of the series 1-2-5; never
    /// one that is no multiple of the clock's tick, which would show a comb
    /// that is not in the data. `None` if there is no latency at all.
    pub fn common(distributions: &[&Distribution], tick: Option<Tick>) -> Option<Self> {
        let bodies: Vec<&[i64]> = distributions.iter().filter_map(|one| body(one)).collect();
        let low = bodies.iter().filter_map(|body| body.first()).min().copied()?;
        let end = bodies.iter().filter_map(|body| end_of(body)).max()?;
        let largest = bodies.iter().filter_map(|body| body.last()).max().copied()?;
        // A little more room is better than a few values out of bounds.
        let end = if largest <= end.saturating_add(end / 8) { largest } else { end };
        // Zero is worth being seen if it does not cost half of the axis.
        let low = if low >= 0 && low <= end / 2 { 0 } else { low };
        let bin_ns = width(end.saturating_sub(low), tick);
        let start_ns = low.div_euclid(bin_ns) * bin_ns;
        let bins = (end.saturating_sub(start_ns) / bin_ns) as usize + 1;
        Some(Self { start_ns, bin_ns, bins })
    }

    pub fn end_ns(&self) -> i64 {
        self.start_ns + self.bin_ns * self.bins as i64
    }

    /// Which bin a latency falls in; `None` beyond the axis.
    pub fn bin(&self, latency_ns: i64) -> Option<usize> {
        let bin = usize::try_from(latency_ns.checked_sub(self.start_ns)?.div_euclid(self.bin_ns));
        bin.ok().filter(|bin| *bin < self.bins)
    }
}

/// What decides the axis: the latencies that no interrupt hit, if there are.
fn body(distribution: &Distribution) -> Option<&[i64]> {
    let Distribution { clean, hit, .. } = distribution;
    [clean, hit].into_iter().map(Vec::as_slice).find(|values| !values.is_empty())
}

/// The 99.9 % quantile, unless a thin tail would squeeze the body: then at
/// most one value in a hundred is left out of bounds.
fn end_of(sorted: &[i64]) -> Option<i64> {
    let [p99, p99_9] = [990, 999].map(|q| quantile(sorted, q));
    let room = p99?.saturating_add(p99? / 4);
    Some(if p99_9? <= room.saturating_mul(2) { p99_9? } else { room })
}

/// The widest of the series that gives enough bins.
fn width(range: i64, tick: Option<Tick>) -> i64 {
    let tick = tick.map_or(0, |tick| u128::from(tick.femtoseconds));
    // A tick far below the width makes no comb that could be seen.
    let fits = |width: &i64| {
        let femto = *width as u128 * 1_000_000;
        tick == 0 || femto.is_multiple_of(tick) || femto >= tick * 20
    };
    let series = (0..18).flat_map(|power| [1, 2, 5].map(|step| step * 10i64.pow(power)));
    let mut widest = None;
    for width in series.filter(fits) {
        if widest.is_some() && width > range / FEWEST_BINS {
            break;
        }
        widest = Some(width);
    }
    widest.unwrap_or(1)
}

/// One distribution on an axis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    pub axis: Axis,
    /// Latencies that no other interrupt hit.
    pub counts: Vec<u64>,
    /// Latencies that another interrupt hit, wherever they lie; ascending.
    pub irq: Vec<i64>,
    /// Latencies that no other interrupt hit, beyond the axis; ascending.
    pub oob: Vec<i64>,
}

impl Histogram {
    pub fn new(distribution: &Distribution, axis: Axis) -> Self {
        let mut counts = vec![0; axis.bins];
        let mut oob = Vec::new();
        for latency in &distribution.clean {
            match axis.bin(*latency) {
                Some(bin) => counts[bin] += 1,
                None => oob.push(*latency),
            }
        }
        Self { axis, counts, irq: distribution.hit.clone(), oob }
    }

    /// The tallest bar, the two columns included.
    pub fn tallest(&self) -> u64 {
        let columns = [self.irq.len() as u64, self.oob.len() as u64];
        self.counts.iter().copied().chain(columns).max().unwrap_or(0)
    }
}
