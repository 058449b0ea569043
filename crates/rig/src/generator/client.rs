// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One generator, over as many connections as it takes.

use std::time::{Duration, Instant};

use irqscope_wire::secret::Secret;
use irqscope_wire::{
    Changes, Command, Failure, GeneratorHello, Hello, Message, PROTOCOL, Refusal, StartAt, Status,
    greeting_protocol,
};

use super::error::{GeneratorError, Result};
use super::incoming::{HELLO, Received};
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
    /// The address does not answer, or not in this protocol; another host is served; or the
    /// generator has a secret that this host does not know.
    pub fn connect(address: &str, stop: &Stop) -> Result<Self> {
        Self::greet(Stream::open(address, stop, None)?)
    }

    /// Connects likewise to a generator that has said its secret, if it has one.
    pub(crate) fn connect_with(address: &str, secret: Option<Secret>, stop: &Stop) -> Result<Self> {
        let mut stream = Stream::open(address, stop, None)?;
        if secret.is_some() {
            stream.secret = secret;
        }
        Self::greet(stream)
    }

    /// Connects likewise, but waits where another host is served, also one that came between this
    /// connection and its hello: a host that has gone may still be there for a generator on a busy
    /// machine.
    ///
    /// # Errors
    /// As [`Client::connect`]; another host is served for longer than ten seconds.
    pub fn connect_when_free(address: &str, stop: &Stop) -> Result<Self> {
        let deadline = Instant::now() + BUSY;
        loop {
            let connected = Self::connect(address, stop);
            let admitted =
                connected.and_then(|mut client| client.await_admission().map(|()| client));
            match admitted {
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
        self.stream.incoming.await_answer(number);
        loop {
            if let Some(answer) = self.stream.incoming.answer() {
                return answer.map_err(|refusal| self.refused(refusal));
            }
            if let Some(failure) = self.stream.incoming.failed.clone() {
                let Failure { what, remedy, .. } = failure;
                return Err(GeneratorError::Failed { what, remedy });
            }
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
        while stream.incoming.waiting() == 0 && stream.read(deadline)? && Instant::now() < deadline
        {
        }
        Ok(stream.incoming.pop())
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
        let Stream { address, stop, silence, secret, .. } = &self.stream;
        let expected = self.stream.incoming.expected();
        let open = || {
            let mut stream = Stream::open(address, stop, expected)?;
            stream.secret = secret.clone();
            Ok(stream)
        };
        let mut again = loop {
            match open().and_then(Self::greet) {
                Err(error) if error.may_pass() && Instant::now() + TICK < deadline => {
                    std::thread::sleep(TICK);
                }
                result => break result?,
            }
        };
        // Each connection has a challenge of its own.
        let before = GeneratorHello { challenge: again.hello.challenge, ..self.hello.clone() };
        if again.hello != before || again.is_younger_than(expected) {
            return Err(GeneratorError::Anew { address: address.clone() });
        }
        again.stream.silence = *silence;
        again.stream.incoming.append_to(std::mem::take(&mut self.stream.incoming));
        *self = again;
        Ok(())
    }

    fn greet(mut stream: Stream) -> Result<Self> {
        let (hello, first) = hear_hello(&mut stream)?;
        let (kind, tool_version) = ("host".to_owned(), env!("CARGO_PKG_VERSION").to_owned());
        let proof = match (&hello.challenge, &stream.secret) {
            (None, _) => None,
            (Some(challenge), Some(secret)) => Some(secret.proof(challenge)),
            (Some(_), None) => {
                return Err(GeneratorError::NeedsSecret { address: stream.address.clone() });
            }
        };
        stream.send(Message::Hello(Hello { protocol: PROTOCOL, kind, tool_version, proof }))?;
        let mut client = Self { stream, hello, first };
        if client.hello.challenge.is_some() {
            client.await_admission()?;
        }
        Ok(client)
    }

    /// Waits until it is certain that this host is served: until its hello arrives another one may
    /// come before it, and its proof may be wrong. A generator says nothing about a hello that is
    /// well, but answers what comes after it.
    fn await_admission(&mut self) -> Result<()> {
        match self.status() {
            Ok(_) => Ok(()),
            // Its last word before it closed the connection says more.
            Err(lost @ GeneratorError::Lost { .. }) => Err(match self.last_answer() {
                Some(Err(refusal)) => self.refused(refusal),
                _ => lost,
            }),
            Err(error) => Err(error),
        }
    }

    /// Returns the answer to the hello on a connection that is closed.
    fn last_answer(&mut self) -> Option<Result<Status, Refusal>> {
        let deadline = Instant::now() + ANSWER;
        self.stream.incoming.await_answer(HELLO);
        while self.stream.read(deadline).unwrap_or(false) {}
        self.stream.incoming.answer()
    }

    fn refused(&self, refusal: Refusal) -> GeneratorError {
        let address = self.stream.address.clone();
        match refusal {
            Refusal::OtherHost => GeneratorError::Busy { address },
            Refusal::WrongSecret => GeneratorError::WrongSecret { address },
            other => GeneratorError::Refused(other),
        }
    }

    /// Returns whether its number is younger: frames are counted over a generator's whole life.
    fn is_younger_than(&self, expected: Option<u64>) -> bool {
        let first = self.stream.incoming.peek(0).and_then(|it| it.frame.ok());
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
        Some(Message::GeneratorHello(hello)) => hello,
        _ => return Err(stream.no_generator()),
    };
    let second = received_at(1, stream, deadline)?;
    match second.and_then(message) {
        Some(Message::Status(status)) => Ok((hello, status)),
        Some(Message::Reply(reply)) if reply.result == Err(Refusal::OtherHost) => {
            Err(GeneratorError::Busy { address })
        }
        _ => Err(stream.no_generator()),
    }
}

/// Receives a frame; `None`: not in time.
fn received_at(index: usize, stream: &mut Stream, deadline: Instant) -> Result<Option<Received>> {
    while stream.incoming.waiting() <= index && Instant::now() < deadline {
        stream.read(deadline)?;
    }
    Ok(stream.incoming.peek(index))
}

/// Returns the message; `None`: damaged.
fn message(received: Received) -> Option<Message> {
    received.frame.ok().map(|frame| frame.message)
}
