// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The causes that have to be named for faults of each kind.

use irqscope_wire::{Fault, FaultKind};

use super::cause::{Cause, CauseKind};

/// Returns whether the cause is what a fault of this kind has to be called.
pub fn is(kind: FaultKind, cause: &Cause) -> bool {
    let any = |names: &[&str]| is_any(cause, names);
    let by_thread = is_by_injector(cause);
    let disabled = |kind, names: &[&str]| by_thread || cause.kind == kind && any(names);
    let thread_in = |kinds: &[CauseKind], name| kinds.contains(&cause.kind) && any(&[name]);
    match kind {
        // For a stage that does not need the lock they are threads like others.
        FaultKind::Inversion => {
            thread_in(&[CauseKind::PriorityInversion, CauseKind::HigherPriority], "irqscope-middle")
                || thread_in(&[CauseKind::SamePriority], "irqscope-owner")
        }
        FaultKind::Inheritance => {
            thread_in(&[CauseKind::LockOwner, CauseKind::SamePriority], "irqscope-owner")
                || thread_in(&[CauseKind::HigherPriority], "irqscope-")
        }
        FaultKind::IrqsOff => disabled(CauseKind::IrqsDisabled, &["irqscope_fault_irqs_off"]),
        FaultKind::Nested => {
            let names = ["irqscope_fault_inner", "irqscope_fault_outer"];
            disabled(CauseKind::IrqsDisabled, &names)
        }
        FaultKind::PreemptOff => by_thread,
        FaultKind::BhOff => disabled(CauseKind::SoftirqsDisabled, &["irqscope_fault_bh_off"]),
        FaultKind::Hrtimer => {
            cause.kind == CauseKind::Interrupt && any(&["irqscope_fault_hrtimer"])
        }
        FaultKind::Irq => cause.kind == CauseKind::Interrupt && any(&["irqscope_fault_handler"]),
        FaultKind::Softirq => cause.kind == CauseKind::Softirq && any(&["irqscope_fault_softirq"]),
        FaultKind::Tasklet => cause.kind == CauseKind::Softirq && any(&["irqscope_fault_tasklet"]),
        FaultKind::Work => cause.kind == CauseKind::Work && any(&["irqscope_fault_work"]),
        FaultKind::Thread => cause.kind == CauseKind::HigherPriority && any(&["irqscope-hog"]),
        FaultKind::Timers => cause.kind == CauseKind::Interrupt && any(&["irqscope_fault_timers"]),
        FaultKind::Smi => cause.kind == CauseKind::Firmware,
        FaultKind::Rcu => {
            (cause.kind == CauseKind::Softirq || has_cpu(cause)) && any(&["irqscope_fault_rcu"])
        }
        FaultKind::IrqWork => {
            (cause.kind == CauseKind::Interrupt || has_cpu(cause))
                && any(&["irqscope_fault_irq_work"])
        }
        FaultKind::StopMachine => {
            (cause.kind == CauseKind::IrqsDisabled || has_cpu(cause))
                && any(&["irqscope_fault_stop"])
        }
        FaultKind::TimerList => {
            cause.kind == CauseKind::Softirq && any(&["irqscope_fault_timer_list"])
        }
        FaultKind::Tasklets => cause.kind == CauseKind::Softirq && any(&["irqscope_fault_storm"]),
        // On RT kernels each console has a thread, or from 6.12 on all old ones together.
        FaultKind::Printk => {
            disabled(CauseKind::IrqsDisabled, &["console_"])
                || waits(cause) && any(&["pr/slow", "pr/legacy"])
        }
        FaultKind::PageFaults => cause.kind == CauseKind::PageFault,
        FaultKind::RemoteLock => cause.kind == CauseKind::OtherCpu && any(&["irqscope-holder"]),
        FaultKind::RemoteOff | FaultKind::Tlb => {
            cause.kind == CauseKind::OtherCpu && any(&["irqscope_fault_remote_off"])
        }
        FaultKind::IrqsPreempt | FaultKind::HrtimerSoftirq => {
            Role::BOTH.iter().any(|role| role.is(kind, cause))
        }
    }
}

fn is_any(cause: &Cause, names: &[&str]) -> bool {
    names.iter().any(|name| cause.name.contains(name) || cause.detail.contains(name))
}

/// Returns whether the injector's thread is the cause: once the trigger's handler has run, it is
/// the thread that is waited for. (On RT, where disabling softirqs is a lock, it inherits a
/// priority.)
fn is_by_injector(cause: &Cause) -> bool {
    waits(cause) && is_any(cause, &["irqscope-faults"])
}

/// Returns whether it is a thread that runs, or that another thread waits for.
fn has_cpu(cause: &Cause) -> bool {
    let owns = matches!(cause.kind, CauseKind::LockOwner | CauseKind::PriorityInversion);
    waits(cause) || owns || cause.kind == CauseKind::SoftirqsDisabled
}

/// Returns whether it is a thread that has the CPU.
fn waits(cause: &Cause) -> bool {
    matches!(
        cause.kind,
        CauseKind::NotPreempted | CauseKind::SamePriority | CauseKind::HigherPriority
    )
}

pub fn is_within(inner: &Fault, outer: &Fault) -> bool {
    outer.begin < inner.begin && inner.end < outer.end
}

/// Of two at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Outer,
    Inner,
}

impl Role {
    pub const BOTH: [Role; 2] = [Role::Outer, Role::Inner];

    pub fn of(fault: &Fault, among: &[&Fault]) -> Self {
        if among.iter().any(|one| is_within(fault, one)) { Self::Inner } else { Self::Outer }
    }

    pub fn is(self, kind: FaultKind, cause: &Cause) -> bool {
        let names = |kind, name| cause.kind == kind && is_any(cause, &[name]);
        match (kind, self) {
            (FaultKind::IrqsPreempt, Self::Outer) => is_by_injector(cause),
            // Its thread is also the one that is not preempted.
            (FaultKind::IrqsPreempt, Self::Inner) => {
                names(CauseKind::IrqsDisabled, "irqscope_fault_within") || is_by_injector(cause)
            }
            (FaultKind::HrtimerSoftirq, Self::Outer) => {
                names(CauseKind::Softirq, "irqscope_fault_under")
            }
            (FaultKind::HrtimerSoftirq, Self::Inner) => {
                names(CauseKind::Interrupt, "irqscope_fault_over")
            }
            _ => false,
        }
    }
}
