// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Names the doing of other CPUs, where the one under test waited for them.
//!
//! It spins for a lock that is held on another CPU (`contention_begin` to `contention_end`), it
//! waits until others have called a function that it sent them (a TLB shootdown, say), or its
//! thread sleeps until one on another CPU wakes it. Each CPU has a timeline of its own, by the same
//! counter.
//!
//! No event says on which CPU a lock is held. It is one that did not change its thread or its
//! context much while the lock was waited for, and that neither slept nor waited for the same lock:
//! with two CPUs that is certain, with more the candidates are named. Of a call it is the CPU that
//! was the last to take the interrupt.

use std::collections::BTreeMap;

use irqscope_run::CaseData;
use irqscope_wire::Vector;

use super::attribute::Case;
use super::cause::{Cause, CauseKind};
use super::cpu::Waits;
use super::frame::Frame;
use super::interval::Interval;
use super::names::is_helper;
use super::timeline::{Timeline, Wakeup};

/// How x86 names the first code of its interrupts (arch/x86/include/asm/idtentry.h).
const ENTRY: &str = "asm_sysvec_";

/// The timelines of the CPUs that are not under test, by their numbers.
#[derive(Debug, Default)]
pub(super) struct Elsewhere(BTreeMap<u16, Timeline>);

/// A wakeup, and on which other CPU it was done.
#[derive(Clone, Copy, Debug)]
pub struct Waker<'a> {
    pub cpu: Option<u16>,
    pub wakeup: &'a Wakeup,
}

/// An interrupt by which a CPU was called.
struct Answer<'a> {
    cpu: u16,
    taken: u64,
    /// It ended with the interrupt.
    before: &'a Interval,
    /// Innermost first.
    stack: &'a [u64],
}

impl Elsewhere {
    pub fn of(data: &CaseData) -> Self {
        Self(data.others.iter().map(|(cpu, events)| (*cpu, Timeline::of(events))).collect())
    }

    /// Returns a CPU's timeline, if it has one.
    pub fn timeline(&self, cpu: u16) -> Option<&Timeline> {
        self.0.get(&cpu)
    }

    /// Returns a thread's name, if it ran on one of them.
    pub fn name_of(&self, pid: u32) -> Option<&String> {
        self.0.values().find_map(|timeline| timeline.threads.get(&pid))
    }

    /// Returns the first time from `from` on that the thread is woken, on any CPU.
    pub fn woken<'a>(&'a self, own: &'a Timeline, pid: u32, from: u64) -> Option<Waker<'a>> {
        let here = own.woken(pid, from).map(|wakeup| Waker { cpu: None, wakeup });
        let there = self.0.iter().filter_map(|(cpu, timeline)| {
            timeline.woken(pid, from).map(|wakeup| Waker { cpu: Some(*cpu), wakeup })
        });
        there.chain(here).min_by_key(|waker| waker.wakeup.at)
    }

    /// Returns what a CPU did for most of the time.
    pub fn mostly(&self, cpu: u16, from: u64, to: u64) -> Option<&Interval> {
        mostly(self.0.get(&cpu)?, from, to)
    }

    /// Returns the CPUs on which a lock may have been held all the time, with what they did.
    fn holders(&self, lock: u64, from: u64, to: u64) -> Vec<(u16, &Interval)> {
        let all = self.0.iter().filter_map(|(cpu, timeline)| {
            mostly(timeline, from, to).map(|interval| (*cpu, interval))
        });
        all.filter(|(_, one)| !one.idles() && one.waits != Some(Waits::Lock(lock))).collect()
    }

    /// Returns the last interrupt of those that a call from `since` to `end` waited for.
    fn last_called(&self, since: u64, end: u64) -> Option<Answer<'_>> {
        let called = self.0.iter().filter_map(|(cpu, timeline)| {
            let is_taken = |one: &&Interval| {
                one.from > since
                    && one.frames.iter().any(is_call)
                    && one.interrupt == Some(one.from)
            };
            let taken = timeline.within(since, end).iter().find(is_taken)?.from;
            let before = timeline.within(since, taken).last()?;
            Some(Answer { cpu: *cpu, taken, before, stack: timeline.answer(taken) })
        });
        called.max_by_key(|answer| answer.taken)
    }
}

fn mostly(timeline: &Timeline, from: u64, to: u64) -> Option<&Interval> {
    let overlap = |one: &&Interval| one.to.min(to) - one.from.max(from);
    timeline.within(from, to).iter().filter(|one| !one.gap).max_by_key(overlap)
}

fn is_call(frame: &Frame) -> bool {
    matches!(frame, Frame::Vector(Vector::CallFunction | Vector::CallFunctionSingle))
}

impl Case<'_> {
    /// Names what another CPU did while this one waits for it; `None` if it does not wait.
    pub(super) fn elsewhere(&self, interval: &Interval, from: u64, to: u64) -> Option<Cause> {
        match interval.waits? {
            // Kernels report the beginning of a wait before they know whether to spin or to sleep.
            _ if self.is_alone => None,
            Waits::Lock(lock) => Some(self.lock_holder(lock, from, to)),
            Waits::Call { function, since } => {
                let end = self.timeline.call_end(interval.pid, since);
                let answer = self.elsewhere.last_called(since, end)?;
                // From then on the CPU was on its own way.
                (from < answer.taken).then(|| self.late_answer(function, &answer))
            }
        }
    }

    fn lock_holder(&self, lock: u64, from: u64, to: u64) -> Cause {
        let holders = self.elsewhere.holders(lock, from, to);
        let names: Vec<String> = holders.iter().map(|(_, one)| self.activity(one)).collect();
        let cpus: Vec<String> = holders.iter().map(|(cpu, _)| format!("CPU {cpu}")).collect();
        if names.is_empty() {
            return Cause::named(CauseKind::OtherCpu, "which has a lock");
        }
        Cause::named(CauseKind::OtherCpu, names.join(" or "))
            .with(format!("has a lock on {}", cpus.join(" or ")))
    }

    /// Names the code that kept a CPU from taking the call's interrupt.
    fn late_answer(&self, function: u64, answer: &Answer<'_>) -> Cause {
        let called = self.names.function(function);
        let detail = format!("takes late, on CPU {}, the call of {called}", answer.cpu);
        let interrupted = self.interrupted(answer.stack);
        let name = interrupted.unwrap_or_else(|| self.activity(answer.before));
        Cause::named(CauseKind::OtherCpu, name).with(detail)
    }

    /// Names the function that an interrupt came into, by the return addresses in its handler: the
    /// first beyond the interrupt's entry that did not only enable interrupts again.
    fn interrupted(&self, stack: &[u64]) -> Option<String> {
        let names: Vec<String> = stack.iter().map(|at| self.names.function(*at)).collect();
        let entry = names.iter().rposition(|name| name.starts_with(ENTRY))?;
        names[entry + 1..].iter().find(|name| !is_helper(name)).cloned()
    }

    /// Names what a CPU does: the innermost function that is called back, or the thread.
    fn activity(&self, interval: &Interval) -> String {
        let innermost = interval.frames.iter().rev().find_map(|frame| match frame {
            Frame::Softirq(vector) => Some(format!("softirq {}", vector.name())),
            Frame::Vector(vector) => Some(vector.name().to_owned()),
            _ => frame.function().map(|function| self.names.function(function)),
        });
        innermost.unwrap_or_else(|| self.name_of(interval.pid))
    }
}
