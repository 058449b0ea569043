// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Latency over time: minimum, mean and maximum of each interval. When there are too
//! many intervals neighbours are folded in pairs, so that no outlier is ever lost.

use serde::Serialize;

/// No course has more intervals.
pub const INTERVALS: usize = 512;

/// Intervals of one length, the first of which begins with the first trigger.
#[derive(Clone, Debug)]
pub struct Course {
    first_ns: Option<i64>,
    interval_ns: i64,
    intervals: Vec<Interval>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Interval {
    count: u64,
    min: i64,
    max: i64,
    sum: i128,
}

impl Interval {
    const fn of(latency: i64) -> Self {
        Self { count: 1, min: latency, max: latency, sum: latency as i128 }
    }

    fn with(self, other: Self) -> Self {
        match (self.count, other.count) {
            (0, _) => other,
            (_, 0) => self,
            _ => Self {
                count: self.count.saturating_add(other.count),
                min: self.min.min(other.min),
                max: self.max.max(other.max),
                sum: self.sum.saturating_add(other.sum),
            },
        }
    }

    fn mean(self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }
}

/// As it is drawn; see docs/dashboard-api.md.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Points {
    /// Where the first interval begins, counted from the first trigger: 0.
    pub start_ns: i64,
    /// The length of an interval: a period at first, doubled each time that neighbours are folded.
    pub interval_ns: i64,
    /// By interval, how many latencies it has.
    pub count: Vec<u64>,
    /// By interval, the shortest latency; `None` where `count` is 0.
    pub min_ns: Vec<Option<i64>>,
    /// By interval, the arithmetic mean; `None` where `count` is 0.
    pub mean_ns: Vec<Option<f64>>,
    /// By interval, the longest latency, which folding keeps; `None` where `count` is 0.
    pub max_ns: Vec<Option<i64>>,
}

impl Course {
    /// Intervals begin with this length; a period is a good one.
    pub fn new(interval_ns: u64) -> Self {
        let interval_ns = i64::try_from(interval_ns).unwrap_or(i64::MAX).max(1);
        Self { first_ns: None, interval_ns, intervals: Vec::new() }
    }

    /// Adds a trigger. They come in the order of time; one that is older than the first counts with
    /// the first.
    pub fn add(&mut self, trigger_ns: i64, latency_ns: i64) {
        let first = *self.first_ns.get_or_insert(trigger_ns);
        let since = trigger_ns.saturating_sub(first).max(0);
        while since / self.interval_ns >= INTERVALS as i64 {
            self.fold();
        }
        let index = (since / self.interval_ns) as usize;
        if self.intervals.len() <= index {
            self.intervals.resize(index + 1, Interval::default());
        }
        let interval = &mut self.intervals[index];
        *interval = interval.with(Interval::of(latency_ns));
    }

    fn fold(&mut self) {
        self.interval_ns = self.interval_ns.saturating_mul(2);
        let pair =
            |pair: &[Interval]| pair.iter().copied().fold(Interval::default(), Interval::with);
        self.intervals = self.intervals.chunks(2).map(pair).collect();
    }

    /// Returns the intervals as columns, for a drawing.
    pub fn points(&self) -> Points {
        let known = |take: fn(Interval) -> i64| {
            let of = |one: &Interval| (one.count > 0).then(|| take(*one));
            self.intervals.iter().map(of).collect()
        };
        Points {
            start_ns: 0,
            interval_ns: self.interval_ns,
            count: self.intervals.iter().map(|one| one.count).collect(),
            min_ns: known(|one| one.min),
            mean_ns: self.intervals.iter().map(|one| one.mean()).collect(),
            max_ns: known(|one| one.max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_hold_minimum_mean_and_maximum() {
        let mut course = Course::new(10);
        for (at, latency) in [(100, 4), (105, 8), (125, 5)] {
            course.add(at, latency);
        }
        let points = course.points();
        assert_eq!(points.count, [2, 0, 1]);
        assert_eq!(points.min_ns, [Some(4), None, Some(5)]);
        assert_eq!(points.mean_ns, [Some(6.0), None, Some(5.0)]);
        assert_eq!(points.max_ns, [Some(8), None, Some(5)]);
    }

    #[test]
    fn folding_keeps_every_outlier_and_the_memory_bounded() {
        let mut course = Course::new(1_000_000);
        for second in 0..100_000i64 {
            let latency = if second == 77_777 { 9_000_000 } else { 5_000 };
            course.add(second * 1_000_000_000, latency);
        }
        let points = course.points();
        assert!(points.count.len() <= INTERVALS);
        assert_eq!(points.count.iter().sum::<u64>(), 100_000);
        let outliers = points.max_ns.iter().filter(|max| **max == Some(9_000_000)).count();
        assert_eq!(outliers, 1);
        let place = 77_777_000_000_000 / points.interval_ns;
        assert_eq!(points.max_ns[place as usize], Some(9_000_000));
    }

    #[test]
    fn any_instant_can_be_added() {
        let mut course = Course::new(0);
        for at in [0, i64::MAX, i64::MIN, 5] {
            course.add(at, i64::MAX);
        }
        assert_eq!(course.points().count.iter().sum::<u64>(), 4);
    }
}
