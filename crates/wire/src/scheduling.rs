// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How threads are scheduled.

use serde::{Deserialize, Serialize};

use crate::name::named;

named! {
    Policy, "scheduling policy", {
        Other = "other",
        Fifo = "fifo",
        Rr = "rr",
    }
}

/// A scheduling policy with its real-time priority (0 for `other`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Scheduling {
    /// The policy.
    pub policy: Policy,
    /// The priority of a real-time policy, else 0.
    pub priority: u8,
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
