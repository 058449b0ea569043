// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator on a clock that runs as fast as its owner's loop, and a host.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use irqscope_generator::server::Server;
use irqscope_generator::{Act, Source};
use irqscope_wire::secret::Secret;
use irqscope_wire::{
    Command, Decoder, Frame, GeneratorHello, GeneratorKind, Hello, Limits, Message, PROTOCOL,
    Refusal, RunState, Status, Tick, encode,
};

pub const MS: u64 = 1_000_000;
/// Of a generator without hardware: it neither sees the target nor turns its line round.
pub const LIMITS: Limits = Limits {
    polarity: Limits::USUAL.polarity,
    sees_arming: false,
    calibrates: false,
    ..crate::limits::LIMITS
};
/// No test waits longer for anything.
const LIMIT: Duration = Duration::from_secs(60);

pub fn source(lines: u8, room: usize) -> Source {
    let hello = GeneratorHello {
        protocol: PROTOCOL,
        kind: GeneratorKind::Twin,
        tool_version: "test".into(),
        tick: Tick { femtoseconds: 1_000_000 },
        lines,
        limits: LIMITS,
        challenge: None,
    };
    Source::new(hello, 64, room, 0)
}

/// An owner's thread: every line answers every trigger after 100 ns. Its clock
/// goes on by one millisecond per turn.
pub struct Owner {
    pub address: SocketAddr,
    status: Arc<Mutex<Status>>,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Owner {
    pub fn start(lines: u8, room: usize) -> Owner {
        Self::start_at("127.0.0.1:0", lines, room)
    }

    pub fn start_at(address: &str, lines: u8, room: usize) -> Owner {
        let source = source(lines, room);
        let server = Server::start(address, &source).unwrap();
        Self::own(source, server, lines)
    }

    /// Serves only hosts that know this secret.
    pub fn guarded(secret: &str) -> Owner {
        let source = source(1, 64);
        let secret = Secret::new(secret).unwrap();
        let server = Server::guarded("127.0.0.1:0", &source, Some(secret)).unwrap();
        Self::own(source, server, 1)
    }

    fn own(mut source: Source, mut server: Server, lines: u8) -> Owner {
        let (address, status) = (server.address(), Arc::new(Mutex::new(source.status())));
        let stop = Arc::new(AtomicBool::new(false));
        let (shown, stopped) = (status.clone(), stop.clone());
        let thread = std::thread::spawn(move || {
            let mut now = 0;
            while !stopped.load(SeqCst) {
                turn(&mut source, now, lines);
                if server.exchange(&mut source, now) {
                    server.wake();
                }
                *shown.lock().unwrap() = source.status();
                now += MS;
                std::thread::sleep(Duration::from_micros(50));
            }
            source.finish();
            server.shut_down(&mut source, LIMIT);
        });
        Owner { address, status, stop, thread: Some(thread) }
    }

    pub fn status(&self) -> Status {
        *self.status.lock().unwrap()
    }

    /// Waits until the generator is so.
    pub fn await_status(&self, wanted: impl Fn(&Status) -> bool) -> Status {
        let deadline = Instant::now() + LIMIT;
        loop {
            let status = self.status();
            if wanted(&status) {
                return status;
            }
            assert!(Instant::now() < deadline, "{status:?}");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Ends the clock and shuts down; returns at once.
    pub fn stop(&self) {
        self.stop.store(true, SeqCst);
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.stop();
        let ended = self.thread.take().unwrap().join();
        assert!(ended.is_ok() || std::thread::panicking());
    }
}

fn turn(source: &mut Source, now: u64, lines: u8) {
    while let Some(due) = source.due().filter(|due| *due <= now) {
        if source.tick(due) == Act::Raise {
            (0..lines).for_each(|line| source.edge(line, due + 100));
        }
        // Only a host that does not read shall cost samples, not the window.
        source.pump();
    }
}

/// A host that notes what it gets.
pub struct Host {
    pub stream: TcpStream,
    decoder: Decoder,
    waiting: VecDeque<Frame>,
    pub sent: u64,
    pub seen: Option<u64>,
}

impl Host {
    pub fn connect(address: SocketAddr) -> Host {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(LIMIT)).unwrap();
        stream.set_write_timeout(Some(LIMIT)).unwrap();
        let decoder = Decoder::default();
        Host { stream, decoder, waiting: VecDeque::new(), sent: 0, seen: None }
    }

    /// Connects, until the generator has seen that the host before has gone,
    /// and says hello.
    pub fn greet(address: SocketAddr) -> (Host, Status) {
        let deadline = Instant::now() + LIMIT;
        loop {
            let mut host = Host::connect(address);
            assert!(matches!(host.receive(), Some(Message::GeneratorHello(_))));
            if let Some(Message::Status(status)) = host.receive() {
                host.hello(PROTOCOL);
                return (host, status);
            }
            assert!(Instant::now() < deadline, "the first host is still served");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn send(&mut self, message: Message) -> u64 {
        let frame = Frame { number: self.sent, message };
        self.sent += 1;
        self.stream.write_all(&encode(&frame).unwrap()).unwrap();
        frame.number
    }

    pub fn hello(&mut self, protocol: u16) {
        let (kind, tool_version) = ("host".into(), "test".into());
        self.send(Message::Hello(Hello { protocol, kind, tool_version, proof: None }));
    }

    /// Returns the next message; `None` at the end of the stream. Frames are numbered without gaps.
    pub fn receive(&mut self) -> Option<Message> {
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
        assert!(self.seen.is_none_or(|seen| frame.number == seen + 1), "{frame:?}");
        self.seen = Some(frame.number);
        Some(frame.message)
    }

    pub fn await_some<T>(&mut self, mut wanted: impl FnMut(Message) -> Option<T>) -> T {
        loop {
            if let Some(found) = wanted(self.receive().expect("the stream has ended")) {
                return found;
            }
        }
    }

    pub fn reply(&mut self) -> (Option<u64>, Result<Status, Refusal>) {
        self.await_some(|message| match message {
            Message::Reply(reply) => Some((reply.to, reply.result)),
            _ => None,
        })
    }

    pub fn ask(&mut self, command: impl Into<Command>) -> Result<Status, Refusal> {
        let number = self.send(Message::Command(command.into()));
        let (to, result) = self.reply();
        assert_eq!(to, Some(number));
        result
    }

    /// Reads sequence numbers until the run is done, and its last status.
    pub fn read_run(&mut self) -> (Vec<u64>, Status) {
        let mut seqs = Vec::new();
        let status = self.await_some(|message| match message {
            Message::Packet(packet) => {
                assert!(packet.totals.identity_holds());
                seqs.extend(packet.samples.iter().map(|sample| sample.seq.0));
                None
            }
            Message::Status(status) if status.state == RunState::Done => Some(status),
            _ => None,
        });
        (seqs, status)
    }
}
