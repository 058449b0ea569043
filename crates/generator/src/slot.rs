// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One open trigger: what waits for it, and what has come.

use irqscope_wire::{Answer, Seq};

/// The most response lines.
#[cfg(not(feature = "eight-lines"))]
pub const LINES: usize = 16;
/// The most response lines.
#[cfg(feature = "eight-lines")]
pub const LINES: usize = 8;

/// One open trigger.
#[derive(Clone, Copy, Debug)]
pub struct Slot {
    /// The trigger's number.
    pub seq: Seq,
    /// The trigger's instant.
    pub at: u64,
    /// None: still waiting.
    pub answers: [Option<Answer>; LINES],
    /// Lines with an extra edge while this was the youngest trigger.
    pub extra: u16,
    /// How long each line's pulse was; 0: none has ended.
    pub widths: [u64; LINES],
    /// Lines whose answer was measured by looking in every cycle.
    pub window: u16,
    /// Lines whose pulse has begun and not ended.
    pub(crate) high: u16,
    /// As the target numbers it; 0 if it does not.
    pub(crate) number: u32,
    pub(crate) waiting: u8,
    /// It is known whose turn it is.
    pub(crate) has_turn: bool,
}

impl Slot {
    /// A slot without a trigger.
    pub const EMPTY: Slot = Slot {
        seq: Seq(0),
        at: 0,
        answers: [None; LINES],
        extra: 0,
        widths: [0; LINES],
        window: 0,
        high: 0,
        number: 0,
        waiting: 0,
        has_turn: false,
    };

    /// Returns whether nothing more can come of it.
    pub(crate) fn is_settled(&self) -> bool {
        self.waiting == 0 && self.high == 0
    }

    /// Returns how a closed sample is counted; `coalesced` before `missing`.
    pub fn outcome(&self) -> Outcome {
        let has = |wanted| self.answers.contains(&Some(wanted));
        match (has(Answer::Coalesced), has(Answer::Missing)) {
            (true, _) => Outcome::Coalesced,
            (_, true) => Outcome::Missing,
            _ => Outcome::Complete,
        }
    }

    pub(crate) fn settle(&mut self, line: usize, answer: Answer) -> bool {
        let open = self.answers[line].is_none() && self.waiting > 0;
        if open {
            self.answers[line] = Some(answer);
            self.waiting -= 1;
        }
        open
    }
}

/// One of the accounting identity's terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Every line has answered.
    Complete,
    /// A line has not answered.
    Missing,
    /// A line has answered this trigger together with another one.
    Coalesced,
}
