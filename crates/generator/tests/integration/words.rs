// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator of words in real time: a thread is the target.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::thread::JoinHandle;
use std::time::Instant;

use crate::common::Host;
use irqscope_generator::Source;
use irqscope_generator::server::Server;
use irqscope_generator::words::{self, Broken, Raised, Running, Wires, Word};
use irqscope_wire::{
    Changes, Command, Cycles, GeneratorKind, Message, Pacing, RunState, StartAt, Tick,
};

const LINES: usize = 3;
const NS: Tick = Tick { femtoseconds: 1_000_000 };

/// State that generator and target share.
#[derive(Default)]
struct Memory {
    words: [Word; LINES],
    doorbell: AtomicU32,
    over: AtomicBool,
}

struct Shared {
    memory: Arc<Memory>,
    begun: Instant,
    rung: u32,
}

impl Wires for Shared {
    fn now(&mut self) -> u64 {
        self.begun.elapsed().as_nanos() as u64
    }

    fn raise(&mut self) -> Result<Raised, Broken> {
        let at = self.now();
        self.rung = self.rung.wrapping_add(1);
        self.memory.doorbell.store(self.rung, SeqCst);
        Ok(Raised::At(at))
    }

    fn words(&self) -> &[Word] {
        &self.memory.words
    }
}

/// Answers every ring on every line, in order, until all is over.
fn target(memory: Arc<Memory>) -> JoinHandle<()> {
    std::thread::spawn(move || {
        let mut answered = 0;
        while !memory.over.load(SeqCst) {
            let rung = memory.doorbell.load(SeqCst);
            if rung != answered {
                answered = rung;
                memory.words.iter().for_each(|word| word.store(answered, 0));
            }
            std::thread::yield_now();
        }
    })
}

fn generator(memory: &Arc<Memory>) -> (Running, std::net::SocketAddr) {
    let hello = words::hello(GeneratorKind::Cpu, NS, LINES as u8, false);
    let source = Source::new(hello, 1024, 64, 0);
    let server = Server::start("127.0.0.1:0", &source).unwrap();
    let address = server.address();
    let wires = Shared { memory: memory.clone(), begun: Instant::now(), rung: 0 };
    (words::start(source, server, wires).unwrap(), address)
}

#[test]
fn every_trigger_is_answered_in_real_time_and_the_loop_ends_when_asked() {
    let memory = Arc::new(Memory::default());
    let target = target(memory.clone());
    let (running, address) = generator(&memory);
    let (mut host, _) = Host::greet(address);
    host.ask(Changes::default().count(300)).unwrap();
    host.ask(Changes::default().period(Cycles(200_000))).unwrap();
    // The target is but a thread: a trigger waits for it, however late.
    host.ask(Changes::default().pacing(Pacing::Closed)).unwrap();
    for run in 1..=2 {
        host.ask(Command::Start(StartAt::Now)).unwrap();
        let mut noted = false;
        let done = host.await_some(|message| match message {
            Message::Note(note) => {
                assert!(note.text.contains("looked at"), "{}", note.text);
                noted = true;
                None
            }
            Message::Status(status) if status.state == RunState::Done => Some(status),
            _ => None,
        });
        let totals = done.totals;
        assert!(noted && done.run == run && totals.identity_holds());
        assert_eq!((totals.triggers, totals.complete, totals.edges), (300, 300, 900));
    }
    let stats = running.stop().unwrap();
    assert!(stats.polls > 600 && stats.floor.is_some(), "{stats:?}");
    assert_eq!((stats.coincident, stats.corrupt), (0, 0));
    assert!(host.receive().is_none());
    memory.over.store(true, SeqCst);
    target.join().unwrap();
}

#[test]
fn a_target_that_never_answers_is_missing_and_holds_up_no_end() {
    let memory = Arc::new(Memory::default());
    let (running, address) = generator(&memory);
    let (mut host, _) = Host::greet(address);
    host.ask(Changes::default().count(1 << 32)).unwrap();
    host.ask(Command::Start(StartAt::Now)).unwrap();
    host.await_some(|message| match message {
        Message::Status(status) => (status.totals.triggers > 0).then_some(()),
        _ => None,
    });
    running.stop().unwrap();
    let (seqs, done) = host.read_run();
    assert_eq!(seqs.len() as u64, done.totals.missing);
    assert!(done.totals.identity_holds() && done.totals.open == 0);
}

#[test]
fn too_few_words_are_refused() {
    let source = Source::new(words::hello(GeneratorKind::Vm, NS, 4, false), 8, 8, 0);
    let server = Server::start("127.0.0.1:0", &source).unwrap();
    let memory = Arc::new(Memory::default());
    let wires = Shared { memory, begun: Instant::now(), rung: 0 };
    let error = words::start(source, server, wires).unwrap_err();
    assert_eq!(error.to_string(), "3 response words for 4 lines");
}
