// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The one owner of all state: a thread that takes messages out of a mailbox, one after the other,
//! and makes snapshots by a timer.
//!
//! Useful invariants: what the owner does never waits for anybody, so every message is soon taken;
//! and it ends after the last thread that sends to it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use irqscope_analysis::Thresholds;
use irqscope_rig::RigError;
use irqscope_run::{ExecuteError, RunDir, Source as Stream};
use irqscope_wire::Frame;
use tokio::sync::watch;

use super::generator::GeneratorState;
use super::link::Link;
use super::measurement::{Running, Source, State};
use super::snapshot::{Snapshot, Snapshots};
use crate::error::SessionError;
use crate::runs::derive;

/// The least time between two snapshots.
const PAUSE: Duration = Duration::from_millis(250);
/// Messages that may wait, a measurement's frames among them. Where there is no room the measurement
/// waits, as if it counted them itself: memory is bounded, and nothing is lost. There is room for what
/// comes while a snapshot is made; how many viewers there are does not matter to it.
const ROOM: usize = 1024;

type Message = Box<dyn FnOnce(&mut Owner) + Send>;
pub type Reply<T> = Sender<Result<T, SessionError>>;

/// Facts that never change.
pub struct Facts {
    /// Where run directories are made.
    pub runs: PathBuf,
    pub tool_version: &'static str,
    /// For manifests.
    pub args: Vec<String>,
}

/// The way to the owner.
#[derive(Clone)]
pub struct Mailbox(SyncSender<Message>);

impl Mailbox {
    /// Leaves a message. It must not wait for anything; an owner that has ended drops it.
    pub fn send(&self, message: impl FnOnce(&mut Owner) + Send + 'static) {
        let _ = self.0.send(Box::new(message));
    }

    /// Leaves a message and waits for what it gives.
    ///
    /// # Errors
    /// The owner has ended.
    pub fn ask<T: Send + 'static>(
        &self,
        message: impl FnOnce(&mut Owner) -> Result<T, SessionError> + Send + 'static,
    ) -> Result<T, SessionError> {
        let (reply, answer) = channel();
        self.send(move |owner| drop(reply.send(message(owner))));
        answer.recv().map_err(|_| SessionError::Closed)?
    }
}

/// A thread that the owner outlives.
struct Worker(Mailbox);

impl Drop for Worker {
    fn drop(&mut self) {
        self.0.send(|owner| owner.workers -= 1);
    }
}

pub struct Owner {
    pub facts: Arc<Facts>,
    pub link: Option<Link>,
    pub generator: Option<GeneratorState>,
    pub measurement: Option<Running>,
    above: Thresholds,
    mailbox: Mailbox,
    workers: usize,
    newest: watch::Sender<Arc<Snapshot>>,
    published: Instant,
    /// Goes up with every change.
    changes: u64,
    closing: bool,
    /// Each is dropped with the owner, which is what its other end waits for.
    waiting: Vec<Sender<()>>,
}

impl Owner {
    /// Starts it on a thread of its own.
    pub fn start(facts: Arc<Facts>) -> Mailbox {
        let (sender, messages) = sync_channel(ROOM);
        let mailbox = Mailbox(sender);
        let owner = Self {
            facts,
            link: None,
            generator: None,
            measurement: None,
            above: Thresholds::new(),
            mailbox: mailbox.clone(),
            workers: 0,
            newest: watch::Sender::default(),
            published: Instant::now(),
            changes: 1,
            closing: false,
            waiting: Vec::new(),
        };
        std::thread::spawn(move || owner.work(&messages));
        mailbox
    }

    fn work(mut self, messages: &Receiver<Message>) {
        while !self.closing || self.workers > 0 {
            let message = match self.until_snapshot() {
                Some(time) => messages.recv_timeout(time),
                None => messages.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            if let Ok(message) = message {
                message(&mut self);
            }
            if self.until_snapshot().is_some_and(|time| time.is_zero()) {
                self.publish();
            }
        }
        self.publish();
    }

    /// Returns the time until the next snapshot: there is one if anybody looks and anything has changed.
    fn until_snapshot(&self) -> Option<Duration> {
        let is_wanted = self.newest.receiver_count() > 0 && self.has_changed();
        is_wanted.then(|| PAUSE.saturating_sub(self.published.elapsed()))
    }

    fn has_changed(&self) -> bool {
        self.newest.borrow().sequence != self.changes
    }

    fn publish(&mut self) {
        if !self.has_changed() {
            return;
        }
        self.published = Instant::now();
        let measurement = self.measurement.as_mut().map(|running| running.snapshot(self.published));
        let (sequence, generator) = (self.changes, self.generator.clone());
        self.newest.send_replace(Arc::new(Snapshot { sequence, generator, measurement }));
    }

    /// Returns the newest snapshot, and all that follow.
    pub fn watch(&mut self) -> Snapshots {
        self.publish();
        self.newest.subscribe()
    }

    /// Notes that something has changed: there will be a snapshot.
    pub fn touch(&mut self) {
        self.changes += 1;
    }

    /// Returns the measurement that is under way.
    pub fn running(&mut self) -> Option<&mut Running> {
        self.measurement.as_mut().filter(|running| running.is_active())
    }

    /// Changes the measurement by an event of it.
    pub fn event(&mut self, change: impl FnOnce(&mut Running)) {
        if let Some(running) = self.running() {
            change(running);
            self.touch();
        }
    }

    /// Holds triggers from these latencies on.
    pub fn hold_above(&mut self, above: Thresholds) {
        if let Some(running) = &mut self.measurement {
            running.hold_above(&above);
        }
        self.above = above;
        self.touch();
    }

    /// Returns whether the measurement is one with the session's generator.
    pub fn has_own_generator(&self) -> bool {
        self.measurement.as_ref().is_some_and(|it| it.source() == Source::Generator)
    }

    /// Counts a frame that is in the log.
    pub fn frame(&mut self, case: usize, source: Stream, frame: &Frame) {
        if source == Stream::Generator && self.has_own_generator() {
            self.learn(|state| state.hear(&frame.message));
        }
        self.event(|running| running.case(case, |case| case.live.take(source, frame)));
    }

    /// Returns whether another measurement can begin: one at a time.
    pub fn check_free(&mut self) -> Result<(), SessionError> {
        match self.running() {
            Some(_) => Err(SessionError::Busy),
            None => self.check_open(),
        }
    }

    pub fn check_open(&self) -> Result<(), SessionError> {
        if self.closing { Err(SessionError::Closed) } else { Ok(()) }
    }

    /// Starts a thread whose end is waited for.
    pub fn spawn(&mut self, work: impl FnOnce(&Mailbox) + Send + 'static) -> JoinHandle<()> {
        self.workers += 1;
        let worker = Worker(self.mailbox.clone());
        std::thread::spawn(move || work(&worker.0))
    }

    /// Begins a measurement on a thread of its own, whose result concludes it.
    pub fn measure(
        &mut self,
        mut running: Running,
        work: impl FnOnce(&Mailbox) -> Result<RunDir, ExecuteError> + Send + 'static,
    ) -> JoinHandle<()> {
        running.above.clone_from(&self.above);
        self.measurement = Some(running);
        self.touch();
        self.spawn(move |mailbox| {
            let result = caught(|| Ok(work(mailbox)?));
            mailbox.send(move |owner| owner.measured(result));
        })
    }

    /// Concludes a measurement; a complete one has its figures and its report made first.
    fn measured(&mut self, result: Result<RunDir, SessionError>) {
        match result {
            Ok(run) if !self.closing => self.derive(run),
            Ok(_) => self.event(|running| running.end(State::Stopped)),
            Err(error) if is_interrupted(&error) => {
                self.event(|running| running.end(State::Stopped));
            }
            Err(error) => self.event(|running| running.fail(error)),
        }
        if self.has_own_generator() && !self.closing {
            self.follow_again();
        }
    }

    /// Derives the figures on a thread that is not waited for when all is to end: what is not there
    /// yet is derived when the run is opened.
    fn derive(&mut self, run: RunDir) {
        self.event(|running| running.step(State::Deriving, "making figures and report"));
        let mailbox = self.mailbox.clone();
        std::thread::spawn(move || {
            let derived = caught(|| Ok(derive(&run).map(drop)?));
            mailbox.send(move |owner| {
                owner.event(|running| match derived {
                    Ok(()) => running.end(State::Done),
                    Err(error) => running.fail(error),
                });
            });
        });
    }

    /// Ends everything, as Ctrl-C ends `irqscope run`; `ended` is dropped when it has ended.
    pub fn close(&mut self, ended: Sender<()>) {
        self.closing = true;
        self.waiting.push(ended);
        drop(self.link.take().map(Link::leave));
        self.event(Running::close);
    }
}

/// Does what may panic: a measurement whose thread has gone would never end.
fn caught<T>(work: impl FnOnce() -> Result<T, SessionError>) -> Result<T, SessionError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or(Err(SessionError::Panicked))
}

fn is_interrupted(error: &SessionError) -> bool {
    matches!(error, SessionError::Execute(error) if matches!(error.rig(), Some(RigError::Interrupted)))
}
