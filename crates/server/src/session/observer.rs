// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sends the events of a measurement to the owner; frames after they were logged.

use std::path::Path;

use irqscope_rig::RigError;
use irqscope_run::{CaseManifest, Source, Watch};
use irqscope_wire::Frame;

use super::measurement::{Running, RunningCase, State};
use super::owner::Mailbox;
use crate::error::Trouble;

pub struct Observer<'a> {
    mailbox: &'a Mailbox,
    /// The name of the run directory.
    run: String,
}

impl<'a> Observer<'a> {
    pub fn new(mailbox: &'a Mailbox, out: &Path) -> Self {
        let run = out.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self { mailbox, run }
    }

    fn send(&self, change: impl FnOnce(&mut Running) + Send + 'static) {
        self.mailbox.send(|owner| owner.event(change));
    }

    fn send_case(&self, case: usize, change: impl FnOnce(&mut RunningCase) + Send + 'static) {
        self.send(move |running| running.case(case, change));
    }
}

impl Watch for Observer<'_> {
    fn preparing(&self, what: &str) {
        let what = what.to_owned();
        self.send(move |running| running.step(State::Preparing, &what));
    }

    fn begun(&self, cases: &[CaseManifest]) {
        let (run, cases) = (self.run.clone(), cases.iter().map(RunningCase::new).collect());
        self.send(move |running| running.begun(run, cases));
    }

    fn phase(&self, case: usize, phase: &str) {
        let phase = phase.to_owned();
        self.send_case(case, move |case| case.shown.phase = phase);
    }

    fn samples(&self, case: usize, _: u64) {
        self.send(move |running| running.show(case));
    }

    fn frame(&self, case: usize, source: Source, frame: &Frame) {
        let frame = frame.clone();
        self.mailbox.send(move |owner| owner.frame(case, source, &frame));
    }

    fn damaged(&self, case: usize) {
        self.send_case(case, |case| case.live.damaged());
    }

    fn ended(&self, case: usize, result: &Result<(), RigError>) {
        let failure = result.as_ref().err().map(Trouble::of);
        self.send_case(case, |case| case.end(failure));
    }
}
