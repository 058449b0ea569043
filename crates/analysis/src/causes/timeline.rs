// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Events become intervals: from one to the next, and what the CPU did.

use std::collections::BTreeMap;

use irqscope_run::Span;
use irqscope_wire::{Context, Event, Vector, View, What};

use super::cpu::Cpu;
use super::interval::Interval;
use super::numbers::Numbers;
use super::runs::Runs;
use super::stopped;

/// The context that a trigger's handler found.
#[derive(Clone, Debug)]
pub struct Interrupted {
    /// The handler's stamp.
    pub at: u64,
    /// 0: not the kernel's code.
    pub address: u64,
    /// Whose code it is.
    pub pid: u32,
    pub context: Context,
    /// Nearest first.
    pub stack: Vec<u64>,
}

/// A thread was made ready to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wakeup {
    pub at: u64,
    pub pid: u32,
    /// The thread that did it, or was interrupted by what did it.
    pub by: u32,
    pub by_interrupt: bool,
    in_softirq: bool,
}

#[derive(Debug, Default)]
pub struct Timeline {
    pub intervals: Vec<Interval>,
    /// In order of time.
    pub wakeups: Vec<Wakeup>,
    /// The contexts that the handlers found, in order of time.
    handlers: Vec<Interrupted>,
    /// Their places, by the lower 32 bits of the target's number.
    numbered: BTreeMap<u32, usize>,
    pub threads: BTreeMap<u32, String>,
    /// The code that interrupts interrupted, in order of time: the instruction, then addresses on its
    /// stack, nearest first. Empty where it was not the kernel's.
    entered: Vec<(u64, Vec<u64>)>,
    /// The return addresses when a call of another CPU had been answered, innermost first, in order
    /// of time.
    answers: Vec<(u64, Vec<u64>)>,
    /// When calls of other CPUs ended, in order, with the thread that called.
    call_ends: Vec<(u64, u32)>,
    /// When the scheduler was called, in order.
    pub schedules: Vec<u64>,
    pub runs: Runs,
    /// A thread was switched away from in the middle of a softirq: on this kernel a softirq is a
    /// thread's own doing, and not an interrupt's on top of it.
    pub threaded_softirqs: bool,
}

impl Timeline {
    /// Makes a timeline; `events` are in order of time.
    pub fn of(events: &[Event]) -> Self {
        let mut timeline = Self::default();
        let mut cpu = Cpu::default();
        let mut last: Option<&Event> = None;
        let mut met = Met::default();
        let numbers = Numbers::of(events);
        for event in events {
            let jumps = last.is_some() && numbers.jumps(event);
            timeline.note(event);
            timeline.runs.take(event, jumps);
            met.jumps |= jumps;
            if let What::Smi { count } = event.what {
                met.smis += count;
            } else if !is_step(&event.what) {
                met.events += 1;
            } else {
                if let Some(last) = last {
                    timeline.push(&cpu, last, event, met);
                }
                if met.jumps {
                    cpu = Cpu::default();
                }
                cpu.take(event);
                last = Some(event);
                // It is written where the next interval begins, as its step is.
                met = Met { events: 1 + u32::from(met.smis > 0), ..Met::default() };
            }
        }
        stopped::mark(&mut timeline.intervals);
        if !timeline.threaded_softirqs {
            timeline.wakeups.iter_mut().for_each(|one| one.by_interrupt |= one.in_softirq);
        }
        timeline
    }

    fn push(&mut self, cpu: &Cpu, last: &Event, event: &Event, met: Met) {
        // Where the record ended, the next event says nothing of the end.
        let end = if met.jumps { &What::Named(String::new()) } else { &event.what };
        self.intervals.push(Interval {
            from: last.at.0,
            to: event.at.0,
            pid: cpu.pid,
            priority: cpu.priority,
            frames: cpu.frames().to_vec(),
            interrupt: cpu.interrupt,
            idle: cpu.idle,
            called: matches!(last.what, What::CallbackEntry { .. }),
            runs_callback: false,
            switched: matches!(last.what, What::Switch { .. }),
            next: match end {
                What::Switch { next, .. } => Some(*next),
                _ => None,
            },
            slept: matches!(end, What::Switch { preempted: false, .. }),
            interrupted: matches!(end, What::IrqEntry { .. } | What::VectorEntry { .. }),
            began: std::mem::discriminant(&last.what),
            ended: std::mem::discriminant(end),
            events: met.events,
            smis: met.smis,
            waits: cpu.waits(),
            gap: met.jumps || cpu.known && event.pid != cpu.pid,
        });
    }

    fn note(&mut self, event: &Event) {
        match &event.what {
            What::Named(name) => {
                self.threads.insert(event.pid, name.clone());
            }
            What::Triggered { seq, interrupted } => {
                let found = Interrupted {
                    at: event.at.0,
                    address: *interrupted,
                    pid: event.pid,
                    context: event.context,
                    stack: Vec::new(),
                };
                self.numbered.insert(*seq, self.handlers.len());
                self.handlers.push(found);
            }
            What::IrqEntry { .. } => self.entered.push((event.at.0, Vec::new())),
            What::VectorEntry { interrupted, .. } => {
                let code = Some(*interrupted).filter(|address| *address != 0);
                self.entered.push((event.at.0, code.into_iter().collect()));
            }
            What::VectorExit(Vector::CallFunction | Vector::CallFunctionSingle) => {
                self.answers.push((event.at.0, Vec::new()));
            }
            What::CallOthersEnd => self.call_ends.push((event.at.0, event.pid)),
            What::Schedule => self.schedules.push(event.at.0),
            What::Wakeup { pid, .. } => {
                self.wakeups.push(Wakeup {
                    at: event.at.0,
                    pid: *pid,
                    by: event.pid,
                    by_interrupt: event.context.is(Context::IRQ) || event.pid == 0,
                    in_softirq: event.context.is(Context::SOFTIRQ),
                });
            }
            What::Switch { .. } => self.threaded_softirqs |= event.context.is(Context::SOFTIRQ),
            // At the same stamp as its trigger or its interrupt's entry, after it; or after a call's
            // answer, whose stamp is another one.
            What::Stacked { address } => {
                let at = event.at.0;
                let handler = self.handlers.last_mut().filter(|last| last.at == at);
                let entered = self.entered.last_mut().filter(|last| last.0 == at);
                let answer = self.answers.last_mut();
                let stack = (handler.map(|last| &mut last.stack))
                    .or(entered.map(|last| &mut last.1))
                    .or(answer.map(|last| &mut last.1));
                stack.into_iter().for_each(|stack| stack.push(*address));
            }
            _ => {}
        }
    }

    /// Returns what the handler of this response's trigger found.
    ///
    /// The target numbers its handlers and the generator its triggers: where a trigger came before
    /// the one before it was handled, one handler is that of both, and the numbers differ from there
    /// on. So the view from outside goes by time.
    pub fn handler(&self, span: &Span, view: View) -> Option<&Interrupted> {
        let at = match view {
            View::Inside => *self.numbered.get(&(span.seq as u32))?,
            View::Outside => self.handlers.partition_point(|found| found.at < span.from),
        };
        self.handlers.get(at).filter(|found| found.at <= span.to)
    }

    /// Returns the stamps of all triggers' handlers, in order.
    pub fn handled(&self) -> impl Iterator<Item = u64> {
        self.handlers.iter().map(|found| found.at)
    }

    /// Returns the instruction that the interrupt entered then came before, and addresses on that
    /// one's stack, nearest first. None: the kernel's code was not interrupted, or no event says it.
    pub fn interrupted(&self, entry: u64) -> Option<(u64, &[u64])> {
        let at = self.entered.binary_search_by_key(&entry, |(at, _)| *at).ok()?;
        let (address, stack) = self.entered[at].1.split_first()?;
        Some((*address, stack))
    }

    /// Returns the return addresses where a call was answered that was taken at this instant.
    pub fn answer(&self, taken: u64) -> &[u64] {
        let at = self.answers.partition_point(|(at, _)| *at < taken);
        self.answers.get(at).map_or(&[], |(_, stack)| stack)
    }

    /// Returns when a call of other CPUs ended that a thread made at this instant.
    pub fn call_end(&self, pid: u32, since: u64) -> u64 {
        let from = self.call_ends.partition_point(|(at, _)| *at < since);
        let end = self.call_ends[from..].iter().find(|(_, by)| *by == pid);
        end.map_or(u64::MAX, |(at, _)| *at)
    }

    /// Returns the first time from `from` on that the thread is woken.
    pub fn woken(&self, pid: u32, from: u64) -> Option<&Wakeup> {
        self.wakeups_of(pid, from, u64::MAX).next()
    }

    /// Returns the wakeups of a thread in a range of time, in order.
    pub fn wakeups_of(&self, pid: u32, from: u64, to: u64) -> impl Iterator<Item = &Wakeup> {
        let first = self.wakeups.partition_point(|wakeup| wakeup.at < from);
        let within = self.wakeups[first..].iter().take_while(move |wakeup| wakeup.at <= to);
        within.filter(move |wakeup| wakeup.pid == pid)
    }

    /// Returns the last time before `to` that the scheduler was called, if that is not before `from`.
    pub fn scheduled(&self, from: u64, to: u64) -> Option<u64> {
        let end = self.schedules.partition_point(|at| *at <= to);
        self.schedules[..end].last().copied().filter(|at| *at >= from)
    }

    /// Returns the thread that ran until then.
    pub fn before(&self, instant: u64) -> Option<u32> {
        let next = self.intervals.partition_point(|interval| interval.to <= instant);
        self.intervals[..next].last().map(|interval| interval.pid)
    }

    /// Returns the intervals that overlap the span, in order.
    pub fn within(&self, from: u64, to: u64) -> &[Interval] {
        let first = self.intervals.partition_point(|interval| interval.to <= from);
        let end = self.intervals.partition_point(|interval| interval.from < to);
        self.intervals.get(first..end.max(first)).unwrap_or_default()
    }
}

/// In an interval, besides what the CPU did.
#[derive(Clone, Copy, Debug, Default)]
struct Met {
    events: u32,
    smis: u32,
    /// Events are missing before one of them.
    jumps: bool,
}

/// Returns whether an event says what the CPU does, and not only what it met.
fn is_step(what: &What) -> bool {
    !matches!(what, What::Named(_) | What::Triggered { .. } | What::Stacked { .. } | What::Schedule)
}

#[cfg(test)]
mod tests {
    use irqscope_wire::{Cycles, Priority, Softirq, Stage};

    use super::*;

    #[test]
    fn a_handler_of_two_triggers_does_not_shift_those_that_follow() {
        let triggered = |seq, at| Event {
            at: Cycles(at),
            order: seq,
            pid: 1,
            priority: Priority(121),
            context: Context::default(),
            what: What::Triggered { seq, interrupted: 0 },
        };
        // The generator's triggers 0 and 1 come at 50 and 90, and its trigger 2 at 450.
        let timeline = Timeline::of(&[triggered(0, 100), triggered(1, 500)]);
        let found = |seq, from, to, view| {
            let span = Span { seq, stage: Stage::Work, from, to };
            timeline.handler(&span, view).map(|found| found.at)
        };
        assert_eq!(found(0, 50, 200, View::Outside), Some(100));
        assert_eq!(found(1, 90, 200, View::Outside), Some(100));
        assert_eq!(found(2, 450, 600, View::Outside), Some(500));
        assert_eq!(found(2, 450, 480, View::Outside), None, "it came after the answer");
        assert_eq!(found(3, 700, 900, View::Outside), None);
        assert_eq!(found(1, 480, 600, View::Inside), Some(500));
        assert_eq!(found(2, 480, 600, View::Inside), None);
    }

    #[test]
    fn what_a_thread_was_in_before_events_are_missing_is_forgotten() {
        let event = |order, at, pid, what| Event {
            at: Cycles(at),
            order,
            pid,
            priority: Priority(121),
            context: Context(Context::IRQ),
            what,
        };
        let frames = |first_after| {
            let irq = What::IrqEntry { number: 7, handler: 1 };
            let events = [
                event(0, 100, 82, What::SoftirqEntry(Softirq::IrqPoll)),
                event(2, 150, 82, What::Named("load".into())),
                event(
                    first_after,
                    900,
                    83,
                    What::Switch { next: 82, priority: Priority(121), preempted: false },
                ),
                event(first_after + 1, 950, 82, irq.clone()),
            ];
            let found = Timeline::of(&events);
            found.intervals.iter().map(|one| (one.gap, one.frames.len())).collect::<Vec<_>>()
        };
        // Another thread, and no switch: something is missing, but nothing says that it was left.
        assert_eq!(frames(3), [(true, 1), (false, 1)]);
        assert_eq!(frames(70), [(true, 1), (false, 0)]);
        // The second one in time was written as the third.
        let numbers = [0, 2, 1, 3].map(|order| event(order, 100, 82, What::Schedule));
        let known = Numbers::of(&numbers);
        assert!(numbers[1..].iter().all(|event| !known.jumps(event)));
    }
}
