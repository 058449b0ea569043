// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `sched`: a thread that wakes at the points of a time grid, by absolute sleeps, and how late it
//! is. cyclictest measures the same.

use std::time::Duration;

use irqscope_wire::{Class, Sched};
use nix::errno::Errno;

use super::{Fixture, Go, Recorder, Running, Series, Start, ThreadGroup};
use crate::clock::{now, sleep_until};
use crate::error::{Error, Result};
use crate::sync::ThreadSpec;

pub fn start(sched: &Sched, fixture: &Fixture<'_>) -> Result<Start> {
    let (mut group, mut series) = (ThreadGroup::default(), Vec::new());
    for cpu in fixture.cpus(&sched.cpus) {
        for thread in 0..sched.threads {
            let (recorder, recorded) = fixture.recorder(sched.count);
            let (period, count) = (sched.period_ns.cast_signed(), sched.count);
            let spec = ThreadSpec { period_ns: sched.period_ns, ..spec(fixture, cpu) };
            group.add(spec, move |go| {
                // All threads share their grid: they are due at the same instant.
                Grid { due: go.begin + period, period, left: count, recorder }.keep(go);
                Ok(())
            });
            series.push(Series::new(name(sched, spec, thread), spec.cpu, recorded));
        }
    }
    let silence = Duration::from_nanos(sched.period_ns.saturating_mul(2));
    match (fixture.class, group.start()) {
        (Class::Deadline { .. }, Err(Error::Policy { source, .. })) => {
            Ok(Start::Unavailable(why_refused(source)))
        }
        (_, threads) => Ok(Start::Running(Running { series, threads: threads?, silence })),
    }
}

/// Explains a refusal: the kernel admits only what it can guarantee.
fn why_refused(errno: Errno) -> String {
    match errno {
        Errno::EBUSY => "SCHED_DEADLINE: the CPUs have too little time left; ask for a smaller \
                         budget or a longer period"
            .into(),
        Errno::EPERM => "SCHED_DEADLINE is refused: its threads must be free to run on all CPUs, \
                         which this process's cpuset does not let them"
            .into(),
        _ => format!("SCHED_DEADLINE is refused: {errno}"),
    }
}

/// Places a thread; SCHED_DEADLINE places its threads itself.
fn spec(fixture: &Fixture<'_>, cpu: u32) -> ThreadSpec {
    let spec = fixture.spec("bench-sched", cpu);
    match fixture.class {
        Class::Fixed(_) | Class::Unknown => spec,
        Class::Deadline { .. } => ThreadSpec { cpu: None, ..spec },
    }
}

/// Names a thread `cpu1`; `cpu1.0`, `cpu1.1` where there are several; `0`, `1` on any CPU.
fn name(sched: &Sched, spec: ThreadSpec, thread: u16) -> String {
    match (spec.cpu, sched.threads) {
        (Some(cpu), 1) => format!("cpu{cpu}"),
        (Some(cpu), _) => format!("cpu{cpu}.{thread}"),
        (None, _) => format!("any.{thread}"),
    }
}

struct Grid {
    due: i64,
    period: i64,
    left: u64,
    recorder: Recorder,
}

impl Grid {
    /// Measures the wakeups. Points of the grid that have passed when the thread wakes are skipped
    /// and counted; the late wakeup itself is a sample like every other.
    fn keep(&mut self, go: &Go) {
        while self.left > 0 && !go.is_cancelled() {
            sleep_until(self.due);
            let late = now() - self.due;
            self.recorder.take(self.due, late);
            self.left -= 1;
            self.due += self.period;
            if late >= self.period {
                self.skip(late);
            }
        }
    }

    #[cold]
    fn skip(&mut self, late: i64) {
        let passed = (late / self.period).cast_unsigned().min(self.left);
        self.recorder.skip(passed);
        self.left -= passed;
        self.due += passed.cast_signed() * self.period;
    }
}
