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
    pub mode: LockMode,
    pub policy: LockPolicy,
    /// After this number of refusals a thread enters all the same.
    pub max_refusals: u32,
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
    pub file: String,
    pub line: u32,
    pub function: String,
    /// Which function takes the lock: `lock`, `irqsave` …
    pub kind: String,
    pub count: u64,
    pub max_ns: u64,
    /// Exponential.
    pub average_ns: u64,
    pub last_ns: u64,
    pub total_ns: u64,
    /// The manager's decisions.
    pub refused: u64,
    pub forced: u64,
    /// Would have been refused, but its context may not wait.
    pub cannot_wait: u64,
    pub delay_ns: u64,
    pub delay_max_ns: u64,
    /// [`HOLD_BINS`] numbers.
    pub histogram: Vec<u64>,
}

/// A task that had to wait.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DelayedTask {
    pub pid: u32,
    pub name: String,
    pub refused: u64,
    pub forced: u64,
    pub delays: u64,
    pub delay_ns: u64,
    pub delay_max_ns: u64,
}

/// A count by its name, as the kernel has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockCount {
    pub name: String,
    pub value: u64,
}

/// Figures that go with the sites; the last of their messages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LockTotals {
    pub decisions: Vec<LockCount>,
    pub tasks: Vec<DelayedTask>,
    /// Below this period a real-time task can keep others from their locks.
    pub safe_period_ns: u64,
}

/// The work of the loads of a state while a benchmark ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LoadWork {
    /// Position in the plan's list.
    pub benchmark: u16,
    pub load: Load,
    /// Bytes sent, files made.
    pub units: u64,
    pub ns: u64,
}
