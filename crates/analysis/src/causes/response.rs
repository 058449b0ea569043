// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parts of a response that the thesis in docs/reproduction.md names (its figure 4.1), and what
//! is left of it: interrupt latency, interrupt duration, scheduler latency, scheduler duration.

use irqscope_run::Span;
use irqscope_wire::{Nanoseconds, Tick};
use serde::Serialize;

use super::interval::Interval;
use super::parts::Explained;
use super::timeline::Timeline;

/// A part of a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResponsePart {
    /// From the trigger to its handler.
    InterruptLatency,
    /// From the handler's first act until the hard interrupt is left.
    InterruptDuration,
    /// From there until the scheduler is called that switches to the thread that answers.
    SchedulerLatency,
    /// From there to the switch.
    SchedulerDuration,
    /// The rest, up to the answer: the way of a softirq, or of the thread after the switch.
    Answer,
}

impl ResponsePart {
    /// All of them, in the order of time.
    pub const ALL: [Self; 5] = [
        Self::InterruptLatency,
        Self::InterruptDuration,
        Self::SchedulerLatency,
        Self::SchedulerDuration,
        Self::Answer,
    ];

    /// Returns the part's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::InterruptLatency => "interrupt latency",
            Self::InterruptDuration => "interrupt duration",
            Self::SchedulerLatency => "scheduler latency",
            Self::SchedulerDuration => "scheduler duration",
            Self::Answer => "until the answer",
        }
    }
}

/// The lengths of a response's parts, in the order of [`ResponsePart::ALL`]; their sum is the
/// latency.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResponseParts(pub [Nanoseconds; 5]);

/// The instants that part a response, on the counter; none lies before the one before.
pub(super) struct Instants {
    /// The handler's first act.
    pub handler: u64,
    /// The end of the hard interrupt that the handler ran in.
    pub left: u64,
    /// The scheduler's call.
    pub scheduler: u64,
    /// The switch to the thread that answers.
    pub switch: u64,
}

impl Instants {
    /// Finds them among the intervals between the trigger and the answer. `handler`: its stamp;
    /// `entry`: when its hard interrupt was entered; `thread`: the one that answers, if one does.
    ///
    /// A kernel that does not report the scheduler's calls, and a thread that had the CPU already,
    /// leave parts of no length.
    pub fn find(
        timeline: &Timeline,
        intervals: &[Interval],
        handler: u64,
        entry: u64,
        thread: Option<u32>,
    ) -> Self {
        let within = intervals.iter().rfind(|one| one.interrupt == Some(entry));
        let left = within.map_or(handler, |last| last.to).max(handler);
        let to_thread = |one: &&Interval| one.switched && Some(one.pid) == thread;
        let switch = intervals.iter().rfind(to_thread).map(|one| one.from.max(left));
        let scheduler = switch.map(|switch| timeline.scheduled(left, switch).unwrap_or(switch));
        Self { handler, left, scheduler: scheduler.unwrap_or(left), switch: switch.unwrap_or(left) }
    }

    /// Converts to lengths. Each instant is rounded once, so that they sum to the latency.
    pub fn parts(&self, span: &Span, tick: Tick) -> ResponseParts {
        let mut last = Nanoseconds(0);
        let instants = [self.handler, self.left, self.scheduler, self.switch, span.to];
        ResponseParts(instants.map(|at| {
            let at = at.clamp(span.from, span.to.max(span.from)) - span.from;
            let until = tick.nanoseconds(at.cast_signed());
            let length = Nanoseconds(until.0 - last.0);
            last = until;
            length
        }))
    }
}

/// One part over the responses of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PartFigures {
    /// The part.
    pub part: ResponsePart,
    /// The mean of all responses; those of all parts sum to the mean latency.
    pub mean_ns: f64,
    /// The mean of the late ones.
    pub late_mean_ns: f64,
    /// The longest, and whose it is.
    pub longest_ns: i64,
    /// The trigger whose part was the longest.
    pub longest_seq: u64,
}

impl PartFigures {
    /// Returns one for each part; none if no response's parts are known.
    pub(super) fn all(samples: &[&Explained], late: &[&Explained]) -> Vec<Self> {
        let known = |samples: &[&Explained]| {
            let known = samples.iter().filter_map(|one| Some((one.seq, one.parts?.0)));
            known.collect::<Vec<(u64, [Nanoseconds; 5])>>()
        };
        let (all, late) = (known(samples), known(late));
        let one = |(index, part): (usize, ResponsePart)| {
            let mean = |of: &[(u64, [Nanoseconds; 5])]| {
                let sum: i64 = of.iter().map(|(_, parts)| parts[index].0).sum();
                sum as f64 / of.len().max(1) as f64
            };
            let order =
                |(seq, parts): &&(u64, [Nanoseconds; 5])| (parts[index], std::cmp::Reverse(*seq));
            let longest = all.iter().max_by_key(order)?;
            Some(Self {
                part,
                mean_ns: mean(&all),
                late_mean_ns: mean(&late),
                longest_ns: longest.1[index].0,
                longest_seq: longest.0,
            })
        };
        ResponsePart::ALL.into_iter().enumerate().filter_map(one).collect()
    }
}
