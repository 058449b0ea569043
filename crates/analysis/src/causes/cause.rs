// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The names of a latency's segments.

use serde::{Serialize, Serializer};

/// Kinds in the order in which they are listed where they are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CauseKind {
    /// The way that the stage takes when nothing disturbs it.
    Own,
    /// The stage's own thread, and far more than usual: it cleans up after the
    /// thread that it follows, spins for a lock, or stands still.
    Prolonged,
    /// Another stage that the same trigger asked, or a stage that answers another trigger of this run.
    OtherStage,
    /// Between the trigger and its handler, interrupts were disabled.
    IrqsDisabled,
    /// A hard interrupt other than the trigger's.
    Interrupt,
    /// A non-maskable interrupt.
    Nmi,
    /// The counter went on, and nothing ran that the kernel could see.
    Firmware,
    /// A softirq vector, with the function where that is known.
    Softirq,
    /// The stage's softirq was raised, and softirqs were disabled.
    SoftirqsDisabled,
    /// Another work item in a kworker that the stage waits for.
    Work,
    /// A thread that may run before the stage's own.
    HigherPriority,
    /// A thread of the same priority.
    SamePriority,
    /// A thread of lower priority that was not preempted.
    NotPreempted,
    /// The scheduler chose a thread of lower priority although the stage's was ready: real-time
    /// throttling, or the fair server.
    Throttled,
    /// The stage's thread sleeps until this thread, which runs, wakes it.
    LockOwner,
    /// The stage's thread sleeps until a thread wakes it that this one keeps from
    /// running, with a priority no higher than the stage's.
    PriorityInversion,
    /// The stage's thread sleeps, and no thread that could wake it runs.
    Blocked,
    /// The CPU under test waits for another one: for a lock that is held there, or until that one
    /// has taken an interrupt.
    OtherCpu,
    /// The stage's thread has to be given memory that it touches.
    PageFault,
    /// From the handler to the thread, out of the idle loop.
    LeavingIdle,
    /// Another CPU of a twin had its turn: they share one clock, and this one stood still.
    Turn,
    /// Writing events.
    Probes,
    /// No event says what it was.
    Unexplained,
}

impl CauseKind {
    /// All kinds, in their order.
    pub const ALL: [Self; 23] = [
        Self::Own,
        Self::Prolonged,
        Self::OtherStage,
        Self::IrqsDisabled,
        Self::Interrupt,
        Self::Nmi,
        Self::Firmware,
        Self::Softirq,
        Self::SoftirqsDisabled,
        Self::Work,
        Self::HigherPriority,
        Self::SamePriority,
        Self::NotPreempted,
        Self::Throttled,
        Self::LockOwner,
        Self::PriorityInversion,
        Self::Blocked,
        Self::OtherCpu,
        Self::PageFault,
        Self::LeavingIdle,
        Self::Turn,
        Self::Probes,
        Self::Unexplained,
    ];

    /// Finds the kind of this name, as interference.parquet has it.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Returns its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Own => "own path",
            Self::Prolonged => "own path prolonged",
            Self::OtherStage => "another stage",
            Self::IrqsDisabled => "interrupts disabled",
            Self::Interrupt => "interrupt",
            Self::Nmi => "NMI",
            Self::Firmware => "hypervisor or firmware",
            Self::Softirq => "softirq",
            Self::SoftirqsDisabled => "softirqs disabled",
            Self::Work => "work item",
            Self::HigherPriority => "higher priority",
            Self::SamePriority => "same priority",
            Self::NotPreempted => "not preempted",
            Self::Throttled => "throttled",
            Self::LockOwner => "lock owner",
            Self::PriorityInversion => "priority inversion",
            Self::Blocked => "blocked",
            Self::OtherCpu => "another CPU",
            Self::PageFault => "page fault",
            Self::LeavingIdle => "leaving idle",
            Self::Turn => "turn of another CPU",
            Self::Probes => "probes",
            Self::Unexplained => "unexplained",
        }
    }

    /// Returns what it means, in plain words; `None` of what is not interference.
    pub const fn meaning(self) -> Option<&'static str> {
        Some(match self {
            Self::Prolonged => {
                "the answering thread itself ran for longer than it needs: it first cleaned up \
                 after the thread before it, or it stood still"
            }
            Self::IrqsDisabled => {
                "code of the kernel had interrupts switched off, so that the trigger's could not \
                 come in; the function named switched them on again"
            }
            Self::Interrupt => "another interrupt's handler had the CPU",
            Self::Nmi => "an interrupt that cannot be switched off had the CPU",
            Self::Firmware => {
                "the CPU ran nothing that Linux knows of: firmware, or a hypervisor, had it"
            }
            Self::Softirq => "deferred work of other interrupts (a softirq) had the CPU",
            Self::SoftirqsDisabled => {
                "code of the kernel had deferred work switched off, so that the stage's had to wait"
            }
            Self::Work => "another work item was before the stage's in the queue",
            Self::HigherPriority => "a thread of a higher priority ran first",
            Self::SamePriority => "a thread of the same priority was before it",
            Self::NotPreempted => {
                "a thread of a lower priority went on, because the kernel does not take the CPU \
                 from it in the middle of what it does"
            }
            Self::Throttled => {
                "the scheduler kept real-time threads off the CPU, although they were ready, to \
                 leave others some time: real-time throttling, or since Linux 6.12 the fair server"
            }
            Self::LockOwner => "the thread waited for a lock, or a page, that this one had",
            Self::PriorityInversion => {
                "the thread waited for a lock whose owner could not run, because this thread of a \
                 priority in between had the CPU"
            }
            Self::Blocked => "the thread slept, and what it waited for was not on this CPU",
            Self::OtherCpu => {
                "this CPU stood still until the one named gave a lock free, or took an interrupt \
                 that this one had sent it"
            }
            Self::PageFault => "the answering thread touched memory that it first had to be given",
            Self::Own
            | Self::OtherStage
            | Self::LeavingIdle
            | Self::Turn
            | Self::Probes
            | Self::Unexplained => return None,
        })
    }

    /// Returns whether it is interference: what can be looked for and changed.
    pub const fn is_interference(self) -> bool {
        self.meaning().is_some()
    }
}

impl Serialize for CauseKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Details say so of callers, the innermost first.
pub(super) const CALLED_FROM: &str = "called from ";

/// Is between two callers.
pub(super) const CALLED_BY: &str = " < ";

/// Is between a thread's priority and the function in which it was.
pub(super) const IN: &str = ", in ";

/// A kind, whose doing it was, and what is known besides (callers, a priority).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Cause {
    /// Its kind.
    pub kind: CauseKind,
    /// A function, an interrupt, a thread; empty where the kind says it all.
    pub name: String,
    /// More about it.
    pub detail: String,
}

impl Cause {
    /// Makes a cause without a name.
    pub fn plain(kind: CauseKind) -> Self {
        Self::named(kind, String::new())
    }

    /// Makes a cause with a name.
    pub fn named(kind: CauseKind, name: impl Into<String>) -> Self {
        Self { kind, name: name.into(), detail: String::new() }
    }

    /// Returns the functions that it speaks of: the one that is held against it first, then its callers.
    pub fn functions(&self) -> Vec<&str> {
        let (place, callers) = self.detail.split_once(CALLED_FROM).unwrap_or((&self.detail, ""));
        let first = match self.kind {
            CauseKind::IrqsDisabled | CauseKind::SoftirqsDisabled | CauseKind::Work => &*self.name,
            CauseKind::Interrupt | CauseKind::Softirq => place,
            _ => {
                let function = place.split_once(IN).map_or("", |(_, function)| function);
                function.split(',').next().unwrap_or_default()
            }
        };
        let callers = callers.split(CALLED_BY);
        [first.trim()].into_iter().chain(callers).filter(|name| !name.is_empty()).collect()
    }

    /// Adds a detail.
    pub fn with(self, detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), ..self }
    }
}

impl std::fmt::Display for Cause {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.kind.name())?;
        if !self.name.is_empty() {
            write!(f, ": {}", self.name)?;
        }
        if !self.detail.is_empty() {
            write!(f, " ({})", self.detail)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_name() {
        for (kind, number) in CauseKind::ALL.into_iter().zip(0..) {
            assert_eq!((CauseKind::of_name(kind.name()), kind as u8), (Some(kind), number));
        }
        assert_eq!(CauseKind::Unexplained as usize + 1, CauseKind::ALL.len());
        assert_eq!(CauseKind::of_name("weather"), None);
    }

    #[test]
    fn a_cause_reads_as_a_phrase() {
        let cause = Cause::named(CauseKind::IrqsDisabled, "exit_mmap").with("called from mmput");
        assert_eq!(cause.to_string(), "interrupts disabled: exit_mmap (called from mmput)");
        assert_eq!(cause.functions(), ["exit_mmap", "mmput"]);
        let cause = Cause::named(CauseKind::NotPreempted, "sh");
        assert!(cause.clone().with("nice 0").functions().is_empty());
        let cause = cause.with("nice 0, in zap_pte_range called from unmap_region < do_munmap");
        assert_eq!(cause.functions(), ["zap_pte_range", "unmap_region", "do_munmap"]);
        let cause = Cause::named(CauseKind::PriorityInversion, "cat");
        let cause = cause.with("nice 0, in tick, before sh, on which the stage waits");
        assert_eq!(cause.functions(), ["tick"]);
        let cause = Cause::named(CauseKind::Softirq, "rcu").with("mt_free_rcu");
        assert_eq!(cause.functions(), ["mt_free_rcu"]);
        assert_eq!(Cause::plain(CauseKind::Own).to_string(), "own path");
        assert!(cause.kind.is_interference() && !CauseKind::Probes.is_interference());
    }
}
