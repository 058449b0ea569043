// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Everything that decides a benchmark, and what it is where nothing else is said.

use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::Class;
use crate::name::named;

const MICROSECOND: u64 = 1_000;
const MILLISECOND: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;

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
