// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bins of one width on one axis for all cases of a stage.

use irqscope_quantity::Quantile;
use std::collections::VecDeque;

use irqscope_wire::Tick;

use crate::{Ascending, Counted, Pair, Parts, Result};

const FEWEST_BINS: i64 = 50;

/// No axis goes farther (three years): its arithmetic never overflows.
const FARTHEST_NS: i64 = 100_000_000_000_000_000;

/// From `start_ns` in steps of `bin_ns`; the last bin ends at `end_ns()`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// Where it begins.
    pub start_ns: i64,
    /// The width of a bin.
    pub bin_ns: i64,
    /// How many bins there are.
    pub bins: usize,
}

impl Axis {
    /// Makes an axis for distributions that are to be compared. 1 µs bins where that gives 50 to
    /// 125 of them, else another width of the series 1-2-5; never one that is no multiple of the
    /// clock's tick, which would show a comb that is not in the data. `None` if there is no latency
    /// at all.
    ///
    /// # Errors
    /// The disk's, where a file holds the values.
    pub fn common(all: &[Parts<'_>], tick: Option<Tick>) -> Result<Option<Self>> {
        let bodies: Vec<&Counted> = all.iter().filter_map(|one| one.body()).collect();
        let ends = bodies.iter().map(|body| end_of(body)).collect::<Result<Vec<_>>>()?;
        let low = bodies.iter().filter_map(|body| body.min()).min();
        let largest = bodies.iter().filter_map(|body| body.max()).max();
        let end = ends.into_iter().flatten().max();
        let Some(((low, end), largest)) = low.zip(end).zip(largest) else { return Ok(None) };
        // A little more room is better than a few values out of bounds.
        let end = if largest <= end.saturating_add(end / 8) { largest } else { end };
        let [low, end] = [low, end].map(|ns| ns.clamp(-FARTHEST_NS, FARTHEST_NS));
        // Zero is worth being seen if it does not cost half of the axis.
        let low = if low >= 0 && low <= end / 2 { 0 } else { low };
        let bin_ns = width(end.saturating_sub(low), tick);
        let start_ns = low.div_euclid(bin_ns) * bin_ns;
        let bins = (end.saturating_sub(start_ns) / bin_ns) as usize + 1;
        Ok(Some(Self { start_ns, bin_ns, bins }))
    }

    /// Returns where it ends.
    pub fn end_ns(&self) -> i64 {
        self.start_ns + self.bin_ns * self.bins as i64
    }

    /// Returns which bin a latency falls in; `None` beyond the axis.
    pub fn bin(&self, latency_ns: i64) -> Option<usize> {
        let bin = usize::try_from(latency_ns.checked_sub(self.start_ns)?.div_euclid(self.bin_ns));
        bin.ok().filter(|bin| *bin < self.bins)
    }
}

/// Returns the 99.9 % quantile, unless a thin tail would squeeze the body: then at most one value
/// in a hundred is left out of bounds.
fn end_of(values: &Counted) -> Result<Option<i64>> {
    let ranks = [Quantile::P99, Quantile::P99_9].map(|quantile| quantile.rank(values.count()));
    let beyond = values.beyond().map(|beyond| beyond.from.0);
    let [p99, p99_9] = values.at_ranks(ranks)?.map(|value| value.or(beyond));
    Ok(p99.zip(p99_9).map(|(p99, p99_9)| {
        let room = p99.saturating_add(p99 / 4);
        if p99_9 <= room.saturating_mul(2) { p99_9 } else { room }
    }))
}

/// Returns the widest of the series that gives enough bins.
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
    /// The axis.
    pub axis: Axis,
    /// Latencies that no other interrupt hit.
    pub counts: Vec<u64>,
    /// Latencies that another interrupt hit, wherever they lie.
    pub irq: Apart,
    /// Latencies that no other interrupt hit, beyond the axis.
    pub oob: Apart,
}

/// Values that are set apart: all counted, the least and the greatest known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Apart {
    /// How many there are.
    pub count: u64,
    /// Ascending, those that are alike each for itself; at most [`Apart::LEAST`].
    pub least: Vec<i64>,
    /// Ascending, each different value with how often it came; at most
    /// [`Apart::GREATEST`].
    pub greatest: VecDeque<Pair>,
}

impl Apart {
    /// How many of the least values are kept.
    pub const LEAST: usize = 8;
    /// How many different ones of the greatest values are kept.
    pub const GREATEST: usize = 1_000;

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Returns the greatest ones, ascending, those that are alike each for itself.
    pub fn last(&self, most: usize) -> Vec<i64> {
        let alike = |(value, count): &Pair| {
            std::iter::repeat_n(*value, usize::try_from(*count).unwrap_or(usize::MAX).min(most))
        };
        let mut last: Vec<i64> = self.greatest.iter().rev().flat_map(alike).take(most).collect();
        last.reverse();
        last
    }

    fn add(&mut self, value: i64, count: u64) {
        self.count = self.count.saturating_add(count);
        let room = (Self::LEAST - self.least.len()) as u64;
        self.least.extend((0..count.min(room)).map(|_| value));
        if self.greatest.len() == Self::GREATEST {
            self.greatest.pop_front();
        }
        self.greatest.push_back((value, count));
    }
}

impl Histogram {
    /// Counts values on an axis.
    ///
    /// # Errors
    /// The disk's, where a file holds the values.
    pub fn new(values: Parts<'_>, axis: Axis) -> Result<Self> {
        let mut counts = vec![0u64; axis.bins];
        let (mut irq, mut oob) = (Apart::default(), Apart::default());
        values.clean.each(&mut |latency, times| match axis.bin(latency) {
            Some(bin) => counts[bin] = counts[bin].saturating_add(times),
            None => oob.add(latency, times),
        })?;
        values.hit.each(&mut |latency, times| irq.add(latency, times))?;
        Ok(Self { axis, counts, irq, oob })
    }

    /// Returns the tallest bar, the two columns included.
    pub fn tallest(&self) -> u64 {
        let columns = [self.irq.count, self.oob.count];
        self.counts.iter().copied().chain(columns).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn clean(values: impl IntoIterator<Item = i64>) -> Counted {
        Counted::of(values, Path::new("/nonexistent")).unwrap()
    }

    fn histogram(one: &Counted, axis: Axis) -> Histogram {
        let none = Counted::default();
        Histogram::new(Parts { clean: one, hit: &none }, axis).unwrap()
    }

    fn common(all: &[&Counted], tick: Option<Tick>) -> Option<Axis> {
        let none = Counted::default();
        let parts: Vec<Parts<'_>> = all.iter().map(|clean| Parts { clean, hit: &none }).collect();
        Axis::common(&parts, tick).unwrap()
    }

    #[test]
    fn tens_of_microseconds_get_bins_of_one() {
        let one = clean((0..2000).map(|n| 5_000 + n * 35));
        let axis = common(&[&one], None).unwrap();
        assert_eq!((axis.start_ns, axis.bin_ns, axis.bins), (0, 1_000, 75));
        assert!(histogram(&one, axis).oob.is_empty());
    }

    #[test]
    fn a_narrow_range_gets_narrower_bins_but_none_below_the_tick() {
        let twin = Some(Tick { femtoseconds: 2_000_000 });
        let spread = clean((0..1000).map(|n| 1_134 + n % 300));
        let axis = common(&[&spread], twin).unwrap();
        assert_eq!((axis.start_ns, axis.bin_ns), (1_134, 2));
        let one_value = clean([1_134; 50]);
        let axis = common(&[&one_value], twin).unwrap();
        assert_eq!((axis.bin_ns, axis.bins), (2, 1));
        assert_eq!(histogram(&one_value, axis).counts, [50]);
    }

    #[test]
    fn a_thin_tail_goes_out_of_bounds_and_every_value_is_kept() {
        let body = (0..9_950).map(|n| 10_000 + n % 5_000);
        let one = clean(body.chain((0..50).map(|n| 1_000_000 + n)));
        let histogram = histogram(&one, common(&[&one], None).unwrap());
        assert_eq!(histogram.oob.count, 50);
        assert_eq!(histogram.oob.least[..2], [1_000_000, 1_000_001]);
        assert_eq!(histogram.oob.last(2), [1_000_048, 1_000_049]);
        assert!(histogram.axis.end_ns() < 30_000);
        let inside: u64 = histogram.counts.iter().sum();
        assert_eq!(inside + histogram.oob.count, 10_000);
    }

    #[test]
    fn cases_share_an_axis_that_shows_the_slower_one() {
        let (fast, slow) = (clean([5_000; 100]), clean((0..100).map(|n| 40_000 + n * 100)));
        let axis = common(&[&fast, &slow], None).unwrap();
        assert!(axis.end_ns() > 49_900 && axis.start_ns == 0);
        assert_eq!(common(&[&Counted::default()], None), None);
    }

    #[test]
    fn extremes_neither_overflow_nor_panic() {
        let one = clean([i64::MIN, -1, 0, i64::MAX - 1, i64::MAX]);
        if let Some(axis) = common(&[&one], Some(Tick { femtoseconds: 0 })) {
            let histogram = histogram(&one, axis);
            let inside: u64 = histogram.counts.iter().sum();
            assert_eq!(inside + histogram.oob.count, 5);
        }
    }
}
