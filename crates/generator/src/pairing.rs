// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Which trigger an edge answers.
//!
//! Response lines toggle: an edge says that a stage ran, and not for which
//! trigger. So this is what can be known from outside, and what cannot.
//!
//! **The rule.** On each line for itself, an edge answers the oldest trigger
//! that still waits there. If none waits, it is an extra edge. A trigger waits
//! until its edge comes, until the target says that the response was merged
//! with an earlier one ([`Pairing::mark_coalesced`]), or until the caller's timeout
//! has run out ([`Pairing::give_up`]): that no response is slower than the timeout
//! is the one promise that all of this rests on.
//!
//! **Known.** If one trigger only was waiting, the edge is its answer: `Prompt`.
//! This holds for all responses faster than the period. If several were waiting
//! and every trigger has its edge, which need not be in time, the rule is
//! right as well, since a stage answers in the order in which it is asked.
//!
//! **Not known.** Where two triggers were merged into one response, or an
//! interrupt was lost before it reached the CPU, one edge is missing among
//! several waiting triggers, and no observation from outside says which. The
//! rule then gives every later edge to a trigger too old, until the line has no
//! trigger waiting any more. Every such answer says `Late`, and the span it
//! gives is an upper bound: an edge is never given to a trigger younger than
//! its own, as long as there are no extra edges while a trigger waits. A late
//! response is so never folded into a shorter one. Guessing (the youngest
//! trigger, the parity of the level) would get most of them right, and hide
//! exactly those that matter.
//!
//! **Responses with a name.** A target that numbers its triggers where they are
//! made can say with each response which one it answers ([`Pairing::set_trigger_number`],
//! [`Pairing::responses`]). Then nothing is guessed: an older trigger that still
//! waits on that line was merged, for a stage answers in the order in which it is
//! asked. Only where several responses came at once, of which the last alone can
//! be read, and were fewer than the triggers they were for, is it unknown which of
//! these they answer.
//!
//! **In turn.** Of a target in mode `isolated` the first line answers each trigger and one of the
//! others, each for some triggers in a row ([`Pairing::take_turns`]). The target counts the interrupts
//! that its handler took, not the triggers. So it is known whose turn it is when the first line
//! answers: each such answer is one further, and an interrupt that was lost counts for none. From then on the trigger
//! waits on its turn's line alone, and the others get [`Answer::Unasked`]. A trigger that the first
//! line does not answer has asked no line.
//!
//! **Mending it.** A host with the target's records knows what was merged: play the triggers and
//! edges again and call [`Pairing::mark_coalesced`] right after each trigger that was. All instants,
//! those of extra edges too, are in the packets.
//!
//! Memory is bounded: at most as many triggers are open as there are slots. One
//! more is refused, and its caller must not raise the line, so that no edge of
//! an unknown trigger exists.

mod responses;

use irqscope_wire::{Answer, Cycles, Seq};

use crate::slot::{LINES, Slot};
use crate::turns::Turns;

/// The meaning of a span if a younger trigger is out already.
type Late = fn(Cycles) -> Answer;

/// The meaning of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// It answered the trigger with this number.
    Answer(Seq),
    /// An edge that answers no trigger.
    Extra,
}

/// Open triggers in the caller's memory.
///
/// Triggers are numbered by tickets without gaps; ticket t lies in slot
/// t % slots. Useful invariant: head <= waits[line] <= next or the line waits
/// for the head, and no trigger below waits[line] waits on that line.
#[derive(Clone, Debug)]
pub struct Pairing<S> {
    slots: S,
    lines: usize,
    /// The oldest open ticket.
    head: u64,
    /// The ticket of the next trigger.
    next: u64,
    /// All below were given up, as far as they waited at all.
    given_up: u64,
    waits: [u64; LINES],
    /// The ticket that a line's pulse answers, and when it began.
    pulses: [Option<(u64, u64)>; LINES],
    /// The target numbers triggers.
    numbered: bool,
    /// The lines after the first answer in turn; None: all answer.
    pub(crate) turns: Option<Turns>,
}

impl<S: AsRef<[Slot]> + AsMut<[Slot]>> Pairing<S> {
    /// Makes a pairing; `slots` must not be empty. More lines than [`LINES`] are not watched.
    pub fn new(slots: S, lines: u8) -> Self {
        let lines = usize::from(lines).min(LINES);
        let (waits, pulses) = ([0; LINES], [None; LINES]);
        Self {
            slots,
            lines,
            head: 0,
            next: 0,
            given_up: 0,
            waits,
            pulses,
            numbered: false,
            turns: None,
        }
    }

    /// Forgets all open triggers.
    pub fn clear(&mut self) {
        (self.head, self.next, self.given_up, self.waits) = (0, 0, 0, [0; LINES]);
        self.pulses = [None; LINES];
        self.numbered = false;
        self.turns = None;
    }

    /// Returns how many lines are watched.
    pub fn lines(&self) -> usize {
        self.lines
    }

    /// Watches this number of lines; nothing may be open.
    pub fn watch(&mut self, lines: u8) {
        self.lines = usize::from(lines).min(LINES);
    }

    /// Lets the lines after the first answer in turn, each `length` (at least 1) triggers in a row;
    /// nothing may be open. With one such line or none that is as without.
    pub fn take_turns(&mut self, length: u32) {
        self.turns = (self.lines > 2).then(|| Turns::new(length.max(1)));
    }

    /// Returns how many triggers' samples were not taken yet.
    pub fn open(&self) -> u64 {
        self.next - self.head
    }

    /// Takes a trigger. False if there is no room: then do not raise the line.
    pub fn trigger(&mut self, seq: Seq, at: u64) -> bool {
        if self.open() >= self.slots.as_ref().len() as u64 {
            return false;
        }
        let waiting = if self.turns.is_some() { 2 } else { self.lines as u8 };
        *self.slot_mut(self.next) = Slot { seq, at, waiting, ..Slot::EMPTY };
        self.next += 1;
        true
    }

    /// Takes note that the youngest trigger was really made then, before any edge of its own.
    pub fn set_trigger_time(&mut self, at: u64) {
        if self.open() > 0 {
            self.slot_mut(self.next - 1).at = at;
        }
    }

    /// Takes the youngest trigger back: it was not made after all.
    pub fn remove_youngest(&mut self) {
        if self.open() > 0 {
            self.next -= 1;
            self.given_up = self.given_up.min(self.next);
            self.waits = self.waits.map(|ticket| ticket.min(self.next));
        }
    }

    /// Takes note that the youngest trigger gets no edges of its own, on no line.
    pub fn coalesce_youngest(&mut self) {
        if self.open() > 0 {
            self.settle_all(self.next - 1, Answer::Coalesced);
        }
    }

    /// Takes an edge of a line that toggles.
    pub fn edge(&mut self, line: u8, at: u64) -> Match {
        let line = usize::from(line);
        let oldest = self.oldest_waiting(line);
        self.answer(line, oldest, at, Answer::Late)
    }

    /// Takes an edge with which a pulse begins; its sample is not final until it ends.
    pub fn rise(&mut self, line: u8, at: u64) -> Match {
        let index = usize::from(line);
        let oldest = self.oldest_waiting(index);
        let seen = self.answer(index, oldest, at, Answer::Late);
        if let (Some(ticket), Match::Answer(_)) = (oldest, seen) {
            self.pulses[index] = Some((ticket, at));
            self.slot_mut(ticket).high |= 1 << index;
        }
        seen
    }

    /// Takes the end of a pulse. That of an extra edge is not counted.
    pub fn fall(&mut self, line: u8, at: u64) {
        let line = usize::from(line);
        let Some((ticket, began)) = self.pulses.get_mut(line).and_then(Option::take) else {
            return;
        };
        if (self.head..self.next).contains(&ticket) {
            let slot = self.slot_mut(ticket);
            slot.high &= !(1 << line);
            slot.widths[line] = at.saturating_sub(began);
        }
    }

    /// Takes an edge for this trigger, which waits; `late` is what it is if a younger one is out.
    fn answer(&mut self, line: usize, ticket: Option<u64>, at: u64, late: Late) -> Match {
        match ticket {
            // An edge earlier than the trigger cannot be its response.
            Some(ticket) if self.slot(ticket).at <= at => {
                let is_late = ticket + 1 < self.next;
                let Slot { seq, at: trigger, .. } = *self.slot(ticket);
                let span = Cycles(at - trigger);
                self.settle(ticket, line, if is_late { late(span) } else { Answer::Prompt(span) });
                Match::Answer(seq)
            }
            _ => self.extra(line),
        }
    }

    /// Takes the target's word that this trigger gets no edge of its own on this line. False if the
    /// trigger is not open or does not wait there any more.
    pub fn mark_coalesced(&mut self, line: u8, seq: Seq) -> bool {
        let line = usize::from(line);
        match self.find(seq) {
            Some(ticket) if line < self.lines => self.settle(ticket, line, Answer::Coalesced),
            _ => false,
        }
    }

    /// Marks a line's answer to this trigger as exact: it was seen by looking in every cycle.
    pub fn mark_exact(&mut self, line: u8, seq: Seq) {
        if let Some(ticket) = self.find(seq).filter(|_| usize::from(line) < self.lines) {
            self.slot_mut(ticket).window |= 1 << line;
        }
    }

    /// Returns the trigger that an edge on this line would answer.
    pub fn expected_trigger(&mut self, line: u8) -> Option<Seq> {
        let oldest = self.oldest_waiting(usize::from(line));
        oldest.map(|ticket| self.slot(ticket).seq)
    }

    fn find(&self, seq: Seq) -> Option<u64> {
        let (mut low, mut high) = (self.head, self.next);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.slot(middle).seq < seq { low = middle + 1 } else { high = middle }
        }
        (low < self.next && self.slot(low).seq == seq).then_some(low)
    }

    /// Gives up what was triggered at `until` or before and still waits: it is missing.
    pub fn give_up(&mut self, until: u64) {
        while self.given_up < self.next {
            let ticket = self.given_up;
            if ticket >= self.head {
                if self.slot(ticket).at > until {
                    return;
                }
                self.slot_mut(ticket).high = 0;
                self.settle_all(ticket, Answer::Missing);
            }
            self.given_up += 1;
        }
    }

    /// Returns when the oldest trigger that still waits was made.
    pub fn waiting_since(&self) -> Option<u64> {
        self.waiting().next().map(|slot| slot.at)
    }

    /// Returns the triggers that still wait, the oldest first.
    pub fn waiting(&self) -> impl Iterator<Item = &Slot> {
        let open = self.given_up.max(self.head)..self.next;
        open.map(|ticket| self.slot(ticket)).filter(|slot| !slot.is_settled())
    }

    /// Takes the oldest sample once it is final: nothing of it waits, and the
    /// next trigger is out, so that all its extra edges have been seen. With
    /// `over` no trigger follows.
    pub fn take(&mut self, over: bool) -> Option<Slot> {
        let followed = over || self.head + 1 < self.next;
        if self.head == self.next || !followed || !self.slot(self.head).is_settled() {
            return None;
        }
        let slot = *self.slot(self.head);
        self.head += 1;
        Some(slot)
    }

    fn oldest_waiting(&mut self, line: usize) -> Option<u64> {
        if line >= self.lines {
            return None;
        }
        let mut ticket = self.waits[line].max(self.head);
        while ticket < self.next && self.slot(ticket).answers[line].is_some() {
            ticket += 1;
        }
        self.waits[line] = ticket;
        (ticket < self.next && self.has_asked(ticket, line)).then_some(ticket)
    }

    fn extra(&mut self, line: usize) -> Match {
        if self.open() > 0 && line < LINES {
            self.slot_mut(self.next - 1).extra |= 1 << line;
        }
        Match::Extra
    }

    pub(crate) fn slot(&self, ticket: u64) -> &Slot {
        let slots = self.slots.as_ref();
        &slots[place(ticket, slots.len())]
    }

    pub(crate) fn slot_mut(&mut self, ticket: u64) -> &mut Slot {
        let slots = self.slots.as_mut();
        let length = slots.len();
        &mut slots[place(ticket, length)]
    }
}

/// Returns the slot of a ticket. A small processor divides 64 bits in hundreds of cycles, and this
/// is done often.
fn place(ticket: u64, slots: usize) -> usize {
    if slots.is_power_of_two() {
        ticket as usize & (slots - 1)
    } else {
        (ticket % slots as u64) as usize
    }
}
