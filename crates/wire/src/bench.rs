// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Benchmarks: what is measured from user space without the driver.
//! docs/benchmarks.md says what each one measures.
//!
//! A benchmark has one or more *series*: a thread or CPU it ran on, or one of
//! the instants of a round. A sample of a series is an instant and a value.

use alloc::string::String;
use serde::{Deserialize, Serialize};

use crate::name::named;
use crate::{
    Async, Class, Gtod, Instant, Inversion, Isolate, PeriodicJitter, Policy, Realfeel, Sched,
    Scheduling, Sleep, Spin, Watch,
};

named! {
    BenchmarkKind, "benchmark", {
        /// Differences of consecutive clock readings.
        Gtod = "gtod",
        /// Wakeup latency of a periodic thread.
        Sched = "sched",
        /// Waking a thread by another one.
        Async = "async",
        /// How much longer a relative sleep takes than it was asked to.
        Sleep = "sleep",
        /// How long a thread waits for a lock that a lower one holds.
        Inversion = "inversion",
        /// Interrupts of the real-time clock through `read()`.
        Realfeel = "realfeel",
        /// Variation of a periodic thread's starts and ends.
        Jitter = "jitter",
        /// Gaps in a loop that never sleeps.
        Spin = "spin",
        /// Latencies of a running kernel, by probes at its tracepoints.
        Watch = "watch",
        /// Everything that takes a CPU away from a loop that should have it alone.
        Isolate = "isolate",
    }
}

impl BenchmarkKind {
    /// Returns its place in [`BenchmarkKind::ALL`].
    pub const fn index(self) -> usize {
        self as usize
    }
}

/// One benchmark in one of its variants, with everything that decides it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Benchmark {
    /// See [`Gtod`].
    Gtod(Gtod),
    /// See [`Sched`].
    Sched(Sched),
    /// See [`Async`].
    Async(Async),
    /// See [`Sleep`].
    Sleep(Sleep),
    /// See [`Inversion`].
    Inversion(Inversion),
    /// See [`Realfeel`].
    Realfeel(Realfeel),
    /// See [`PeriodicJitter`].
    Jitter(PeriodicJitter),
    /// See [`Spin`].
    Spin(Spin),
    /// See [`Watch`].
    Watch(Watch),
    /// See [`Isolate`].
    Isolate(Isolate),
}

impl Benchmark {
    /// Returns which benchmark it is.
    pub const fn kind(&self) -> BenchmarkKind {
        match self {
            Benchmark::Gtod(_) => BenchmarkKind::Gtod,
            Benchmark::Sched(_) => BenchmarkKind::Sched,
            Benchmark::Async(_) => BenchmarkKind::Async,
            Benchmark::Sleep(_) => BenchmarkKind::Sleep,
            Benchmark::Inversion(_) => BenchmarkKind::Inversion,
            Benchmark::Realfeel(_) => BenchmarkKind::Realfeel,
            Benchmark::Jitter(_) => BenchmarkKind::Jitter,
            Benchmark::Spin(_) => BenchmarkKind::Spin,
            Benchmark::Watch(_) => BenchmarkKind::Watch,
            Benchmark::Isolate(_) => BenchmarkKind::Isolate,
        }
    }

    /// Names what distinguishes it from another of its kind: a clock, a way to wake, a policy;
    /// `none-bounded` for `inversion`, the target of `watch`.
    pub fn variant(&self) -> String {
        match self {
            Benchmark::Gtod(gtod) => gtod.clock.name().into(),
            Benchmark::Async(one) => one.wake.name().into(),
            Benchmark::Inversion(one) => {
                alloc::format!("{}-{}", one.protocol, one.middle)
            }
            Benchmark::Watch(one) => one.target.clone(),
            _ => alloc::format!("{}", self.class()),
        }
    }

    /// Returns how its measured threads are to be scheduled; the lowest one of `inversion`. A watch
    /// leaves all threads as they are.
    pub fn class(&self) -> Class {
        match self {
            Benchmark::Gtod(one) => one.class,
            Benchmark::Sched(one) => one.class,
            Benchmark::Async(one) => one.class,
            Benchmark::Sleep(one) => one.class,
            Benchmark::Inversion(one) => {
                Class::Fixed(Scheduling { policy: Policy::Fifo, priority: one.priority })
            }
            Benchmark::Realfeel(one) => one.class,
            Benchmark::Jitter(one) => one.class,
            Benchmark::Spin(one) => one.class,
            Benchmark::Watch(_) => Class::Unknown,
            Benchmark::Isolate(one) => one.class,
        }
    }

    /// Returns the CPUs that it asks for besides the plan's.
    pub fn cpus(&self) -> &[u32] {
        match self {
            Benchmark::Sched(one) => &one.cpus,
            Benchmark::Spin(one) => &one.cpus,
            Benchmark::Isolate(one) => &one.cpus,
            _ => &[],
        }
    }

    /// Returns what each of its series accounts for; none where it is unknown beforehand.
    pub const fn rounds(&self) -> Option<u64> {
        match self {
            Benchmark::Gtod(one) => Some(one.count),
            Benchmark::Sched(one) => Some(one.count),
            Benchmark::Async(one) => Some(one.count),
            Benchmark::Sleep(one) => Some(one.count),
            Benchmark::Inversion(one) => Some(one.count),
            Benchmark::Realfeel(one) => Some(one.count),
            Benchmark::Jitter(one) => Some(one.count),
            Benchmark::Spin(_) | Benchmark::Watch(_) | Benchmark::Isolate(_) => None,
        }
    }

    /// Returns the time from one sample to the next, where that is set.
    pub const fn period_ns(&self) -> Option<u64> {
        match self {
            Benchmark::Sched(one) => Some(one.period_ns),
            Benchmark::Async(one) => Some(one.period_ns),
            Benchmark::Sleep(one) => Some(one.period_ns),
            Benchmark::Jitter(one) => Some(one.period_ns),
            _ => None,
        }
    }

    /// Returns how many series it has.
    pub fn series(&self) -> u64 {
        let cpus = self.cpus().len().max(1) as u64;
        match self {
            Benchmark::Sched(one) => cpus * u64::from(one.threads),
            Benchmark::Spin(_) | Benchmark::Isolate(_) => cpus,
            Benchmark::Jitter(_) => 2,
            Benchmark::Inversion(_) => 1 + Instant::ALL.len() as u64,
            _ => 1,
        }
    }

    /// Returns the samples that it will have in all its series, where that is known.
    pub fn samples(&self) -> u64 {
        self.rounds().unwrap_or(0).saturating_mul(self.series())
    }
}
