// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The host's end against the server of every generator, and against what is
//! no generator.

use crate::common;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::common::Owner;
use crate::mutate::{apply, body_in_corpus, edits, framed};
use irqscope_rig::Stop;
use irqscope_rig::generator::{Client, GeneratorError, Received, look};
use irqscope_wire::{
    Changes, Cycles, Frame, GeneratorHello, Message, PROTOCOL, Refusal, RunState, Setting, StartAt,
    Status, decode, encode,
};
use proptest::prelude::*;
use proptest::sample::Index;

const LIMIT: Duration = Duration::from_secs(60);

fn connect(address: SocketAddr) -> Result<Client, GeneratorError> {
    Client::connect(&address.to_string(), &Stop::default())
}

/// Reads frames until the run is done, and its last status.
fn read_run(client: &mut Client) -> Result<(Vec<Received>, Status), GeneratorError> {
    let deadline = Instant::now() + LIMIT;
    let mut all = Vec::new();
    loop {
        assert!(Instant::now() < deadline);
        let Some(received) = client.next(Duration::from_secs(1))? else { continue };
        let message = received.frame.as_ref().unwrap().message.clone();
        all.push(received);
        match message {
            Message::Status(status) if status.state == RunState::Done => return Ok((all, status)),
            _ => {}
        }
    }
}

fn seqs(received: &[Received]) -> Vec<u64> {
    let messages = received.iter().map(|it| &it.frame.as_ref().unwrap().message);
    let packets = messages.filter_map(|message| match message {
        Message::Packet(packet) => Some(packet),
        _ => None,
    });
    packets.flat_map(|packet| &packet.samples).map(|sample| sample.seq.0).collect()
}

#[test]
fn settings_are_told_as_they_are_and_every_frame_is_handed_out_as_it_came() {
    let owner = Owner::start(2, 64);
    let mut client = connect(owner.address).unwrap();
    assert_eq!(client.hello().lines, 2);
    let set = client.set(Changes::default().period(Cycles(50_000))).unwrap().settings;
    assert_eq!((set.period, set.high), (Cycles(50_000), Cycles(12_500)));
    client.set(Changes::default().count(500)).unwrap();
    client.start(StartAt::Now).unwrap();
    let (all, done) = read_run(&mut client).unwrap();
    assert_eq!(seqs(&all), (0..500).collect::<Vec<_>>());
    assert_eq!(done.totals.complete, 500);
    assert!(matches!(
        all[0].frame.as_ref().unwrap().message,
        Message::GeneratorHello(GeneratorHello { lines: 2, .. })
    ));
    let replies = |it: &&Received| matches!(it.frame.as_ref().unwrap().message, Message::Reply(_));
    assert_eq!(all.iter().filter(replies).count(), 3);
    for (number, received) in all.iter().enumerate() {
        assert_eq!(received.missed, 0);
        assert_eq!(received.frame.as_ref().unwrap().number, number as u64);
        assert_eq!(decode(&received.encoded), received.frame);
    }
}

#[test]
fn a_refusal_names_the_limit_and_changes_nothing() {
    let owner = Owner::start(1, 64);
    let mut client = connect(owner.address).unwrap();
    let before = client.status().unwrap();
    for (command, setting, asked) in [
        (Changes::default().period(Cycles(0)), Setting::Period, 0),
        (Changes::default().duty(0), Setting::Duty, 0),
        (Changes::default().duty(1000), Setting::Duty, 1000),
        (Changes::default().count(u64::MAX), Setting::Count, u64::MAX),
    ] {
        let error = client.set(command).unwrap_err();
        let GeneratorError::Refused(Refusal::OutOfRange { setting: named, asked: told, .. }) =
            error
        else {
            panic!("{error}")
        };
        assert_eq!((named, told), (setting, asked));
    }
    assert_eq!(client.status().unwrap().settings, before.settings);
}

/// Passes bytes on to a generator, until it is cut.
struct Cable {
    address: SocketAddr,
    streams: Arc<Mutex<Vec<TcpStream>>>,
}

impl Cable {
    fn to(generator: SocketAddr) -> Cable {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let streams: Arc<Mutex<Vec<TcpStream>>> = Arc::default();
        let kept = streams.clone();
        std::thread::spawn(move || {
            for near in listener.incoming().flatten() {
                let far = TcpStream::connect(generator).unwrap();
                for (from, to) in [(&near, &far), (&far, &near)] {
                    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
                    kept.lock().unwrap().push(from.try_clone().unwrap());
                    std::thread::spawn(move || {
                        let _ = std::io::copy(&mut from, &mut to);
                        let _ = to.shutdown(Shutdown::Both);
                    });
                }
            }
        });
        Cable { address, streams }
    }

    fn cut(&self) {
        for stream in self.streams.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

#[test]
fn a_lost_connection_is_taken_up_again_with_the_gap_on_record() {
    let owner = Owner::start(1, 1024);
    let cable = Cable::to(owner.address);
    let mut client = connect(cable.address).unwrap();
    client.set(Changes::default().count(1 << 32)).unwrap();
    client.start(StartAt::Now).unwrap();
    let mut all = Vec::new();
    while seqs(&all).len() < 100 {
        all.extend(client.next(LIMIT).unwrap());
    }
    cable.cut();
    let lost = loop {
        match client.next(LIMIT) {
            Ok(received) => all.extend(received),
            Err(error) => break error,
        }
    };
    assert!(matches!(lost, GeneratorError::Lost { .. }), "{lost}");
    client.reconnect(LIMIT).unwrap();
    let status = client.status().unwrap();
    assert_eq!((status.run, status.state), (1, RunState::Running));
    client.stop().unwrap();
    let (rest, done) = read_run(&mut client).unwrap();
    all.extend(rest);

    let missed: u64 = all.iter().map(|received| received.missed).sum();
    let last = all.last().unwrap().frame.as_ref().unwrap().number;
    assert_eq!(all.len() as u64 + missed, last + 1, "every frame came or is known to be missing");
    let seqs = seqs(&all);
    assert!(seqs.windows(2).all(|pair| pair[0] < pair[1]));
    let gone = done.totals.complete - seqs.len() as u64;
    assert!(done.totals.identity_holds() && (gone == 0 || missed > 0), "{gone} {missed}");
}

#[test]
fn a_generator_that_was_started_anew_is_not_taken_for_the_one_before() {
    let first = Owner::start(1, 64);
    let address = first.address;
    let mut client = connect(address).unwrap();
    for _ in 0..10 {
        client.status().unwrap();
    }
    drop(first);
    let _other = Owner::start_at(&address.to_string(), 1, 64);
    while client.next(LIMIT).is_ok() {}
    let error = client.reconnect(LIMIT).unwrap_err();
    assert!(matches!(error, GeneratorError::Anew { .. }), "{error}");
}

#[test]
fn a_second_host_is_told_that_there_is_a_first() {
    let owner = Owner::start(1, 64);
    let _first = connect(owner.address).unwrap();
    let error = connect(owner.address).unwrap_err();
    assert!(matches!(error, GeneratorError::Busy { .. }), "{error}");
}

#[test]
fn a_host_that_comes_between_a_connection_and_its_hello_is_waited_for() {
    let owner = Owner::start(1, 64);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let (address, generator) = (listener.local_addr().unwrap(), owner.address);
    std::thread::spawn(move || {
        let mut is_first = true;
        for near in listener.incoming().flatten() {
            let far = TcpStream::connect(generator).unwrap();
            let (mut from, mut to) = (far.try_clone().unwrap(), near.try_clone().unwrap());
            let back = std::thread::spawn(move || {
                let _ = std::io::copy(&mut from, &mut to);
                let _ = to.shutdown(Shutdown::Both);
            });
            // The generator's hello is under way, and the host's is not yet passed on.
            let other = is_first.then(|| connect(generator).unwrap());
            is_first = false;
            let _ = std::io::copy(&mut &near, &mut &far);
            let _ = far.shutdown(Shutdown::Both);
            back.join().unwrap();
            drop(other);
        }
    });
    let mut client = Client::connect_when_free(&address.to_string(), &Stop::default()).unwrap();
    assert!(client.status().is_ok());
}

#[test]
fn a_generator_with_a_secret_serves_only_hosts_that_know_it() {
    let owner = Owner::guarded("correct horse battery");
    let dir = tempfile::tempdir().unwrap();
    let address = |name: &str, secret: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, secret).unwrap();
        format!("{}?secret-file={}", owner.address, path.display())
    };
    let open = |address: &str| Client::connect(address, &Stop::default());
    // Every peer may ask where it stands.
    assert!(look(&owner.address.to_string(), &Stop::default()).is_ok());
    let none = open(&owner.address.to_string()).unwrap_err();
    assert!(matches!(none, GeneratorError::NeedsSecret { .. }), "{none}");
    assert!(none.to_string().contains("?secret-file=FILE"), "{none}");
    let wrong = open(&address("wrong", "correct horse batterx")).unwrap_err();
    assert!(matches!(wrong, GeneratorError::WrongSecret { .. }), "{wrong}");
    let right = address("right", "correct horse battery\n");
    let mut client = open(&right).unwrap();
    client.set(Changes::default().count(7)).unwrap();
    client.reconnect(LIMIT).unwrap();
    assert_eq!(client.status().unwrap().settings.count, 7);
}

#[test]
fn nobody_there_has_a_remedy_and_a_stop_is_not_waited_for() {
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = connect(gone).unwrap_err();
    assert!(matches!(error, GeneratorError::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains("remedy"), "{error}");
    let owner = Owner::start(1, 64);
    let stop = Stop::default();
    let mut client = Client::connect(&owner.address.to_string(), &stop).unwrap();
    stop.request();
    assert!(matches!(client.status(), Err(GeneratorError::Interrupted)));
}

/// Says this to the first client, and reads until it goes.
fn saying(bytes: Vec<u8>) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.write_all(&bytes);
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    });
    (address, thread)
}

fn greeting(protocol: u16) -> Vec<u8> {
    let source = common::source(1, 8);
    let hello = GeneratorHello { protocol, ..source.hello().clone() };
    let messages = [Message::GeneratorHello(hello), Message::Status(source.status())];
    let frames = messages.into_iter().zip(0..);
    frames.flat_map(|(message, number)| encode(&Frame { number, message }).unwrap()).collect()
}

#[test]
fn what_is_no_generator_or_of_another_protocol_is_told_apart() {
    let (address, other) = saying(greeting(99));
    let error = connect(address).unwrap_err();
    assert!(matches!(error, GeneratorError::OtherProtocol { theirs: 99, .. }), "{error}");
    other.join().unwrap();
    let (address, other) = saying(b"SSH-2.0-OpenSSH_9.2\r\n\0".to_vec());
    let error = connect(address).unwrap_err();
    assert!(matches!(error, GeneratorError::NoGenerator { .. }), "{error}");
    other.join().unwrap();
}

#[test]
fn silence_is_a_loss() {
    let (address, other) = saying(greeting(PROTOCOL));
    let mut client = connect(address).unwrap();
    client.set_idle_timeout(Duration::from_millis(300));
    for _ in 0..2 {
        assert!(client.next(LIMIT).unwrap().is_some());
    }
    let error = client.next(LIMIT).unwrap_err();
    assert!(error.to_string().contains("silent for 0.3 seconds"), "{error}");
    drop(client);
    other.join().unwrap();
}

#[test]
fn a_generator_that_cannot_work_says_so_instead_of_answering() {
    let mut bytes = greeting(PROTOCOL);
    let (what, remedy) = ("no port".to_owned(), "add one".to_owned());
    let message = Message::Failed(irqscope_wire::Failure { what, remedy, invalid: false });
    bytes.extend(encode(&Frame { number: 2, message }).unwrap());
    let (address, other) = saying(bytes);
    let mut client = connect(address).unwrap();
    let error = client.status().unwrap_err();
    assert!(matches!(error, GeneratorError::Failed { .. }), "{error}");
    drop(client);
    other.join().unwrap();
}

/// Says hello, and then the same again and again until the host has gone.
fn saying_for_ever(bytes: Vec<u8>) -> (SocketAddr, JoinHandle<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.write_all(&greeting(PROTOCOL));
        while stream.write_all(&bytes).is_ok() {}
    });
    (address, thread)
}

/// Returns the most memory that this process has had, in MiB.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() >> 10
}

#[test]
fn a_peer_that_floods_is_left_and_named_and_takes_little_memory() {
    // Decoded, a line without calibration takes 32 bytes for each that it came with.
    let calibration = irqscope_wire::Calibration { lines: vec![None; 1_000_000] };
    let heavy = encode(&Frame { number: 9, message: Message::Calibration(calibration) }).unwrap();
    for flood in [[9, 0].repeat(1 << 15), greeting(PROTOCOL), heavy] {
        let (address, other) = saying_for_ever(flood);
        let mut client = connect(address).unwrap();
        let error = client.status().unwrap_err();
        // A slow machine has not understood as much within the time of an answer.
        let (GeneratorError::Flooded { address: named, .. }
        | GeneratorError::Lost { address: named, .. }) = &error
        else {
            panic!("{error}")
        };
        assert_eq!(*named, address.to_string());
        drop(client);
        other.join().unwrap();
    }
    assert!(peak() < 256, "{} MiB", peak());
}

proptest! {
    // A connection each: make fuzz shall end in this life.
    #![proptest_config(ProptestConfig {
        cases: ProptestConfig::default().cases.min(20_000), ..ProptestConfig::default()
    })]

    #[test]
    fn any_bytes_from_a_generator_are_borne(
        bytes in prop::collection::vec(any::<u8>(), 0..300),
        greeted: bool,
        at in any::<Index>(),
    ) {
        let mut all = if greeted { greeting(PROTOCOL) } else { Vec::new() };
        let at = at.index(all.len() + 1);
        all.splice(at..at, bytes);
        hear(all);
    }

    #[test]
    fn any_damage_to_what_a_generator_says_is_borne(
        frames in prop::collection::vec((any::<Index>(), edits(3)), 0..8),
        greeted: bool,
    ) {
        let mut all = if greeted { greeting(PROTOCOL) } else { Vec::new() };
        for (which, edits) in frames {
            all.extend(framed(&apply(body_in_corpus(which), &edits)));
        }
        hear(all);
    }
}

/// Does everything that a client does with a generator that says this.
fn hear(bytes: Vec<u8>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let other = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let _ = stream.write_all(&bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
    });
    if let Ok(mut client) = connect(address) {
        let _ = client.status();
        while client.next(LIMIT).is_ok_and(|received| received.is_some()) {}
    }
    other.join().unwrap();
}
