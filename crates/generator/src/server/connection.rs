// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One host's connection: a thread that writes, and one that reads.

use std::collections::VecDeque;
use std::io::{BufWriter, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::time::{Duration, Instant};

use irqscope_wire::{Decoder, Frame, FrameError, Message, Reply, encode};

use super::queues::{Asked, Shared};
use super::{close_gently, spawn};
use crate::{Request, Session};

/// A connection without a frame for this time gets a status.
const KEEP_ALIVE: Duration = Duration::from_secs(1);
/// Frames are written together up to this many bytes.
const WRITE_BYTES: usize = 1 << 16;

/// A host at its hello.
pub struct Host {
    /// The number of its connection.
    pub connection: u64,
    pub decoder: Decoder,
    pub session: Session,
    /// Frames that came right behind the hello.
    pub early: VecDeque<Result<Frame, FrameError>>,
}

/// State that a connection's two threads share.
#[derive(Default)]
struct Ends {
    /// Nothing more is to be read: say what was refused, then close.
    received_all: AtomicBool,
    /// Nothing can be said any more.
    closed: AtomicBool,
}

/// Serves a host until it goes or all is over.
pub fn serve(shared: &Arc<Shared>, stream: &TcpStream, host: Host) {
    let ends = Arc::new(Ends::default());
    let reader = stream.try_clone().map_err(super::ServerError::Thread).and_then(|reading| {
        let (its, ends) = (Arc::clone(shared), Arc::clone(&ends));
        spawn("read", move || read(&its, reading, &ends, host))
    });
    if let Ok(reader) = reader {
        let mut batch = VecDeque::new();
        let sent_all = write(shared, stream, &ends, &mut batch).is_ok();
        shared.queues().give_back(batch);
        ends.closed.store(true, SeqCst);
        if sent_all {
            close_gently(stream);
        }
        let _ = stream.shutdown(Shutdown::Both);
        shared.moved.notify_all();
        let _ = reader.join();
    }
    shared.queues().close();
    shared.moved.notify_all();
}

/// Commands for the owner; refusals are answered here.
fn read(shared: &Shared, mut stream: TcpStream, ends: &Ends, host: Host) {
    let Host { connection, mut decoder, mut session, early } = host;
    let mut buffer = [0; 4096];
    let mut open =
        early.into_iter().all(|frame| receive(shared, &mut session, frame, ends, connection));
    while open {
        let length = match stream.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(length) => length,
        };
        decoder.push(&buffer[..length], |_, frame| {
            open = open && receive(shared, &mut session, frame, ends, connection);
        });
    }
    ends.received_all.store(true, SeqCst);
    shared.moved.notify_all();
}

/// Receives; false if the connection is to be closed.
fn receive(
    shared: &Shared,
    session: &mut Session,
    frame: Result<Frame, FrameError>,
    ends: &Ends,
    connection: u64,
) -> bool {
    let heard = session.receive(frame);
    let mut queues = shared.queues();
    // No command is read while there is no room for its reply.
    while !queues.has_room() {
        if ends.closed.load(SeqCst) {
            return false;
        }
        queues = shared.wait(queues, KEEP_ALIVE);
    }
    match heard {
        Request::Hello(_) => {}
        Request::Command(to, command) => queues.asked.push_back(Asked { connection, to, command }),
        Request::Refused(to, refusal) | Request::Close(to, refusal) => {
            queues.refusals.push_back(Message::Reply(Reply { to, result: Err(refusal) }));
        }
    }
    drop(queues);
    shared.moved.notify_all();
    !matches!(heard, Request::Close(..))
}

/// Writes all that there is to send, until the connection is to be closed. Messages that are still
/// in `batch` after an error were not sent.
fn write(
    shared: &Shared,
    stream: &TcpStream,
    ends: &Ends,
    batch: &mut VecDeque<Message>,
) -> std::io::Result<()> {
    let mut output = BufWriter::with_capacity(WRITE_BYTES, stream);
    while wait_for_news(shared, ends, batch) {
        while let Some(message) = batch.pop_front() {
            // Packets are bounded far below a frame's limit; a frame that does
            // not fit is a bug, and its number shows that it is missing.
            if let Ok(bytes) = encode(&shared.number(message)) {
                output.write_all(&bytes)?;
            }
        }
        output.flush()?;
    }
    Ok(())
}

/// Waits for messages; after a while without any, for a status. False if all is sent.
///
/// A host that has already gone gets refusals only; samples wait for a host that reads them.
fn wait_for_news(shared: &Shared, ends: &Ends, batch: &mut VecDeque<Message>) -> bool {
    let deadline = Instant::now() + KEEP_ALIVE;
    let mut queues = shared.queues();
    loop {
        // Before the queues: the last command that was received is answered before the end.
        let received_all = ends.received_all.load(SeqCst);
        if !received_all {
            queues.take_frames(batch);
        }
        queues.take_refusals(batch);
        let left = deadline.saturating_duration_since(Instant::now());
        if !batch.is_empty() {
            break;
        } else if received_all || queues.leaving {
            return false;
        } else if left.is_zero() {
            batch.push_back(Message::Status(queues.status));
            break;
        }
        queues = shared.wait(queues, left);
    }
    drop(queues);
    shared.moved.notify_all();
    true
}
