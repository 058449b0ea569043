// SPDX-License-Identifier: Apache-2.0 OR MIT
//! After its handler: what a thread's running means for the stage.

use irqscope_wire::{Context, Priority};

use super::attribute::{Case, Named};
use super::baseline::Step;
use super::blocked::Period;
use super::cause::{Cause, CauseKind, IN};
use super::elsewhere::Waker;
use super::frame::Frame;
use super::interval::Interval;
use super::sight::Sight;

/// The priority of the kernel's softirq threads if it was not changed: nice 0.
const SOFTIRQ_PRIORITY: Priority = Priority(121);

impl Case<'_> {
    pub(super) fn thread(&self, sight: &Sight<'_>, interval: &Interval, length: u64) -> Named {
        let own = self.own_thread(sight);
        if own.is_some_and(|(pid, _)| pid == interval.pid) {
            return match interval.frames.last() {
                Some(Frame::PageFault) => Named::All(Cause::plain(CauseKind::PageFault)),
                _ => self.own(sight, interval, length),
            };
        }
        let waiting = sight.blocked.at(interval.from);
        if let Some((period, (_, priority))) = waiting.zip(own) {
            let cause = self.waiting(interval, period, priority, length);
            // Here the stage waits for the other CPU, whose turns are no hindrance then.
            let there = period.waker.as_ref().is_some_and(|waker| waker.cpu.is_some());
            return if there { Named::Waits(cause) } else { Named::All(cause) };
        }
        if let Some(stage) = self.names.stage(interval.pid) {
            return Named::All(Cause::named(CauseKind::OtherStage, stage.name()));
        }
        if own.is_some_and(|own| self.is_throttled(sight, interval, own)) {
            let cause = Cause::named(CauseKind::Throttled, self.name_of(interval.pid));
            let detail = if interval.idle { "nothing runs".into() } else { self.run_of(interval) };
            return Named::All(cause.with(detail));
        }
        if interval.idle {
            return Named::All(Cause::plain(CauseKind::LeavingIdle));
        }
        let Some((_, priority)) = own else {
            return self.undone(sight, interval, length);
        };
        let cause = self.running(sight, interval, priority);
        self.beyond(interval, length, cause)
    }

    /// Returns whether the scheduler chose what runs although the stage's real-time thread, which is
    /// bound to this CPU, was ready.
    fn is_throttled(
        &self,
        sight: &Sight<'_>,
        interval: &Interval,
        (pid, own): (u32, Priority),
    ) -> bool {
        let Some(timeline) = sight.timeline.filter(|_| sight.elsewhere.is_none()) else {
            return false;
        };
        if own.real_time().is_none() || interval.priority <= own {
            return false;
        }
        let from = sight.span.from;
        let mut woken = timeline.wakeups_of(pid, from, sight.span.to).map(|wakeup| wakeup.at);
        let ready = match timeline.wakeups_of(pid, from, interval.from).last() {
            Some(wakeup) => wakeup.at,
            // It was ready before, unless it is woken later, or from where this CPU does not see it.
            None if self.is_alone && woken.next().is_none() => from,
            None => return false,
        };
        timeline.runs.chosen_after(interval.from, ready)
    }

    /// Names the cause while the thread that answers runs. The work that the scheduler leaves to it
    /// on behalf of the thread before it (finish_task_switch()) comes before its own path.
    fn own(&self, sight: &Sight<'_>, interval: &Interval, length: u64) -> Named {
        let usual = self.baselines.own(Step::own(sight.span.stage, interval), length);
        if usual == length {
            return Named::All(Cause::plain(CauseKind::Own));
        }
        let before = interval.switched.then(|| sight.timeline?.before(interval.from)).flatten();
        let after = before.map_or(String::new(), |pid| format!("after {}", self.name_of(pid)));
        Named::Beyond(usual, Cause::named(CauseKind::Prolonged, after))
    }

    /// Names the cause while the stage's thread was called, ran, and sleeps again until another
    /// thread wakes it: that one has what the stage wants, or has to notify it.
    /// On another CPU it is what that one does.
    fn waiting(&self, here: &Interval, period: &Period, own: Priority, length: u64) -> Cause {
        let Some(Waker { cpu, wakeup }) = period.waker else {
            return Cause::named(CauseKind::Blocked, "the thread that ended it is not known");
        };
        let place = cpu.map_or(String::new(), |cpu| format!(" on CPU {cpu}"));
        if wakeup.by_interrupt {
            return Cause::named(CauseKind::Blocked, format!("until an interrupt{place}"));
        }
        let owner = self.name_of(wakeup.by);
        let there = |cpu| self.elsewhere.mostly(cpu, here.to.saturating_sub(length), here.to);
        let Some(interval) = cpu.map_or(Some(here), there) else {
            return Cause::named(CauseKind::Blocked, format!("until {owner} ran{place}"));
        };
        let run = format!("{}{place}", self.run_of(interval));
        if interval.pid == wakeup.by {
            return Cause::named(CauseKind::LockOwner, owner).with(run);
        }
        if interval.idle {
            return Cause::named(CauseKind::Blocked, format!("on {owner}, which sleeps"));
        }
        let kind = match interval.priority.cmp(&own) {
            std::cmp::Ordering::Less => CauseKind::HigherPriority,
            _ => CauseKind::PriorityInversion,
        };
        let detail = format!("{run}, before {owner}, on which the stage waits");
        Cause::named(kind, self.name_of(interval.pid)).with(detail)
    }

    /// Names the cause of a softirq that is raised, and not run at the interrupt's end: softirqs
    /// were disabled, or it is left to a thread that has to wait for others.
    fn undone(&self, sight: &Sight<'_>, interval: &Interval, length: u64) -> Named {
        let disabled = Context::BH_DISABLED | Context::SOFTIRQ;
        let found = sight.interrupted.filter(|found| {
            found.pid == interval.pid && found.address != 0 && found.context.0 & disabled != 0
        });
        let cause = match found {
            Some(found) => match interval.callback() {
                // The function, and not one that it was interrupted in.
                Some((by, function)) => {
                    let cause =
                        Cause::named(CauseKind::SoftirqsDisabled, self.names.function(function));
                    cause.with(format!("called by {by}"))
                }
                None => self.blamed(CauseKind::SoftirqsDisabled, found.address, &found.stack),
            },
            None => self.running(sight, interval, SOFTIRQ_PRIORITY),
        };
        self.beyond(interval, length, cause)
    }

    /// Returns all of what the thread had for itself; of what may be the kernel's way to what comes
    /// next, the part beyond an undisturbed one.
    fn beyond(&self, interval: &Interval, length: u64, cause: Cause) -> Named {
        if interval.is_run() || !interval.frames.is_empty() {
            return Named::All(cause);
        }
        self.usual_or(interval, length, cause)
    }

    /// Returns the part of a step that an undisturbed one has as the stage's own, and the rest with
    /// its cause.
    pub(super) fn usual_or(&self, interval: &Interval, length: u64, cause: Cause) -> Named {
        let own = self.baselines.own(Step::of(interval), length);
        if own == length {
            Named::All(Cause::plain(CauseKind::Own))
        } else {
            Named::Beyond(own, cause)
        }
    }

    /// Returns the priority of a thread that runs, and which function it calls back.
    fn run_of(&self, interval: &Interval) -> String {
        match interval.callback() {
            Some((_, function)) => {
                format!("{}{IN}{}", interval.priority, self.names.function(function))
            }
            None => interval.priority.to_string(),
        }
    }

    fn running(&self, sight: &Sight<'_>, interval: &Interval, own: Priority) -> Cause {
        // The code that the trigger interrupted is the one that had preemption disabled.
        let held = sight.interrupted.filter(|found| {
            found.pid == interval.pid && found.address != 0 && interval.priority >= own
        });
        let disabled = held.is_some_and(|found| found.context.is(Context::NO_PREEMPTION));
        let kind = match interval.priority.cmp(&own) {
            std::cmp::Ordering::Less => CauseKind::HigherPriority,
            std::cmp::Ordering::Equal if !disabled => CauseKind::SamePriority,
            _ => CauseKind::NotPreempted,
        };
        let mut detail = self.run_of(interval);
        let held = held.filter(|_| interval.callback().is_none());
        if let Some(found) = held.filter(|_| kind == CauseKind::NotPreempted) {
            let (function, callers) = self.blame(found.address, &found.stack);
            let callers = if callers.is_empty() { callers } else { format!(" {callers}") };
            detail = format!("{detail}{IN}{function}{callers}");
        }
        Cause::named(kind, self.name_of(interval.pid)).with(detail)
    }
}
