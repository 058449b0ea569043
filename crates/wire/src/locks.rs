// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The settings of a kernel with delayed locking, and its counts.

use alloc::{string::String, vec::Vec};
use serde::{Deserialize, Serialize};

use crate::Load;
use crate::name::named;

named! {
    /// The part of the technique that is in force.
    LockMode, "mode of delayed locking", {
        /// Patched out.
        Off = "off",
        /// Hold times are measured.
        Monitor = "monitor",
        /// And a thread that would hold a lock for too long waits.
        On = "on",
    }
}

named! {
    /// How long a section is expected to be held.
    LockPolicy, "policy", {
        /// As long as it was at most.
        Maximum = "maximum",
        /// Its exponential average.
        Average = "average",
    }
}

named! {
    /// The treatment of a real-time sleep that is shorter than the longest section.
    ShortPeriod, "way with short periods", {
        Allow = "allow",
        Warn = "warn",
        /// The sleep is lengthened.
        Refuse = "refuse",
    }
}

/// The technique's settings in one case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DelayedLocking {
    /// Whether the technique is in force.
    pub mode: LockMode,
    /// The expected hold time.
    pub policy: LockPolicy,
    /// After this number of refusals a thread enters all the same.
    pub max_refusals: u32,
    /// The treatment of short sleeps.
    pub short_period: ShortPeriod,
}

impl Default for DelayedLocking {
    fn default() -> Self {
        Self {
            mode: LockMode::On,
            policy: LockPolicy::Maximum,
            max_refusals: 100,
            short_period: ShortPeriod::Warn,
        }
    }
}

/// Bins of a hold time's histogram: bin `b` counts those of 2^b ns and more, below
/// 2^(b+1); the first also 0 ns, the last all above.
pub const HOLD_BINS: usize = 32;

/// A place in the kernel's code that takes a spinlock, or that processes softirqs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockSite {
    /// `vmlinux`, or a module's name.
    pub module: String,
    /// The source file.
    pub file: String,
    /// The line in it.
    pub line: u32,
    /// The function.
    pub function: String,
    /// Which function takes the lock: `lock`, `irqsave` …
    pub kind: String,
    /// How often it was held.
    pub count: u64,
    /// The longest hold.
    pub max_ns: u64,
    /// The exponential average; with the policy `maximum`, the mean.
    pub average_ns: u64,
    /// The latest hold.
    pub last_ns: u64,
    /// All holds together.
    pub total_ns: u64,
    /// The manager's decisions.
    pub refused: u64,
    /// Entries that were forced after too many refusals.
    pub forced: u64,
    /// Would have been refused, but its context may not wait.
    pub cannot_wait: u64,
    /// All delays together.
    pub delay_ns: u64,
    /// The longest delay.
    pub delay_max_ns: u64,
    /// [`HOLD_BINS`] numbers.
    pub histogram: Vec<u64>,
}

/// A task that had to wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DelayedTask {
    /// The task.
    pub pid: u32,
    /// Its name.
    pub name: String,
    /// How often it was refused.
    pub refused: u64,
    /// How often it was let in by force.
    pub forced: u64,
    /// Entries that waited.
    pub delays: u64,
    /// All delays together.
    pub delay_ns: u64,
    /// The longest delay.
    pub delay_max_ns: u64,
}

/// A count by its name, as the kernel has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockCount {
    /// The counter's name.
    pub name: String,
    /// Its value.
    pub value: u64,
}

/// Figures that go with the sites; the last of their messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockTotals {
    /// The manager's counters.
    pub decisions: Vec<LockCount>,
    /// The tasks that waited.
    pub tasks: Vec<DelayedTask>,
    /// Below this period a real-time task can keep others from their locks.
    pub safe_period_ns: u64,
}

/// The work of the loads of a state while a benchmark ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadWork {
    /// Position in the plan's list.
    pub benchmark: u16,
    /// The load.
    pub load: Load,
    /// Bytes sent, files made.
    pub units: u64,
    /// The time in which it was done.
    pub ns: u64,
}
