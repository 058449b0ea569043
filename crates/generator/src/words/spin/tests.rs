// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The loop on a clock, and on words, that the tests move.

use super::*;
use crate::words::{Word, hello};
use irqscope_wire::{
    Answer, Changes, Command, Cycles, GeneratorKind, OutsideSample, Severity, StartAt, Tick, Totals,
};
use std::vec::Vec;

/// A look or a raise takes this.
const STEP: u64 = 10;
const NS: Tick = Tick { femtoseconds: 1_000_000 };

/// Two words on a clock that goes on by itself; a trigger is answered, at the instants that were
/// asked for after it, by the given numbers of responses.
struct Sim {
    now: u64,
    words: [Word; 2],
    armed: bool,
    raised: u64,
    /// After this number of stores the target's run is over.
    ends_after: Option<usize>,
    breaks_at: Option<u64>,
    merges_at: Option<u64>,
    /// Triggers have numbers, but for the one that there is no room for.
    drops_at: Option<u64>,
    /// Of the last trigger; 0 if they have none.
    number: u32,
    overs: u32,
    /// Delay after a trigger, line, responses.
    answers: Vec<(u64, usize, u32)>,
    due: Vec<(u64, usize, u32)>,
    /// Each store, by line: when and how many.
    stored: Vec<(u64, usize, u32)>,
}

impl Sim {
    fn answering(answers: &[(u64, usize, u32)]) -> Self {
        let words = [Word::new(u32::MAX - 5), Word::new(0)];
        let (answers, armed) = (answers.to_vec(), true);
        let (due, stored) = (Vec::new(), Vec::new());
        let (ends_after, breaks_at, merges_at, drops_at) = (None, None, None, None);
        let (now, raised, overs, number) = (0, 0, 0, 0);
        Self {
            now,
            words,
            armed,
            raised,
            ends_after,
            breaks_at,
            merges_at,
            drops_at,
            number,
            overs,
            answers,
            due,
            stored,
        }
    }
}

impl Wires for Sim {
    fn now(&mut self) -> u64 {
        self.now += STEP;
        let now = self.now;
        for (_, line, count) in self.due.extract_if(.., |(at, ..)| *at <= now) {
            let word = &self.words[line];
            word.store(word.count().wrapping_add(count), self.number);
            self.stored.push((now, line, count));
        }
        self.armed &= self.ends_after != Some(self.stored.len());
        now
    }

    fn raise(&mut self) -> Result<Raised, Broken> {
        let at = self.now;
        self.now += STEP;
        self.raised += 1;
        if self.breaks_at == Some(self.raised) {
            return Err(Broken { what: "no interrupt".into(), remedy: "wire it".into() });
        }
        if self.merges_at == Some(self.raised) {
            return Ok(Raised::Merged(at));
        }
        let now = self.now;
        if self.drops_at == Some(self.raised) {
            return Ok(Raised::Dropped);
        }
        self.due.extend(self.answers.iter().map(|&(after, l, n)| (now + after, l, n)));
        if self.drops_at.is_none() {
            return Ok(Raised::At(at));
        }
        self.number += 1;
        Ok(Raised::Numbered(at, self.number))
    }

    fn over(&mut self) {
        self.overs += 1;
    }

    fn words(&self) -> &[Word] {
        &self.words
    }

    fn armed(&self) -> bool {
        self.armed
    }
}

fn spin(sim: Sim, settings: Changes) -> Spin<Sim> {
    let mut source = Source::new(hello(GeneratorKind::Cpu, NS, 2, true), 64, 1024, 100);
    for command in [settings.packet(1).into(), Command::Start(StartAt::Armed)] {
        source.set(command, 0).unwrap();
    }
    let mut spin = Spin::new(source, None, sim);
    spin.begin();
    spin
}

fn counting(sim: Sim, count: u64) -> Spin<Sim> {
    spin(sim, Changes::default().count(count))
}

/// Turns until the run is done and reported.
fn play(spin: &mut Spin<Sim>) -> (Vec<OutsideSample>, Vec<Message>) {
    let (mut samples, mut others) = (Vec::new(), Vec::new());
    while !matches!(others.last(), Some(Message::Status(s)) if s.state == RunState::Done) {
        spin.turn();
        assert!(spin.wires.now < 1_000_000_000_000, "no end: {others:?}");
        while let Some(frame) = spin.source.outbox.next() {
            match frame.message {
                Message::Packet(packet) => samples.extend(packet.samples),
                other => others.push(other),
            }
        }
    }
    (samples, others)
}

fn totals(spin: &Spin<Sim>) -> Totals {
    let totals = spin.source.status().totals;
    assert!(totals.identity_holds() && totals.open == 0, "{totals:?}");
    totals
}

#[test]
fn an_edge_has_the_instant_of_the_look_that_saw_it_and_never_one_before_it() {
    let mut spin = counting(Sim::answering(&[(300, 0, 1), (777, 1, 1)]), 20);
    let (samples, _) = play(&mut spin);
    assert_eq!((samples.len(), spin.wires.raised), (20, 20));
    let longest = spin.stats.max_gap;
    for (sample, stored) in samples.iter().zip(spin.wires.stored.chunks(2)) {
        for (answer, (at, line, _)) in sample.answers.iter().zip(stored) {
            let Answer::Prompt(span) = answer else { panic!("{sample:?} {line}") };
            let seen = sample.trigger.0 + span.0;
            assert!(*at <= seen && seen <= at + longest, "{at} {seen} {longest}");
        }
    }
    // It took the word over its end.
    assert_eq!(spin.wires.words[0].count(), 14);
}

#[test]
fn responses_between_two_looks_are_each_counted_at_the_instant_of_the_second() {
    let mut spin = counting(Sim::answering(&[(300, 0, 1), (300, 1, 3)]), 5);
    play(&mut spin);
    let totals = totals(&spin);
    assert_eq!((totals.complete, totals.answers, totals.extra), (5, 10, 10));
    assert_eq!(spin.stats.coincident, 10);
}

#[test]
fn words_are_the_targets_own_while_it_wants_no_triggers() {
    let mut sim = Sim::answering(&[(300, 0, 1), (300, 1, 1)]);
    sim.armed = false;
    let mut spin = counting(sim, 3);
    for count in [7, 1000, 0] {
        spin.wires.words[0].store(count, 0);
        spin.turn();
    }
    assert_eq!(spin.source.state(), RunState::Waiting);
    spin.wires.armed = true;
    play(&mut spin);
    assert_eq!((totals(&spin).complete, totals(&spin).edges), (3, 6));
    assert_eq!(spin.stats.corrupt, 0);
    // The reset before the next run, and the disarming before it, in one look.
    spin.wires.armed = false;
    spin.wires.words[0].store(0, 0);
    spin.turn();
    assert_eq!(spin.stats.corrupt, 0);
}

#[test]
fn the_last_response_is_measured_though_the_targets_run_ends_in_the_same_look() {
    let mut sim = Sim::answering(&[(300, 0, 1), (5_000, 1, 1)]);
    sim.ends_after = Some(2);
    let mut spin = counting(sim, 1);
    let (samples, _) = play(&mut spin);
    let Answer::Prompt(span) = samples[0].answers[1] else { panic!("{samples:?}") };
    assert!((5_000..5_100).contains(&span.0), "{span:?}");
}

#[test]
fn a_target_whose_run_has_ended_is_not_waited_for() {
    let mut sim = Sim::answering(&[(300, 0, 1)]);
    sim.ends_after = Some(3);
    let mut spin = counting(sim, 3);
    play(&mut spin);
    assert_eq!((totals(&spin).missing, totals(&spin).edges), (3, 3));
    assert!(spin.wires.now < 10_000_000, "{}", spin.wires.now);
}

#[test]
fn a_trigger_that_met_one_still_pending_is_coalesced() {
    let mut sim = Sim::answering(&[(300, 0, 1), (300, 1, 1)]);
    sim.merges_at = Some(2);
    let mut spin = counting(sim, 3);
    let (samples, _) = play(&mut spin);
    assert_eq!(samples[1].answers, [Answer::Coalesced, Answer::Coalesced]);
    assert_eq!((totals(&spin).coalesced, totals(&spin).complete), (1, 2));
    assert_eq!(spin.wires.overs, 1);
}

#[test]
fn a_trigger_that_the_target_has_no_room_for_is_dropped_and_shifts_no_other() {
    let mut sim = Sim::answering(&[(300, 0, 1), (300, 1, 1)]);
    sim.drops_at = Some(2);
    let mut spin = counting(sim, 4);
    let (samples, _) = play(&mut spin);
    let seqs: Vec<u64> = samples.iter().map(|sample| sample.seq.0).collect();
    assert_eq!(seqs, [0, 2, 3]);
    let prompt = |answer: &Answer| matches!(answer, Answer::Prompt(_));
    assert!(samples.iter().all(|sample| sample.answers.iter().all(prompt)));
    assert_eq!((totals(&spin).dropped, totals(&spin).complete), (1, 3));
}

#[test]
fn a_response_that_names_its_trigger_tells_which_ones_were_merged() {
    let mut sim = Sim::answering(&[(2_500_000, 0, 1)]);
    sim.drops_at = Some(1);
    let mut spin = spin(sim, Changes::default().count(4).timeout(Cycles(5_000_000)));
    // Answers are late by more than two periods and name the trigger that is the
    // youngest by then.
    let (samples, _) = play(&mut spin);
    let first: Vec<Answer> = samples.iter().map(|sample| sample.answers[0]).collect();
    assert_eq!(first[..2], [Answer::Coalesced, Answer::Coalesced]);
    assert!(matches!(first[2], Answer::Prompt(_)), "{first:?}");
}

#[test]
fn an_interrupt_that_cannot_be_raised_ends_the_loop_and_says_why() {
    let mut sim = Sim::answering(&[(300, 0, 1), (300, 1, 1)]);
    sim.breaks_at = Some(2);
    let mut spin = counting(sim, 5);
    while !spin.is_broken() {
        spin.turn();
    }
    let mut failed = None;
    while let Some(frame) = spin.source.outbox.next() {
        if let Message::Failed(failure) = frame.message {
            failed = Some(failure.what);
        }
    }
    assert_eq!(failed.as_deref(), Some("no interrupt"));
    assert_eq!(spin.end().unwrap_err().remedy, "wire it");
}

#[test]
fn a_word_that_somebody_else_writes_to_is_told_and_makes_no_edges() {
    let sim = Sim::answering(&[(300, 0, 1), (300, 1, 1 << 30)]);
    let mut spin = spin(sim, Changes::default().count(2).timeout(Cycles(20_000)));
    let (_, others) = play(&mut spin);
    assert_eq!((totals(&spin).missing, totals(&spin).edges), (2, 2));
    let note = others.iter().find_map(|message| match message {
        Message::Note(note) => Some(note),
        _ => None,
    });
    assert_eq!(note.map(|note| note.severity), Some(Severity::Warning));
}

#[test]
fn a_note_on_the_looks_comes_before_the_status_that_ends_the_run() {
    let mut spin = counting(Sim::answering(&[(300, 0, 1), (300, 1, 1)]), 3);
    let (_, others) = play(&mut spin);
    let kinds: Vec<bool> = others.iter().map(|m| matches!(m, Message::Note(_))).collect();
    assert!(kinds.len() >= 2 && kinds[kinds.len() - 2], "{others:?}");
    let (soonest, latest) = spin.stats.floor.unwrap();
    assert!(soonest > STEP && latest < 100, "{soonest} {latest}");
}

#[test]
fn nothing_is_packed_while_a_trigger_waits_unless_it_waits_for_long() {
    let sim = Sim::answering(&[(5_000_000, 0, 1), (5_000_000, 1, 1)]);
    let settings = Changes::default().count(2).period(Cycles(6_000_000));
    let mut spin = spin(sim, settings);
    let mut talked = Vec::new();
    while spin.source.state() != RunState::Done {
        let (waited, before) = (spin.source.is_waiting(), spin.talked);
        spin.turn();
        if spin.talked != before && waited && spin.source.is_waiting() {
            talked.push(spin.talked - before);
        }
    }
    assert!(talked.len() >= 4 && talked.iter().all(|since| *since >= OFTEN_NS), "{talked:?}");
}
