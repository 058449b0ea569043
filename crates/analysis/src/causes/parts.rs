// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A latency and its segments.

use irqscope_run::Span;
use irqscope_wire::{Nanoseconds, Stage, Tick};

use super::cause::{Cause, CauseKind};
use super::response::ResponseParts;
use super::turns::Others;

/// Part of a latency with one cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Segment {
    /// Since the trigger.
    pub start: Nanoseconds,
    /// Its length.
    pub length: Nanoseconds,
    /// The cause.
    pub cause: Cause,
}

/// One latency, explained: the segments follow each other from the trigger to the
/// answer without a gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// The trigger's number.
    pub seq: u64,
    /// The stage.
    pub stage: Stage,
    /// The latency.
    pub latency: Nanoseconds,
    /// Its segments, in order.
    pub segments: Vec<Segment>,
    /// Its parts; unknown where events are missing.
    pub parts: Option<ResponseParts>,
}

/// Segments as they are found; neighbours with one cause are one.
pub(super) struct Parts<'a> {
    span: &'a Span,
    /// How far the latency is explained.
    pub at: u64,
    parts: Vec<(u64, Cause)>,
}

impl<'a> Parts<'a> {
    pub fn new(span: &'a Span) -> Self {
        Self { span, at: span.from, parts: Vec::new() }
    }

    pub fn until(&mut self, to: u64, cause: Cause) {
        let to = to.min(self.span.to);
        if to <= self.at {
            return;
        }
        match self.parts.last_mut() {
            Some((end, last)) if *last == cause => *end = to,
            _ => self.parts.push((to, cause)),
        }
        self.at = to;
    }

    /// Explains as much as [`Parts::until`] does, but for what is other CPUs' turns.
    pub fn until_but(&mut self, to: u64, cause: Cause, others: &Others) {
        for (begin, end) in others.within(self.at, to) {
            self.until(begin, cause.clone());
            self.until(end, Cause::plain(CauseKind::Turn));
        }
        self.until(to, cause);
    }

    /// Converts to nanoseconds. Each boundary is rounded once, so that the lengths sum to the
    /// latency.
    pub fn explained(self, tick: Tick, parts: Option<ResponseParts>) -> Explained {
        let since = |at: u64| tick.nanoseconds(at.saturating_sub(self.span.from) as i64);
        let mut start = Nanoseconds(0);
        let mut segments = Vec::with_capacity(self.parts.len());
        for (end, cause) in self.parts {
            let end = since(end);
            segments.push(Segment { start, length: Nanoseconds(end.0 - start.0), cause });
            start = end;
        }
        let Span { seq, stage, to, .. } = *self.span;
        Explained { seq, stage, latency: since(to), segments, parts }
    }
}
