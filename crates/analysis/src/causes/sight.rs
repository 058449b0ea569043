// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A sample from one stage's point of view: what was done between the trigger and the answer.
//!
//! The trigger's handler runs on the CPU under test. A stage may answer on another CPU (an unbound
//! work item, a thread that is not bound): from the end of the handler's interrupt on it is that
//! CPU's doing that the answer waits for.

use std::borrow::Cow;
use std::collections::BTreeMap;

use irqscope_run::{CaseData, Span};
use irqscope_wire::{Outcome, Place, Priority, Stage};

use super::attribute::Case;
use super::blocked::Blocked;
use super::interval::Interval;
use super::timeline::{Interrupted, Timeline};
use super::turns::Others;

/// 6.2 and later have one for timers on RT.
const SOFTIRQ_THREADS: [&str; 2] = ["ksoftirqd/", "ktimers/"];

/// A sample from one stage's point of view.
pub(super) struct Sight<'a> {
    pub span: &'a Span,
    pub intervals: Cow<'a, [Interval]>,
    pub interrupted: Option<&'a Interrupted>,
    /// When the interrupt was entered that the trigger's handler ran in, by its event.
    pub entry: Option<u64>,
    /// When the stage's own thread slept although it was called.
    pub blocked: Blocked<'a>,
    /// The CPU that answers, if it is another one than that under test.
    pub elsewhere: Option<u16>,
    /// From when on what that one does counts, if it has a record.
    handed_over: Option<u64>,
    /// The CPU that answers did this; `None` if it has no record.
    pub timeline: Option<&'a Timeline>,
}

impl Sight<'_> {
    /// Returns what runs when the stage answers.
    pub fn last(&self) -> Option<&Interval> {
        self.intervals.last()
    }
}

/// The answers that came on another CPU than the one under test: by stage, their instants in order,
/// each with its CPU.
#[derive(Debug, Default)]
pub(super) struct Answering(BTreeMap<Stage, Vec<(u64, Option<u16>)>>);

impl Answering {
    pub fn of(data: &CaseData) -> Self {
        let mut all = Self::default();
        let tested = data.cpu();
        for sample in &data.raw {
            for response in &sample.responses {
                if let Outcome::Answered { latency, cpu, .. } = response.outcome {
                    let at = sample.trigger_cycles.0.saturating_add_signed(latency);
                    let other = (cpu != tested).then_some(cpu);
                    all.0.entry(response.stage).or_default().push((at, other));
                }
            }
        }
        all.0.retain(|_, answers| answers.iter().any(|(_, other)| other.is_some()));
        all.0.values_mut().for_each(|answers| answers.sort_unstable());
        all
    }

    /// Returns the other CPU that answered: seen from outside the edge comes right after the stamp.
    fn cpu(&self, span: &Span) -> Option<u16> {
        let answers = self.0.get(&span.stage)?;
        let next = answers.partition_point(|(at, _)| *at <= span.to);
        answers[..next].last()?.1
    }
}

impl<'a> Case<'a> {
    pub(super) fn sight<'s>(&self, span: &'s Span) -> Sight<'s>
    where
        'a: 's,
    {
        let interrupted = self.timeline.handler(span, self.view);
        let entry = interrupted.and_then(|found| self.ours.entry(found.at));
        let elsewhere = self.answering.cpu(span);
        let timeline = match elsewhere {
            Some(cpu) => self.elsewhere.timeline(cpu),
            None => Some(self.timeline),
        };
        let left = entry.and_then(|entry| self.ours.left(entry));
        let handed_over = elsewhere.and(timeline).zip(left);
        let intervals = match handed_over {
            Some((there, left)) => Cow::Owned(self.handed_over(there, span, left)),
            None => Cow::Borrowed(self.timeline.within(span.from, span.to)),
        };
        let handed_over = handed_over.map(|(_, left)| left);
        let blocked = match (entry, intervals.last()) {
            (Some(entry), Some(last)) => {
                Blocked::of(self.timeline, self.elsewhere, &intervals, last.pid, entry)
            }
            _ => Blocked::default(),
        };
        Sight { span, intervals, interrupted, entry, blocked, elsewhere, handed_over, timeline }
    }

    /// Returns the turns of all CPUs but the one that this interval is of.
    pub(super) fn others(&self, sight: &Sight<'_>, interval: &Interval) -> &Others {
        let handed_over = sight.handed_over.is_some_and(|left| interval.from >= left);
        let there = sight.elsewhere.filter(|_| handed_over);
        self.turns.of_others(there.unwrap_or(self.cpu))
    }

    /// Returns what the CPU under test did until the handler's interrupt was left, and another one
    /// from there on.
    fn handed_over(&self, there: &Timeline, span: &Span, left: u64) -> Vec<Interval> {
        let mut all = self.timeline.within(span.from, left.min(span.to)).to_vec();
        let begun = all.len();
        all.extend_from_slice(there.within(left, span.to));
        if let Some(first) = all.get_mut(begun).filter(|first| first.from < left) {
            first.from = left;
            first.events = 0; // they were written before
        }
        all
    }

    /// Returns the thread that answers, if the stage is a thread's. A softirq that runs on top of
    /// another thread is not that thread's doing; the kernel's own softirq threads are.
    pub(super) fn own_thread(&self, sight: &Sight<'_>) -> Option<(u32, Priority)> {
        let last = sight.last()?;
        let name = self.name_of(last.pid);
        let is_softirqs = SOFTIRQ_THREADS.iter().any(|own| name.starts_with(own));
        (sight.span.stage.facts().place == Place::Thread || is_softirqs)
            .then_some((last.pid, last.priority))
    }
}
