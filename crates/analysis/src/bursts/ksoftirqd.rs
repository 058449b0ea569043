// SPDX-License-Identifier: Apache-2.0 OR MIT
//! When softirqs were handed to ksoftirqd, and what it waited for.
//!
//! `__do_softirq()` (kernel/softirq.c) runs what is pending in rounds: in each one
//! every vector at most once, in their order. It begins another round if more was
//! raised meanwhile, up to `MAX_SOFTIRQ_RESTART` (10) rounds and for
//! `MAX_SOFTIRQ_TIME` (2 ms, in jiffies), unless a thread waits for the CPU; then
//! it wakes the thread ksoftirqd of its CPU. A vector that does not come after the
//! one before it begins a round.

use std::collections::{BTreeMap, BTreeSet};

use irqscope_run::CaseData;
use irqscope_wire::{Context, Event, Softirq, Tick, What};
use serde::Serialize;

use super::Burst;

/// Softirqs became the thread's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Handed {
    /// Since the handler of the burst's first trigger.
    pub at_ns: i64,
    /// Of softirqs right before; 0: none, they were raised for the thread at once.
    pub rounds: u32,
    /// How long these took.
    pub rounds_ns: i64,
    /// Of ksoftirqd.
    pub priority: String,
    /// Until it had the CPU; None: not before the samples were complete.
    pub waited_ns: Option<i64>,
    /// The threads that had it meanwhile, the longest first.
    pub ahead: Vec<Ahead>,
}

/// A thread that had the CPU before ksoftirqd.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Ahead {
    /// The thread.
    pub thread: String,
    /// Its priority.
    pub priority: String,
    /// Its time.
    pub ns: i64,
}

/// Adds to each burst what happened between its first trigger and the next
/// burst's.
pub(super) fn add(data: &CaseData, bursts: &mut [Burst]) {
    let (Some(tick), Some(explained)) = (data.tick(), &data.explained) else { return };
    let begins = begins(&data.events);
    let mut watch = Watch::new(&data.events, &explained.softirq_threads, tick);
    let mut found = Vec::new();
    for event in &data.events {
        found.extend(watch.take(event));
    }
    found.extend(watch.waiting.take());
    for (at, mut handed) in found {
        let next = bursts.partition_point(|burst| {
            begins.get(&(burst.seq as u32)).is_none_or(|begin| *begin <= at)
        });
        let Some(burst) = next.checked_sub(1).and_then(|place| bursts.get_mut(place)) else {
            continue;
        };
        let begin = begins.get(&(burst.seq as u32)).copied().unwrap_or(at);
        handed.at_ns = tick.nanoseconds(at.saturating_sub(begin).cast_signed()).0;
        burst.handed.push(handed);
    }
}

/// Returns the handlers' stamps by the lower 32 bits of the sequence number.
fn begins(events: &[Event]) -> BTreeMap<u32, u64> {
    let begin = |event: &Event| match event.what {
        What::Triggered { seq, .. } => Some((seq, event.at.0)),
        _ => None,
    };
    events.iter().filter_map(begin).collect()
}

struct Watch {
    tick: Tick,
    names: BTreeMap<u32, String>,
    daemons: BTreeSet<u32>,
    rounds: Rounds,
    /// The event before, and the thread that ran after it.
    last: Option<(u64, u32, String)>,
    waiting: Option<(u64, Handed)>,
}

/// Of softirqs, one after the other, on the way out of an interrupt or out of a
/// section that had them disabled.
#[derive(Default)]
struct Rounds {
    number: u32,
    began: u64,
    last: Option<Softirq>,
}

impl Watch {
    fn new(events: &[Event], daemons: &[u32], tick: Tick) -> Self {
        let name = |event: &Event| match &event.what {
            What::Named(name) => Some((event.pid, name.clone())),
            _ => None,
        };
        let names: BTreeMap<u32, String> = events.iter().filter_map(name).collect();
        let daemons = daemons.iter().copied().collect();
        Self { tick, names, daemons, rounds: Rounds::default(), last: None, waiting: None }
    }

    /// Takes an event; returns what ended with it.
    fn take(&mut self, event: &Event) -> Option<(u64, Handed)> {
        self.spend(event.at.0);
        self.rounds.take(event, self.daemons.contains(&event.pid));
        let mut done = None;
        match event.what {
            What::Wakeup { pid, priority } if self.daemons.contains(&pid) => {
                done = self.waiting.take();
                let began = if self.rounds.number > 0 { self.rounds.began } else { event.at.0 };
                let handed = Handed {
                    at_ns: 0,
                    rounds: self.rounds.number,
                    rounds_ns: self.span(began, event.at.0),
                    priority: priority.to_string(),
                    waited_ns: None,
                    ahead: Vec::new(),
                };
                self.waiting = Some((event.at.0, handed));
                self.rounds = Rounds::default();
            }
            What::Switch { next, .. } if self.daemons.contains(&next) => {
                done = self.waiting.take().map(|(at, mut handed)| {
                    handed.waited_ns = Some(self.span(at, event.at.0));
                    handed.ahead.sort_by_key(|ahead| std::cmp::Reverse(ahead.ns));
                    (at, handed)
                });
            }
            _ => {}
        }
        let (pid, priority) = match event.what {
            What::Switch { next, priority, .. } => (next, priority),
            _ => (event.pid, event.priority),
        };
        self.last = Some((event.at.0, pid, priority.to_string()));
        done
    }

    /// Spends the time since the event before on the thread that had it.
    fn spend(&mut self, now: u64) {
        let (Some((from, pid, priority)), tick) = (&self.last, self.tick) else { return };
        let Some((_, handed)) = &mut self.waiting else { return };
        let thread = match (*pid, self.names.get(pid)) {
            (0, _) => "idle".to_owned(),
            (_, Some(name)) => name.clone(),
            (pid, None) => format!("pid {pid}"),
        };
        let ns = tick.nanoseconds(now.saturating_sub(*from).cast_signed()).0;
        match handed.ahead.iter_mut().find(|ahead| ahead.thread == thread) {
            Some(ahead) => ahead.ns += ns,
            None => handed.ahead.push(Ahead { thread, priority: priority.clone(), ns }),
        }
    }

    fn span(&self, from: u64, to: u64) -> i64 {
        self.tick.nanoseconds(to.saturating_sub(from).cast_signed()).0
    }
}

impl Rounds {
    fn take(&mut self, event: &Event, in_daemon: bool) {
        let inside = event.context.is(Context::SOFTIRQ) || event.context.is(Context::IRQ);
        if !inside || in_daemon {
            *self = Self::default();
        }
        if let What::SoftirqEntry(vector) = event.what
            && !in_daemon
        {
            if self.number == 0 {
                self.began = event.at.0;
            }
            self.number += u32::from(self.last.is_none_or(|last| vector <= last));
            self.last = Some(vector);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::{Cycles, Priority};

    const DAEMON: u32 = 14;
    const HOG: u32 = 90;
    const INSIDE: u16 = Context::SOFTIRQ;

    fn event(at: u64, pid: u32, context: u16, what: What) -> Event {
        let priority = Priority(121);
        Event { at: Cycles(at), order: at as u32, pid, priority, context: Context(context), what }
    }

    fn handed(events: &[Event]) -> Vec<(u64, Handed)> {
        let mut watch = Watch::new(events, &[DAEMON], Tick { femtoseconds: 1_000_000 });
        let mut found: Vec<_> = events.iter().filter_map(|one| watch.take(one)).collect();
        found.extend(watch.waiting.take());
        found
    }

    /// Makes a round of two vectors, then single ones.
    fn rounds(number: u64, pid: u32) -> Vec<Event> {
        let mut events = vec![event(1, pid, INSIDE, What::SoftirqEntry(Softirq::Timer))];
        for round in 0..number {
            let at = 10 + round * 100;
            events.push(event(at, pid, INSIDE, What::SoftirqEntry(Softirq::IrqPoll)));
            events.push(event(at + 70, pid, INSIDE, What::SoftirqExit(Softirq::IrqPoll)));
        }
        events
    }

    #[test]
    fn rounds_are_counted_and_the_wait_for_the_cpu_has_a_name() {
        let mut events = rounds(10, HOG);
        events.insert(0, event(0, HOG, 0, What::Named("hog".into())));
        let wakeup = What::Wakeup { pid: DAEMON, priority: Priority(121) };
        events.push(event(1_000, HOG, INSIDE, wakeup));
        let switch = What::Switch { next: DAEMON, priority: Priority(121), preempted: true };
        events.push(event(51_000, HOG, 0, switch));
        let found = handed(&events);
        assert_eq!(found.len(), 1);
        let (at, one) = &found[0];
        assert_eq!((*at, one.rounds, one.rounds_ns), (1_000, 10, 999));
        assert_eq!((one.waited_ns, one.priority.as_str()), (Some(50_000), "nice 0"));
        let ahead = Ahead { thread: "hog".into(), priority: "nice 0".into(), ns: 50_000 };
        assert_eq!(one.ahead, [ahead]);
    }

    #[test]
    fn a_thread_that_never_gets_the_cpu_is_told_and_other_rounds_do_not_count() {
        let mut events = rounds(3, HOG);
        events.push(event(900, HOG, 0, What::SoftirqRaise(Softirq::IrqPoll)));
        let wakeup = What::Wakeup { pid: DAEMON, priority: Priority(51) };
        events.push(event(910, 0, Context::IRQ, wakeup));
        let found = handed(&events);
        let [(910, one)] = &found[..] else { panic!("{found:?}") };
        assert_eq!((one.rounds, one.waited_ns), (0, None));
        assert_eq!(one.priority, "real-time 49");
    }
}
