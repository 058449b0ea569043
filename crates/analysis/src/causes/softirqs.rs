// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Softirqs: the stage's own vector, another stage's, and the kernel's.

use irqscope_wire::{Place, Softirq, Stage};

use super::attribute::{Case, Named};
use super::cause::{Cause, CauseKind};
use super::frame::Frame;
use super::interval::Interval;
use super::sight::Sight;

impl Case<'_> {
    /// Names the softirq that runs. Where softirqs are threads, one that an interrupt came into is
    /// preempted on the way out: that way is the stage's own, and not the softirq's.
    pub(super) fn softirqs(&self, sight: &Sight<'_>, interval: &Interval, length: u64) -> Named {
        let cause = self.softirq(sight, interval);
        let is_preempted = self.timeline.threaded_softirqs
            && interval.next.is_some()
            && self.own_thread(sight).is_some();
        match is_preempted {
            true => self.usual_or(interval, length, cause),
            false => Named::All(cause),
        }
    }

    fn softirq(&self, sight: &Sight<'_>, interval: &Interval) -> Cause {
        let softirq = interval.frames.iter().position(|frame| matches!(frame, Frame::Softirq(_)));
        // On RT kernels a thread that is called back may have it run on top.
        let within = &interval.frames[softirq.unwrap_or(0)..];
        let vector = within.iter().find_map(|frame| match frame {
            Frame::Softirq(vector) => Some(*vector),
            _ => None,
        });
        let function = within.iter().rev().find_map(|frame| match frame {
            Frame::Tasklet(function)
            | Frame::Hrtimer(function)
            | Frame::Timer(function)
            | Frame::Callback { function, .. } => Some(*function),
            _ => None,
        });
        let stage = sight.span.stage;
        match (vector, function) {
            (_, Some(function)) if !self.names.is_ours(function) => {
                let name = vector.map_or("timer", Softirq::name);
                Cause::named(CauseKind::Softirq, name).with(self.names.function(function))
            }
            (Some(vector), _) if own_vector(stage) == Some(vector) => Cause::plain(CauseKind::Own),
            (Some(vector), _) => match stage_of(vector) {
                Some(other) => Cause::named(CauseKind::OtherStage, other.name()),
                None => Cause::named(CauseKind::Softirq, vector.name()),
            },
            (None, _) => Cause::plain(CauseKind::Own),
        }
    }
}

fn own_vector(stage: Stage) -> Option<Softirq> {
    match stage.facts().place {
        Place::Softirq(vector) => Some(vector),
        Place::Interrupt | Place::Thread => None,
    }
}

/// Returns the first stage that runs in a softirq of this vector.
fn stage_of(vector: Softirq) -> Option<Stage> {
    Stage::ALL.iter().copied().find(|stage| own_vector(*stage) == Some(vector))
}
