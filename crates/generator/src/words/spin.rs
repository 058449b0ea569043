// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The loop: look, raise what is due, and talk when there is time for it.

use std::time::Duration;

use irqscope_wire::{Message, RunState};

use super::watch::{Change, Shown, Watch, shown};
use super::{Broken, Looks, Raised, Wires};
use crate::server::Server;
use crate::{Act, Source};

/// No talking if a trigger is due within this.
const SLACK_NS: u64 = 5_000;
/// No talking more often than this, and in any case as often as the other.
const SELDOM_NS: u64 = 50_000;
const OFTEN_NS: u64 = 2_000_000;
/// While there is no run.
const REST: Duration = Duration::from_millis(1);
/// How long the end waits for a host that reads slowly.
const FAREWELL: Duration = Duration::from_secs(2);

pub struct Spin<W> {
    source: Source,
    server: Option<Server>,
    wires: W,
    lines: usize,
    watch: Watch,
    armed: bool,
    /// It was armed once: what the words say is known.
    knows_words: bool,
    looks: Looks,
    /// Whose looks these are, and whether they were told.
    run: u32,
    told: bool,
    /// When the words were last looked at, and the time before.
    looked: u64,
    looked_before: u64,
    /// The trigger that no look has followed yet.
    raised: Option<u64>,
    /// When the server was last talked to.
    talked: u64,
    slack: u64,
    seldom: u64,
    often: u64,
    broken: Option<Broken>,
}

impl<W: Wires> Spin<W> {
    pub fn new(source: Source, server: Option<Server>, wires: W) -> Self {
        let (femtoseconds, lines) = {
            let hello = source.facts();
            (hello.tick.femtoseconds.max(1), usize::from(hello.lines).min(crate::LINES))
        };
        let ticks = |ns: u64| (ns * 1_000_000).div_ceil(femtoseconds);
        Self {
            source,
            server,
            wires,
            lines,
            watch: Watch::default(),
            armed: false,
            knows_words: false,
            looks: Looks::new(ticks(Looks::BLURRED_NS)),
            run: 0,
            told: true,
            looked: 0,
            looked_before: 0,
            raised: None,
            talked: 0,
            slack: ticks(SLACK_NS),
            seldom: ticks(SELDOM_NS),
            often: ticks(OFTEN_NS),
            broken: None,
        }
    }

    pub fn begin(&mut self) {
        self.wires.begin();
        self.look_anew();
        // A run may have been started before.
        (self.run, self.told) = (self.source.status().run, self.rests_for_good());
    }

    pub fn turn(&mut self) {
        let now = self.look();
        self.do_what_is_due(now);
        if self.may_talk(now) {
            self.talk(now);
        }
        if self.rests() {
            std::thread::sleep(REST);
            self.look_anew();
        } else {
            self.wires.pause();
        }
    }

    pub fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// The last words of a run that is active; its looks.
    pub fn end(mut self) -> Result<Looks, Broken> {
        // Who has told us to end may have waited for what there is to see now.
        self.look();
        self.source.finish();
        self.tell_looks();
        self.source.pump();
        if let Some(server) = &mut self.server {
            server.farewell(&mut self.source, FAREWELL);
        }
        self.broken.map_or(Ok(self.looks), Err)
    }

    /// Nothing was watched until now.
    fn look_anew(&mut self) {
        self.looked = self.wires.now();
        self.looked_before = self.looked;
    }

    /// The words before the clock: no instant is before its edge.
    fn look(&mut self) -> u64 {
        let shown = shown(self.wires.words(), self.lines);
        let now = self.wires.now();
        let blind = self.note_look(now);
        // After the words: who resets them has disarmed before.
        let armed = self.wires.armed();
        self.take_changes(&shown, blind, now, armed);
        if armed != self.armed {
            if !armed {
                // The last answers may have come between the two looks.
                let shown = self::shown(self.wires.words(), self.lines);
                self.take_changes(&shown, blind, now, armed);
            }
            self.arm(armed, now);
        }
        now
    }

    /// How long ago an edge of this look can have been: a word was last read
    /// after the look before the last, and before the clock of the last.
    fn note_look(&mut self, now: u64) -> u64 {
        let since_last = now.saturating_sub(self.looked);
        let blind = now.saturating_sub(self.looked_before);
        (self.looked_before, self.looked) = (self.looked, now);
        if !self.rests() {
            self.looks.look(since_last, blind);
        }
        if let Some(at) = self.raised.take() {
            self.looks.first_after_trigger(now.saturating_sub(at));
        }
        blind
    }

    fn take_changes(&mut self, shown: &Shown, blind: u64, now: u64, armed: bool) {
        if self.knows_words && !self.rests() && self.watch.differs(shown) {
            self.take_edges(shown, blind, now, armed);
        }
    }

    fn take_edges(&mut self, shown: &Shown, blind: u64, now: u64, armed: bool) {
        for line in 0..self.lines {
            match self.watch.change(line, shown) {
                Change::None => {}
                Change::Strange => self.looks.strange += u64::from(armed),
                Change::Edges { count, number } => {
                    self.looks.edges(count, blind);
                    self.source.responses(line as u8, count, number, now);
                }
            }
        }
    }

    fn arm(&mut self, armed: bool, now: u64) {
        self.armed = armed;
        if armed {
            self.knows_words = true;
            self.watch.reset(&shown(self.wires.words(), self.lines));
            self.source.armed(now);
        } else {
            self.source.disarmed();
        }
    }

    /// One thing per look.
    fn do_what_is_due(&mut self, now: u64) {
        if self.source.due().is_none_or(|due| due > now) {
            return;
        }
        let now = self.wires.now();
        match self.source.tick(now) {
            Act::Raise => self.raise(),
            Act::Lower => self.wires.lower(),
            Act::Nothing => {}
        }
    }

    fn raise(&mut self) {
        match self.wires.raise() {
            Ok(Raised::At(at)) => {
                self.source.raised(at);
                self.raised = Some(at);
            }
            Ok(Raised::Numbered(at, number)) => {
                self.source.numbered(at, number);
                self.raised = Some(at);
            }
            Ok(Raised::Dropped) => self.source.dropped(),
            Ok(Raised::Merged(at)) => {
                self.source.raised(at);
                self.source.merged();
            }
            Err(broken) => {
                self.source.fail(&broken.what, &broken.remedy);
                self.broken = Some(broken);
            }
        }
    }

    fn may_talk(&self, now: u64) -> bool {
        let since = now.saturating_sub(self.talked);
        let quiet = || {
            let soon = now.saturating_add(self.slack);
            !self.source.waits() && self.source.due().is_none_or(|due| due > soon)
        };
        let time = since >= self.often || (since >= self.seldom && quiet());
        self.rests() || (self.raised.is_none() && time)
    }

    fn talk(&mut self, now: u64) {
        self.talked = now;
        if self.source.state() == RunState::Done {
            self.tell_looks();
        }
        match &mut self.server {
            Some(server) => drop(server.exchange(&mut self.source, now)),
            None => self.source.pump(),
        }
        let run = self.source.status().run;
        if run != self.run {
            (self.run, self.told) = (run, false);
            self.looks = Looks::new(self.looks.blurred_from);
        }
    }

    /// Where possible before the status that ends the run, which the next pump
    /// sends.
    fn tell_looks(&mut self) {
        if !self.told {
            self.told = true;
            self.wires.over();
            let note = self.looks.note(self.source.facts().tick);
            self.source.outbox.push(Message::Note(note));
        }
    }

    fn rests_for_good(&self) -> bool {
        matches!(self.source.state(), RunState::Idle | RunState::Done)
    }

    /// Nothing can happen that needs an instant.
    fn rests(&self) -> bool {
        !matches!(self.source.state(), RunState::Running | RunState::Draining)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::{Word, hello};
    use irqscope_wire::{
        Answer, Command, Cycles, GeneratorKind, OutsideSample, Severity, StartAt, Tick, Totals,
    };
    use std::vec::Vec;

    /// A look or a raise takes this.
    const STEP: u64 = 10;
    const NS: Tick = Tick { femtoseconds: 1_000_000 };

    /// Two words on a clock that goes on by itself; a trigger is answered, at
    /// the instants that were asked for after it, by so many responses.
    struct Sim {
        now: u64,
        words: [Word; 2],
        armed: bool,
        raised: u64,
        /// After so many stores the target's run is over.
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

    fn spin(sim: Sim, settings: &[Command]) -> Spin<Sim> {
        let mut source = Source::new(hello(GeneratorKind::Cpu, NS, 2, true), 64, 1024, 100);
        for command in [&[Command::Packet(1)], settings, &[Command::Start(StartAt::Armed)]].concat()
        {
            source.set(command, 0).unwrap();
        }
        let mut spin = Spin::new(source, None, sim);
        spin.begin();
        spin
    }

    fn counting(sim: Sim, count: u64) -> Spin<Sim> {
        spin(sim, &[Command::Count(count)])
    }

    /// Turns until the run is done and told.
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
        let longest = spin.looks.blindest;
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
        assert_eq!(spin.looks.together, 10);
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
        assert_eq!(spin.looks.strange, 0);
        // The reset before the next run, and the disarming before it, in one look.
        spin.wires.armed = false;
        spin.wires.words[0].store(0, 0);
        spin.turn();
        assert_eq!(spin.looks.strange, 0);
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
        let mut spin = spin(sim, &[Command::Count(4), Command::Patience(Cycles(5_000_000))]);
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
        let mut spin = spin(sim, &[Command::Count(2), Command::Patience(Cycles(20_000))]);
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
        let (soonest, latest) = spin.looks.floor.unwrap();
        assert!(soonest > STEP && latest < 100, "{soonest} {latest}");
    }

    #[test]
    fn nothing_is_packed_while_a_trigger_waits_unless_it_waits_for_long() {
        let sim = Sim::answering(&[(5_000_000, 0, 1), (5_000_000, 1, 1)]);
        let settings = [Command::Count(2), Command::Period(Cycles(6_000_000))];
        let mut spin = spin(sim, &settings);
        let mut talked = Vec::new();
        while spin.source.state() != RunState::Done {
            let (waited, before) = (spin.source.waits(), spin.talked);
            spin.turn();
            if spin.talked != before && waited && spin.source.waits() {
                talked.push(spin.talked - before);
            }
        }
        assert!(talked.len() >= 4 && talked.iter().all(|since| *since >= OFTEN_NS), "{talked:?}");
    }
}
