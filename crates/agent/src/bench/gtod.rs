// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `gtod`: what lies between two consecutive readings of a clock. The two have
//! nothing in between but each other; keeping the difference comes after both.
//!
//! Pairs are read without pause for a turn, and then the thread sleeps as long. A real-time thread
//! that never slept would leave the loads no time, and nothing that they leave behind, such as
//! softirqs, could come between two readings.

use std::time::Duration;

use irqscope_wire::{Clock, Gtod};
use nix::libc;
use nix::time::ClockId;

use super::{Fixture, Go, Recorder, Running, Series, ThreadGroup};
use crate::clock::{self, Scale};
use crate::counter;
use crate::error::Result;

pub fn start(gtod: &Gtod, fixture: &Fixture<'_>) -> Result<Running> {
    let (recorder, recorded) = fixture.recorder(gtod.count);
    let Gtod { clock, count, .. } = *gtod;
    let mut group = ThreadGroup::default();
    group.add(fixture.spec("bench-gtod", fixture.cpu), move |go| {
        let mut pairs = Pairs { count, recorder, go };
        match clock {
            Clock::Monotonic => pairs.take(0, clock::now),
            Clock::MonotonicRaw => pairs.of(|| clock::read(ClockId::CLOCK_MONOTONIC_RAW)),
            Clock::Realtime => pairs.of(|| clock::read(ClockId::CLOCK_REALTIME)),
            Clock::Gettimeofday => pairs.of(gettimeofday),
            Clock::Counter => pairs.take(0, || counter::now().0 as i64),
        }
        Ok(())
    });
    let mut series = Series::new(format!("cpu{}", fixture.cpu), Some(fixture.cpu), recorded);
    series.scale = scale(clock, fixture);
    Ok(Running { series: vec![series], threads: group.start()?, silence: Duration::from_secs(10) })
}

/// Returns the scale of a clock: only the counter counts something else than nanoseconds.
fn scale(clock: Clock, fixture: &Fixture<'_>) -> Option<Scale> {
    (clock == Clock::Counter).then_some(fixture.scale)
}

/// How long pairs are read, and then are not: longer than a tick of each usual kernel (10 ms at
/// 100 Hz), so that each turn meets one.
const TURN_NS: i64 = 12_000_000;

struct Pairs<'a> {
    count: u64,
    recorder: Recorder,
    go: &'a Go,
}

impl Pairs<'_> {
    /// Measures a clock with another zero than CLOCK_MONOTONIC, whose instants are moved there.
    fn of(&mut self, read: impl Fn() -> i64) {
        self.take(clock::now().wrapping_sub(read()), read);
    }

    #[inline(always)]
    fn take(&mut self, offset: i64, read: impl Fn() -> i64) {
        let mut left = self.count;
        while left > 0 {
            left -= self.turn(left, offset, &read);
            if self.go.is_cancelled() {
                return;
            }
            if left > 0 {
                clock::sleep_for(TURN_NS);
            }
        }
    }

    /// Reads pairs for a turn, up to `most`, and returns how many. The end of the turn is looked for
    /// behind every hundredth pair: that takes longer than a pair.
    #[inline(always)]
    fn turn(&mut self, most: u64, offset: i64, read: &impl Fn() -> i64) -> u64 {
        let end = clock::now() + TURN_NS;
        for number in 1..=most {
            let first = read();
            let second = read();
            self.recorder.take(first.wrapping_add(offset), second.wrapping_sub(first));
            let over = number % 100 == 0 && clock::now() >= end;
            if over || self.go.is_cancelled() {
                return number;
            }
        }
        most
    }
}

#[inline(always)]
fn gettimeofday() -> i64 {
    let mut time = libc::timeval { tv_sec: 0, tv_usec: 0 };
    // SAFETY: writes one timeval, which outlives the call; no time zone is asked
    // for.
    unsafe { libc::gettimeofday(&mut time, std::ptr::null_mut()) };
    clock::wide::<i64>(time.tv_sec) * 1_000_000_000 + clock::wide::<i64>(time.tv_usec) * 1_000
}
