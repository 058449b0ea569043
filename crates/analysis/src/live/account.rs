// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The account of every trigger until now, and of every frame.

use irqscope_run::Source;
use irqscope_wire::{Counters, Frame, Message, Outcome, Sample, Totals};
use serde::Serialize;

/// The side that counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Counter {
    Generator,
    Target,
    Samples,
}

/// triggers = complete + missing + coalesced + overrun + dropped + open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Account {
    /// None as long as nothing was counted.
    pub from: Option<Counter>,
    pub triggers: u64,
    pub complete: u64,
    pub missing: u64,
    pub coalesced: u64,
    pub overrun: u64,
    pub dropped: u64,
    pub open: u64,
    pub skipped: u64,
    /// The sum is right.
    pub holds: bool,
}

impl Account {
    pub fn of_generator(totals: &Totals) -> Self {
        Self {
            from: Some(Counter::Generator),
            triggers: totals.triggers,
            complete: totals.complete,
            missing: totals.missing,
            coalesced: totals.coalesced,
            overrun: 0,
            dropped: totals.dropped,
            open: totals.open,
            skipped: totals.skipped,
            holds: totals.identity_holds(),
        }
    }

    pub fn of_target(counters: &Counters) -> Self {
        Self {
            from: Some(Counter::Target),
            triggers: counters.triggers,
            complete: counters.complete,
            missing: counters.missing,
            coalesced: counters.coalesced,
            overrun: counters.overrun,
            skipped: counters.skipped,
            holds: counters.identity_holds(),
            ..Self::default()
        }
    }

    /// Adds one more sample of the inside view; its precedence is the driver's.
    pub fn add(&mut self, sample: &Sample) {
        self.from = Some(Counter::Samples);
        self.triggers += 1;
        let has = |wanted| sample.responses.iter().any(|one| one.outcome == wanted);
        let term = if has(Outcome::Merged) {
            &mut self.coalesced
        } else if has(Outcome::Missing) {
            &mut self.missing
        } else {
            &mut self.complete
        };
        *term += 1;
        self.holds = true;
    }
}

/// Frames by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Frames {
    pub received: u64,
    /// Their numbers never came.
    pub missed: u64,
    /// Bytes that were no frame.
    pub damaged: u64,
}

/// The next number of each stream.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Numbers {
    target: Option<u64>,
    generator: Option<u64>,
}

impl Numbers {
    /// Returns how many frames are missing before this one.
    pub fn missed(&mut self, source: Source, frame: &Frame) -> u64 {
        let next = match source {
            Source::Target => &mut self.target,
            Source::Generator => &mut self.generator,
            Source::Host => return 0,
        };
        // A generator counts its frames over its whole life.
        let joins = matches!(frame.message, Message::GeneratorHello(_));
        let expected = next.unwrap_or(if joins { frame.number } else { 0 });
        *next = Some(frame.number.saturating_add(1));
        frame.number.saturating_sub(expected)
    }
}
