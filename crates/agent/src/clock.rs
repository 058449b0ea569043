// SPDX-License-Identifier: Apache-2.0 OR MIT
//! CLOCK_MONOTONIC in nanoseconds, which is what instants of benchmarks are in,
//! and the cycle counter on its scale.

use std::time::Duration;

use irqscope_wire::{Nanoseconds, Tick};
use nix::errno::Errno;
use nix::sys::time::TimeSpec;
use nix::time::{ClockId, ClockNanosleepFlags, clock_gettime, clock_nanosleep};

use crate::counter;

const SECOND: i64 = 1_000_000_000;

/// Reads the clock; through the vDSO, so without entering the kernel where that can be.
#[inline]
pub fn now() -> i64 {
    read(ClockId::CLOCK_MONOTONIC)
}

/// Reads a clock; one that Linux has always had cannot fail to be read.
#[inline]
pub fn read(clock: ClockId) -> i64 {
    clock_gettime(clock)
        .map_or(0, |time| wide::<i64>(time.tv_sec()) * SECOND + wide::<i64>(time.tv_nsec()))
}

/// Widens a part of a time or a C library's `long`, which has 32 bits where the CPU has.
#[inline]
pub fn wide<Wide>(part: impl Into<Wide>) -> Wide {
    part.into()
}

fn time_spec(nanoseconds: i64) -> TimeSpec {
    TimeSpec::new((nanoseconds / SECOND) as _, (nanoseconds % SECOND) as _)
}

/// Sleeps until an instant; not at all if it has passed.
#[inline]
pub fn sleep_until(instant: i64) {
    let until = time_spec(instant);
    let flags = ClockNanosleepFlags::TIMER_ABSTIME;
    while clock_nanosleep(ClockId::CLOCK_MONOTONIC, flags, &until) == Err(Errno::EINTR) {}
}

/// Sleeps for a time, by one system call. No signal comes to a measured thread.
#[inline]
pub fn sleep_for(nanoseconds: i64) {
    let flags = ClockNanosleepFlags::empty();
    let _ = clock_nanosleep(ClockId::CLOCK_MONOTONIC, flags, &time_spec(nanoseconds));
}

/// A reading of the counter and of the clock at the same instant.
#[derive(Clone, Copy, Debug)]
struct Anchor {
    cycles: u64,
    ns: i64,
}

impl Anchor {
    /// Takes the best of several: the one whose counter readings lie closest together.
    fn take() -> Anchor {
        let one = |_| {
            let before = counter::now().0;
            let ns = now();
            let after = counter::now().0;
            let span = after.wrapping_sub(before);
            (span, Anchor { cycles: before.wrapping_add(span / 2), ns })
        };
        let best = (0..32).map(one).min_by_key(|(span, _)| *span);
        best.map_or(Anchor { cycles: 0, ns: 0 }, |(_, anchor)| anchor)
    }
}

/// The cycle counter on the clock's scale.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    /// The length of the counter's tick.
    pub tick: Tick,
    anchor: Anchor,
}

/// Long enough for a tick that is right to a millionth.
const CALIBRATION: Duration = Duration::from_millis(100);

impl Scale {
    /// Makes a scale with a tick that is known, or one that is measured now.
    pub fn new(tick: Option<Tick>) -> Scale {
        let first = Anchor::take();
        let tick = tick.or_else(counter::known_tick).unwrap_or_else(|| measure_tick(first));
        Scale { tick, anchor: Anchor::take() }
    }

    /// Converts a span to cycles.
    pub fn cycles(&self, span: Duration) -> u64 {
        let femtoseconds = span.as_nanos() * 1_000_000;
        let cycles = femtoseconds / u128::from(self.tick.femtoseconds.max(1));
        u64::try_from(cycles).unwrap_or(u64::MAX)
    }

    /// Returns when the counter showed this, on the clock.
    pub fn instant(&self, cycles: i64) -> Nanoseconds {
        let since = cycles.wrapping_sub(self.anchor.cycles as i64);
        Nanoseconds(self.anchor.ns + self.tick.nanoseconds(since).0)
    }
}

fn measure_tick(first: Anchor) -> Tick {
    sleep_for(CALIBRATION.as_nanos() as i64);
    let last = Anchor::take();
    let cycles = u128::from(last.cycles.wrapping_sub(first.cycles)).max(1);
    let femtoseconds = last.ns.abs_diff(first.ns) as u128 * 1_000_000;
    Tick { femtoseconds: u64::try_from(femtoseconds / cycles).unwrap_or(u64::MAX) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_sleep_is_shorter_than_asked_for() {
        let begin = now();
        sleep_for(1_500_000);
        let middle = now();
        sleep_until(middle + 1_500_000);
        let end = now();
        assert!(middle >= begin + 1_500_000 && end >= middle + 1_500_000);
        sleep_until(begin);
    }

    #[test]
    fn the_counter_and_the_clock_agree_on_an_instant() {
        let scale = Scale::new(None);
        let before = now();
        let instant = scale.instant(counter::now().0 as i64).0;
        let after = now();
        // Calibrated to a millionth, and read within a second of the anchor.
        let slack = 10_000;
        assert!((before - slack..=after + slack).contains(&instant), "{before} {instant} {after}");
        let span = Duration::from_millis(1);
        let cycles = scale.cycles(span) as i64;
        assert!(scale.tick.nanoseconds(cycles).0.abs_diff(1_000_000) < 1_000);
    }
}
