// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bins of one width on one axis for all cases of a stage.

use irqscope_wire::Tick;

use crate::{Parts, quantile};

const FEWEST_BINS: i64 = 50;

/// No axis goes farther (three years): its arithmetic never overflows.
const FARTHEST_NS: i64 = 100_000_000_000_000_000;

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
    pub fn common(all: &[Parts<'_>], tick: Option<Tick>) -> Option<Self> {
        let bodies: Vec<&[i64]> = all.iter().filter_map(|one| one.body()).collect();
        let low = bodies.iter().filter_map(|body| body.first()).min().copied()?;
        let end = bodies.iter().filter_map(|body| end_of(body)).max()?;
        let largest = bodies.iter().filter_map(|body| body.last()).max().copied()?;
        // A little more room is better than a few values out of bounds.
        let end = if largest <= end.saturating_add(end / 8) { largest } else { end };
        let [low, end] = [low, end].map(|ns| ns.clamp(-FARTHEST_NS, FARTHEST_NS));
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
    pub fn new(values: Parts<'_>, axis: Axis) -> Self {
        let mut counts = vec![0; axis.bins];
        let mut oob = Vec::new();
        for latency in values.clean {
            match axis.bin(*latency) {
                Some(bin) => counts[bin] += 1,
                None => oob.push(*latency),
            }
        }
        Self { axis, counts, irq: values.hit.to_vec(), oob }
    }

    /// The tallest bar, the two columns included.
    pub fn tallest(&self) -> u64 {
        let columns = [self.irq.len() as u64, self.oob.len() as u64];
        self.counts.iter().copied().chain(columns).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clean(values: impl IntoIterator<Item = i64>) -> Vec<i64> {
        let mut clean: Vec<i64> = values.into_iter().collect();
        clean.sort_unstable();
        clean
    }

    fn parts(clean: &[i64]) -> Parts<'_> {
        Parts { clean, hit: &[] }
    }

    #[test]
    fn tens_of_microseconds_get_bins_of_one() {
        let one = clean((0..2000).map(|n| 5_000 + n * 35));
        let axis = Axis::common(&[parts(&one)], None).unwrap();
        assert_eq!((axis.start_ns, axis.bin_ns, axis.bins), (0, 1_000, 75));
        assert!(Histogram::new(parts(&one), axis).oob.is_empty());
    }

    #[test]
    fn a_narrow_range_gets_narrower_bins_but_none_below_the_tick() {
        let twin = Some(Tick { femtoseconds: 2_000_000 });
        let spread = clean((0..1000).map(|n| 1_134 + n % 300));
        let axis = Axis::common(&[parts(&spread)], twin).unwrap();
        assert_eq!((axis.start_ns, axis.bin_ns), (1_134, 2));
        let one_value = clean([1_134; 50]);
        let axis = Axis::common(&[parts(&one_value)], twin).unwrap();
        assert_eq!((axis.bin_ns, axis.bins), (2, 1));
        assert_eq!(Histogram::new(parts(&one_value), axis).counts, [50]);
    }

    #[test]
    fn a_thin_tail_goes_out_of_bounds_and_every_value_is_kept() {
        let body = (0..9_950).map(|n| 10_000 + n % 5_000);
        let one = clean(body.chain((0..50).map(|n| 1_000_000 + n)));
        let histogram = Histogram::new(parts(&one), Axis::common(&[parts(&one)], None).unwrap());
        assert_eq!(histogram.oob.len(), 50);
        assert!(histogram.axis.end_ns() < 30_000);
        let inside: u64 = histogram.counts.iter().sum();
        assert_eq!(inside + histogram.oob.len() as u64, 10_000);
    }

    #[test]
    fn cases_share_an_axis_that_shows_the_slower_one() {
        let (fast, slow) = (clean([5_000; 100]), clean((0..100).map(|n| 40_000 + n * 100)));
        let axis = Axis::common(&[parts(&fast), parts(&slow)], None).unwrap();
        assert!(axis.end_ns() > 49_900 && axis.start_ns == 0);
        assert_eq!(Axis::common(&[parts(&[])], None), None);
    }

    #[test]
    fn extremes_neither_overflow_nor_panic() {
        let one = clean([i64::MIN, -1, 0, i64::MAX - 1, i64::MAX]);
        if let Some(axis) = Axis::common(&[parts(&one)], Some(Tick { femtoseconds: 0 })) {
            let histogram = Histogram::new(parts(&one), axis);
            let inside: u64 = histogram.counts.iter().sum();
            assert_eq!(inside + histogram.oob.len() as u64, 5);
        }
    }
}
