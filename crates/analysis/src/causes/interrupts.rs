// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Hard interrupts: the trigger's own, and others.
//!
//! A trigger is an interrupt of its own, or a timer's function in an interrupt that it may share
//! with other timers. So an interrupt in which a function of the driver ran is the trigger's;
//! what another timer's function took of it is not, nor what else is called back in it.

use std::collections::BTreeMap;

use super::attribute::Case;
use super::cause::{Cause, CauseKind};
use super::frame::Frame;
use super::names::Names;
use super::sight::Sight;
use super::timeline::{Interval, Timeline};
use irqscope_wire::Stage;

/// The interrupts in which a function of the driver ran, by when they were entered.
#[derive(Debug, Default)]
pub(super) struct Ours(BTreeMap<u64, Triggering>);

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
        let mut ours = BTreeMap::new();
        for interval in &timeline.intervals {
            let Some(since) = interval.interrupt else { continue };
            let by = interval.frames.iter().find(|frame| names.is_handler(frame));
            if let Some(frame) = by {
                let by_timer = matches!(frame, Frame::Hrtimer(_));
                ours.insert(since, Triggering { to: interval.to, by_timer });
            } else if let Some(known) = ours.get_mut(&since) {
                known.to = interval.to;
            }
        }
        Self(ours)
    }

    /// Returns when the interrupt was left that was entered at this instant.
    pub fn left(&self, since: u64) -> Option<u64> {
        self.0.get(&since).map(|found| found.to)
    }

    /// Returns when the interrupt was entered in which the driver's handler ran at this instant.
    pub fn entry(&self, at: u64) -> Option<u64> {
        let (since, found) = self.0.range(..=at).next_back()?;
        (at <= found.to).then_some(*since)
    }
}

impl Case<'_> {
    /// Names the cause in a hard interrupt; `None` outside of one.
    pub(super) fn interrupt(&self, sight: &Sight<'_>, interval: &Interval) -> Option<Cause> {
        let hard = interval.frames.iter().rposition(Frame::is_interrupt)?;
        let timer = interval.frames[hard..].iter().rev().find_map(|frame| match frame {
            Frame::Callback { function, .. } => Some(*function),
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
        let ours = self.ours.0.get(&since)?;
        let injects = ours.by_timer && sight.entry.is_some_and(|entry| since < entry);
        Some(match sight.entry == Some(since) || injects {
            true => Cause::plain(CauseKind::Own),
            false => Cause::named(CauseKind::OtherStage, Stage::Irq.name()),
        })
    }
}
