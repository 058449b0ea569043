// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The connection to a generator. It serves one host at a time, so one thread has it: one that follows it
//! while nothing is measured, or a measurement. Each waits for the end of the one before.

use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant, SystemTime};

use irqscope_rig::board::Ask;
use irqscope_rig::generator::{Client, GeneratorError};
use irqscope_rig::{RigError, Stop};
use irqscope_run::{BoardRequest, ExecuteError, fresh_name, measure};
use irqscope_wire::{Command, Refusal, RunState, StartAt, Status};

use super::Start;
use super::generator::GeneratorState;
use super::measurement::{Running, Source};
use super::observer::Observer;
use super::owner::{Mailbox, Owner, Reply};
use crate::error::{SessionError, Trouble};

/// How long a request waits at most while the generator's socket is waited for: rig's client
/// blocks, and both cannot be waited for together.
const TURN: Duration = Duration::from_millis(50);
/// Between two attempts to find a lost generator.
const AGAIN: Duration = Duration::from_secs(1);

pub type Answer = Receiver<Result<Status, GeneratorError>>;

/// The thread that has the generator.
pub struct Link {
    address: String,
    asks: Sender<Ask>,
    stop: Stop,
    thread: JoinHandle<()>,
}

impl Link {
    /// Asks for a command; returns where the answer will be.
    pub fn ask(&self, command: Command) -> Answer {
        let (reply, answer) = channel();
        // A thread that has gone drops its end, which is an answer as well.
        let _ = self.asks.send(Ask { command, reply });
        answer
    }

    /// Ends it; the connection is closed when the thread has ended.
    pub fn leave(self) -> JoinHandle<()> {
        self.stop.request();
        self.thread
    }
}

impl Owner {
    /// Connects in place of the generator before.
    pub fn connect(
        &mut self,
        address: String,
        connected: Reply<GeneratorState>,
    ) -> Result<(), SessionError> {
        let before = self.disconnect()?;
        self.check_open()?;
        self.follow(address, before, Some(connected));
        Ok(())
    }

    /// Disconnects; the thread has the connection until it ends.
    pub fn disconnect(&mut self) -> Result<Option<JoinHandle<()>>, SessionError> {
        if self.running().is_some() && self.has_own_generator() {
            return Err(SessionError::Busy);
        }
        self.generator = None;
        self.touch();
        Ok(self.link.take().map(Link::leave))
    }

    /// Changes what is known about the generator.
    pub fn learn(&mut self, change: impl FnOnce(&mut GeneratorState)) {
        if let Some(state) = &mut self.generator {
            change(state);
        }
        self.touch();
    }

    /// Takes the generator back after a measurement.
    pub fn follow_again(&mut self) {
        if let Some(link) = self.link.take() {
            let address = link.address.clone();
            self.follow(address, Some(link.leave()), None);
        }
    }

    fn follow(
        &mut self,
        address: String,
        before: Option<JoinHandle<()>>,
        connected: Option<Reply<GeneratorState>>,
    ) {
        let (stop, (asks, receiver)) = (Stop::default(), channel());
        let follower = Follower { address: address.clone(), stop: stop.clone(), asks: receiver };
        let thread = self.spawn(move |mailbox| {
            drop(before.map(JoinHandle::join));
            follower.work(mailbox, connected);
        });
        self.link = Some(Link { address, asks, stop, thread });
    }

    /// Begins a measurement; `begun` gets the run directory's name, or why there is none.
    pub fn start_generator(
        &mut self,
        start: Start,
        begun: Reply<String>,
    ) -> Result<(), SessionError> {
        self.check_free()?;
        let state = self.generator.as_ref().filter(|state| state.connected);
        let state = state.ok_or(SessionError::NotConnected)?;
        let stages = start.stages.unwrap_or_else(|| state.default_stages.clone());
        state.check_stages(&stages)?;
        let at = start.at.unwrap_or(StartAt::Now);
        if at == StartAt::Armed && !state.hello.limits.sees_arming {
            return Err(GeneratorError::Refused(Refusal::CannotSeeArming).into());
        }
        if !matches!(state.status.state, RunState::Idle | RunState::Done) {
            return Err(GeneratorError::Refused(Refusal::AlreadyStarted).into());
        }
        let before = self.link.take().ok_or(SessionError::NotConnected)?;
        let running = Running::new(Source::Generator, None, "board", Some(begun));
        let (stop, (asks, receiver)) = (running.stop.clone(), channel());
        let (facts, address) = (self.facts.clone(), before.address.clone());
        let (before, to, its_stop) = (before.leave(), address.clone(), stop.clone());
        let thread = self.measure(running, move |mailbox| {
            let _ = before.join();
            // A connection of its own, so that the log begins with the hello.
            let client = Client::connect_when_free(&to, &its_stop);
            let unprepared = |error| ExecuteError::Unprepared(RigError::from(error));
            let client = client.and_then(check_idle).map_err(unprepared)?;
            let status = *client.first_status();
            let out = fresh_name(&facts.runs, "board", SystemTime::now());
            let request = BoardRequest {
                out: &out,
                args: facts.args.clone(),
                tool_version: facts.tool_version,
                stages: &stages,
                at,
                asks: &receiver,
                stop: its_stop,
            };
            measure(client, &status, &request, &Observer::new(mailbox, &out))
        });
        self.link = Some(Link { address, asks, stop, thread });
        Ok(())
    }
}

fn check_idle(client: Client) -> Result<Client, GeneratorError> {
    match client.first_status().state {
        RunState::Idle | RunState::Done => Ok(client),
        _ => Err(GeneratorError::Refused(Refusal::AlreadyStarted)),
    }
}

/// Follows a generator that is not measured with.
struct Follower {
    address: String,
    stop: Stop,
    asks: Receiver<Ask>,
}

impl Follower {
    /// Connects, and again when it was lost. If `connected` waits for the first attempt, that is the
    /// only one.
    fn work(&self, mailbox: &Mailbox, mut connected: Option<Reply<GeneratorState>>) {
        while !self.stop.requested() {
            let error = match Client::connect_when_free(&self.address, &self.stop) {
                Ok(client) => {
                    let state = GeneratorState::new(&self.address, &client);
                    let known = state.clone();
                    self.send(mailbox, move |owner| owner.generator = Some(known));
                    if let Some(connected) = connected.take() {
                        let _ = connected.send(Ok(state));
                    }
                    self.listen(mailbox, client)
                }
                Err(error) => error,
            };
            if let Some(connected) = connected {
                self.send(mailbox, |owner| owner.link = None);
                let _ = connected.send(Err(error.into()));
                return;
            }
            self.lose(mailbox, &error);
        }
    }

    /// Listens until the connection is lost. Samples of a run that is not measured are not kept.
    fn listen(&self, mailbox: &Mailbox, mut client: Client) -> GeneratorError {
        loop {
            match self.asks.try_recv() {
                Ok(Ask { command, reply }) => drop(reply.send(client.ask(command))),
                Err(TryRecvError::Disconnected) => return GeneratorError::Interrupted,
                Err(TryRecvError::Empty) => {}
            }
            match client.next(TURN) {
                Ok(None) => {}
                Ok(Some(received)) => {
                    if let Ok(frame) = received.frame {
                        self.send(mailbox, move |owner| {
                            owner.learn(|state| state.hear(&frame.message))
                        });
                    }
                }
                Err(error) => return error,
            }
        }
    }

    /// Says that it is lost, also to those who ask, until the next attempt.
    fn lose(&self, mailbox: &Mailbox, error: &GeneratorError) {
        let error = Trouble::of(error);
        self.send(mailbox, |owner| {
            owner.learn(|state| (state.connected, state.error) = (false, Some(error)))
        });
        let next = Instant::now() + AGAIN;
        let left = || next.saturating_duration_since(Instant::now());
        while let Ok(Ask { reply, .. }) = self.asks.recv_timeout(left()) {
            let (address, what) = (self.address.clone(), "it is not connected".into());
            let _ = reply.send(Err(GeneratorError::Lost { address, what }));
        }
    }

    /// Sends a change to the owner, which takes it as long as it has not left this link.
    fn send(&self, mailbox: &Mailbox, change: impl FnOnce(&mut Owner) + Send + 'static) {
        let stop = self.stop.clone();
        mailbox.send(move |owner| {
            if !stop.requested() {
                change(owner);
                owner.touch();
            }
        });
    }
}
