// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One generator, over as many connections as it takes.

use std::time::{Duration, Instant};

use irqscope_wire::{
    Changes, Command, Failure, GeneratorHello, Hello, Message, PROTOCOL, Refusal, StartAt, Status,
    greeting_protocol,
};

use super::error::{GeneratorError, Result};
use super::incoming::Received;
use super::stream::Stream;
use crate::Stop;
use crate::command::TICK;

/// How long the hello and a reply may each take.
const ANSWER: Duration = Duration::from_secs(5);

/// How long a generator may still be busy with a host that has gone.
const BUSY: Duration = Duration::from_secs(10);

/// Returns what a generator is and where it stands. No hello is said, so that samples that wait for
/// a host stay where they are.
///
/// # Errors
/// The address does not answer, or not in this protocol.
pub fn look(address: &str, stop: &Stop) -> Result<(GeneratorHello, Status)> {
    hear_hello(&mut Stream::open(address, stop, None)?)
}

/// A connection to a generator. Dropping it leaves a run going.
#[derive(Debug)]
pub struct Client {
    stream: Stream,
    hello: GeneratorHello,
    first: Status,
}

impl Client {
    /// Connects to an [`super::Address`] and says hello. The generator may have been running for
    /// long. Later waits end when `stop` is requested.
    ///
    /// # Errors
    /// The address does not answer, or not in this protocol, or another host is served.
    pub fn connect(address: &str, stop: &Stop) -> Result<Self> {
        Self::greet(Stream::open(address, stop, None)?)
    }

    /// Connects likewise, but waits where another host is served: one that has gone may still be
    /// there for a generator on a busy machine.
    ///
    /// # Errors
    /// As [`Client::connect`]; another host is served for longer than ten seconds.
    pub fn connect_when_free(address: &str, stop: &Stop) -> Result<Self> {
        let deadline = Instant::now() + BUSY;
        loop {
            match Self::connect(address, stop) {
                Err(GeneratorError::Busy { .. }) if Instant::now() + TICK < deadline => {
                    std::thread::sleep(TICK);
                }
                result => return result,
            }
        }
    }

    /// Returns what the generator is and can do.
    pub fn hello(&self) -> &GeneratorHello {
        &self.hello
    }

    /// Returns where the generator stood when the connection began.
    pub fn first_status(&self) -> &Status {
        &self.first
    }

    /// Sets how long a generator may be silent until it counts as lost. Five seconds if nothing
    /// else is said: it sends a status in every one.
    pub fn set_idle_timeout(&mut self, silence: Duration) {
        self.stream.silence = silence;
    }

    /// Sets all of it; returns what is really set, after rounding. A refusal leaves everything as it was.
    ///
    /// # Errors
    /// A refusal, or the connection was lost.
    pub fn set(&mut self, changes: Changes) -> Result<Status> {
        self.ask(Command::Set(changes))
    }

    /// Starts a run.
    ///
    /// # Errors
    /// A refusal, or the connection was lost.
    pub fn start(&mut self, at: StartAt) -> Result<Status> {
        self.ask(Command::Start(at))
    }

    /// Ends the run.
    ///
    /// # Errors
    /// A refusal, or the connection was lost.
    pub fn stop(&mut self) -> Result<Status> {
        self.ask(Command::Stop)
    }

    /// Asks for the status.
    ///
    /// # Errors
    /// The connection was lost.
    pub fn status(&mut self) -> Result<Status> {
        self.ask(Command::Status)
    }

    /// Asks and waits for the answer. Frames that come meanwhile, and the answer itself, are still
    /// handed out by [`Client::next`].
    ///
    /// # Errors
    /// A refusal, or the connection was lost.
    pub fn ask(&mut self, command: Command) -> Result<Status> {
        let deadline = Instant::now() + ANSWER;
        let number = self.stream.send(Message::Command(command))?;
        let mut understood = self.stream.incoming.queue.len();
        loop {
            let new = self.stream.incoming.queue.iter().skip(understood);
            if let Some(answer) = new.into_iter().find_map(|it| answer_to(number, it)) {
                return answer;
            }
            if let Some(failure) = self.stream.incoming.failed.clone() {
                let Failure { what, remedy, .. } = failure;
                return Err(GeneratorError::Failed { what, remedy });
            }
            understood = self.stream.incoming.queue.len();
            if Instant::now() >= deadline {
                let seconds = ANSWER.as_secs();
                return Err(self.stream.lost(format!("no reply within {seconds} seconds")));
            }
            self.stream.read(deadline)?;
        }
    }

    /// Returns the next frame in the order of arrival; `None` if none comes in time.
    ///
    /// # Errors
    /// The connection has ended, or was silent for too long. All that came
    /// before was handed out; [`Client::reconnect`] goes on.
    pub fn next(&mut self, timeout: Duration) -> Result<Option<Received>> {
        let deadline = Instant::now() + timeout;
        let stream = &mut self.stream;
        while stream.incoming.queue.is_empty()
            && stream.read(deadline)?
            && Instant::now() < deadline
        {}
        Ok(stream.incoming.queue.pop_front())
    }

    /// Connects to the same generator again, trying for this time. The run has gone on: its hello's
    /// [`Received::missed`] says how many frames went down with the connection, sequence numbers
    /// and totals say which samples.
    ///
    /// # Errors
    /// Why it failed at last; or this is another generator, or another life of
    /// the same.
    pub fn reconnect(&mut self, within: Duration) -> Result<()> {
        let deadline = Instant::now() + within;
        self.stream.close();
        let Stream { address, stop, silence, .. } = &self.stream;
        let expected = self.stream.incoming.expected();
        let mut again = loop {
            match Stream::open(address, stop, expected).and_then(Self::greet) {
                Err(error) if error.may_pass() && Instant::now() + TICK < deadline => {
                    std::thread::sleep(TICK);
                }
                result => break result?,
            }
        };
        if again.hello != self.hello || again.is_younger_than(expected) {
            return Err(GeneratorError::Anew { address: address.clone() });
        }
        again.stream.silence = *silence;
        let new = std::mem::replace(
            &mut again.stream.incoming.queue,
            std::mem::take(&mut self.stream.incoming.queue),
        );
        again.stream.incoming.queue.extend(new);
        *self = again;
        Ok(())
    }

    fn greet(mut stream: Stream) -> Result<Self> {
        let (hello, first) = hear_hello(&mut stream)?;
        let (kind, tool_version) = ("host".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        stream.send(Message::Hello(Hello { protocol: PROTOCOL, kind, tool_version }))?;
        Ok(Self { stream, hello, first })
    }

    /// Returns whether its number is younger: frames are counted over a generator's whole life.
    fn is_younger_than(&self, expected: Option<u64>) -> bool {
        let first = self.stream.incoming.queue.front().and_then(|it| it.frame.as_ref().ok());
        first.zip(expected).is_some_and(|(first, expected)| first.number < expected)
    }
}

/// Receives hello and status, or says why there are none. Both stay in the queue.
fn hear_hello(stream: &mut Stream) -> Result<(GeneratorHello, Status)> {
    let deadline = Instant::now() + ANSWER;
    let address = stream.address.clone();
    let Some(first) = received_at(0, stream, deadline)? else { return Err(stream.no_generator()) };
    // Of another version nothing but this may be understood.
    match greeting_protocol(&first.encoded) {
        Some(PROTOCOL) => {}
        Some(theirs) => return Err(GeneratorError::OtherProtocol { address, theirs }),
        None => return Err(stream.no_generator()),
    }
    let hello = match message(first) {
        Some(Message::GeneratorHello(hello)) => hello.clone(),
        _ => return Err(stream.no_generator()),
    };
    let second = received_at(1, stream, deadline)?;
    match second.and_then(message) {
        Some(Message::Status(status)) => Ok((hello, *status)),
        Some(Message::Reply(reply)) if reply.result == Err(Refusal::OtherHost) => {
            Err(GeneratorError::Busy { address })
        }
        _ => Err(stream.no_generator()),
    }
}

/// Receives a frame; `None`: not in time.
fn received_at(index: usize, stream: &mut Stream, deadline: Instant) -> Result<Option<&Received>> {
    while stream.incoming.queue.len() <= index && Instant::now() < deadline {
        stream.read(deadline)?;
    }
    Ok(stream.incoming.queue.get(index))
}

/// Returns the message; `None`: damaged.
fn message(received: &Received) -> Option<&Message> {
    received.frame.as_ref().ok().map(|frame| &frame.message)
}

/// Returns the reply to a command, or to what its damage made of it.
fn answer_to(number: u64, received: &Received) -> Option<Result<Status>> {
    match &received.frame.as_ref().ok()?.message {
        Message::Reply(reply) if reply.to.is_none_or(|to| to == number) => {
            Some(reply.result.map_err(GeneratorError::Refused))
        }
        _ => None,
    }
}
