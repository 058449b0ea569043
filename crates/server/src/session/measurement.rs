// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The measurement under way, or the last one.

use std::sync::Arc;
use std::time::{Instant, SystemTime};

use irqscope_analysis::{LiveCase, Thresholds, Wanted};
use irqscope_rig::Stop;
use irqscope_run::{CaseManifest, utc};
use irqscope_wire::Plan;
use serde::Serialize;

use super::owner::Reply;
use super::rate::Rate;
use super::snapshot::{CaseSnapshot, Measurement};
use crate::error::{SessionError, Trouble};

/// The subject of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// A bundled scenario, or a file.
    Scenario,
    /// The connected generator.
    Generator,
}

/// The state of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Kernels, drivers and files are made ready.
    Preparing,
    /// Cases run.
    Running,
    /// The end was requested.
    Stopping,
    /// Figures and report are made.
    Deriving,
    /// It has ended, and its figures are there.
    Done,
    /// It has failed.
    Failed,
    /// It was ended early; its figures are those until then.
    Stopped,
}

impl State {
    /// Returns whether it has ended.
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Stopped)
    }
}

pub struct Running {
    /// All but its cases and its time.
    shown: Measurement,
    cases: Vec<RunningCase>,
    pub stop: Stop,
    /// Latencies from which on triggers are held.
    pub above: Thresholds,
    started: Instant,
    /// It is over; time stands still.
    ended: Option<Instant>,
    /// Waits for the run directory's name.
    begun: Option<Reply<String>>,
}

impl Running {
    pub fn new(
        source: Source,
        scenario: Option<&str>,
        rig: &str,
        begun: Option<Reply<String>>,
    ) -> Self {
        let shown = Measurement {
            run: None,
            source,
            scenario: scenario.map(str::to_owned),
            rig: rig.to_owned(),
            state: State::Preparing,
            active: true,
            what: String::new(),
            error: None,
            started_utc: utc(SystemTime::now()),
            elapsed_ms: 0,
            shown: None,
            cases: Vec::new(),
        };
        let (stop, started) = (Stop::default(), Instant::now());
        let (cases, above, ended) = (Vec::new(), Thresholds::new(), None);
        Self { shown, cases, stop, above, started, ended, begun }
    }

    pub fn source(&self) -> Source {
        self.shown.source
    }

    pub fn is_active(&self) -> bool {
        !self.shown.state.is_over()
    }

    pub fn run(&self) -> Option<String> {
        self.shown.run.clone()
    }

    /// Notes the present step. It never goes back to an earlier one: the end may be requested before
    /// all is prepared.
    pub fn step(&mut self, state: State, what: &str) {
        if state as u8 >= self.shown.state as u8 {
            (self.shown.state, self.shown.what) = (state, what.to_owned());
        }
    }

    /// Notes that the run directory is there.
    pub fn begun(&mut self, run: String, cases: Vec<RunningCase>) {
        self.shown.shown = cases.first().map(|case| case.shown.case.clone());
        self.cases = cases;
        self.hold_above(&self.above.clone());
        if let Some(begun) = self.begun.take() {
            let _ = begun.send(Ok(run.clone()));
        }
        self.shown.run = Some(run);
        self.step(State::Running, "measuring");
    }

    /// Holds triggers from these latencies on.
    pub fn hold_above(&mut self, above: &Thresholds) {
        self.above.clone_from(above);
        for case in &mut self.cases {
            case.live.hold_above(above);
            case.frames = None;
        }
    }

    /// Notes that its end was requested.
    pub fn stopping(&mut self) {
        self.step(State::Stopping, "stopping");
    }

    /// Changes one of its cases.
    pub fn case(&mut self, case: usize, change: impl FnOnce(&mut RunningCase)) {
        if let Some(case) = self.cases.get_mut(case) {
            change(case);
        }
    }

    /// Notes the case that received samples last.
    pub fn show(&mut self, case: usize) {
        self.shown.shown = self.cases.get(case).map(|case| case.shown.case.clone());
    }

    /// Ends it.
    pub fn end(&mut self, state: State) {
        self.step(state, "");
        self.ended = Some(Instant::now());
    }

    /// Ends it for a reason, which also answers a request that still waits.
    pub fn fail(&mut self, error: SessionError) {
        self.shown.error = Some(Trouble::of(&error));
        self.end(State::Failed);
        if let Some(begun) = self.begun.take() {
            let _ = begun.send(Err(error));
        }
    }

    /// Requests its end because all is to end: figures are not waited for.
    pub fn close(&mut self) {
        self.stop.request();
        if self.shown.state == State::Deriving {
            self.end(State::Stopped);
        }
    }

    /// Makes the snapshot of this moment.
    pub fn snapshot(&mut self, now: Instant) -> Measurement {
        let elapsed = self.ended.unwrap_or(now).saturating_duration_since(self.started);
        Measurement {
            active: self.is_active(),
            elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            cases: self.cases.iter_mut().map(|case| case.snapshot(now)).collect(),
            ..self.shown.clone()
        }
    }
}

/// One case of it.
pub struct RunningCase {
    pub live: LiveCase,
    pub shown: CaseSnapshot,
    /// The number of frames that the figures were made of: they are not made again as long as none
    /// came.
    frames: Option<u64>,
    rate: Rate,
}

impl RunningCase {
    pub fn new(manifest: &CaseManifest) -> Self {
        let live =
            LiveCase::new(&manifest.plan.clone().unwrap_or_default(), manifest.without_agent);
        let shown = CaseSnapshot {
            case: manifest.case.clone(),
            kernel: manifest.kernel.clone(),
            state: manifest.state.clone(),
            twin: live.is_twin(),
            phase: String::new(),
            ended: false,
            failure: None,
            planned: manifest.plan.as_ref().map_or(0, Plan::samples),
            rate_millihertz: None,
            figures: Arc::new(live.figures(Wanted::Figures)),
        };
        Self { live, shown, frames: None, rate: Rate::default() }
    }

    /// Takes its end, with why it failed.
    pub fn end(&mut self, failure: Option<Trouble>) {
        self.live.end();
        self.shown.phase = if failure.is_none() { "done" } else { "failed" }.to_owned();
        (self.shown.ended, self.shown.failure) = (true, failure);
    }

    fn snapshot(&mut self, now: Instant) -> CaseSnapshot {
        let frames = Some(self.live.frames());
        if self.frames != frames {
            self.shown.figures = Arc::new(self.live.figures(Wanted::Everything));
            self.shown.twin = self.live.is_twin();
            self.frames = frames;
        }
        let rate = self.rate.at(now, self.shown.figures.samples);
        self.shown.rate_millihertz = rate.filter(|_| !self.shown.ended);
        self.shown.clone()
    }
}
