// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Whose turn it is, where the first line answers each trigger and one of the others in turn.
//! The rule is in [`crate::pairing`].

use irqscope_wire::Answer;

use crate::pairing::Pairing;
use crate::slot::Slot;

/// Whose turn it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turns {
    /// Triggers in a turn.
    length: u32,
    /// Triggers that are left of this turn.
    left: u32,
    /// The line whose turn it is; 0: the first turn has not begun.
    line: usize,
}

impl Turns {
    /// Begins before the first turn.
    pub(crate) fn new(length: u32) -> Self {
        Self { length, left: 0, line: 0 }
    }

    /// Takes one trigger; returns the line that it asks, of `lines` the first one among them.
    fn take(&mut self, lines: usize) -> usize {
        if self.left == 0 {
            self.line = self.line % (lines - 1) + 1;
            self.left = self.length;
        }
        self.left -= 1;
        self.line
    }
}

impl<S: AsRef<[Slot]> + AsMut<[Slot]>> Pairing<S> {
    /// Settles a ticket's answer on a line, if it waits there. False if it does not.
    pub(crate) fn settle(&mut self, ticket: u64, line: usize, answer: Answer) -> bool {
        let settled = self.slot_mut(ticket).settle(line, answer);
        if settled && line == 0 {
            let took_it = !matches!(answer, Answer::Missing | Answer::Coalesced);
            self.take_turn(ticket, took_it);
        }
        settled
    }

    /// Settles all lines on which a ticket waits.
    pub(crate) fn settle_all(&mut self, ticket: u64, answer: Answer) {
        for line in 0..self.lines() {
            self.settle(ticket, line, answer);
        }
    }

    /// Returns whether it is known that a ticket asked this line.
    pub(crate) fn has_asked(&self, ticket: u64, line: usize) -> bool {
        self.turns.is_none() || line == 0 || self.slot(ticket).has_turn
    }

    /// Gives a ticket the next turn; `took_it`: the target took its interrupt.
    fn take_turn(&mut self, ticket: u64, took_it: bool) {
        let (lines, Some(turns)) = (self.lines(), &mut self.turns) else { return };
        let turn = took_it.then(|| turns.take(lines));
        if !self.slot(ticket).has_turn {
            self.set_turn(ticket, turn);
        }
    }

    /// Takes a response's word that it is this ticket's turn; its first line may be seen later.
    pub(crate) fn name_turn(&mut self, ticket: u64, line: usize) {
        if self.turns.is_some() && line > 0 && !self.slot(ticket).has_turn {
            self.set_turn(ticket, Some(line));
        }
    }

    fn set_turn(&mut self, ticket: u64, turn: Option<usize>) {
        let lines = self.lines();
        let slot = self.slot_mut(ticket);
        slot.has_turn = true;
        for line in (1..lines).filter(|line| Some(*line) != turn) {
            slot.answers[line] = Some(Answer::Unasked);
        }
        slot.waiting -= u8::from(turn.is_none());
    }
}
