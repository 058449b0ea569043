// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bytes that are nearly right, for the parsers' property tests, which
//! `make fuzz` runs for longer.
//!
//! proptest and not a coverage-guided fuzzer: those need a nightly compiler or a build of its own,
//! while these run with every `cargo test`, on any machine, and shrink what they find. The corpus
//! and the checksums, which coverage would have to discover, are given to them instead: every
//! message is in [`corpus`], and [`framed`] makes damage arrive behind the checksum, where it is
//! the content's decoder that has to bear it.

pub mod messages;

use std::sync::LazyLock;

use irqscope_wire::{
    Answer, Counters, Cycles, Frame, GeneratorHello, Mark, Message, Nanoseconds, Outcome,
    OutsideSample, Packet, Path, PathEnd, PathEvent, Response, Run, RunState, Sample, Seq, Stage,
    StageCost, Started, Status, Symbol, Tick, Totals,
};
use proptest::prelude::*;
use proptest::sample::Index;

use messages::{
    a_status, benchmarks, commands, generator, generator_hello, hello_of, started, target,
};

/// One thing done to some bytes.
#[derive(Clone, Debug)]
pub enum Edit {
    Set(Index, u8),
    Flip(Index, u8),
    /// Another number in place of the one that may be here.
    Number(Index, u64),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    Repeat(Index, usize),
    Cut(Index),
}

pub fn edits(most: usize) -> impl Strategy<Value = Vec<Edit>> {
    let at = any::<Index>;
    // Ends of ranges, of integers, of zigzag.
    let sharp = prop::sample::select(vec![0, 1, 0x7f, 0x80, 0xfe, 0xff]);
    let ends = prop::sample::select(vec![0, 1, 1 << 31, 1 << 32, 1 << 62, 1 << 63, u64::MAX]);
    let number = (ends, 0u64..3).prop_map(|(end, below)| end.wrapping_sub(below));
    let edit = prop_oneof![
        3 => (at(), sharp).prop_map(|(at, byte)| Edit::Set(at, byte)),
        3 => (at(), any::<u8>()).prop_map(|(at, byte)| Edit::Set(at, byte)),
        2 => (at(), 0..8u32).prop_map(|(at, bit)| Edit::Flip(at, 1 << bit)),
        1 => (at(), prop::collection::vec(any::<u8>(), 1..12)).prop_map(|(at, b)| Edit::Insert(at, b)),
        3 => (at(), number).prop_map(|(at, number)| Edit::Number(at, number)),
        1 => (at(), 1..40usize).prop_map(|(at, length)| Edit::Remove(at, length)),
        1 => (at(), 1..40usize).prop_map(|(at, length)| Edit::Repeat(at, length)),
        1 => at().prop_map(Edit::Cut),
    ];
    prop::collection::vec(edit, 0..most)
}

pub fn apply(bytes: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for edit in edits {
        let place = |at: &Index| at.index(bytes.len() + 1);
        match edit {
            Edit::Set(at, byte) | Edit::Flip(at, byte) => {
                let at = place(at);
                if let Some(old) = bytes.get_mut(at) {
                    *old = if matches!(edit, Edit::Set(..)) { *byte } else { *old ^ byte };
                }
            }
            Edit::Number(at, number) => {
                let at = place(at);
                let continued = bytes[at..].iter().take_while(|byte| **byte & 0x80 != 0).count();
                let end = bytes.len().min(at + continued + 1);
                bytes.splice(at..end, varint(*number));
            }
            Edit::Insert(at, more) => {
                let at = place(at);
                bytes.splice(at..at, more.iter().copied());
            }
            Edit::Remove(at, length) => {
                let (at, end) = (place(at), bytes.len());
                bytes.drain(at..end.min(at + length));
            }
            Edit::Repeat(at, length) => {
                let at = place(at);
                let piece = bytes[at..bytes.len().min(at + length)].to_vec();
                bytes.splice(at..at, piece);
            }
            Edit::Cut(at) => bytes.truncate(place(at)),
        }
    }
    bytes
}

/// Encodes as postcard does: seven bits a byte, the lowest first.
fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

const CHECKSUM: crc::Crc<u32> = crc::Crc::<u32>::new(&crc::CRC_32_ISO_HDLC);

/// Makes a frame's content, whatever it is, with the right checksum and framing.
pub fn framed(body: &[u8]) -> Vec<u8> {
    let checksum = CHECKSUM.checksum(body);
    let mut encoded = cobs::encode_vec(&[body, &checksum.to_le_bytes()].concat());
    encoded.push(0);
    encoded
}

/// Returns what [`framed`] takes.
pub fn body(frame: &Frame) -> Vec<u8> {
    postcard::to_allocvec(frame).unwrap()
}

fn numbered(messages: impl IntoIterator<Item = Message>) -> Vec<Frame> {
    messages.into_iter().zip(0..).map(|(message, number)| Frame { number, message }).collect()
}

/// Returns every message once, and those of a generator with all their variants.
pub fn corpus() -> &'static [Frame] {
    static CORPUS: LazyLock<Vec<Frame>> = LazyLock::new(|| {
        let commands = commands().map(Message::Command).collect();
        numbered([target(), benchmarks(), generator(), commands].concat())
    });
    &CORPUS
}

/// Returns the content of one of the corpus' frames.
pub fn body_in_corpus(which: Index) -> &'static [u8] {
    static BODIES: LazyLock<Vec<Vec<u8>>> = LazyLock::new(|| corpus().iter().map(body).collect());
    &BODIES[which.index(BODIES.len())]
}

/// Returns a host's side of a conversation: hello, then commands.
pub fn conversation() -> &'static [Frame] {
    static CONVERSATION: LazyLock<Vec<Frame>> = LazyLock::new(|| {
        let hello = std::iter::once(Message::Hello(hello_of("host")));
        numbered(hello.chain(commands().map(Message::Command)))
    });
    &CONVERSATION
}

/// Returns a whole run of two stages, seen by a target and, where the flag says so, by a generator:
/// a reader of it gets to the end of every path.
pub fn run() -> Vec<(bool, Frame)> {
    let stages = vec![Stage::Irq, Stage::Softirq];
    let (count, tick) = (5, Tick { femtoseconds: 1_000_000 });
    let trigger = |seq: u64| (seq + 1) * 1_000_000;
    let answered = |latency| Outcome::Answered { latency, cpu: 0, interrupts: 1, executed: None };
    let inside = |seq| Sample {
        seq: Seq(seq),
        trigger_cycles: Cycles(trigger(seq) + 300),
        trigger_ns: Nanoseconds(trigger(seq) as i64 + 300),
        responses: stages
            .iter()
            .map(|stage| Response { stage: *stage, outcome: answered(700 + seq as i64) })
            .collect(),
    };
    let outside = |seq| OutsideSample {
        seq: Seq(seq),
        trigger: Cycles(trigger(seq)),
        answers: vec![Answer::Prompt(Cycles(1_010)); 2],
        widths: vec![Some(Cycles(70)), None],
        window: 0,
        extra: 0,
    };
    let all = |triggers| Totals {
        triggers,
        complete: triggers,
        edges: 2 * triggers,
        answers: 2 * triggers,
        ..Totals::default()
    };
    let status = |state, totals| Message::Status(Status { run: 1, state, totals, ..a_status() });
    let hello = GeneratorHello { lines: 2, tick, ..generator_hello() };
    let counters = Counters { triggers: count, complete: count, ..Counters::default() };
    let target = vec![
        Message::Hello(hello_of("target")),
        Message::Started(Started { stages: stages.clone(), tick, ..started() }),
        Message::Cost(vec![StageCost { stage: Stage::Irq, cycles: Cycles(40) }]),
        Message::Samples((0..2).map(inside).collect()),
        Message::Samples((2..count).map(inside).collect()),
        Message::Symbols(symbols()),
        Message::Finished(counters),
    ];
    let packet = |samples: std::ops::Range<u64>| {
        let totals = all(samples.end);
        let samples = samples.map(outside).collect();
        Message::Packet(Packet { run: 1, samples, extras: Vec::new(), totals })
    };
    let generator = vec![
        Message::GeneratorHello(hello),
        status(RunState::Running, Totals::default()),
        Message::Path(way(trigger(0), 1_010)),
        packet(0..3),
        packet(3..count),
        status(RunState::Done, all(count)),
    ];
    let of = |generator: bool, messages| {
        numbered(messages).into_iter().map(move |frame| (generator, frame))
    };
    of(false, target).chain(of(true, generator)).collect()
}

const CODE: i64 = -0x7f00_0000;
const FAULT: i64 = CODE + 0x1000;

fn symbols() -> Vec<Symbol> {
    let symbol =
        |address: i64, name: &str| Symbol { address: address.cast_unsigned(), name: name.into() };
    vec![symbol(CODE, "f"), symbol(FAULT, "asm_exc_page_fault")]
}

/// Makes the run's first sample: 505 instructions, of which one faults before.
fn way(trigger: u64, span: u64) -> Path {
    let run = |step, instructions| Run {
        step,
        instructions,
        bytes: 4 * instructions,
        broken_off: instructions == 200,
    };
    let runs =
        vec![run(CODE, 200), run(FAULT - (CODE + 800), 105), run(CODE + 796 - (FAULT + 420), 201)];
    let mark = |position, at, event| Mark { position, at: Cycles(at), event };
    let edge = |line| mark(506, trigger + span, PathEvent::Edge(line));
    let marks = vec![mark(0, trigger, PathEvent::Trigger(Seq(0))), edge(0), edge(1)];
    Path { stretch: 0, runs, marks, end: PathEnd::Complete }
}

/// Returns its frames as they would arrive, some of them damaged behind the checksum.
pub fn damaged_run(damage: &[(Index, Vec<Edit>)]) -> Vec<(bool, Vec<u8>)> {
    static BODIES: LazyLock<Vec<(bool, Vec<u8>)>> =
        LazyLock::new(|| run().iter().map(|(from, frame)| (*from, body(frame))).collect());
    let mut bodies = BODIES.clone();
    for (which, edits) in damage {
        let which = which.index(bodies.len());
        bodies[which].1 = apply(&bodies[which].1, edits);
    }
    bodies.into_iter().map(|(from, body)| (from, framed(&body))).collect()
}

/// Makes damage for [`damaged_run`].
pub fn damage() -> impl Strategy<Value = Vec<(Index, Vec<Edit>)>> {
    prop::collection::vec((any::<Index>(), edits(3)), 0..5)
}
