// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Isolation of a CPU: a loop that should have it alone, and everything that took it away.
//!
//! In the twin the generator sees every instruction, so a disturbance is known from its first
//! instruction to its last, with the code that was executed, the threads that ran, and the code of
//! another CPU that asked for it. Elsewhere the loop's gaps are samples, and probes at the kernel's
//! tracepoints say what ran in them ([`crate::WatchedLatency`]).

use alloc::{string::String, vec::Vec};
use serde::{Deserialize, Serialize};

use crate::{Class, Policy, Run, Scheduling};

const SECOND: u64 = 1_000_000_000;
const MICROSECOND: u64 = 1_000;

/// All that decides a measurement of isolation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Isolate {
    /// The policy of the threads that loop.
    pub class: Class,
    /// How long each of them loops; in the twin by instructions of its own.
    pub duration_ns: u64,
    /// The shortest gap that is kept; the twin keeps every disturbance.
    pub threshold_ns: u64,
    /// The CPUs; empty: the plan's.
    pub cpus: Vec<u32>,
}

impl Default for Isolate {
    fn default() -> Self {
        Self {
            class: Class::Fixed(Scheduling { policy: Policy::Other, priority: 0 }),
            duration_ns: 10 * SECOND,
            threshold_ns: MICROSECOND,
            cpus: Vec::new(),
        }
    }
}

/// The instruction that each round of the loop begins with, at the beginning of a page: `nopl
/// 0x73717270(%rax,%rax,1)`, which does nothing. The twin's generator knows the loop by it. RAX has the
/// distance of the kernel's pointer to the current thread from the base of a CPU's own data; 0 where
/// that is not known.
pub const LOOP_MARK: [u8; 8] = [0x0f, 0x1f, 0x84, 0x00, 0x70, 0x72, 0x71, 0x73];
/// The instruction at which the loop ends: `nopl 0x73717271(%rax,%rax,1)`.
pub const LOOP_END: [u8; 8] = [0x0f, 0x1f, 0x84, 0x00, 0x71, 0x72, 0x71, 0x73];
/// The name of the thread that loops, by which the generator finds the place of names in a thread.
pub const LOOP_THREAD: &str = "bench-isolate";
/// The loop's page, in bytes.
pub const LOOP_PAGE: u64 = 4096;

/// The code that was executed in a disturbance, or before the interrupt that began one was sent.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Way {
    /// The code, in the order of its execution.
    pub runs: Vec<Run>,
    /// False: there was more than is kept.
    pub complete: bool,
}

/// A thread that ran in a disturbance.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RanThread {
    /// Its name (`comm`).
    pub name: String,
    /// Instructions of the disturbance while it was the current one.
    pub instructions: u64,
}

/// The code of another CPU that sent an interrupt to the one under test.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Sender {
    /// The CPU.
    pub cpu: u16,
    /// The thread that it ran; empty if that is not known.
    pub thread: String,
    /// The way up to the sending, by its number.
    pub way: u32,
}

/// One stretch in which the loop did not have its CPU.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disturbance {
    /// Instructions that the CPU had executed since the loop began.
    pub at: u64,
    /// Instructions of the CPU until the loop went on.
    pub instructions: u64,
    /// How often the CPU halted in it. The time that it slept is not among its instructions.
    pub halts: u32,
    /// The code, by its number.
    pub way: u32,
    /// The threads that ran in it beside the loop's, in their order.
    pub threads: Vec<RanThread>,
    /// The interrupts that other CPUs had sent since the disturbance before.
    pub senders: Vec<Sender>,
}

/// Disturbances of one CPU, in order.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Disturbances {
    /// The CPU.
    pub cpu: u16,
    /// Instructions of the loop until now.
    pub looped: u64,
    /// Virtual nanoseconds since the loop began, to a turn of the CPUs; 0 where they take none.
    pub elapsed_ns: u64,
    /// Ways that no message before had. They are numbered on, over all messages of a case, from 0.
    pub ways: Vec<Way>,
    /// The disturbances.
    pub taken: Vec<Disturbance>,
    /// The loop has come to its end.
    pub ended: bool,
}
