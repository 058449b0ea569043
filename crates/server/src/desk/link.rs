// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The connection to a generator: a thread of its own, which listens, passes on what
//! is asked, and measures.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::time::{Duration, Instant, SystemTime};

use irqscope_rig::board::Ask;
use irqscope_rig::generator::{Client, GeneratorError, look};
use irqscope_rig::{RigError, Stop};
use irqscope_run::{BoardRequest, ExecuteError, RunDir, fresh_name, measure};
use irqscope_wire::{Command, Message, RunState, Stage, StartAt, Status};

use super::generator::GeneratorState;
use super::measurement::Running;
use super::tap::Tap;
use super::{DeskError, Inner, lock};

/// The time within which a request is received.
const TURN: Duration = Duration::from_millis(50);
/// Between two attempts to find a lost generator.
const AGAIN: Duration = Duration::from_secs(1);
/// How long a generator may still be busy with the connection before.
const BUSY: Duration = Duration::from_secs(10);

pub struct Link {
    jobs: Sender<Job>,
    asks: Sender<Ask>,
}

enum Job {
    Measure(Measure),
    /// Done as soon as the connection is closed.
    Leave(Sender<()>),
}

pub struct Measure {
    pub running: Arc<Running>,
    pub stages: Vec<Stage>,
    pub at: StartAt,
    /// Gets the run directory's name, or why there is none.
    pub begun: Sender<Result<String, DeskError>>,
}

impl Link {
    pub fn connect(desk: &Arc<Inner>, address: &str) -> Result<Self, DeskError> {
        let (client, state) = open(address, &desk.stop)?;
        *lock(&desk.generator) = Some(state);
        let ((jobs, job_receiver), (asks, ask_receiver)) = (channel(), channel());
        let worker = Worker {
            desk: Arc::clone(desk),
            address: address.to_owned(),
            jobs: job_receiver,
            asks: ask_receiver,
        };
        desk.keep(std::thread::spawn(move || worker.work(client)));
        Ok(Self { jobs, asks })
    }

    /// Asks for a command; returns where the answer will be.
    pub fn ask(&self, command: Command) -> Receiver<Result<Status, GeneratorError>> {
        let (reply, answer) = channel();
        // A worker that has gone drops its end, which is an answer as well.
        let _ = self.asks.send(Ask { command, reply });
        answer
    }

    /// Asks for a measurement; returns whether the thread is there to do it.
    pub fn measure(&self, measure: Measure) -> bool {
        self.jobs.send(Job::Measure(measure)).is_ok()
    }

    pub fn leave(self) {
        let (left, answer) = channel();
        if self.jobs.send(Job::Leave(left)).is_ok() {
            let _ = answer.recv();
        }
    }
}

fn open(address: &str, stop: &Stop) -> Result<(Client, GeneratorState), GeneratorError> {
    let mut client = Client::connect_when_free(address, stop)?;
    let status = client.status()?;
    let state = GeneratorState::new(address, client.hello(), &status);
    Ok((client, state))
}

struct Worker {
    desk: Arc<Inner>,
    address: String,
    jobs: Receiver<Job>,
    asks: Receiver<Ask>,
}

impl Worker {
    fn work(&self, client: Client) {
        let mut client = Some(client);
        while !self.desk.stop.requested() {
            match self.jobs.try_recv() {
                Ok(Job::Measure(measure)) => {
                    drop(client.take());
                    self.measure(measure);
                }
                Ok(Job::Leave(left)) => {
                    drop(client);
                    let _ = left.send(());
                    return;
                }
                Err(TryRecvError::Disconnected) => return,
                Err(TryRecvError::Empty) => {}
            }
            client = match client {
                Some(client) => self.listen(client),
                None => self.find(),
            };
        }
    }

    /// Takes one turn with a generator that is connected. Samples of a run that is not measured are
    /// not kept.
    fn listen(&self, mut client: Client) -> Option<Client> {
        for Ask { command, reply } in self.asks.try_iter() {
            let answer = client.ask(command);
            if let Ok(status) = &answer {
                self.learn(|state| state.learn(status));
            }
            let _ = reply.send(answer);
        }
        match client.next(TURN) {
            Ok(Some(received)) => {
                if let Ok(Message::Status(status)) = received.frame.map(|frame| frame.message) {
                    self.learn(|state| state.learn(&status));
                }
                Some(client)
            }
            Ok(None) => Some(client),
            Err(error) => {
                self.lose(&error);
                None
            }
        }
    }

    /// Makes one attempt to find it again. A request meanwhile waits for how it ends.
    fn find(&self) -> Option<Client> {
        match open(&self.address, &self.desk.stop) {
            Ok((client, state)) => {
                self.learn(|old| *old = state);
                Some(client)
            }
            Err(error) => {
                self.lose(&error);
                for Ask { reply, .. } in self.asks.try_iter() {
                    let (address, what) = (self.address.clone(), "it is not connected".into());
                    let _ = reply.send(Err(GeneratorError::Lost { address, what }));
                }
                std::thread::sleep(AGAIN);
                None
            }
        }
    }

    fn lose(&self, error: &GeneratorError) {
        self.learn(|state| (state.connected, state.error) = (false, Some(error.to_string())));
    }

    fn learn(&self, change: impl FnOnce(&mut GeneratorState)) {
        if let Some(state) = lock(&self.desk.generator).as_mut() {
            change(state);
        }
        self.desk.touch();
    }

    fn measure(&self, measure: Measure) {
        let Measure { running, stages, at, begun } = measure;
        let out = fresh_name(&self.desk.runs, "board", SystemTime::now());
        let tap = Tap::new(&self.desk, &running, &out).telling(begun);
        let result = self.run(&running, &stages, at, &out, &tap);
        if let Err(error) = &result {
            tap.refuse(DeskError::Failed(error.to_string()));
        }
        // A request to the generator does not wait for figures.
        let desk = Arc::clone(&self.desk);
        self.desk.keep(std::thread::spawn(move || desk.conclude(&running, result)));
    }

    /// Measures on a connection of its own, so that the log begins with the hello.
    fn run(
        &self,
        running: &Running,
        stages: &[Stage],
        at: StartAt,
        out: &std::path::Path,
        tap: &Tap<'_>,
    ) -> Result<RunDir, ExecuteError> {
        let unprepared = |error: GeneratorError| ExecuteError::Unprepared(RigError::from(error));
        let (client, status) = connect(&self.address, &running.stop).map_err(unprepared)?;
        let request = BoardRequest {
            out,
            args: self.desk.args.clone(),
            tool_version: self.desk.tool_version,
            stages,
            at,
            asks: &self.asks,
            stop: running.stop.clone(),
        };
        measure(client, &status, &request, tap)
    }
}

/// Makes a connection on which nothing was said yet but hello, to a generator at rest.
fn connect(address: &str, stop: &Stop) -> Result<(Client, Status), GeneratorError> {
    let deadline = Instant::now() + BUSY;
    loop {
        match look(address, stop) {
            Ok((_, status)) if matches!(status.state, RunState::Idle | RunState::Done) => {
                match Client::connect(address, stop) {
                    Err(GeneratorError::Busy { .. }) if Instant::now() < deadline => {}
                    result => return result.map(|client| (client, status)),
                }
            }
            Ok(_) => {
                return Err(GeneratorError::Refused(irqscope_wire::Refusal::AlreadyStarted));
            }
            Err(GeneratorError::Busy { .. }) if Instant::now() < deadline => {}
            Err(error) => return Err(error),
        }
        std::thread::sleep(TURN);
    }
}
