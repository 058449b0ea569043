// SPDX-License-Identifier: GPL-2.0-or-later
//! The plugin in a real QEMU, with a guest of 21 bytes: it lets the port's interrupt through and
//! then toggles five data bits every 65 us, for ever. It takes no interrupt, so that its edges are
//! at exactly known distances.

use crate::guest;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use crate::guest::{PARPORT, encoded, frames, last_totals, plugin, said};
use irqscope_wire::{
    Answer, Changes, Command, Cycles, Decoder, Frame, Hello, JitterKind, Mark, Message,
    Nanoseconds, OutsideSample, PROTOCOL, Path, PathEnd, PathEvent, Polarity, Refusal, RunState,
    Setting, StartAt, encode,
};

const GUEST: [u8; 21] = [
    0xb0, 0x1c, // mov al, 1ch
    0xba, 0x7a, 0x03, // mov dx, 37ah
    0xee, // out dx, al      interrupt enable
    0xba, 0x78, 0x03, // mov dx, 378h
    0x30, 0xc0, // xor al, al
    0x34, 0x1f, // again: xor al, 1fh
    0xee, // out dx, al
    0xb9, 0x00, 0x80, // mov cx, 8000h
    0xe2, 0xfe, // loop $
    0xeb, 0xf6, // jmp again
];
/// Instructions from one `out` to the next, at 2 ns each.
const TOGGLE_NS: u64 = 2 * (0x8000 + 4);

fn jittery() -> Changes<Nanoseconds> {
    Changes::default().jitter(JitterKind::Uniform).jitter_amount(Nanoseconds(30_000)).seed(5)
}

fn start(plugin_args: &str, more: &[&str]) -> guest::Qemu {
    guest::start(&GUEST, plugin_args, more, None)
}

fn record(plugin_args: &str, more: &[&str]) -> Vec<u8> {
    guest::record(&GUEST, plugin_args, more, None)
}

#[test]
fn two_boots_give_the_same_bytes_and_every_edge_at_its_instant() {
    let settings = jittery().period(Nanoseconds(100_000)).count(200).packet(64);
    let args = format!("lines=5,{}", encoded(settings));
    let first = record(&args, &PARPORT);
    let second = record(&args, &PARPORT);
    assert_eq!(first, second);
    let frames = frames(&first);
    assert!(frames.iter().enumerate().all(|(due, frame)| frame.number == due as u64));
    let totals = last_totals(&frames);
    assert!(totals.identity_holds(), "{totals:?}");
    assert_eq!((totals.triggers, totals.complete, totals.open), (200, 200, 0));
    assert_eq!(totals.answers, 200 * 5);
    let mut edges = Vec::new();
    for frame in &frames {
        let Message::Packet(packet) = &frame.message else { continue };
        edges.extend(packet.extras.iter().filter(|extra| extra.line == 3).map(|extra| extra.at.0));
        for sample in &packet.samples {
            let (Answer::Prompt(span) | Answer::Late(span)) = sample.answers[3] else { panic!() };
            edges.push(sample.trigger.0 + span.0);
        }
    }
    edges.sort_unstable();
    // All edges are there and none is a single instruction off.
    let steps: Vec<u64> = edges.windows(2).map(|pair| pair[1] - pair[0]).collect();
    assert!(steps.len() > 200 && steps.iter().all(|step| *step == TOGGLE_NS), "{steps:?}");
}

/// Returns samples with all they have, in order.
fn samples(frames: &[Frame]) -> Vec<OutsideSample> {
    let packets = frames.iter().filter_map(|frame| match &frame.message {
        Message::Packet(packet) => Some(packet.samples.clone()),
        _ => None,
    });
    packets.flatten().collect()
}

fn paths(frames: &[Frame]) -> Vec<Path> {
    let paths = frames.iter().filter_map(|frame| match &frame.message {
        Message::Path(path) => Some(path.clone()),
        _ => None,
    });
    paths.collect()
}

#[test]
fn a_trace_has_every_instruction_and_leaves_no_trace() {
    let settings = jittery().period(Nanoseconds(150_000)).count(50);
    let args = format!("lines=5,{}", encoded(settings));
    let plain = record(&args, &PARPORT);
    let traced = frames(&record(&format!("{args},trace=20"), &PARPORT));
    assert_eq!(samples(&traced), samples(&frames(&plain)));
    let paths = paths(&traced);
    let marks: Vec<Mark> = paths.iter().flat_map(|path| path.marks.clone()).collect();
    let is_trigger = |mark: &&Mark| matches!(mark.event, PathEvent::Trigger(_));
    assert_eq!(marks.iter().filter(is_trigger).count(), 20);
    for stretch in paths.chunk_by(|one, next| one.stretch == next.stretch) {
        assert_eq!(stretch.last().unwrap().end, PathEnd::Complete);
        let marks: Vec<&Mark> = stretch.iter().flat_map(|path| &path.marks).collect();
        let runs = stretch.iter().flat_map(|path| &path.runs);
        let instructions: u64 = runs.map(|run| u64::from(run.instructions)).sum();
        let last = marks.last().unwrap();
        assert_eq!(last.position, instructions, "nothing is recorded after the last edge");
        for pair in marks.windows(2) {
            let executed = pair[1].position - pair[0].position;
            assert_eq!(pair[1].at.0 - pair[0].at.0, 2 * executed);
        }
    }
}

#[test]
fn what_cannot_work_says_why() {
    let bytes = record("", &[]);
    let frames = frames(&bytes);
    let Message::Failed(failure) = &frames.last().unwrap().message else { panic!("{frames:?}") };
    assert!(failure.what.contains("no parallel port"), "{failure:?}");
}

#[test]
fn what_is_refused_at_load_keeps_qemu_from_starting() {
    let (unusable, refused) = ("cannot be used", "refuses its settings");
    let set = |settings| format!("out=/dev/null,{}", encoded(settings));
    let none = Changes::default();
    for (args, how, why) in [
        ("out=/tmp,lines=13".into(), unusable, "lines=13 is out of range: 1 to 12"),
        ("out=/nowhere/at/all".into(), unusable, "cannot write to /nowhere/at/all"),
        (set(none.duty(1000)), refused, "duty 1000 is out of range: 1 to 999 per mille"),
        (set(none.count(0)), refused, "count 0 is out of range: 1 to 4294967296 triggers"),
        (
            set(none.polarity(Polarity::Falling)),
            refused,
            "polarity falling is not possible with this generator: ask for rising",
        ),
    ] {
        let mut qemu = start(&args, &PARPORT);
        assert!(!qemu.child.wait().unwrap().success());
        let said = said(&mut qemu);
        assert!(said.contains(&format!("the twin's generator {how}: {why}")), "{said}");
    }
}

#[test]
fn what_is_refused_at_load_is_a_frame_too() {
    let refused = |args: &str, more: &[&str]| {
        let output = tempfile::NamedTempFile::new().unwrap();
        let path = output.path().display();
        let mut qemu = start(&format!("out={path},{args}"), &[&PARPORT[..], more].concat());
        assert!(!qemu.child.wait().unwrap().success());
        let mut frames = frames(&std::fs::read(output.path()).unwrap());
        assert_eq!(frames.len(), 1, "{frames:?}");
        frames.remove(0).message
    };
    let asked = encoded(Changes::default().polarity(Polarity::Falling));
    let Message::Reply(reply) = refused(&asked, &[]) else { panic!("not a refusal") };
    let Err(Refusal::OutOfRange { setting, asked: 1, .. }) = reply.result else {
        panic!("{reply:?}")
    };
    assert_eq!((setting, reply.to), (Setting::Polarity, None));
    let Message::Failed(failure) = refused("trace=1", &["-smp", "2"]) else { panic!("works") };
    assert!(failure.what.contains("one CPU"), "{failure:?}");
}

/// A host as a test sees it.
struct Host {
    stream: TcpStream,
    decoder: Decoder,
    waiting: std::collections::VecDeque<Frame>,
    sent: u64,
    seen: Option<u64>,
}

impl Host {
    fn connect(port: u16) -> Host {
        let deadline = Instant::now() + Duration::from_secs(20);
        let stream = loop {
            match TcpStream::connect(("127.0.0.1", port)) {
                Ok(stream) => break stream,
                Err(error) => assert!(Instant::now() < deadline, "{error}"),
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        let decoder = Decoder::default();
        Host { stream, decoder, waiting: Default::default(), sent: 0, seen: None }
    }

    fn send(&mut self, message: Message) {
        let frame = Frame { number: self.sent, message };
        self.sent += 1;
        self.stream.write_all(&encode(&frame).unwrap()).unwrap();
    }

    fn hello(&mut self, protocol: u16) {
        let (kind, tool_version) = ("host".into(), "test".into());
        self.send(Message::Hello(Hello { protocol, kind, tool_version, proof: None }));
    }

    /// Returns the next message; `None` at the end of the stream.
    fn receive(&mut self) -> Option<Message> {
        let mut buffer = [0; 4096];
        while self.waiting.is_empty() {
            match self.stream.read(&mut buffer).unwrap() {
                0 => return None,
                length => self.decoder.push(&buffer[..length], |_, frame| {
                    self.waiting.push_back(frame.unwrap());
                }),
            }
        }
        let frame = self.waiting.pop_front()?;
        assert!(self.seen.is_none_or(|seen| frame.number == seen + 1));
        self.seen = Some(frame.number);
        Some(frame.message)
    }

    /// Waits for the next message of a kind.
    fn await_some<T>(&mut self, mut wanted: impl FnMut(Message) -> Option<T>) -> T {
        loop {
            if let Some(found) = wanted(self.receive().expect("the stream has ended")) {
                return found;
            }
        }
    }

    fn reply(&mut self) -> (Option<u64>, Result<irqscope_wire::Status, Refusal>) {
        self.await_some(|message| match message {
            Message::Reply(reply) => Some((reply.to, reply.result)),
            _ => None,
        })
    }

    fn ask(&mut self, command: impl Into<Command>) -> Result<irqscope_wire::Status, Refusal> {
        let number = self.sent;
        self.send(Message::Command(command.into()));
        let (to, result) = self.reply();
        assert_eq!(to, Some(number));
        result
    }
}

/// Returns a port that was free a moment ago.
fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[test]
fn a_host_sets_starts_and_stops_it_live() {
    let port = free_port();
    let _qemu = start(&format!("port={port},lines=5"), &PARPORT);
    let mut host = Host::connect(port);
    assert!(matches!(host.receive(), Some(Message::GeneratorHello(_))));
    assert!(matches!(host.receive(), Some(Message::Status(_))));
    host.hello(PROTOCOL);
    let set = host.ask(Changes::default().period(Cycles(200_000))).unwrap().settings;
    assert_eq!((set.period, set.high), (Cycles(200_000), Cycles(50_000)));
    let (lowest, highest) = (1, 999);
    let refusal = Refusal::OutOfRange { setting: Setting::Duty, asked: 0, lowest, highest };
    assert_eq!(host.ask(Changes::default().duty(0)), Err(refusal));
    host.ask(Changes::default().count(1 << 32)).unwrap();
    assert_eq!(host.ask(Command::Start(StartAt::Now)).unwrap().state, RunState::Running);
    let active = Refusal::RunActive { setting: Setting::Seed };
    assert_eq!(host.ask(Changes::default().seed(1)), Err(active));
    let first = host.await_some(|message| match message {
        Message::Packet(packet) => Some(packet.samples[0].seq.0),
        _ => None,
    });
    assert_eq!(first, 0);
    host.ask(Command::Stop).unwrap();
    let done = host.await_some(|message| match message {
        Message::Status(status) if status.state == RunState::Done => Some(status.totals),
        _ => None,
    });
    assert!(done.identity_holds() && done.open == 0 && done.complete >= 16, "{done:?}");
}

#[test]
fn bad_input_gets_its_answer_and_the_run_goes_on() {
    let port = free_port();
    let _qemu = start(&format!("port={port},lines=5"), &PARPORT);
    let mut host = Host::connect(port);
    host.stream.write_all(&[7, 7, 7, 0]).unwrap();
    assert_eq!(host.reply(), (None, Err(Refusal::Garbled { bytes: 3 })));
    host.hello(PROTOCOL);
    host.ask(Changes::default().count(1 << 32)).unwrap();
    host.ask(Command::Start(StartAt::Now)).unwrap();
    host.sent -= 1;
    let number = host.sent;
    let replayed = Refusal::OutOfSequence { number, expected: number + 1 };
    assert_eq!(host.ask(Command::Stop), Err(replayed));

    let mut second = Host::connect(port);
    assert!(matches!(second.receive(), Some(Message::GeneratorHello(_))));
    assert_eq!(second.reply(), (None, Err(Refusal::OtherHost)));
    assert!(second.receive().is_none());

    // In the middle of a frame, in the middle of a run.
    host.stream.write_all(&[9, 9]).unwrap();
    let seen = host.seen.unwrap();
    drop(host);
    let mut third = reconnect(port);
    assert!(third.seen.unwrap() > seen);
    third.hello(PROTOCOL);
    let status = third.ask(Command::Status).unwrap();
    assert_eq!((status.run, status.state), (1, RunState::Running));
    assert!(status.totals.identity_holds());

    drop(third);
    let mut fourth = reconnect(port);
    fourth.hello(99);
    let refusal = Refusal::OtherProtocol { theirs: 99, ours: PROTOCOL };
    assert_eq!(fourth.reply(), (Some(0), Err(refusal)));
    while fourth.receive().is_some() {}
}

/// Connects again: the generator needs a moment to see that a host has gone.
fn reconnect(port: u16) -> Host {
    for _ in 0..200 {
        let mut host = Host::connect(port);
        host.receive().unwrap();
        match host.receive() {
            Some(Message::Status(_)) => return host,
            _ => std::thread::sleep(Duration::from_millis(50)),
        }
    }
    panic!("the first host is still served");
}

#[test]
fn the_plugin_is_where_these_tests_look_for_it() {
    assert!(plugin().exists(), "{}", plugin().display());
}
