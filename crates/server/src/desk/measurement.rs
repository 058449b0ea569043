// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The measurement under way, or the last one.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Instant, SystemTime};

use irqscope_analysis::{LiveCase, LiveFigures, Wanted};
use irqscope_rig::Stop;
use irqscope_run::{CaseManifest, utc};
use irqscope_wire::Plan;
use serde::Serialize;

use super::lock;
use super::rate::Rate;
use crate::error::split;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    Scenario,
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

#[derive(Clone, Debug, Serialize)]
pub struct Failed {
    pub what: String,
    pub remedy: String,
}

/// Where a measurement is.
#[derive(Clone, Debug)]
pub struct Phase {
    /// Its state.
    pub state: State,
    /// The present step, in a few words.
    pub what: String,
    /// Why it failed, if it did.
    pub error: Option<Failed>,
    /// The name of its run directory.
    pub run: Option<String>,
    /// It is over; time stands still.
    pub ended: Option<Instant>,
}

pub struct Running {
    pub source: Source,
    pub scenario: Option<String>,
    pub rig: String,
    pub started_utc: String,
    pub started: Instant,
    pub stop: Stop,
    phase: Mutex<Phase>,
    cases: Mutex<Vec<Arc<RunningCase>>>,
    /// The case that received samples last.
    shown: AtomicUsize,
}

impl Running {
    pub fn new(source: Source, scenario: Option<&str>, rig: &str) -> Self {
        let what = String::new();
        let phase = Phase { state: State::Preparing, what, error: None, run: None, ended: None };
        Self {
            source,
            scenario: scenario.map(str::to_owned),
            rig: rig.to_owned(),
            started_utc: utc(SystemTime::now()),
            started: Instant::now(),
            stop: Stop::default(),
            phase: Mutex::new(phase),
            cases: Mutex::default(),
            shown: AtomicUsize::new(0),
        }
    }

    pub fn phase(&self) -> Phase {
        lock(&self.phase).clone()
    }

    pub fn is_active(&self) -> bool {
        !lock(&self.phase).state.is_over()
    }

    pub fn run(&self) -> Option<String> {
        lock(&self.phase).run.clone()
    }

    pub fn say(&self, what: &str) {
        lock(&self.phase).what = what.to_owned();
    }

    /// Takes note that the run directory is there.
    pub fn begun(&self, run: Option<String>, cases: &[CaseManifest]) {
        *lock(&self.cases) = cases.iter().map(|case| Arc::new(RunningCase::new(case))).collect();
        let mut phase = lock(&self.phase);
        (phase.state, phase.run) = (State::Running, run);
        phase.what = "measuring".into();
    }

    pub fn stopping(&self) {
        let mut phase = lock(&self.phase);
        if matches!(phase.state, State::Preparing | State::Running) {
            (phase.state, phase.what) = (State::Stopping, "stopping".into());
        }
    }

    pub fn deriving(&self) {
        let mut phase = lock(&self.phase);
        (phase.state, phase.what) = (State::Deriving, "making figures and report".into());
    }

    /// Ends the measurement; `what`: why it failed; empty where it did not.
    pub fn end(&self, state: State, what: &str) {
        let mut phase = lock(&self.phase);
        let (what, remedy) = split(what);
        phase.error = (state == State::Failed).then_some(Failed { what, remedy });
        (phase.state, phase.what, phase.ended) = (state, String::new(), Some(Instant::now()));
    }

    pub fn cases(&self) -> Vec<Arc<RunningCase>> {
        lock(&self.cases).clone()
    }

    pub fn case(&self, index: usize) -> Option<Arc<RunningCase>> {
        lock(&self.cases).get(index).cloned()
    }

    pub fn shown(&self) -> usize {
        self.shown.load(Ordering::Relaxed)
    }

    pub fn show(&self, index: usize) {
        self.shown.store(index, Ordering::Relaxed);
    }
}

/// One case of it.
pub struct RunningCase {
    pub manifest: CaseManifest,
    pub live: Mutex<LiveCase>,
    pub progress: Mutex<Progress>,
    pub rate: Mutex<Rate>,
    /// The number of frames that the figures were made of: they are not made again as long as none
    /// came.
    made: Mutex<Option<(u64, Arc<LiveFigures>)>>,
}

#[derive(Clone, Debug, Default)]
pub struct Progress {
    pub phase: String,
    pub ended: bool,
    pub failure: Option<String>,
}

impl RunningCase {
    fn new(manifest: &CaseManifest) -> Self {
        let plan = manifest.plan.clone().unwrap_or_default();
        Self {
            live: Mutex::new(LiveCase::new(&plan, manifest.without_agent)),
            manifest: manifest.clone(),
            progress: Mutex::default(),
            rate: Mutex::default(),
            made: Mutex::default(),
        }
    }

    pub fn planned(&self) -> u64 {
        self.manifest.plan.as_ref().map_or(0, Plan::samples)
    }

    /// Returns all there is; the measurement waits for no longer than this one case takes.
    pub fn figures(&self) -> Arc<LiveFigures> {
        let mut made = lock(&self.made);
        let live = lock(&self.live);
        if let Some((_, figures)) = made.as_ref().filter(|(frames, _)| *frames == live.frames()) {
            return Arc::clone(figures);
        }
        let (frames, figures) = (live.frames(), Arc::new(live.figures(Wanted::Everything)));
        drop(live);
        *made = Some((frames, Arc::clone(&figures)));
        figures
    }
}
