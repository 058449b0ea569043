// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reports of the target, or of what stands for its hardware, about triggers and answers that no
//! edge shows.

use irqscope_wire::Seq;

use super::Generator;
use crate::slot::Slot;

impl<S: AsRef<[Slot]> + AsMut<[Slot]>> Generator<S> {
    /// Takes note that the line went up at this instant, and not at the one given to
    /// [`Self::tick`]. To be called before any edge is handed over.
    pub fn set_trigger_time(&mut self, at: u64) {
        self.pairing.set_trigger_time(at);
    }

    /// Takes note that the line was still up from the trigger before: the youngest one gets no
    /// response of its own.
    pub fn coalesce_youngest(&mut self) {
        self.pairing.coalesce_youngest();
    }

    /// Does as [`Self::set_trigger_time`]; the target numbers this trigger so.
    pub fn set_trigger_number(&mut self, at: u64, number: u32) {
        self.pairing.set_trigger_number(at, number);
    }

    /// Takes note that the youngest trigger was not made: the target had no room for it.
    pub fn drop_youngest(&mut self) {
        self.pairing.remove_youngest();
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

    /// Takes the target's word; see [`crate::pairing::Pairing::mark_coalesced`].
    pub fn mark_coalesced(&mut self, line: u8, seq: Seq) -> bool {
        self.pairing.mark_coalesced(line, seq)
    }
}
