// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Connections that have not said hello yet, and those that are turned away: none of them is
//! the host, and none of them costs the host anything.
//!
//! One thread looks after all of them and waits for none. There is room for a fixed number;
//! where it is taken, the one that has been silent for longest goes.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use irqscope_wire::{Challenge, Decoder, Frame, FrameError, Message, Refusal, Reply, encode};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use super::connection::{self, Host};
use super::queues::Shared;
use super::{CLOSING, spawn};
use crate::{Request, Session};

/// How long a connection may take for its hello.
const HELLO: Duration = Duration::from_secs(5);
/// Connections without a hello, and likewise ones that are being closed.
const MOST: usize = 16;

/// Frames that came right behind a hello.
type Early = VecDeque<Result<Frame, FrameError>>;

/// A connection that may become the host's.
struct Candidate {
    stream: TcpStream,
    decoder: Decoder,
    session: Session,
    /// The challenge of its hello, where the generator has a secret.
    challenge: Option<Challenge>,
    until: Instant,
    /// The number of the next frame that it gets.
    number: u64,
}

/// The outcome of a look at a candidate.
enum Heard {
    Nothing,
    /// The connection has ended, or cannot be used.
    End,
    Hello(Early),
    Wrong(Option<u64>, Refusal),
}

/// All connections that are not the host's.
pub struct Candidates {
    shared: Arc<Shared>,
    silent: VecDeque<Candidate>,
    /// Connections to which all was said, and until when they may close by themselves.
    closing: VecDeque<(TcpStream, Instant)>,
    /// The thread of the host.
    serving: Option<JoinHandle<()>>,
}

impl Candidates {
    pub fn new(shared: Arc<Shared>) -> Self {
        let (silent, closing) = (VecDeque::new(), VecDeque::new());
        Self { shared, silent, closing, serving: None }
    }

    /// Waits until something can be done: a new connection, bytes, or the end of a time.
    pub fn wait(&self, listener: &TcpListener) {
        let streams = self.silent.iter().map(|candidate| &candidate.stream);
        let streams = streams.chain(self.closing.iter().map(|(stream, _)| stream));
        let mut fds = vec![PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
        fds.extend(streams.map(|stream| PollFd::new(stream.as_fd(), PollFlags::POLLIN)));
        let ends = self.silent.iter().map(|candidate| candidate.until);
        let next = ends.chain(self.closing.iter().map(|(_, until)| *until)).min();
        let left = next.map(|at| at.saturating_duration_since(Instant::now()));
        // A millisecond more, so that the time is over then.
        let left =
            left.and_then(|left| PollTimeout::try_from(left + Duration::from_millis(1)).ok());
        let _ = poll(&mut fds, left.unwrap_or(PollTimeout::NONE));
    }

    /// Takes a new connection in. One whose stream cannot be set up sees it closed.
    pub fn accept(&mut self, stream: TcpStream) {
        if stream.set_nonblocking(true).is_err() {
            return;
        }
        let (status, taken) = {
            let queues = self.shared.queues();
            (queues.status, queues.stream.is_some())
        };
        let until = Instant::now() + HELLO;
        let (decoder, session) = (Decoder::default(), Session::default());
        let number = if taken { 0 } else { self.shared.next_number() };
        // Without random bytes there is no challenge, and no host.
        let Ok((hello, challenge)) = self.shared.guard.hello() else { return };
        let mut candidate = Candidate { stream, decoder, session, challenge, until, number };
        if !candidate.say(hello) {
            return;
        }
        if taken {
            return self.turn_away(candidate, None, Refusal::OtherHost);
        }
        if candidate.say(Message::Status(status)) {
            push(&mut self.silent, candidate);
        }
    }

    /// Looks at every connection once.
    pub fn attend(&mut self) {
        for mut candidate in std::mem::take(&mut self.silent) {
            match candidate.hear(&self.shared) {
                Heard::Nothing => self.silent.push_back(candidate),
                Heard::End => {}
                Heard::Hello(early) => self.promote(candidate, early),
                Heard::Wrong(to, refusal) => self.turn_away(candidate, to, refusal),
            }
        }
        self.closing.retain_mut(|(stream, until)| Instant::now() < *until && !has_ended(stream));
    }

    /// Waits for the host's thread to end.
    pub fn end(self) {
        if let Some(serving) = self.serving {
            let _ = serving.join();
        }
    }

    /// Makes a candidate the host, unless another one has become it meanwhile.
    fn promote(&mut self, candidate: Candidate, early: Early) {
        let stream = &candidate.stream;
        let Ok(kept) = stream.set_nonblocking(false).and_then(|()| stream.try_clone()) else {
            return;
        };
        let Some(connection) = self.shared.queues().open(kept) else {
            let _ = candidate.stream.set_nonblocking(true);
            return self.turn_away(candidate, None, Refusal::OtherHost);
        };
        self.shared.number_from(candidate.number);
        // The one before has given its place up, and ends.
        if let Some(before) = self.serving.take() {
            let _ = before.join();
        }
        let Candidate { stream, decoder, session, .. } = candidate;
        let (its, host) = (Arc::clone(&self.shared), Host { connection, decoder, session, early });
        match spawn("serve", move || connection::serve(&its, &stream, host)) {
            Ok(thread) => self.serving = Some(thread),
            Err(_) => self.shared.queues().close(),
        }
    }

    /// Says why, and closes without a reset, which could overtake what was said.
    fn turn_away(&mut self, mut candidate: Candidate, to: Option<u64>, refusal: Refusal) {
        let refused = Message::Reply(Reply { to, result: Err(refusal) });
        if candidate.say(refused) && candidate.stream.shutdown(Shutdown::Write).is_ok() {
            push(&mut self.closing, (candidate.stream, Instant::now() + CLOSING));
        }
    }
}

/// Puts a connection behind the others; the oldest goes where there is no room.
fn push<T>(queue: &mut VecDeque<T>, new: T) {
    if queue.len() >= MOST {
        queue.pop_front();
    }
    queue.push_back(new);
}

/// Passes over what is still sent; true at its end.
fn has_ended(stream: &mut TcpStream) -> bool {
    match stream.read(&mut [0; 4096]) {
        Ok(length) => length == 0,
        Err(error) => !may_pass(&error),
    }
}

fn may_pass(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

impl Candidate {
    /// Sends at once; false if the other side leaves no room for that little.
    fn say(&mut self, message: Message) -> bool {
        let frame = Frame { number: self.number, message };
        self.number += 1;
        encode(&frame).is_ok_and(|bytes| self.stream.write_all(&bytes).is_ok())
    }

    /// Reads once. A frame that cannot be read is answered; a command before the hello is wrong, and
    /// so is a hello without the proof that is asked for.
    fn hear(&mut self, shared: &Shared) -> Heard {
        let mut buffer = [0; 4096];
        let length = match self.stream.read(&mut buffer) {
            Ok(0) => return Heard::End,
            Ok(length) => length,
            Err(error) if !may_pass(&error) => return Heard::End,
            Err(_) if Instant::now() >= self.until => {
                return Heard::Wrong(None, Refusal::NoHello);
            }
            Err(_) => return Heard::Nothing,
        };
        let mut early = Early::new();
        self.decoder.push(&buffer[..length], |_, frame| early.push_back(frame));
        while let Some(frame) = early.pop_front() {
            match self.session.receive(frame) {
                Request::Hello(proof) if shared.guard.admits(self.challenge, proof) => {
                    return Heard::Hello(early);
                }
                Request::Hello(_) => return Heard::Wrong(Some(0), Refusal::WrongSecret),
                Request::Command(to, _) => return Heard::Wrong(Some(to), Refusal::NoHello),
                Request::Close(to, refusal) => return Heard::Wrong(to, refusal),
                // The next frame may be the hello.
                Request::Refused(to, refusal) => {
                    if !self.say(Message::Reply(Reply { to, result: Err(refusal) })) {
                        return Heard::End;
                    }
                }
            }
        }
        if Instant::now() >= self.until {
            Heard::Wrong(None, Refusal::NoHello)
        } else {
            Heard::Nothing
        }
    }
}
