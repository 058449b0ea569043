// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The picture of a system: which threads serve interrupts, softirqs and the
//! kernel itself, with which priorities, and what stays hard.

use alloc::{string::String, vec::Vec};
use serde::{Deserialize, Serialize};

use crate::name::named;
use crate::{Policy, Scheduling};

/// A machine's threads and interrupts, as far as they decide latencies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// `uname -r`.
    pub kernel: String,
    /// As the kernel names it: `PREEMPT_RT`, `PREEMPT_DYNAMIC (full)`.
    pub preemption: String,
    /// The kernel is a real-time one.
    pub real_time: bool,
    /// Handlers are forced into threads, by the kernel's kind or its command
    /// line.
    pub threaded_interrupts: bool,
    /// Locks of user space can pass priorities on.
    pub priority_inheritance: bool,
    /// Microseconds of each period that real-time tasks may run; none: all.
    pub throttled_us: Option<u64>,
    /// CPUs without the scheduler's balancing.
    pub isolated_cpus: Vec<u32>,
    /// Real-time threads, and those that serve softirqs; by priority,
    /// descending, then by name.
    pub threads: Vec<ThreadFact>,
    /// Interrupts that are in use.
    pub interrupts: Vec<InterruptLine>,
    /// Advice on changes, the most important first.
    pub advice: Vec<String>,
}

named! {
    /// The purpose of a thread.
    Role, "role", {
        Interrupt = "interrupt",
        Softirq = "softirq",
        /// Expired timers, on RT kernels since 6.1.
        Timers = "timers",
        Rcu = "rcu",
        /// Stops CPUs and moves tasks between them.
        Migration = "migration",
        /// Another thread of the kernel.
        Kernel = "kernel",
        /// A process's.
        User = "user",
    }
}

named! {
    /// A scheduling class as a thread has it.
    ThreadPolicy, "policy", {
        Other = "other",
        Fifo = "fifo",
        Rr = "rr",
        Batch = "batch",
        Idle = "idle",
        Deadline = "deadline",
    }
}

/// One thread.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadFact {
    /// Its id.
    pub pid: u32,
    /// Its name.
    pub name: String,
    /// Its purpose.
    pub role: Role,
    /// Its policy.
    pub policy: ThreadPolicy,
    /// 1 to 99 of `fifo` and `rr`; else 0.
    pub priority: u8,
    /// Where it may run.
    pub cpus: Vec<u32>,
}

impl ThreadFact {
    /// Returns whether it is above all ordinary threads.
    pub const fn is_real_time(&self) -> bool {
        matches!(self.policy, ThreadPolicy::Fifo | ThreadPolicy::Rr | ThreadPolicy::Deadline)
    }

    /// Returns the scheduling as it can be set; none of what cannot.
    pub const fn scheduling(&self) -> Option<Scheduling> {
        let policy = match self.policy {
            ThreadPolicy::Other => Policy::Other,
            ThreadPolicy::Fifo => Policy::Fifo,
            ThreadPolicy::Rr => Policy::Rr,
            _ => return None,
        };
        Some(Scheduling { policy, priority: self.priority })
    }
}

/// One interrupt line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InterruptLine {
    /// Its number; a letter code (`LOC`) of what is no device.
    pub line: String,
    /// Its handlers.
    pub name: String,
    /// How often it was handled.
    pub count: u64,
    /// Its threads; none: the handler is a hard one.
    pub threads: Vec<u32>,
    /// Where it may be delivered; empty of what is no device.
    pub cpus: Vec<u32>,
}
