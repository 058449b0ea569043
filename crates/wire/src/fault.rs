// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Culprits that a test asks for, and the truth about them.

use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::Cycles;
use crate::name::named;

named! {
    /// The order is that of `enum irqscope_fault_kind` (kernel/faults/faults.h).
    FaultKind, "fault", {
        IrqsOff = "irqs-off",
        /// Interrupts off in two functions, one called from the other.
        Nested = "irqs-off-nested",
        PreemptOff = "preempt-off",
        BhOff = "bh-off",
        /// In the timer's hard interrupt.
        Hrtimer = "hrtimer",
        /// In a device's interrupt.
        Irq = "irq",
        Softirq = "softirq",
        Tasklet = "tasklet",
        Work = "work",
        /// Of a higher priority than every stage.
        Thread = "thread",
        /// Many short ones, one after the other.
        Timers = "timers",
    }
}

/// What irqscope_faults.ko is to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Faults {
    pub kinds: Vec<FaultKind>,
    pub length_ns: u32,
    /// Mean distance.
    pub interval_ns: u32,
    pub seed: u64,
}

/// One that held the CPU up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    pub kind: FaultKind,
    pub begin: Cycles,
    pub end: Cycles,
}
