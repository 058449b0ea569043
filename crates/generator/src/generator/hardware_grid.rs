// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Hardware that is given triggers ahead of their time and keeps the grid itself: it reports what
//! became of each, in the order of time, among all edges.

use irqscope_wire::{RunState, Seq};

use super::Generator;
use crate::slot::Slot;

impl<S: AsRef<[Slot]> + AsMut<[Slot]>> Generator<S> {
    /// Prepares for hardware that is given triggers ahead of their time and keeps the grid itself:
    /// nothing is raised by [`Self::tick`], and each trigger is reported by [`Self::record_trigger`] when it
    /// is out. High times are rounded down to a multiple of `high_step` ticks.
    #[must_use]
    pub fn with_hardware_grid(mut self, high_step: u64) -> Self {
        self.ahead = true;
        self.high_step = high_step.max(1);
        self.round_high();
        self
    }

    /// Takes note that the hardware has raised the line at this instant, for [`Settings::high`]. To
    /// be called in the order of time, among all edges. Returns its number.
    pub fn record_trigger(&mut self, at: u64) -> Seq {
        self.set_clock(at);
        self.give_up(at);
        let seq = self.count_trigger();
        self.point = at.saturating_add(self.settings.high.0);
        if !self.pairing.trigger(seq, at) {
            self.totals.dropped += 1;
        }
        seq
    }

    /// Forwards to [`crate::pairing::Pairing::expected_trigger`].
    pub fn expected_trigger(&mut self, line: u8) -> Option<Seq> {
        self.pairing.expected_trigger(line)
    }

    /// Forwards to [`crate::pairing::Pairing::mark_exact`].
    pub fn mark_exact(&mut self, line: u8, seq: Seq) {
        self.pairing.mark_exact(line, seq);
    }

    /// Takes note that there was no room for the sample of a trigger, so that it was not made.
    pub fn record_dropped_trigger(&mut self) {
        self.count_trigger();
        self.totals.dropped += 1;
    }

    /// Counts grid points that had no trigger: the hardware did not get it in time.
    pub fn record_skipped(&mut self, points: u64) {
        self.totals.skipped += points;
    }

    /// Takes note that edges were lost: it is unknown which trigger the others answer. Open samples
    /// are dropped, and the run is over.
    pub fn abort_run(&mut self) {
        if self.active() {
            self.totals.dropped += self.pairing.open();
            self.pairing.clear();
            self.lower_at = None;
            self.enter(RunState::Done);
        }
    }

    pub(super) fn round_high(&mut self) {
        self.settings.high.0 -= self.settings.high.0 % self.high_step;
    }
}
