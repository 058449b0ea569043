// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reports of the target, or of what stands for its hardware, about triggers and answers that no
//! edge shows.

use irqscope_wire::Seq;

use super::Generator;
use crate::pairing::Slot;

impl<S: AsRef<[Slot]> + AsMut<[Slot]>> Generator<S> {
    /// Takes note that the line went up at this instant, and not at the one given to
    /// [`Self::tick`]. To be called before any edge is handed over.
    pub fn raised(&mut self, at: u64) {
        self.pairing.made_at(at);
    }

    /// Takes note that the line was still up from the trigger before: the youngest one gets no
    /// response of its own.
    pub fn merged(&mut self) {
        self.pairing.merged();
    }

    /// Does as [`Self::raised`]; the target numbers this trigger so.
    pub fn numbered(&mut self, at: u64, number: u32) {
        self.pairing.numbered(at, number);
    }

    /// Takes note that the youngest trigger was not made: the target had no room for it.
    pub fn dropped(&mut self) {
        self.pairing.unmade();
        self.totals.dropped += 1;
        self.lower_at = None;
    }

    /// Returns how many of these responses are extra edges; see
    /// [`crate::pairing::Pairing::responses`]. Outside a run they are not counted.
    pub fn responses(&mut self, line: u8, count: u32, number: u32, at: u64) -> u32 {
        if !self.listens(line) {
            return 0;
        }
        let answers = self.pairing.responses(line, count, number, at);
        let extra = count - answers;
        self.totals.edges += u64::from(count);
        self.totals.answers += u64::from(answers);
        self.totals.extra += u64::from(extra);
        extra
    }

    /// Takes the target's word; see [`crate::pairing::Pairing::coalesced`].
    pub fn coalesced(&mut self, line: u8, seq: Seq) -> bool {
        self.pairing.coalesced(line, seq)
    }
}
