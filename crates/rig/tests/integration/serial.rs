// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The host's end on a serial line, for which a pseudo terminal is one.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use crate::common::Owner;
use irqscope_rig::Stop;
use irqscope_rig::generator::{Client, GeneratorError, look};
use irqscope_wire::{Changes, Message, RunState, StartAt};
use nix::pty::openpty;
use nix::sys::termios::{SetArg, cfmakeraw, tcgetattr, tcsetattr};

const LIMIT: Duration = Duration::from_secs(60);

/// A board's serial line: a pseudo terminal that leads to a generator's socket. A client that sends
/// the wake-up sequence gets a connection of its own, and first the end of what was meant for
/// another one.
struct Line {
    address: String,
    /// Keeps the line there while no host has it.
    _far: OwnedFd,
}

impl Line {
    fn to(generator: SocketAddr) -> Self {
        let pair = openpty(None, None).unwrap();
        let path = nix::unistd::ttyname(&pair.slave).unwrap();
        let mut raw = tcgetattr(&pair.slave).unwrap();
        cfmakeraw(&mut raw);
        tcsetattr(&pair.slave, SetArg::TCSANOW, &raw).unwrap();
        let near = File::from(pair.master);
        std::thread::spawn(move || carry(near, generator));
        Self { address: format!("serial://{}", path.display()), _far: pair.slave }
    }

    fn try_to_connect(&self) -> Result<Client, GeneratorError> {
        Client::connect(&self.address, &Stop::default())
    }

    /// Connects: the generator's socket may not know yet that the host before has gone.
    fn connect(&self) -> Client {
        let deadline = Instant::now() + LIMIT;
        loop {
            match self.try_to_connect() {
                Err(GeneratorError::Busy { .. }) if Instant::now() < deadline => {}
                result => return result.unwrap(),
            }
        }
    }
}

fn carry(mut near: File, generator: SocketAddr) {
    let mut host: Option<TcpStream> = None;
    let mut zeros = 0;
    let mut bytes = [0; 4096];
    while let Ok(length) = near.read(&mut bytes) {
        for byte in &bytes[..length] {
            zeros = if *byte == 0 { zeros + 1 } else { 0 };
            if zeros == 4 {
                zeros = 0;
                host = Some(greet(host, &near, generator));
            } else if let Some(host) = &mut host {
                let _ = host.write_all(&[*byte]);
            }
        }
    }
}

fn greet(before: Option<TcpStream>, near: &File, generator: SocketAddr) -> TcpStream {
    if let Some(before) = before {
        let _ = before.shutdown(Shutdown::Both);
    }
    let mut far = TcpStream::connect(generator).unwrap();
    let (host, mut near) = (far.try_clone().unwrap(), near.try_clone().unwrap());
    near.write_all(&[1, 2, 3, 0, 5, 6, 0]).unwrap();
    std::thread::spawn(move || std::io::copy(&mut far, &mut near));
    host
}

#[test]
fn a_run_over_a_serial_line_is_the_same_as_over_tcp() {
    let owner = Owner::start(2, 64);
    let line = Line::to(owner.address);
    assert_eq!(look(&line.address, &Stop::default()).unwrap().0.lines, 2);
    let mut client = line.connect();
    client.set(Changes::default().count(500)).unwrap();
    client.start(StartAt::Now).unwrap();
    let (mut seqs, mut missed) = (Vec::new(), 0);
    loop {
        let received = client.next(LIMIT).unwrap().unwrap();
        missed += received.missed;
        match received.frame.unwrap().message {
            Message::Packet(packet) => seqs.extend(packet.samples.iter().map(|it| it.seq.0)),
            Message::Status(status) if status.state == RunState::Done => break,
            _ => {}
        }
    }
    assert_eq!((seqs, missed), ((0..500).collect::<Vec<_>>(), 0));
}

#[test]
fn a_connection_is_made_again_on_the_same_line() {
    let owner = Owner::start(1, 64);
    let line = Line::to(owner.address);
    let mut client = line.connect();
    client.set(Changes::default().count(77)).unwrap();
    client.reconnect(LIMIT).unwrap();
    assert_eq!(client.status().unwrap().settings.count, 77);
}

#[test]
fn a_line_has_one_host_and_is_left_as_it_was() {
    let owner = Owner::start(1, 64);
    let line = Line::to(owner.address);
    let before = tcgetattr(&line._far).unwrap();
    let client = line.connect();
    assert_ne!(tcgetattr(&line._far).unwrap(), before);
    let error = line.try_to_connect().unwrap_err();
    assert!(matches!(error, GeneratorError::Busy { .. }), "{error}");
    drop(client);
    assert_eq!(tcgetattr(&line._far).unwrap(), before);
    line.connect();
}

#[test]
fn what_is_no_serial_line_is_told_with_a_remedy() {
    let open = |address: &str| Client::connect(address, &Stop::default()).unwrap_err();
    let absent = open("serial:///dev/ttyOfNobody");
    assert!(absent.to_string().contains("plug the board in"), "{absent}");
    let other = open("serial:///dev/null");
    assert!(matches!(other, GeneratorError::Unusable { .. }), "{other}");
    let speed = open("serial:///dev/null?baud=12345");
    assert!(speed.to_string().contains("921600"), "{speed}");
}
