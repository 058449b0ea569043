// SPDX-License-Identifier: GPL-2.0-or-later
//! `port=NUMBER`: a TCP server for one host at a time.
//!
//! One thread accepts, and each connection has one that reads and one that
//! writes. They share the plugin's state and never call QEMU; commands wait for
//! the timer's next turn.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

use irqscope_generator::{Heard, Outbox, Session};
use irqscope_wire::{Decoder, Frame, FrameError, Message, Refusal, Reply, encode};

use crate::plugin::{OUTBOX, Plugin, lock};

/// A connection without a frame for so long gets a status.
const KEEP_ALIVE: Duration = Duration::from_secs(1);
/// How long QEMU's exit waits for a host that reads slowly.
const FAREWELL: Duration = Duration::from_secs(2);
/// Commands that may wait for the timer.
const COMMANDS: usize = 16;

/// A host is connected.
static CONNECTED: AtomicBool = AtomicBool::new(false);
/// QEMU ends: send what waits, then close.
static LEAVING: AtomicBool = AtomicBool::new(false);

/// What a connection's two threads know of each other.
#[derive(Default)]
struct Connection {
    /// Nothing more is to be read: say what is left to say, then close.
    heard_all: AtomicBool,
    /// Nothing can be said any more.
    closed: AtomicBool,
}

/// Takes the port. Hosts may connect from now on and are served by [`start`].
pub fn bind(port: u16) -> Result<TcpListener, String> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port))
        .map_err(|error| format!("cannot listen on 127.0.0.1:{port}: {error}"))
}

/// Not before the plugin's state is there: a host gets its hello from it.
pub fn start(listener: TcpListener) -> Result<(), String> {
    spawn("accept", move || {
        for stream in listener.incoming().flatten() {
            accept(stream);
        }
    })
}

/// Waits a little until the connected host has all frames.
pub fn flush() {
    LEAVING.store(true, SeqCst);
    OUTBOX.notify_all();
    let deadline = Instant::now() + FAREWELL;
    while CONNECTED.load(SeqCst) && Instant::now() < deadline {
        std::thread::sleep(FAREWELL / 200);
    }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<(), String> {
    std::thread::Builder::new()
        .name(format!("irqscope-{name}"))
        .spawn(body)
        .map(drop)
        .map_err(|error| format!("cannot start a thread: {error}"))
}

fn accept(stream: TcpStream) {
    let _ = stream.set_nodelay(true);
    if CONNECTED.swap(true, SeqCst) {
        turn_away(stream);
    } else if let Err(error) = serve(stream) {
        eprintln!("irqscope: a host was not served: {error}");
        CONNECTED.store(false, SeqCst);
    }
}

fn serve(stream: TcpStream) -> Result<(), String> {
    let connection = Arc::new(Connection::default());
    let (reading, of_reader) = (stream.try_clone(), connection.clone());
    let reading = reading.map_err(|error| error.to_string())?;
    spawn("read", move || read(reading, &of_reader))?;
    spawn("write", move || {
        write(&stream, &connection);
        // The reader sees this and ends as well.
        connection.closed.store(true, SeqCst);
        let _ = stream.shutdown(Shutdown::Both);
        CONNECTED.store(false, SeqCst);
    })
}

/// A stream of its own: hello, refusal, end.
fn turn_away(mut stream: TcpStream) {
    let Some(hello) = lock().as_ref().map(|plugin| plugin.machine.source.hello()) else {
        return;
    };
    let mut outbox = Outbox::new(2);
    outbox.push(hello);
    outbox.push(Message::Reply(Reply { to: None, result: Err(Refusal::OtherHost) }));
    while let Some(frame) = outbox.next() {
        let _ = encode(&frame).map(|bytes| stream.write_all(&bytes));
    }
}

/// Commands into the machine's queue; refusals straight into the outbox.
fn read(mut stream: TcpStream, connection: &Connection) {
    let (mut decoder, mut session) = (Decoder::default(), Session::default());
    let mut buffer = [0; 4096];
    let mut open = true;
    while open {
        let length = match stream.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(length) => length,
        };
        decoder.push(&buffer[..length], |_, frame| {
            open = open && hear(&mut session, frame, connection);
        });
    }
    connection.heard_all.store(true, SeqCst);
    OUTBOX.notify_all();
}

/// False if the connection is to be closed.
fn hear(session: &mut Session, frame: Result<Frame, FrameError>, connection: &Connection) -> bool {
    let heard = session.hear(frame);
    let mut state = lock();
    // No command is read while there is no room for its reply.
    while state.as_ref().is_some_and(is_full) {
        if connection.closed.load(SeqCst) {
            return false;
        }
        let waited = OUTBOX.wait_timeout(state, KEEP_ALIVE);
        state = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
    let Some(plugin) = state.as_mut() else { return true };
    match heard {
        Heard::Hello => {}
        Heard::Command(to, command) => plugin.machine.commands.push_back((to, command)),
        Heard::Refused(to, refusal) | Heard::Close(to, refusal) => {
            plugin.machine.source.reply(to, Err(refusal));
        }
    }
    OUTBOX.notify_all();
    !matches!(heard, Heard::Close(..))
}

fn is_full(plugin: &Plugin) -> bool {
    !plugin.machine.source.outbox.has_room() || plugin.machine.commands.len() >= COMMANDS
}

fn write(mut stream: &TcpStream, connection: &Connection) {
    let mut frames = greeting();
    while !frames.is_empty() {
        for frame in &frames {
            let Ok(bytes) = encode(frame) else { continue };
            if stream.write_all(&bytes).is_err() {
                return;
            }
        }
        frames = next_frames(connection);
    }
}

fn greeting() -> Vec<Frame> {
    let mut state = lock();
    let Some(source) = state.as_mut().map(|plugin| &mut plugin.machine.source) else {
        return Vec::new();
    };
    let greeting = source.greeting();
    greeting.map(|message| source.outbox.number(message)).into()
}

/// What waits; after a while without anything, a status. Empty if all is said.
fn next_frames(connection: &Connection) -> Vec<Frame> {
    let ends = || connection.heard_all.load(SeqCst) || LEAVING.load(SeqCst);
    let waited = OUTBOX.wait_timeout_while(lock(), KEEP_ALIVE, |state| {
        !ends() && state.as_ref().is_none_or(|plugin| plugin.machine.source.outbox.is_empty())
    });
    let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
    let Some(source) = state.as_mut().map(|plugin| &mut plugin.machine.source) else {
        return Vec::new();
    };
    let mut frames = Vec::new();
    while let Some(frame) = source.outbox.next() {
        frames.push(frame);
    }
    if frames.is_empty() && !ends() {
        let status = Message::Status(source.status());
        frames.push(source.outbox.number(status));
    }
    OUTBOX.notify_all();
    frames
}
