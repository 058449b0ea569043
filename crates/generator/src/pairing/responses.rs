// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Responses that name the trigger which they answer.

use irqscope_wire::Answer;

use super::{Late, Match, Pairing};
use crate::slot::Slot;

impl<S: AsRef<[Slot]> + AsMut<[Slot]>> Pairing<S> {
    /// Does as [`Pairing::set_trigger_time`]; the target numbers this one so. Once one is numbered all are,
    /// and numbers ascend from 1.
    pub fn set_trigger_number(&mut self, at: u64, number: u32) {
        self.numbered = true;
        self.set_trigger_time(at);
        if self.open() > 0 {
            self.slot_mut(self.next - 1).number = number;
        }
    }

    /// Takes `count` responses of a line that were seen at once, the last of which names its
    /// trigger; 0: the oldest that waits, for sure. Returns how many of them were answers; the
    /// others are extra edges.
    ///
    /// Where triggers are not numbered, these are as many edges.
    pub fn responses(&mut self, line: u8, count: u32, number: u32, at: u64) -> u32 {
        let line = usize::from(line);
        if !self.numbered || number == 0 {
            let late = if self.numbered { Answer::Named } else { Answer::Late };
            return self.answer_oldest(line, count, at, late);
        }
        let before = count.saturating_sub(1);
        let merged = self.waiting_before(line, number) > u64::from(before);
        // Fewer than the triggers that they are for: which of these they answer is
        // not known, only that the others were merged.
        let late = if merged { Answer::Late } else { Answer::Named };
        let mut answers = 0;
        while answers < before && self.waits_before(line, number) {
            answers += self.answer_oldest(line, 1, at, late);
        }
        if answers < before {
            self.extra(line);
        }
        self.merge_before(line, number);
        if let Some(ticket) = (self.head..self.next).find(|it| self.slot(*it).number == number) {
            self.name_turn(ticket, line);
        }
        let own = self.oldest_waiting(line).filter(|it| self.slot(*it).number == number);
        answers + u32::from(self.answer(line, own, at, Answer::Named) != Match::Extra)
    }

    /// Returns how many of `count` edges answer a trigger, the oldest ones.
    fn answer_oldest(&mut self, line: usize, count: u32, at: u64, late: Late) -> u32 {
        let mut answers = 0;
        for _ in 0..count {
            let oldest = self.oldest_waiting(line);
            answers += u32::from(self.answer(line, oldest, at, late) != Match::Extra);
        }
        answers
    }

    /// Returns how many triggers with a lower number wait on a line.
    fn waiting_before(&mut self, line: usize, number: u32) -> u64 {
        let Some(first) = self.oldest_waiting(line) else { return 0 };
        let slots = (first..self.next).map(|ticket| self.slot(ticket));
        let older = slots.take_while(|slot| slot.number < number);
        older.filter(|slot| slot.answers[line].is_none()).count() as u64
    }

    fn waits_before(&mut self, line: usize, number: u32) -> bool {
        let oldest = self.oldest_waiting(line);
        oldest.is_some_and(|ticket| self.slot(ticket).number < number)
    }

    fn merge_before(&mut self, line: usize, number: u32) {
        while self.waits_before(line, number)
            && let Some(ticket) = self.oldest_waiting(line)
        {
            self.settle(ticket, line, Answer::Coalesced);
        }
    }
}
