// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `jitter`: a task that repeats, as sampled control does:
//! how much the interval between two of its starts differs from the period, and
//! how long the same work takes each time.

use std::time::Duration;

use irqscope_wire::PeriodicJitter;

use super::work::{Pace, work};
use super::{Fixture, Go, Recorder, Running, Series, ThreadGroup};
use crate::clock::{now, sleep_until};
use crate::error::Result;

pub fn start(jitter: &PeriodicJitter, fixture: &Fixture<'_>) -> Result<Running> {
    let (intervals, read_intervals) = fixture.recorder(jitter.count);
    let (works, read_works) = fixture.recorder(jitter.count);
    let (period, count) = (jitter.period_ns.cast_signed(), jitter.count);
    let work_ns = jitter.work_ns;
    let mut group = ThreadGroup::default();
    group.add(fixture.spec("bench-jitter", fixture.cpu), move |go| {
        let turns = if work_ns == 0 { 0 } else { Pace::measure().turns(work_ns) };
        Task { period, turns, intervals, works }.repeat(count, go);
        Ok(())
    });
    let one = |name, recorded| Series::new(name, Some(fixture.cpu), recorded);
    Ok(Running {
        series: vec![one("interval", read_intervals), one("work", read_works)],
        threads: group.start()?,
        silence: Duration::from_nanos(jitter.period_ns.saturating_mul(2)),
    })
}

struct Task {
    period: i64,
    turns: u64,
    intervals: Recorder,
    works: Recorder,
}

impl Task {
    /// Measures the intervals. The first one counts from the grid's zero. A start may come up to
    /// one period late; points of the grid before the last one that has passed are skipped, and an
    /// interval is compared with as many periods as it spans.
    fn repeat(&mut self, count: u64, go: &Go) {
        let zero = now();
        let (mut last_due, mut last_start) = (zero, zero);
        let mut left = count;
        while left > 0 && !go.is_cancelled() {
            let due = last_due + self.period + self.skip(last_due, &mut left);
            sleep_until(due);
            let start = now();
            work(self.turns);
            let end = now();
            self.intervals.take(due, (start - last_start) - (due - last_due));
            self.works.take(start, end - start);
            (last_due, last_start) = (due, start);
            left -= 1;
        }
    }

    /// Skips points; returns how much later than the next point the task goes on.
    fn skip(&self, last_due: i64, left: &mut u64) -> i64 {
        let passed = (now() - last_due) / self.period - 1;
        if passed <= 0 {
            return 0;
        }
        // One is left to be taken.
        let passed = passed.min(left.cast_signed() - 1);
        self.intervals.skip(passed.cast_unsigned());
        self.works.skip(passed.cast_unsigned());
        *left -= passed.cast_unsigned();
        passed * self.period
    }
}
