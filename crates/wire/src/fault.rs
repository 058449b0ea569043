// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Culprits that a test asks for, and the truth about them.

use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::Cycles;
use crate::name::named;

named! {
    /// In the order of `enum irqscope_fault_kind` (kernel/faults/faults.h).
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
        /// The user stage needs a lock whose owner a thread of middle priority
        /// keeps from running.
        Inversion = "inversion",
        /// Likewise, and the owner inherits the stage's priority.
        Inheritance = "inheritance",
        /// Firmware runs, by a system management interrupt.
        Smi = "smi",
        /// Two at once: interrupts off in one function, within another that has
        /// preemption off.
        IrqsPreempt = "irqs-off-in-preempt-off",
        /// Two at once: the timer's hard interrupt within a softirq.
        HrtimerSoftirq = "hrtimer-in-softirq",
        /// A function that RCU calls back.
        Rcu = "rcu-callback",
        /// In an interrupt; on RT kernels every second one in a thread.
        IrqWork = "irq-work",
        /// By the thread that stops the machine, with interrupts off.
        StopMachine = "stop-machine",
        /// A timer of the timer wheel, as most drivers have.
        TimerList = "timer-list",
        /// Many short tasklets, one after the other.
        Tasklets = "tasklets",
        /// A line for a slow console.
        Printk = "printk",
        /// The user stage touches memory that it has to be given first.
        PageFaults = "page-faults",
        /// The CPU under test wants a lock that a thread on another CPU has.
        RemoteLock = "remote-lock",
        /// It calls a function on another CPU, which has interrupts off.
        RemoteOff = "remote-irqs-off",
        /// It has to wait until another CPU, which has interrupts off, has flushed its TLB.
        Tlb = "tlb-shootdown",
    }
}

impl FaultKind {
    /// Returns whether irqscope_faults.ko does it; the others are the agent's.
    pub const fn is_modules(self) -> bool {
        !matches!(self, Self::PageFaults) && !self.is_locks()
    }

    /// Returns whether another CPU than the one under test has to take part.
    pub const fn is_remote(self) -> bool {
        self.is_call() || matches!(self, Self::RemoteLock)
    }

    /// Returns whether another CPU with interrupts off is called, and waited for.
    pub const fn is_call(self) -> bool {
        matches!(self, Self::RemoteOff | Self::Tlb)
    }

    /// Returns whether it is about locks of the user stage.
    pub const fn is_locks(self) -> bool {
        matches!(self, Self::Inversion | Self::Inheritance)
    }
}

/// The faults that irqscope_faults.ko and the agent are to cause.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Faults {
    /// The kinds that act.
    pub kinds: Vec<FaultKind>,
    /// The length of each.
    pub length_ns: u32,
    /// Mean distance of two.
    pub interval_ns: u32,
    /// The seed of their instants.
    pub seed: u64,
}

/// One that held the CPU up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Its kind.
    pub kind: FaultKind,
    /// Its first instant.
    pub begin: Cycles,
    /// Its last instant.
    pub end: Cycles,
}
