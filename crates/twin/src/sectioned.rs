// SPDX-License-Identifier: GPL-2.0-or-later
//! The sections of one CPU, made of what was the case before each instruction that it executed: see
//! [`crate::sections`].

use std::collections::{HashMap, HashSet};

use irqscope_wire::{HOLD_BINS, Message, SECTION_WAY, Section, SectionKind, Sections};

use crate::enabling::Enables;
use crate::trace::Insn;

/// Places that are kept apart.
const MOST_PLACES: usize = 1 << 16;
/// Parts of the word of preemption (include/linux/preempt.h, arch/x86/include/asm/preempt.h): the
/// scheduler is asked for while the highest bit is 0.
pub const NOT_ASKED_FOR: u32 = 1 << 31;
/// Hard interrupts, and softirqs that are being served.
const IN_INTERRUPT: u32 = 0x000f_0100;

/// A section that has begun.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Place {
    kind: SectionKind,
    begin: u64,
    way: [u64; SECTION_WAY],
}

#[derive(Debug, Default)]
struct Figures {
    count: u64,
    total: u64,
    longest: u64,
    histogram: Vec<u64>,
}

/// Sections that are open, and all that have ended.
#[derive(Debug)]
pub struct Recorder {
    executed: u64,
    /// The last instruction, and where the one after it lies.
    last: u64,
    next: u64,
    last_ended_block: bool,
    /// The effect that the last instruction may have had on interrupts.
    last_enables: Enables,
    /// Where handlers begin, as far as they were seen to interrupt something.
    entries: HashSet<u64>,
    /// Nothing is known of the instruction before.
    fresh: bool,
    /// Where the CPU jumped from, the latest first.
    way: [u64; SECTION_WAY],
    /// The instruction before which the latest interrupt came, and the jumps before it.
    interrupted: [u64; SECTION_WAY],
    /// By kind: the place, and instructions executed before.
    open: [Option<(Place, u64)>; SectionKind::ALL.len()],
    places: HashMap<Place, Figures>,
    others: u64,
    longest_other: u64,
}

impl Default for Recorder {
    fn default() -> Self {
        Self {
            executed: 0,
            last: 0,
            next: 0,
            last_ended_block: false,
            last_enables: Enables::Never,
            entries: HashSet::new(),
            fresh: true,
            way: Default::default(),
            interrupted: Default::default(),
            open: Default::default(),
            places: HashMap::new(),
            others: 0,
            longest_other: 0,
        }
    }
}

impl Recorder {
    /// Forgets the sections that are open: they begin anew with the next instruction.
    pub fn pause(&mut self) {
        self.open = Default::default();
        self.fresh = true;
    }

    /// Ends the sections that are open; the last instruction is the one that halts.
    pub fn halt(&mut self) {
        for (place, since) in std::mem::take(&mut self.open).into_iter().flatten() {
            self.add(place, self.executed - since);
        }
        self.pause();
    }

    /// Takes what is the case before an instruction.
    pub fn look(&mut self, insn: Insn, takes_interrupts: bool, preemption: Option<u32>) {
        let address = insn.address();
        let jumped = self.fresh || address != self.next;
        if jumped && !self.fresh {
            // The last one faulted, and was called only: see crate::trace.
            self.executed -= u64::from(!self.last_ended_block);
            self.way.rotate_right(1);
            self.way[0] = self.last;
        }
        if self.fresh {
            self.way = Default::default();
            self.way[0] = self.last;
        }
        let here = if jumped { address } else { self.last };
        let way = self.way;
        if jumped && !takes_interrupts && self.is_interrupted(address) {
            self.interrupted = way;
            // Interrupts were enabled, if only for this one to come.
            self.note(SectionKind::InterruptsOff, false, here, way);
        }
        self.note(SectionKind::InterruptsOff, !takes_interrupts, here, way);
        if let Some(word) = preemption {
            let here = if self.fresh { address } else { self.last };
            self.note(SectionKind::PreemptionOff, word & !NOT_ASKED_FOR != 0, here, way);
            let way = if word & IN_INTERRUPT != 0 { self.interrupted } else { way };
            self.note(SectionKind::Unscheduled, word & NOT_ASKED_FOR == 0, here, way);
        }
        self.executed += 1;
        self.last = address;
        self.next = address.wrapping_add(insn.length().into());
        self.last_ended_block = insn.ends_block();
        self.last_enables = insn.enables();
        self.fresh = false;
    }

    /// Returns whether a jump with interrupts disabled was an interrupt, or an exception while they were enabled.
    fn is_interrupted(&mut self, address: u64) -> bool {
        let was_off = self.open[SectionKind::InterruptsOff as usize].is_some();
        match self.last_enables {
            _ if self.fresh => true,
            _ if !was_off => {
                self.entries.insert(address);
                true
            }
            Enables::Behind => true,
            Enables::Elsewhere => self.entries.contains(&address),
            Enables::Never => false,
        }
    }

    fn note(&mut self, kind: SectionKind, on: bool, begin: u64, way: [u64; SECTION_WAY]) {
        let open = &mut self.open[kind as usize];
        match (&*open, on) {
            (None, true) => *open = Some((Place { kind, begin, way }, self.executed)),
            (Some((place, since)), false) => {
                let (place, length) = (*place, self.executed - since);
                *open = None;
                self.add(place, length);
            }
            _ => {}
        }
    }

    fn add(&mut self, place: Place, length: u64) {
        if self.places.len() >= MOST_PLACES && !self.places.contains_key(&place) {
            self.others += 1;
            self.longest_other = self.longest_other.max(length);
            return;
        }
        let figures = self.places.entry(place).or_default();
        figures.count += 1;
        figures.total += length;
        figures.longest = figures.longest.max(length);
        let bin = (length.max(1).ilog2() as usize).min(HOLD_BINS - 1);
        if figures.histogram.len() <= bin {
            figures.histogram.resize(bin + 1, 0);
        }
        figures.histogram[bin] += 1;
    }

    /// Returns all that was found, in an order that two runs have in common.
    pub fn messages(self) -> Vec<Message> {
        let mut all: Vec<(Place, Figures)> = self.places.into_iter().collect();
        all.sort_by_key(|(place, _)| (place.kind, place.begin, place.way));
        let sections = all.into_iter().map(section).collect();
        Sections { sections, others: self.others, longest_other: self.longest_other }.messages()
    }
}

fn section((place, figures): (Place, Figures)) -> Section {
    let Place { kind, begin, way } = place;
    let Figures { count, total, longest, histogram } = figures;
    let way = way.into_iter().filter(|address| *address != 0).collect();
    Section { kind, begin, way, count, total, longest, histogram }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: u64 = 0xffff_ffff_8100_0000;
    const IDLE: u32 = NOT_ASKED_FOR;

    /// Lets a CPU execute: address, whether its block ends there, IF and the word before it.
    fn run(steps: &[(u64, bool, bool, u32)]) -> Vec<Section> {
        let mut recorder = Recorder::default();
        for (address, ends, takes_interrupts, word) in steps {
            let insn = Insn::new(CODE + address, 1, *ends);
            recorder.look(insn, *takes_interrupts, Some(*word));
        }
        let [Message::Sections(all)] = &recorder.messages()[..] else { panic!() };
        all.sections.clone()
    }

    #[test]
    fn a_section_is_as_long_as_what_was_executed_in_it() {
        // A call from 9 to 20; cli at 20, sti at 22.
        let found = run(&[
            (9, true, true, IDLE),
            (20, false, true, IDLE),
            (21, false, false, IDLE),
            (22, true, false, IDLE),
            (23, true, true, IDLE),
        ]);
        let [one] = &found[..] else { panic!("{found:?}") };
        assert_eq!((one.kind, one.begin), (SectionKind::InterruptsOff, CODE + 20));
        assert_eq!((one.count, one.total, one.longest), (1, 2, 2));
        assert_eq!((&one.way[..], &one.histogram[..]), (&[CODE + 9][..], &[0, 1][..]));
    }

    #[test]
    fn an_interrupt_begins_its_section_and_names_what_it_interrupted() {
        let found = run(&[
            (9, true, true, IDLE),
            (1, true, true, IDLE),
            (50, false, false, IDLE),
            // Preemption off, by the interrupt's entry, and then the scheduler is asked for.
            (51, false, false, IDLE | 0x1_0000),
            (52, false, false, 0x1_0000),
            (53, true, false, 0),
            (2, true, true, 0),
            (3, true, true, IDLE),
        ]);
        let of = |kind| found.iter().find(|one| one.kind == kind).unwrap();
        let off = of(SectionKind::InterruptsOff);
        assert_eq!((off.begin, off.total, off.way[0]), (CODE + 50, 4, CODE + 1));
        assert_eq!(of(SectionKind::PreemptionOff).total, 2);
        let pending = of(SectionKind::Unscheduled);
        assert_eq!((pending.total, &pending.way[..]), (3, &[CODE + 1, CODE + 9][..]));
    }

    /// Returns the lengths of the sections with interrupts disabled, by where they begin.
    fn lengths(steps: &[(u64, Enables, bool)]) -> Vec<(u64, u64)> {
        let mut recorder = Recorder::default();
        for (address, enables, takes_interrupts) in steps {
            let insn = Insn::new(CODE + address, 1, true).enabling(*enables);
            recorder.look(insn, *takes_interrupts, None);
        }
        let [Message::Sections(all)] = &recorder.messages()[..] else { panic!() };
        all.sections.iter().map(|one| (one.begin - CODE, one.total)).collect()
    }

    #[test]
    fn an_interrupt_that_comes_at_once_ends_the_section_before_it() {
        let never = Enables::Never;
        // The handler at 50 interrupts 21, which enables interrupts with another one waiting; it returns to 22.
        let found = lengths(&[
            (20, never, true),
            (21, never, false),
            (22, Enables::Behind, false),
            (50, never, false),
            (51, Enables::Elsewhere, false),
            (23, never, true),
            (24, never, true),
        ]);
        assert_eq!(found, [(20, 2), (50, 2)]);
        // It is known where handlers begin: here it comes again as it returns. Going on at 23 with interrupts
        // disabled, as after a fault there, is no interrupt.
        let found = lengths(&[
            (20, never, true),
            (50, never, false),
            (51, Enables::Elsewhere, false),
            (50, never, false),
            (51, Enables::Elsewhere, false),
            (23, never, false),
            (24, never, true),
        ]);
        assert_eq!(found, [(50, 2), (50, 3)]);
    }

    #[test]
    fn an_instruction_that_faults_was_not_executed() {
        // The one at 2 faults, and its block does not end there; it is executed after the handler.
        let found = run(&[
            (1, false, true, IDLE | 1),
            (2, false, true, IDLE | 1),
            (90, true, false, IDLE | 1),
            (2, true, true, IDLE | 1),
            (3, true, true, IDLE),
        ]);
        let of = |kind| found.iter().find(|one| one.kind == kind).unwrap().total;
        assert_eq!((of(SectionKind::PreemptionOff), of(SectionKind::InterruptsOff)), (3, 1));
    }

    #[test]
    fn what_goes_on_beyond_a_halt_begins_anew() {
        let mut recorder = Recorder::default();
        recorder.look(Insn::new(CODE, 1, true), true, Some(IDLE | 1));
        recorder.halt();
        recorder.look(Insn::new(CODE + 60, 1, true), true, Some(IDLE | 1));
        recorder.look(Insn::new(CODE + 61, 1, true), true, Some(IDLE));
        let [Message::Sections(all)] = &recorder.messages()[..] else { panic!() };
        let found: Vec<_> = all.sections.iter().map(|one| (one.begin, one.total)).collect();
        assert_eq!(found, [(CODE, 1), (CODE + 60, 1)]);
    }

    #[test]
    fn too_many_places_are_counted_together() {
        let mut recorder = Recorder::default();
        let place =
            |begin| Place { kind: SectionKind::InterruptsOff, begin, way: [0; SECTION_WAY] };
        for begin in 0..MOST_PLACES as u64 + 3 {
            recorder.add(place(begin), begin);
        }
        recorder.add(place(1), 7);
        let messages = recorder.messages();
        let others: u64 = messages
            .iter()
            .map(|message| match message {
                Message::Sections(all) => all.others,
                other => panic!("{other:?}"),
            })
            .sum();
        assert_eq!((messages.len(), others), (MOST_PLACES / irqscope_wire::SECTION_CHUNK, 3));
    }
}
