// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Input in any order: every trigger and every edge is accounted for once, and no edge is given to
//! a trigger younger than its own.

use crate::limits::LIMITS;
use irqscope_generator::{Generator, LINES, Match, Pairing, Slot, Source};
use irqscope_wire::{
    Answer, Changes, Command, Cycles, GeneratorHello, GeneratorKind, JitterKind, Message, PROTOCOL,
    Pacing, Packet, RunState, Seq, StartAt, Tick, Totals,
};
use proptest::prelude::*;

const MS: u64 = 1_000_000;
const TICK: Tick = Tick { femtoseconds: 1_000_000 };

fn source(lines: u8, window: usize, room: usize) -> Source {
    let hello = GeneratorHello {
        protocol: PROTOCOL,
        kind: GeneratorKind::Twin,
        tool_version: "test".into(),
        tick: TICK,
        lines,
        limits: LIMITS,
        challenge: None,
    };
    Source::new(hello, window, room, 0)
}

/// One thing that happens to a generator.
#[derive(Clone, Debug)]
enum Event {
    /// Time goes on by this, and what is due is done.
    Pass(u64),
    Edge(u8),
    Coalesced(u8, u64),
    /// The host reads everything, or stops reading.
    Read(bool),
    Stop,
    Period(u64),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        6 => (0u64..3 * MS).prop_map(Event::Pass),
        12 => (0u8..5).prop_map(Event::Edge),
        1 => (0u8..5, 0u64..40).prop_map(|(line, back)| Event::Coalesced(line, back)),
        1 => any::<bool>().prop_map(Event::Read),
        1 => (10_000u64..2 * MS).prop_map(Event::Period),
        1 => prop::bool::weighted(0.1).prop_map(|stop| if stop { Event::Stop } else { Event::Pass(1) }),
    ]
}

#[derive(Default)]
struct Host {
    packets: Vec<Packet>,
    numbers: Vec<u64>,
}

impl Host {
    fn read(&mut self, source: &mut Source) {
        source.pump();
        while let Some(frame) = source.outbox.next() {
            self.numbers.push(frame.number);
            if let Message::Packet(packet) = frame.message {
                self.packets.push(packet);
            }
        }
    }
}

fn pass(source: &mut Source, now: &mut u64, by: u64) {
    let until = *now + by;
    while let Some(due) = source.due().filter(|due| *due <= until) {
        source.tick(due.max(*now));
        *now = due.max(*now);
        source.pump();
    }
    *now = until;
}

/// Plays the events and returns how many edges were seen within the run.
fn play(source: &mut Source, host: &mut Host, events: &[Event]) -> u64 {
    let (mut now, mut reading, mut edges) = (0, true, 0);
    for event in events {
        match *event {
            Event::Pass(by) => pass(source, &mut now, by),
            Event::Edge(line) => {
                let counts = matches!(source.state(), RunState::Running | RunState::Draining);
                edges += u64::from(counts);
                source.edge(line, now);
            }
            Event::Coalesced(line, back) => {
                let seq = source.status().totals.triggers.saturating_sub(back);
                source.mark_coalesced(line, Seq(seq));
            }
            Event::Read(read) => reading = read,
            Event::Stop => drop(source.set(Command::Stop, now)),
            Event::Period(period) => {
                let _ = source.set(Changes::default().period(Cycles(period)), now);
            }
        }
        assert!(source.status().totals.identity_holds(), "{:?}", source.status().totals);
        if reading {
            host.read(source);
        }
    }
    source.finish();
    host.read(source);
    edges
}

fn answered(samples: &[Packet]) -> u64 {
    let answers = samples.iter().flat_map(|p| &p.samples).flat_map(|sample| &sample.answers);
    answers
        .filter(|answer| matches!(answer, Answer::Prompt(_) | Answer::Late(_) | Answer::Named(_)))
        .count() as u64
}

proptest! {
    #[test]
    fn every_trigger_and_every_edge_is_accounted_for_once(
        events in prop::collection::vec(event(), 0..300),
        window in 1usize..20,
        room in 1usize..6,
        packet in 1u16..9,
        closed: bool,
        seed: u64,
    ) {
        let mut source = source(4, window, room);
        source.set(Changes::default().packet(packet), 0).unwrap();
        source.set(Changes::default().seed(seed), 0).unwrap();
        let jitter = Changes::default().jitter(JitterKind::Exponential).jitter_amount(Cycles(100_000));
        source.set(jitter, 0).unwrap();
        source.set(Changes::default().timeout(Cycles(20 * MS)), 0).unwrap();
        let pacing = if closed { Pacing::Closed } else { Pacing::Open };
        source.set(Changes::default().pacing(pacing), 0).unwrap();
        source.set(Command::Start(StartAt::Now), 0).unwrap();
        let mut host = Host::default();
        let edges = play(&mut source, &mut host, &events);

        let totals = source.status().totals;
        prop_assert!(totals.identity_holds());
        prop_assert_eq!((totals.open, totals.edges), (0, edges));
        let samples: Vec<_> = host.packets.iter().flat_map(|p| &p.samples).collect();
        // All that was kept was sent, in order; all that was not sent was counted.
        prop_assert_eq!(samples.len() as u64 + totals.dropped, totals.triggers);
        prop_assert!(samples.windows(2).all(|pair| pair[0].seq < pair[1].seq));
        prop_assert!(samples.windows(2).all(|pair| pair[0].trigger < pair[1].trigger));
        let counted = |wanted: fn(&Answer) -> bool| {
            samples.iter().filter(|sample| sample.answers.iter().any(wanted)).count() as u64
        };
        prop_assert_eq!(counted(|a| *a == Answer::Coalesced), totals.coalesced);
        if totals.dropped == 0 {
            prop_assert_eq!(answered(&host.packets), totals.answers);
        }
        prop_assert!(host.numbers.iter().enumerate().all(|(due, number)| due as u64 == *number));
    }

    #[test]
    fn an_edge_is_never_given_to_a_trigger_younger_than_its_own(
        // Per trigger: how long the response takes; none if it was merged or lost.
        responses in prop::collection::vec(prop::option::weighted(0.8, 0u64..5 * MS), 1..60),
    ) {
        let mut pairing = Pairing::new(vec![Slot::EMPTY; 64], 1);
        let mut edges: Vec<(u64, u64)> = Vec::new();
        for (seq, response) in responses.iter().enumerate() {
            // A stage answers in the order in which it was asked.
            let at = (seq as u64 + 1) * MS;
            let last = edges.last().map_or(0, |edge| edge.0);
            edges.extend(response.map(|span| ((at + span).max(last), seq as u64)));
        }
        let mut next = 0;
        for (at, own) in edges {
            while next < responses.len() && (next as u64 + 1) * MS <= at {
                assert!(pairing.trigger(Seq(next as u64), (next as u64 + 1) * MS));
                next += 1;
            }
            match pairing.edge(0, at) {
                Match::Answer(Seq(given)) => prop_assert!(given <= own),
                Match::Extra => prop_assert!(false, "a true response was called extra"),
            }
        }
    }

    #[test]
    fn with_the_targets_word_pairing_is_exact(
        responses in prop::collection::vec(prop::option::weighted(0.7, 0u64..5 * MS), 1..60),
    ) {
        let mut pairing = Pairing::new(vec![Slot::EMPTY; 64], 1);
        let mut last = 0;
        for (seq, response) in responses.iter().enumerate() {
            let seq = seq as u64;
            assert!(pairing.trigger(Seq(seq), (seq + 1) * MS));
            if response.is_none() {
                prop_assert!(pairing.mark_coalesced(0, Seq(seq)));
            }
        }
        for (seq, span) in responses.iter().enumerate().filter_map(|(s, r)| r.map(|r| (s as u64, r))) {
            last = ((seq + 1) * MS + span).max(last);
            prop_assert_eq!(pairing.edge(0, last), Match::Answer(Seq(seq)));
        }
    }

    #[test]
    fn any_command_is_answered_and_breaks_no_limit(
        values in prop::collection::vec((0u8..10, any::<u64>(), 0u32..64), 0..50),
    ) {
        let mut generator = Generator::new([Slot::EMPTY; 4], 2, LIMITS, TICK, 0);
        for (which, value, shift) in values {
            let value = value >> shift;
            let none = Changes::default();
            let command: Command = match which {
                0 => none.period(Cycles(value)).into(),
                1 => none.duty(value as u16).into(),
                2 => none.packet(value as u16).into(),
                3 => none.count(value).into(),
                4 => none.jitter(JitterKind::Uniform).jitter_amount(Cycles(value)).into(),
                5 => none.timeout(Cycles(value)).into(),
                6 => Command::Start(StartAt::Now),
                7 => Command::Stop,
                8 => none.burst(value as u32).interval(Cycles(value >> 32)).into(),
                _ => none.seed(value).into(),
            };
            let before = generator.status().settings;
            let result = generator.command(command, value);
            let after = generator.status().settings;
            prop_assert!(result.is_ok() || before == after);
            prop_assert!(LIMITS.period.contains(after.period.0));
            prop_assert!(LIMITS.count.contains(after.count));
            prop_assert!(after.high.0 >= LIMITS.pulse);
            prop_assert!(after.period.0 - after.high.0 >= LIMITS.pulse);
        }
    }
}

#[test]
fn the_extra_edge_is_flagged_in_the_trigger_before_it_and_listed() {
    let mut source = source(2, 8, 8);
    source.set(Changes::default().count(2), 0).unwrap();
    source.set(Command::Start(StartAt::Now), 0).unwrap();
    let mut now = 0;
    pass(&mut source, &mut now, MS);
    // The last line is there, and not in use.
    let last = (LINES - 1) as u8;
    for (line, at) in [(0, 5), (1, 6), (1, 7), (1, 8), (last, 9)] {
        source.edge(line, MS + at);
    }
    pass(&mut source, &mut now, MS);
    source.edge(0, 2 * MS + 5);
    source.edge(1, 2 * MS + 6);
    pass(&mut source, &mut now, 5 * MS);
    let mut host = Host::default();
    host.read(&mut source);
    let packet = &host.packets[0];
    assert_eq!(packet.samples[0].extra, 1 << 1 | 1 << last);
    assert_eq!(packet.samples[1].extra, 0);
    let extras: Vec<_> = packet.extras.iter().map(|extra| (extra.line, extra.at.0 - MS)).collect();
    assert_eq!(extras, [(1, 7), (1, 8), (last, 9)]);
    let expected =
        Totals { triggers: 2, complete: 2, edges: 7, answers: 4, extra: 3, ..Totals::default() };
    assert_eq!(packet.totals, expected);
    assert!(usize::from(packet.samples[0].extra.count_ones() as u16) <= LINES);
}

#[test]
fn a_host_that_does_not_read_costs_counted_samples_and_no_trigger() {
    let mut source = source(1, 64, 2);
    source.set(Changes::default().packet(1), 0).unwrap();
    source.set(Changes::default().count(100), 0).unwrap();
    source.set(Command::Start(StartAt::Now), 0).unwrap();
    let mut now = 0;
    for _ in 0..100 {
        pass(&mut source, &mut now, MS);
        source.edge(0, now);
    }
    pass(&mut source, &mut now, MS);
    let totals = source.status().totals;
    assert_eq!((totals.triggers, totals.edges, totals.answers), (100, 100, 100));
    let mut host = Host::default();
    host.read(&mut source);
    assert_eq!(host.packets.len() as u64, totals.complete);
    assert!(totals.dropped >= 97 && totals.identity_holds());
    assert_eq!(source.state(), RunState::Done);
}
