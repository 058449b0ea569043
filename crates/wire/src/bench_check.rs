// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The limits of a benchmark's settings: code that takes settings from outside checks them here.

use alloc::format;
use alloc::string::String;
use core::ops::RangeInclusive;

use crate::{Benchmark, Class, Inversion, Isolate, Sched, Spin, Watch};

const MICROSECOND: u64 = 1_000;
const MILLISECOND: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;

/// Sequence numbers of 32 bits.
const COUNT: RangeInclusive<u64> = 1..=1 << 32;
/// `gtod` fills memory faster than anything could be sent.
const MOST_PAIRS: u64 = 4_000_000;
const PERIOD: RangeInclusive<u64> = 10 * MICROSECOND..=3_600 * SECOND;
/// Of a device, with room to spare.
const LONGEST_NAME: usize = 256;
const DURATION: RangeInclusive<u64> = MILLISECOND..=3_600 * SECOND;

impl Benchmark {
    /// Says which setting is out of its range, and what that is.
    ///
    /// # Errors
    /// A setting is out of its limits; the text says which, and what is allowed.
    pub fn check(&self) -> Result<(), String> {
        if self.rounds().is_some_and(|rounds| !COUNT.contains(&rounds)) {
            return Err(format!("count is 1 to {}", COUNT.end()));
        }
        if let Some(period) = self.period_ns().filter(|period| !PERIOD.contains(period)) {
            return Err(format!("period is 10us to 1h, not {period} ns"));
        }
        match self {
            Benchmark::Gtod(one) if one.count > MOST_PAIRS => {
                Err(format!("count is 1 to {MOST_PAIRS}"))
            }
            Benchmark::Sched(one) => check_sched(one),
            Benchmark::Inversion(one) => check_inversion(one),
            Benchmark::Realfeel(one) if !one.hertz.is_power_of_two() || one.hertz > 8_192 => {
                Err("frequency is a power of two, 1Hz to 8192Hz".into())
            }
            Benchmark::Jitter(one) if one.work_ns >= one.period_ns => {
                Err("work is less than the period".into())
            }
            Benchmark::Spin(Spin { duration_ns, threshold_ns, .. })
            | Benchmark::Isolate(Isolate { duration_ns, threshold_ns, .. }) => {
                check_loop(*duration_ns, *threshold_ns)
            }
            Benchmark::Watch(one) => check_watch(one),
            _ => Ok(()),
        }
    }
}

fn check_sched(one: &Sched) -> Result<(), String> {
    if !(1..=64).contains(&one.threads) {
        return Err("threads is 1 to 64 on each CPU".into());
    }
    match one.class {
        // The kernel's own least budget.
        Class::Deadline { runtime_ns } if !(1_024..one.period_ns).contains(&runtime_ns) => {
            Err("runtime is 1024ns to less than the period".into())
        }
        _ => Ok(()),
    }
}

fn check_loop(duration_ns: u64, threshold_ns: u64) -> Result<(), String> {
    if !DURATION.contains(&duration_ns) {
        return Err("duration is 1ms to 1h".into());
    }
    if threshold_ns < 100 {
        return Err("threshold is 100ns or more: the loop itself takes tens of them".into());
    }
    Ok(())
}

fn check_watch(one: &Watch) -> Result<(), String> {
    if one.sections().is_some()
        && (one.count.is_some() || one.above_ns.is_some() || one.until.is_some())
    {
        return Err(
            "sections are added up until the time is over: leave count, above and until out".into(),
        );
    }
    if !(1..=LONGEST_NAME).contains(&one.target.len()) {
        return Err("target is irq:42, a device as in eth0, thread:1234 or rt".into());
    }
    if !DURATION.contains(&one.duration_ns) {
        return Err("duration is 1ms to 1h".into());
    }
    if one.count.is_some_and(|count| !COUNT.contains(&count)) {
        return Err(format!("count is 1 to {}", COUNT.end()));
    }
    Ok(())
}

fn check_inversion(one: &Inversion) -> Result<(), String> {
    if !(1..=96).contains(&one.priority) {
        return Err("priority is 1 to 96: three threads lie above".into());
    }
    let most = one.hold_ns.max(one.middle_ns).max(one.limit_ns);
    if one.hold_ns < 10 * MICROSECOND || most > 10 * SECOND {
        return Err("hold is 10us or more; hold, middle and limit are at most 10s".into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Async, Gtod, PeriodicJitter, Realfeel, Sleep};

    fn defaults() -> [Benchmark; 10] {
        [
            Benchmark::Gtod(Gtod::default()),
            Benchmark::Sched(Sched::default()),
            Benchmark::Async(Async::default()),
            Benchmark::Sleep(Sleep::default()),
            Benchmark::Inversion(Inversion::default()),
            Benchmark::Realfeel(Realfeel::default()),
            Benchmark::Jitter(PeriodicJitter::default()),
            Benchmark::Spin(Spin::default()),
            Benchmark::Watch(Watch::default()),
            Benchmark::Isolate(Isolate::default()),
        ]
    }

    #[test]
    fn every_benchmark_may_be_asked_for_as_it_is_by_itself() {
        for benchmark in defaults() {
            assert_eq!(benchmark.check(), Ok(()), "{benchmark:?}");
        }
    }

    #[test]
    fn what_would_never_end_or_never_sleep_is_refused_with_its_range() {
        let refused = |benchmark: Benchmark, what: &str| {
            assert!(benchmark.check().unwrap_err().contains(what), "{benchmark:?}");
        };
        refused(Benchmark::Sleep(Sleep { period_ns: 0, ..Sleep::default() }), "10us to 1h");
        refused(Benchmark::Gtod(Gtod { count: 0, ..Gtod::default() }), "count is 1");
        refused(Benchmark::Gtod(Gtod { count: 1 << 30, ..Gtod::default() }), "4000000");
        refused(Benchmark::Sched(Sched { threads: 0, ..Sched::default() }), "1 to 64");
        let class = Class::Deadline { runtime_ns: u64::MAX };
        refused(Benchmark::Sched(Sched { class, ..Sched::default() }), "runtime");
        refused(Benchmark::Realfeel(Realfeel { hertz: 0, ..Realfeel::default() }), "power of two");
        let jitter = PeriodicJitter { work_ns: u64::MAX, ..PeriodicJitter::default() };
        refused(Benchmark::Jitter(jitter), "less than the period");
        refused(Benchmark::Spin(Spin { threshold_ns: 0, ..Spin::default() }), "threshold");
        refused(Benchmark::Isolate(Isolate { duration_ns: 0, ..Isolate::default() }), "1ms to 1h");
        refused(Benchmark::Watch(Watch { target: String::new(), ..Watch::default() }), "irq:42");
        refused(Benchmark::Watch(Watch { duration_ns: 0, ..Watch::default() }), "1ms to 1h");
        let inversion = Inversion { limit_ns: u64::MAX, ..Inversion::default() };
        refused(Benchmark::Inversion(inversion), "at most 10s");
    }
}
