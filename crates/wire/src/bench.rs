// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Benchmarks: what is measured from user space without the driver, and all that
//! decides it. docs/benchmarks.md says what each one measures.
//!
//! A benchmark has one or more *series*: a thread or CPU it ran on, or one of
//! the instants of a round. A sample of a series is an instant and a value.

use alloc::{string::String, vec::Vec};
use serde::{Deserialize, Serialize};

use crate::name::named;
use crate::{Isolate, Policy, Scheduling, Watch};

const MICROSECOND: u64 = 1_000;
const MILLISECOND: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;

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

named! {
    /// The clock that `gtod` reads.
    Clock, "clock", {
        Monotonic = "monotonic",
        MonotonicRaw = "monotonic-raw",
        Realtime = "realtime",
        /// The C library's `gettimeofday()`: microseconds.
        Gettimeofday = "gettimeofday",
        /// The CPU's cycle counter, without the kernel.
        Counter = "counter",
    }
}

named! {
    /// The event with which `async` wakes a thread.
    Wake, "kind of wakeup", {
        /// A POSIX condition variable.
        Condvar = "condvar",
        Eventfd = "eventfd",
        Futex = "futex",
        Pipe = "pipe",
        /// SIGUSR1, waited for with `sigwait()`.
        Signal = "signal",
        /// A POSIX message queue.
        Mqueue = "mqueue",
    }
}

named! {
    /// Whether the lock of `inversion` passes priorities on.
    LockProtocol, "lock protocol", {
        None = "none",
        Inherit = "inherit",
    }
}

named! {
    /// The work of the thread in the middle in `inversion`.
    Middle, "middle thread", {
        /// Works for a known time.
        Bounded = "bounded",
        /// Never yields, until the highest thread has its lock or the time
        /// limit ends it.
        Unbounded = "unbounded",
    }
}

named! {
    /// The instants of one round of `inversion`: series of their own, counted from the round's
    /// beginning.
    Instant, "instant", {
        CLocks = "c-locks",
        AAsks = "a-asks",
        BStarts = "b-starts",
        BEnds = "b-ends",
        CUnlocks = "c-unlocks",
        AHas = "a-has",
    }
}

impl Instant {
    /// The series of `inversion` that is a latency: from `a-asks` to `a-has`.
    pub const WAIT: &str = "wait";
}

/// How a measured thread is scheduled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Class {
    /// A policy with its priority.
    Fixed(Scheduling),
    /// SCHED_DEADLINE with this budget; deadline and period are the
    /// benchmark's.
    Deadline {
        /// The budget.
        runtime_ns: u64,
    },
    /// Of imported samples whose file does not say. No target is asked for it.
    Unknown,
}

impl Class {
    /// The settings of a benchmark where nothing else is said.
    pub const HIGH: Class = Class::Fixed(Scheduling { policy: Policy::Fifo, priority: 80 });

    /// Returns whether it is above all ordinary threads.
    pub const fn is_real_time(self) -> bool {
        !matches!(self, Class::Fixed(Scheduling { policy: Policy::Other, .. }) | Class::Unknown)
    }
}

impl core::fmt::Display for Class {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Class::Fixed(Scheduling { policy: Policy::Other, .. }) => f.pad("other"),
            Class::Fixed(Scheduling { policy, priority }) => write!(f, "{policy} {priority}"),
            Class::Deadline { .. } => f.pad("deadline"),
            Class::Unknown => f.pad("unknown"),
        }
    }
}

/// Two consecutive readings of a clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Gtod {
    /// The clock.
    pub clock: Clock,
    /// Samples to take.
    pub count: u64,
    /// The thread's policy.
    pub class: Class,
}

impl Default for Gtod {
    fn default() -> Self {
        Self { clock: Clock::Monotonic, count: 100_000, class: Class::HIGH }
    }
}

/// Wakeups at the points of a time grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sched {
    /// The thread's policy.
    pub class: Class,
    /// The distance of two points; by default near the 5 ms of Rostedt and Hart, but such that 500
    /// points meet the tick at all phases, whether there are 100, 250, 300 or 1,000 a second.
    pub period_ns: u64,
    /// Periods per thread.
    pub count: u64,
    /// On each CPU.
    pub threads: u16,
    /// None: the plan's.
    pub cpus: Vec<u32>,
}

impl Default for Sched {
    fn default() -> Self {
        Self {
            class: Class::HIGH,
            period_ns: 5_083 * MICROSECOND,
            count: 2_000,
            threads: 1,
            cpus: Vec::new(),
        }
    }
}

/// Wakeups by another thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Async {
    /// The event that wakes.
    pub wake: Wake,
    /// The threads' policy.
    pub class: Class,
    /// From one wakeup to the next.
    pub period_ns: u64,
    /// Samples to take.
    pub count: u64,
    /// Where the thread runs that wakes the other; none: on the same CPU.
    pub from_cpu: Option<u32>,
}

impl Default for Async {
    fn default() -> Self {
        Self {
            wake: Wake::Condvar,
            class: Class::HIGH,
            period_ns: 1_083 * MICROSECOND,
            count: 2_000,
            from_cpu: None,
        }
    }
}

/// Sleeps of a given length.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sleep {
    /// The thread's policy.
    pub class: Class,
    /// How long each sleep is asked to be.
    pub period_ns: u64,
    /// Samples to take.
    pub count: u64,
}

impl Default for Sleep {
    fn default() -> Self {
        Self { class: Class::HIGH, period_ns: 4 * MILLISECOND, count: 10_000 }
    }
}

/// Three threads on the plan's CPU: C, the lowest, holds a lock that A, the
/// highest, wants, while B, between them, works.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inversion {
    /// The lock's protocol.
    pub protocol: LockProtocol,
    /// The thread in the middle.
    pub middle: Middle,
    /// SCHED_FIFO priority of C; B and A are one and two above, the thread that
    /// guards the time limit three.
    pub priority: u8,
    /// How long C works with the lock held, after A has asked for it.
    pub hold_ns: u64,
    /// How long B works where it is bounded.
    pub middle_ns: u64,
    /// When B is ended where it is not.
    pub limit_ns: u64,
    /// Rounds.
    pub count: u64,
}

impl Default for Inversion {
    fn default() -> Self {
        Self {
            protocol: LockProtocol::None,
            middle: Middle::Bounded,
            priority: 60,
            hold_ns: MILLISECOND,
            middle_ns: 5 * MILLISECOND,
            limit_ns: 50 * MILLISECOND,
            count: 100,
        }
    }
}

/// Interrupts of the real-time clock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Realfeel {
    /// The thread's policy.
    pub class: Class,
    /// A power of two.
    pub hertz: u32,
    /// Samples to take.
    pub count: u64,
}

impl Default for Realfeel {
    fn default() -> Self {
        Self { class: Class::HIGH, hertz: 2_048, count: 20_000 }
    }
}

/// A task with work at the points of a time grid.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeriodicJitter {
    /// The thread's policy.
    pub class: Class,
    /// The distance of two points.
    pub period_ns: u64,
    /// How long the work of one period takes when nothing disturbs it.
    pub work_ns: u64,
    /// Samples to take.
    pub count: u64,
}

impl Default for PeriodicJitter {
    fn default() -> Self {
        Self {
            class: Class::HIGH,
            period_ns: 1_083 * MICROSECOND,
            work_ns: 100 * MICROSECOND,
            count: 10_000,
        }
    }
}

/// A loop that looks for gaps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spin {
    /// The threads' policy.
    pub class: Class,
    /// How long the loop runs.
    pub duration_ns: u64,
    /// The shortest gap that is kept.
    pub threshold_ns: u64,
    /// None: the plan's.
    pub cpus: Vec<u32>,
}

impl Default for Spin {
    fn default() -> Self {
        Self {
            class: Class::HIGH,
            duration_ns: SECOND,
            threshold_ns: MICROSECOND,
            cpus: Vec::new(),
        }
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
