// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Watching a kernel by its own tracepoints: the settings, and latencies with what they consist of.
//!
//! A watch is a benchmark of which each stage is a series: its latencies are ordinary samples. Of a
//! few of them it is also kept what the CPUs ran meanwhile.

use alloc::{string::String, vec::Vec};
use serde::{Deserialize, Serialize};

use crate::Nanoseconds;

const SECOND: u64 = 1_000_000_000;

/// All that decides a watch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Watch {
    /// `irq:42`, a device or handler as in `eth0`, `timer:FUNCTION`, `thread:1234`, `rt` for all
    /// threads of a real-time policy, or `sections` with interrupts or preemption disabled, `sections:0-3` of
    /// some CPUs.
    pub target: String,
    /// How long it goes on.
    pub duration_ns: u64,
    /// The samples of one series after which it ends earlier.
    pub count: Option<u64>,
    /// The latency from which on its timeline is kept.
    pub above_ns: Option<u64>,
    /// A function in user space that is the last stage, as in `/usr/bin/app:on_packet`, or a static
    /// probe, `usdt:/usr/bin/app:provider:name`.
    pub until: Option<String>,
}

impl Default for Watch {
    fn default() -> Self {
        Self {
            target: "rt".into(),
            duration_ns: 10 * SECOND,
            count: None,
            above_ns: None,
            until: None,
        }
    }
}

impl Watch {
    /// Returns the CPUs whose sections are watched, as the target names them; empty: all. `None` where latencies
    /// are.
    pub fn sections(&self) -> Option<&str> {
        match self.target.strip_prefix("sections") {
            Some("") => Some(""),
            Some(cpus) => cpus.strip_prefix(':'),
            None => None,
        }
    }
}

/// One latency of a watch, with what the CPUs ran meanwhile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchedLatency {
    /// Position in the plan's list.
    pub benchmark: u16,
    /// The series' name.
    pub series: String,
    /// As the sample's: when the latency began.
    pub at: Nanoseconds,
    /// The latency.
    pub value: Nanoseconds,
    /// In the order of time; they add up to the latency.
    pub parts: Vec<WatchedPart>,
}

/// A part of a watched latency.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchedPart {
    /// The CPU.
    pub cpu: u16,
    /// Its length.
    pub ns: u64,
    /// The work that the CPU did: `interrupt 27 virtio0`, `softirq net_rx`, `thread app`, `idle`.
    pub what: String,
    /// It was the chain's own work.
    pub own: bool,
}
