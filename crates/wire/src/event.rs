// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Other activity of the CPUs: the driver's events.

use alloc::{string::String, vec::Vec};
use serde::{Deserialize, Serialize};

use crate::name::named;
use crate::{Cycles, Stage};

named! {
    /// x86 interrupts that have no number of their own.
    Vector, "interrupt vector", {
        LocalTimer = "local timer",
        Reschedule = "reschedule",
        CallFunction = "call function",
        CallFunctionSingle = "call function single",
        IrqWork = "irq work",
        PlatformIpi = "platform IPI",
        ErrorApic = "APIC error",
        Thermal = "thermal",
        Threshold = "threshold",
    }
}

named! {
    /// The order is the kernel's (include/linux/interrupt.h).
    Softirq, "softirq", {
        Hi = "hi",
        Timer = "timer",
        NetTx = "net_tx",
        NetRx = "net_rx",
        Block = "block",
        IrqPoll = "irq_poll",
        Tasklet = "tasklet",
        Sched = "sched",
        Hrtimer = "hrtimer",
        Rcu = "rcu",
    }
}

named! {
    /// Callers of functions that no tracepoint of the kernel is about.
    Called, "caller", {
        Rcu = "rcu",
        IrqWork = "irq work",
        StopMachine = "stop machine",
    }
}

/// The kernel's own idea of a priority, plus 1: lower ones run first.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub struct Priority(pub u8);

impl Priority {
    /// `SCHED_DEADLINE`.
    pub const DEADLINE: Priority = Priority(0);

    /// Returns the priority of a real-time policy, 1 to 99; none for the others.
    pub fn real_time(self) -> Option<u8> {
        (1..=99).contains(&self.0).then(|| 100 - self.0)
    }

    /// Returns the nice value of an ordinary thread.
    pub fn nice(self) -> Option<i8> {
        (101..=140).contains(&self.0).then(|| (i16::from(self.0) - 121) as i8)
    }
}

impl core::fmt::Display for Priority {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match (self.real_time(), self.nice()) {
            (Some(priority), _) => write!(f, "real-time {priority}"),
            (_, Some(nice)) => write!(f, "nice {nice}"),
            _ if *self == Self::DEADLINE => f.write_str("deadline"),
            _ => write!(f, "kernel priority {}", i16::from(self.0) - 1),
        }
    }
}

/// The CPU's context when an event happened; of [`What::Triggered`] the interrupted one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context(pub u16);

impl Context {
    /// In a hard interrupt.
    pub const IRQ: u16 = 0x01;
    /// In a softirq.
    pub const SOFTIRQ: u16 = 0x02;
    /// In a non-maskable interrupt.
    pub const NMI: u16 = 0x04;
    /// Interrupts are disabled.
    pub const IRQS_DISABLED: u16 = 0x08;
    /// Preemption is disabled.
    pub const NO_PREEMPTION: u16 = 0x10;
    /// Bottom halves are disabled.
    pub const BH_DISABLED: u16 = 0x20;
    /// In the idle thread.
    pub const IDLE: u16 = 0x40;
    /// In user mode.
    pub const USER: u16 = 0x80;

    /// Returns whether a bit is set.
    pub fn is(self, bit: u16) -> bool {
        self.0 & bit != 0
    }
}

/// One event of the driver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The counter that samples have their stamps from.
    pub at: Cycles,
    /// Of all events, kept or not, from 0 and wrapping: a jump is a gap.
    pub order: u32,
    /// The current thread.
    pub pid: u32,
    /// The running thread's priority.
    pub priority: Priority,
    /// The CPU's context.
    pub context: Context,
    /// The event itself.
    pub what: What,
}

/// Addresses are code, and [`Symbols`](crate::Message::Symbols) name them.
#[allow(
    missing_docs,
    reason = "an event and its facts are those of irqscope.h, which describes them"
)]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    /// A trigger's handler, at its stamp. `seq` has the lower 32 bits. 0: the
    /// interrupted code is not the kernel's.
    Triggered {
        seq: u32,
        interrupted: u64,
    },
    /// An address on the interrupted stack, nearest first.
    Stacked {
        address: u64,
    },
    IrqEntry {
        number: u32,
        handler: u64,
    },
    IrqExit {
        number: u32,
    },
    VectorEntry {
        vector: Vector,
        interrupted: u64,
    },
    VectorExit(Vector),
    Nmi {
        nanoseconds: u32,
        handler: u64,
    },
    SoftirqEntry(Softirq),
    SoftirqExit(Softirq),
    SoftirqRaise(Softirq),
    TaskletEntry {
        function: u64,
    },
    TaskletExit,
    HrtimerEntry {
        function: u64,
    },
    HrtimerExit,
    TimerEntry {
        function: u64,
    },
    TimerExit,
    WorkStart {
        function: u64,
    },
    WorkEnd,
    /// The event's own thread is the one that leaves.
    Switch {
        next: u32,
        priority: Priority,
        preempted: bool,
    },
    Wakeup {
        pid: u32,
        priority: Priority,
    },
    Statistics {
        pid: u32,
    },
    ContentionBegin {
        lock: u64,
    },
    ContentionEnd {
        lock: u64,
    },
    IdleEntry {
        state: u32,
    },
    IdleExit,
    IrqsOff {
        by: u64,
    },
    IrqsOn {
        by: u64,
    },
    PreemptionOff {
        by: u64,
    },
    PreemptionOn {
        by: u64,
    },
    /// The current thread has this name.
    Named(String),
    /// This number of system management interrupts came since the event before: the CPU counts
    /// them. At the stamp of the event that comes next.
    Smi {
        count: u32,
    },
    /// The scheduler was called; a switch may follow.
    Schedule,
    /// A function is called back.
    CallbackEntry {
        by: Called,
        function: u64,
    },
    CallbackExit(Called),
    /// Of a real-time thread.
    PageFault,
    PageFaultEnd,
    /// Other CPUs are to call a function.
    CallOthers {
        function: u64,
    },
    /// They have, if that is waited for.
    CallOthersEnd,
}

impl What {
    /// Returns the code that it points at, for symbols to name.
    pub fn address(&self) -> Option<u64> {
        let address = match self {
            Self::Triggered { interrupted, .. } => *interrupted,
            Self::VectorEntry { interrupted, .. } => *interrupted,
            Self::Stacked { address } => *address,
            Self::IrqEntry { handler, .. } | Self::Nmi { handler, .. } => *handler,
            Self::TaskletEntry { function }
            | Self::HrtimerEntry { function }
            | Self::TimerEntry { function }
            | Self::WorkStart { function }
            | Self::CallbackEntry { function, .. }
            | Self::CallOthers { function } => *function,
            Self::IrqsOff { by }
            | Self::IrqsOn { by }
            | Self::PreemptionOff { by }
            | Self::PreemptionOn { by } => *by,
            _ => return None,
        };
        (address != 0).then_some(address)
    }
}

/// Events of another CPU than the one under test, from while a sample was open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherEvents {
    /// The CPU.
    pub cpu: u16,
    /// Its events, in order.
    pub events: Vec<Event>,
}

/// The facts that are needed to read the events of a case; sent after them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explained {
    /// The cost of writing one event, the way to the probe not included.
    pub event_cost: u32,
    /// Events that the log had no room for.
    pub lost: u64,
    /// Tracepoints that this kernel does not have.
    pub lacking: Vec<String>,
    /// The threads that are stages.
    pub threads: Vec<StageThread>,
    /// The kernel's threads for softirqs (ksoftirqd), one for each CPU.
    pub softirq_threads: Vec<u32>,
}

/// A stage's thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageThread {
    /// The stage.
    pub stage: Stage,
    /// Its thread.
    pub pid: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn priorities_are_told_as_people_set_them() {
        assert_eq!(Priority(20).real_time(), Some(80));
        assert_eq!(Priority(20).to_string(), "real-time 80");
        assert_eq!(Priority(121).to_string(), "nice 0");
        assert_eq!(Priority(140).to_string(), "nice 19");
        assert_eq!(Priority(0).to_string(), "deadline");
        assert!(Priority(20) < Priority(50), "80 runs before 50");
    }
}
