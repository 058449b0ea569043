// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Hard interrupts: the trigger's own, and others.
//!
//! A trigger is an interrupt of its own, or a timer's function in an interrupt that it may share
//! with other timers. So an interrupt in which a function of the driver ran is the trigger's;
//! what another timer's function took of it is not, nor what else is called back in it. Of a
//! sleep the timer's function is the kernel's: the call of it that has the handler's stamp.

use std::collections::BTreeMap;

use super::attribute::Case;
use super::cause::{Cause, CauseKind};
use super::frame::Frame;
use super::interval::Interval;
use super::names::Names;
use super::sight::Sight;
use super::timeline::Timeline;
use irqscope_wire::Stage;

/// The interrupts that trigger.
#[derive(Debug, Default)]
pub(super) struct Ours {
    /// By when they were entered.
    interrupts: BTreeMap<u64, Triggering>,
    /// The calls of timers' functions that end sleeps: when each began and ended, in order.
    wakes: Vec<(u64, u64)>,
}

/// The part of the driver's function in one.
#[derive(Clone, Copy, Debug)]
struct Triggering {
    /// When it was left.
    to: u64,
    /// It is a timer's function: of the trigger itself, or one that injects the trigger.
    by_timer: bool,
}

impl Ours {
    pub fn of(timeline: &Timeline, names: &Names<'_>) -> Self {
        let wakes = wakes(timeline, names);
        let mut ours = Self { interrupts: BTreeMap::new(), wakes };
        for interval in &timeline.intervals {
            let Some(since) = interval.interrupt else { continue };
            let by = interval.frames.iter().find(|frame| names.is_handler(frame));
            if by.is_some() || ours.wakes(interval) {
                let by_timer = matches!(by, Some(Frame::Hrtimer(_)));
                ours.interrupts.insert(since, Triggering { to: interval.to, by_timer });
            } else if let Some(known) = ours.interrupts.get_mut(&since) {
                known.to = interval.to;
            }
        }
        ours
    }

    /// Returns whether the interval is a part of a call that ends a sleep.
    fn wakes(&self, interval: &Interval) -> bool {
        let next = self.wakes.partition_point(|(from, _)| *from <= interval.from);
        self.wakes[..next].last().is_some_and(|(_, to)| interval.from < *to)
    }

    /// Returns when the interrupt was left that was entered at this instant.
    pub fn left(&self, since: u64) -> Option<u64> {
        self.interrupts.get(&since).map(|found| found.to)
    }

    /// Returns when the interrupt was entered in which the driver's handler ran at this instant.
    pub fn entry(&self, at: u64) -> Option<u64> {
        let (since, found) = self.interrupts.range(..=at).next_back()?;
        (at <= found.to).then_some(*since)
    }
}

/// Returns the calls of a timer's function that the trigger's handler was a part of, though it is
/// none of the driver's: its event comes first, and the handler's stamp lies behind it.
fn wakes(timeline: &Timeline, names: &Names<'_>) -> Vec<(u64, u64)> {
    let intervals = &timeline.intervals;
    let call = |at| {
        let first = intervals.partition_point(|interval| interval.to <= at);
        let begun = intervals.get(first).filter(|interval| interval.from <= at)?;
        let depth = begun.frames.len();
        let Some(frame @ Frame::Hrtimer(_)) = begun.frames.last() else { return None };
        if names.is_handler(frame) {
            return None;
        }
        let same = |interval: &&Interval| interval.frames.get(depth - 1) == Some(frame);
        let last = intervals[first..].iter().take_while(same).last()?;
        Some((begun.from, last.to))
    };
    timeline.handled().filter_map(call).collect()
}

impl Case<'_> {
    /// Names the cause in a hard interrupt; `None` outside of one.
    pub(super) fn interrupt(&self, sight: &Sight<'_>, interval: &Interval) -> Option<Cause> {
        let hard = interval.frames.iter().rposition(Frame::is_interrupt)?;
        let ends_sleep = self.ours.wakes(interval);
        let timer = interval.frames[hard..].iter().rev().find_map(|frame| match frame {
            Frame::Callback { function, .. } => Some(*function),
            Frame::Hrtimer(_) if ends_sleep => None,
            Frame::Hrtimer(function) if !self.names.is_ours(*function) => Some(*function),
            _ => None,
        });
        if let Some(own) = timer.is_none().then(|| self.triggers(sight, interval)).flatten() {
            return Some(own);
        }
        let name = match interval.frames[hard] {
            Frame::Irq { number, handler } => {
                format!("irq {number} {}", self.names.function(handler))
            }
            Frame::Vector(vector) => vector.name().to_owned(),
            _ => return None,
        };
        let cause = Cause::named(CauseKind::Interrupt, name);
        Some(match timer {
            Some(function) => cause.with(self.names.function(function)),
            None => cause,
        })
    }

    /// Names the cause in an interrupt that triggers: that of this sample, the one that injects
    /// it, or another sample's.
    fn triggers(&self, sight: &Sight<'_>, interval: &Interval) -> Option<Cause> {
        let since = interval.interrupt?;
        let ours = self.ours.interrupts.get(&since)?;
        let injects = ours.by_timer && sight.entry.is_some_and(|entry| since < entry);
        Some(match sight.entry == Some(since) || injects {
            true => Cause::plain(CauseKind::Own),
            false => Cause::named(CauseKind::OtherStage, Stage::Irq.name()),
        })
    }
}
