// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The generator's messages on the wire: all of them come back as they were,
//! and their bytes stay what they are.

use irqscope_wire::{
    Answer, Calibration, Changes, Command, Cycles, ExtraEdge, Frame, JitterKind, Limits, Loopback,
    Message, OutsideSample, Packet, Polarity, Refusal, Reply, RunState, Seq, Setting, Settings,
    Shape, StartAt, Status, Tick, Totals, decode, encode,
};
use proptest::prelude::*;

fn status(run: u32) -> Status {
    let settings = Settings {
        jitter: JitterKind::Uniform,
        jitter_amount: Cycles(5),
        seed: u64::MAX,
        high: Cycles(250_000),
        ..Settings::initial(&Limits::USUAL, Tick { femtoseconds: 1_000_000 })
    };
    Status {
        run,
        state: RunState::Running,
        settings,
        totals: Totals::default(),
        now: Cycles(1 << 34),
    }
}

fn answer() -> impl Strategy<Value = Answer> {
    prop_oneof![
        any::<u64>().prop_map(|span| Answer::Prompt(Cycles(span))),
        any::<u64>().prop_map(|span| Answer::Late(Cycles(span))),
        Just(Answer::Missing),
        Just(Answer::Coalesced),
        any::<u64>().prop_map(|span| Answer::Named(Cycles(span))),
    ]
}

fn command() -> impl Strategy<Value = Command> {
    prop_oneof![
        (any::<u64>(), any::<u16>()).prop_map(|(long, short)| {
            Command::Set(Changes::default().period(Cycles(long)).duty(short).seed(long))
        }),
        Just(Changes::default().jitter(JitterKind::Exponential).lines(3).into()),
        Just(Changes::default().polarity(Polarity::Falling).shape(Shape::Pulse).into()),
        Just(Command::Calibrate),
        Just(Command::Start(StartAt::Armed)),
        Just(Command::Stop),
        Just(Command::Status),
    ]
}

fn packet() -> impl Strategy<Value = Packet> {
    let answers = prop::collection::vec(answer(), 0..12);
    let sample = (any::<u64>(), any::<u64>(), answers, any::<u16>()).prop_map(
        |(seq, trigger, answers, extra)| OutsideSample {
            seq: Seq(seq),
            trigger: Cycles(trigger),
            answers,
            extra,
            widths: vec![Some(Cycles(trigger))],
            window: 0,
        },
    );
    let extra =
        (any::<u8>(), any::<u64>()).prop_map(|(line, at)| ExtraEdge { line, at: Cycles(at) });
    let samples = prop::collection::vec(sample, 0..20);
    (any::<u32>(), samples, prop::collection::vec(extra, 0..5)).prop_map(
        |(run, samples, extras)| Packet {
            run,
            samples,
            extras,
            totals: Totals { triggers: 9, ..Totals::default() },
        },
    )
}

fn calibration((offset, measurements): (i64, u32)) -> Message {
    let loopback = Loopback { offset, lowest: offset, highest: i64::MAX, measurements };
    Message::Calibration(Calibration { lines: vec![Some(loopback), None] })
}

fn message() -> impl Strategy<Value = Message> {
    let refusal = Refusal::OutOfRange { setting: Setting::Duty, asked: 0, lowest: 1, highest: 999 };
    prop_oneof![
        command().prop_map(Message::Command),
        packet().prop_map(Message::Packet),
        any::<u32>().prop_map(|run| Message::Status(status(run))),
        (any::<i64>(), any::<u32>()).prop_map(calibration),
        any::<u64>().prop_map(|to| Message::Reply(Reply { to: Some(to), result: Ok(status(1)) })),
        Just(Message::Reply(Reply { to: None, result: Err(refusal) })),
    ]
}

proptest! {
    #[test]
    fn every_message_comes_back_as_it_was(number: u64, message in message()) {
        let frame = Frame { number, message };
        let bytes = encode(&frame).unwrap();
        prop_assert_eq!(decode(&bytes[..bytes.len() - 1]), Ok(frame));
    }
}

/// A change of these bytes is a change of the protocol: raise its version.
#[test]
fn a_command_and_a_packet_have_the_documented_bytes() {
    let body = |message| {
        let bytes = encode(&Frame { number: 5, message }).unwrap();
        let mut body = cobs::decode_vec(&bytes[..bytes.len() - 1]).unwrap();
        body.truncate(body.len() - 4); // the CRC-32
        body
    };
    // A byte for each setting that is not asked for.
    let of = |setting: &Setting| if *setting == Setting::Duty { &[1, 0xfa, 1][..] } else { &[0] };
    let settings: Vec<u8> = Setting::ALL.iter().flat_map(of).copied().collect();
    assert_eq!(
        body(Message::Command(Changes::default().duty(250).into())),
        [&[5, 9, 0], &settings[..]].concat()
    );
    let sample = OutsideSample {
        seq: Seq(300),
        trigger: Cycles(7),
        answers: vec![Answer::Prompt(Cycles(2)), Answer::Missing],
        extra: 2,
        widths: vec![None, Some(Cycles(3))],
        window: 1,
    };
    let extras = vec![ExtraEdge { line: 1, at: Cycles(9) }];
    let totals =
        Totals { triggers: 1, missing: 1, edges: 2, answers: 1, extra: 1, ..Totals::default() };
    let packet = Packet { run: 1, samples: vec![sample], extras, totals };
    let expected = [
        5, 11, 1, 1, 0xac, 2, 7, 2, 0, 2, 2, 2, 2, 0, 1, 3, 1, 1, 1, 9, 1, 0, 1, 0, 0, 0, 0, 2, 1,
        1,
    ];
    assert_eq!(body(Message::Packet(packet)), expected);
}

#[test]
fn a_refusal_names_the_setting_and_its_limits() {
    let refusal = Refusal::OutOfRange { setting: Setting::Period, asked: 0, lowest: 5, highest: 9 };
    assert_eq!(refusal.to_string(), "period 0 is out of range: 5 to 9 ticks");
}
