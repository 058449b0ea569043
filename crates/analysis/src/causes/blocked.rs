// SPDX-License-Identifier: Apache-2.0 OR MIT
//! When a stage's thread slept although it had been called.
//!
//! A thread that is woken for its trigger runs until it answers, or until it is preempted. If it
//! sleeps instead, it wants something that another thread has: a lock, a page, a reply. No event
//! says what; but the thread that wakes it in the end is the one that had it. That holds for every
//! kind of lock, in the kernel and in user space.

use super::elsewhere::{Elsewhere, Waker};
use super::interval::Interval;
use super::timeline::Timeline;

/// From going to sleep to being woken.
#[derive(Clone, Copy, Debug)]
pub struct Period<'a> {
    pub from: u64,
    pub to: u64,
    /// None: the events end before.
    pub waker: Option<Waker<'a>>,
}

/// Those of one response, in order.
#[derive(Clone, Debug, Default)]
pub struct Blocked<'a>(Vec<Period<'a>>);

impl<'a> Blocked<'a> {
    /// Finds the sleep; `intervals` of the response, `pid` of the thread that answers, `entry` of
    /// the trigger's handler: what it slept before it was called is not meant.
    pub fn of(
        timeline: &'a Timeline,
        elsewhere: &'a Elsewhere,
        intervals: &[Interval],
        pid: u32,
        entry: u64,
    ) -> Self {
        let woken = |from| elsewhere.woken(timeline, pid, from);
        let Some(called) = woken(entry) else { return Self::default() };
        let sleeps = intervals.iter().filter(|interval| {
            interval.pid == pid && interval.slept && interval.to > called.wakeup.at
        });
        let period = |interval: &Interval| {
            let waker = woken(interval.to);
            let to = waker.map_or(u64::MAX, |waker| waker.wakeup.at);
            Period { from: interval.to, to, waker }
        };
        Self(sleeps.map(period).collect())
    }

    pub fn at(&self, instant: u64) -> Option<&Period<'a>> {
        self.0.iter().find(|period| (period.from..period.to).contains(&instant))
    }
}

#[cfg(test)]
mod tests {
    use irqscope_wire::{Context, Cycles, Event, Priority, What};

    use super::*;

    const OWNER: u32 = 5;
    const STAGE: u32 = 80;

    fn timeline(story: &[(u64, u32, What)]) -> Timeline {
        let event = |(order, (at, pid, what)): (usize, &(u64, u32, What))| Event {
            at: Cycles(*at),
            order: order as u32,
            pid: *pid,
            priority: Priority(20),
            context: Context(0),
            what: what.clone(),
        };
        let events: Vec<Event> = story.iter().enumerate().map(event).collect();
        Timeline::of(&events)
    }

    fn switch(next: u32, preempted: bool) -> What {
        What::Switch { next, priority: Priority(20), preempted }
    }

    fn wakeup(pid: u32) -> What {
        What::Wakeup { pid, priority: Priority(20) }
    }

    #[test]
    fn only_what_it_slept_after_it_was_called_counts() {
        let found = timeline(&[
            (100, STAGE, switch(OWNER, false)), // it waits for its trigger
            (150, OWNER, wakeup(STAGE)),        // the trigger's handler, say
            (160, OWNER, switch(STAGE, true)),
            (200, STAGE, switch(OWNER, false)), // it wants what OWNER has
            (260, OWNER, wakeup(STAGE)),
            (270, OWNER, switch(STAGE, true)),
            (300, STAGE, What::Statistics { pid: STAGE }),
        ]);
        let elsewhere = Elsewhere::default();
        let blocked = Blocked::of(&found, &elsewhere, &found.intervals, STAGE, 140);
        assert!(blocked.at(110).is_none() && blocked.at(199).is_none());
        let period = blocked.at(200).unwrap();
        assert_eq!((period.from, period.to), (200, 260));
        assert_eq!(
            period.waker.map(|waker| (waker.wakeup.by, waker.wakeup.by_interrupt)),
            Some((OWNER, false))
        );
        assert!(blocked.at(260).is_none(), "awake, though not running yet");
    }

    #[test]
    fn one_that_is_preempted_does_not_sleep() {
        let found = timeline(&[
            (150, OWNER, wakeup(STAGE)),
            (160, OWNER, switch(STAGE, true)),
            (200, STAGE, switch(OWNER, true)),
            (270, OWNER, switch(STAGE, true)),
            (300, STAGE, What::Statistics { pid: STAGE }),
        ]);
        assert!(
            Blocked::of(&found, &Elsewhere::default(), &found.intervals, STAGE, 140)
                .at(210)
                .is_none()
        );
    }
}
