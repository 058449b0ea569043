// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The account of every trigger until now, and of every frame.

use irqscope_run::Source;
use irqscope_wire::{Account, Counters, Frame, Message, Outcome, Sample, Totals};
use serde::Serialize;

/// The side that counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Counter {
    /// The generator, in its packets and its status.
    Generator,
    /// The driver, whose counters come at the end of a case.
    Target,
    /// This program, in the samples that have arrived until now.
    Samples,
}

/// The account until now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LiveAccount {
    /// None as long as no side has counted anything.
    pub from: Option<Counter>,
    /// The terms of the identity.
    #[serde(flatten)]
    pub account: Account,
    /// The sum is right.
    pub holds: bool,
}

impl LiveAccount {
    /// Returns the account of a generator.
    pub fn of_generator(totals: &Totals) -> Self {
        let holds = totals.identity_holds();
        Self { from: Some(Counter::Generator), account: Account::from(*totals), holds }
    }

    /// Returns the account of the target's driver.
    pub fn of_target(counters: &Counters) -> Self {
        let holds = counters.identity_holds();
        Self { from: Some(Counter::Target), account: Account::from(*counters), holds }
    }

    /// Adds one more sample of the inside view; its precedence is the driver's.
    pub fn add(&mut self, sample: &Sample) {
        self.from = Some(Counter::Samples);
        self.account.triggers += 1;
        let has = |wanted| sample.responses.iter().any(|one| one.outcome == wanted);
        let term = if has(Outcome::Coalesced) {
            &mut self.account.coalesced
        } else if has(Outcome::Missing) {
            &mut self.account.missing
        } else {
            &mut self.account.complete
        };
        *term += 1;
        self.holds = true;
    }
}

/// Frames by what became of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Frames {
    /// Frames of target and generator; those of the host itself are not counted.
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
