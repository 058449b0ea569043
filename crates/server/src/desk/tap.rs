// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where frames are seen on their way, after they were logged.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use irqscope_rig::RigError;
use irqscope_run::{CaseManifest, ExecuteError, RunDir, Source, Watch};
use irqscope_wire::{Frame, Message};

use super::measurement::{Running, State};
use super::{DeskError, Inner, lock};
use crate::runs::derive;

/// How soon it is seen that all is to end.
const TURN: Duration = Duration::from_millis(50);

pub struct Tap<'a> {
    desk: &'a Inner,
    running: &'a Running,
    run: Option<String>,
    /// The request that waits for the run directory's name.
    begun: Mutex<Option<Sender<Result<String, DeskError>>>>,
}

impl<'a> Tap<'a> {
    pub fn new(desk: &'a Inner, running: &'a Running, out: &Path) -> Self {
        let run = out.file_name().map(|name| name.to_string_lossy().into_owned());
        Self { desk, running, run, begun: Mutex::default() }
    }

    pub fn telling(mut self, begun: Sender<Result<String, DeskError>>) -> Self {
        self.begun = Mutex::new(Some(begun));
        self
    }

    /// Refuses the request that still waits for a name.
    pub fn refuse(&self, why: DeskError) {
        if let Some(begun) = lock(&self.begun).take() {
            let _ = begun.send(Err(why));
        }
    }

    /// Takes a generator's facts about itself.
    fn learn(&self, message: &Message) {
        let mut generator = lock(&self.desk.generator);
        let Some(state) = generator.as_mut() else { return };
        match message {
            Message::Status(status) => state.learn(status),
            Message::Packet(packet) => state.learn_totals(&packet.totals),
            Message::Reply(reply) => reply.result.iter().for_each(|status| state.learn(status)),
            _ => {}
        }
    }
}

impl Watch for Tap<'_> {
    fn preparing(&self, what: &str) {
        self.running.say(what);
        self.desk.touch();
    }

    fn begun(&self, cases: &[CaseManifest]) {
        self.running.begun(self.run.clone(), cases);
        if let (Some(begun), Some(run)) = (lock(&self.begun).take(), &self.run) {
            let _ = begun.send(Ok(run.clone()));
        }
        self.desk.touch();
    }

    fn phase(&self, case: usize, phase: &str) {
        if let Some(case) = self.running.case(case) {
            lock(&case.progress).phase = phase.to_owned();
        }
        self.desk.touch();
    }

    fn samples(&self, case: usize, _: u64) {
        self.running.show(case);
    }

    fn frame(&self, case: usize, source: Source, frame: &Frame) {
        if let Some(case) = self.running.case(case) {
            lock(&case.live).take(source, frame);
        }
        if source == Source::Generator && self.running.source == super::Source::Generator {
            self.learn(&frame.message);
        }
        self.desk.touch();
    }

    fn damaged(&self, case: usize) {
        if let Some(case) = self.running.case(case) {
            lock(&case.live).damaged();
        }
    }

    fn ended(&self, case: usize, result: &Result<(), RigError>) {
        if let Some(case) = self.running.case(case) {
            lock(&case.live).end();
            let mut progress = lock(&case.progress);
            progress.ended = true;
            progress.failure = result.as_ref().err().map(RigError::to_string);
            progress.phase = if result.is_ok() { "done" } else { "failed" }.to_owned();
        }
        self.desk.touch();
    }
}

impl Inner {
    /// Concludes a measurement for its viewers; a finished one has its figures and its report made
    /// first.
    pub(super) fn conclude(&self, running: &Arc<Running>, result: Result<RunDir, ExecuteError>) {
        let interrupted = |error: &ExecuteError| matches!(error.rig(), Some(RigError::Interrupted));
        let (state, what) = match result {
            Err(error) if interrupted(&error) => (State::Stopped, String::new()),
            Err(error) => (State::Failed, error.to_string()),
            Ok(run) => {
                running.deriving();
                self.touch();
                self.derive(run)
            }
        };
        running.end(state, &what);
        self.touch();
    }

    /// Derives the figures. Not waited for when all is to end: what is not there yet is derived
    /// when the run is opened.
    fn derive(&self, run: RunDir) -> (State, String) {
        let (made, waiting) = channel();
        std::thread::spawn(move || drop(made.send(derive(&run))));
        loop {
            match waiting.recv_timeout(TURN) {
                Ok(Ok(_)) => return (State::Done, String::new()),
                Ok(Err(error)) => return (State::Failed, error.to_string()),
                Err(RecvTimeoutError::Timeout) if !self.stop.requested() => {}
                Err(RecvTimeoutError::Timeout) => return (State::Stopped, String::new()),
                Err(RecvTimeoutError::Disconnected) => {
                    return (State::Failed, "the figures could not be made".into());
                }
            }
        }
    }
}
