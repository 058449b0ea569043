// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Executing a scenario: every case on its rig, every frame into the log
//! before anything else is done with it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use irqscope_rig::{Event, Job, Part, Rig, RigError, Stop, Stream, rig};
use irqscope_scenario::{Case, Scenario};
use irqscope_wire::{Failure, Frame, Message, Note, Plan, View, encode};

use crate::starved::name_loads;
use crate::{CaseManifest, Host, LogWriter, ManifestDraft, ResolveError, RunDir, RunError, Source};

/// The scenario to execute, and where to leave the run.
pub struct Request<'a> {
    /// The scenario.
    pub scenario: &'a Scenario,
    /// The run directory; it must not exist.
    pub out: &'a Path,
    /// The command line, for the manifest.
    pub args: Vec<String>,
    /// The version of this program, for the manifest.
    pub tool_version: &'a str,
    /// Guests at the same time. The twin's results do not depend on it.
    pub jobs: usize,
    /// Ends the run early.
    pub stop: Stop,
}

/// Observer of a run's progress. Called from several threads.
pub trait Watch: Sync {
    /// Notes a step before any case begins.
    fn preparing(&self, what: &str);
    /// Notes that all cases are prepared.
    fn begun(&self, cases: &[CaseManifest]);
    /// Notes the present step of a case, in a few words.
    fn phase(&self, case: usize, phase: &str);
    /// Notes that this many triggers more are accounted for.
    fn samples(&self, case: usize, more: u64);
    /// Takes a frame that is in the log. An observer that wants more than counts uses it, and must
    /// not take long: the measurement waits.
    fn frame(&self, case: usize, source: Source, frame: &Frame) {
        let _ = (case, source, frame);
    }
    /// Notes bytes that were no frame.
    fn damaged(&self, case: usize) {
        let _ = case;
    }
    /// Notes the end of a case.
    fn ended(&self, case: usize, result: &Result<(), RigError>);
}

/// Errors of executing a scenario.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Debug, thiserror::Error)]
pub enum ExecuteError {
    #[error(transparent)]
    Run(#[from] RunError),
    #[error(transparent)]
    Unresolved(#[from] ResolveError),
    #[error(transparent)]
    Unprepared(RigError),
    /// The first case that failed; the others were still run, and the run
    /// directory says it is incomplete.
    #[error("case {case}: {source}")]
    Case { case: String, source: RigError },
}

impl ExecuteError {
    /// Returns the rig's own error, where one is the reason.
    pub fn rig(&self) -> Option<&RigError> {
        match self {
            Self::Run(_) | Self::Unresolved(ResolveError::Scenario(_)) => None,
            Self::Unresolved(ResolveError::Rig(error)) => Some(error),
            Self::Unprepared(error) | Self::Case { source: error, .. } => Some(error),
        }
    }
}

/// Runs all cases of a scenario and gives the finished run directory.
///
/// # Errors
/// The run directory's, the preparation's, or the first case's that failed.
pub fn execute(request: &Request<'_>, watch: &dyn Watch) -> Result<RunDir, ExecuteError> {
    let mut cases = request.scenario.cases().to_vec();
    let mut rig = rig(request.scenario);
    let say = |what: &str| watch.preparing(what);
    rig.prepare(&mut cases, &say, &request.stop).map_err(ExecuteError::Unprepared)?;
    let mut run = RunDir::create(request.out, &draft(request, &cases))?;
    watch.begun(&run.manifest().cases);
    let executor = Executor { request, cases: &cases, rig: &*rig, run: &run, watch };
    let results = executor.all();
    let mut manifests = run.manifest().cases.clone();
    for (manifest, result) in manifests.iter_mut().zip(&results) {
        manifest.failure = manifest.failure.take().or_else(|| result.as_ref().err().map(failure));
    }
    run.finish(manifests)?;
    first_failure(&cases, results).map_or(Ok(run), Err)
}

fn draft(request: &Request<'_>, cases: &[Case]) -> ManifestDraft {
    let without_agent = !request.scenario.rig.reaches_target();
    let manifest = |case: &Case| CaseManifest {
        step_of: case.step_of.clone(),
        step_stage: case.step_stage,
        seed_of: case.seed_of.clone(),
        boot: case.boot.clone(),
        kernel_origin: case.origin.clone(),
        payload_origin: case.payload_origin.clone(),
        levels: case.levels.iter().map(|one| (one.axis.clone(), one.level.clone())).collect(),
        console_log: (!without_agent).then(|| console_name(&case.plan.case)),
        without_agent,
        ..CaseManifest::new(&case.kernel.label, case.plan.clone())
    };
    ManifestDraft {
        tool_version: request.tool_version.to_owned(),
        scenario: request.scenario.name.clone(),
        scenario_toml: request.scenario.text.clone(),
        overrides: request.scenario.overrides.lines(),
        limits: request.scenario.limits.clone(),
        rig: request.scenario.rig.name().to_owned(),
        args: request.args.clone(),
        host: host(without_agent),
        cases: cases.iter().map(manifest).collect(),
    }
}

/// Returns the facts of this machine, and the agent's build where one is executed.
fn host(without_agent: bool) -> Host {
    let host = Host::current();
    match Part::OWN_AGENT.find() {
        Ok(agent) if !without_agent => host.and_agent(&agent),
        _ => host,
    }
}

/// Returns `console-6.1-rt-idle.log`.
fn console_name(case: &str) -> String {
    format!("console-{}.log", case.replace('/', "-"))
}

pub(crate) fn failure(error: &RigError) -> Failure {
    Failure {
        what: error.to_string(),
        remedy: String::new(),
        invalid: matches!(error, RigError::Invalid { .. }),
    }
}

fn first_failure(cases: &[Case], results: Vec<Result<(), RigError>>) -> Option<ExecuteError> {
    let mut failures = cases
        .iter()
        .zip(results)
        .filter_map(|(case, result)| result.err().map(|source| (case.plan.case.clone(), source)))
        .collect::<Vec<_>>();
    // Interruption is what the others end with; it is no reason if there is one.
    failures.sort_by_key(|(_, source)| matches!(source, RigError::Interrupted));
    let (case, source) = failures.into_iter().next()?;
    Some(ExecuteError::Case { case, source })
}

struct Executor<'a> {
    request: &'a Request<'a>,
    cases: &'a [Case],
    rig: &'a dyn Rig,
    run: &'a RunDir,
    watch: &'a dyn Watch,
}

impl Executor<'_> {
    fn all(&self) -> Vec<Result<(), RigError>> {
        let next = AtomicUsize::new(0);
        let results = Mutex::new(Vec::new());
        // In real time one case would disturb the other.
        let alone = !self.request.scenario.rig.facts().virtual_clock;
        let jobs = if alone { 1 } else { self.request.jobs.clamp(1, self.cases.len()) };
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                scope.spawn(|| self.work_off(&next, &results));
            }
        });
        let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
        results.sort_by_key(|(index, _)| *index);
        results.into_iter().map(|(_, result)| result).collect()
    }

    fn work_off(&self, next: &AtomicUsize, results: &Mutex<Vec<(usize, Result<(), RigError>)>>) {
        while let index = next.fetch_add(1, Ordering::Relaxed)
            && index < self.cases.len()
        {
            let result = self.one(index);
            self.watch.ended(index, &result);
            if matches!(result, Err(RigError::Keep(_))) {
                // Nothing more can be kept: the others would measure in vain.
                self.request.stop.request();
            }
            results.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    }

    fn one(&self, index: usize) -> Result<(), RigError> {
        if self.request.stop.requested() {
            return Err(RigError::Interrupted);
        }
        let plan = &self.cases[index].plan;
        let console: PathBuf = self.run.path().join(console_name(&plan.case));
        let mut recorder = Recorder::new(self.run.log(), index, self.watch, plan);
        let job = Job { index, plan, console: &console, stop: &self.request.stop, first: None };
        let result = self.rig.run_case(&job, &mut |event| recorder.record(event));
        result.map_err(|error| name_loads(error, &plan.state))
    }
}

/// Writes each event of a case to the log, before anything else is done with it.
pub(crate) struct Recorder<'a> {
    log: LogWriter,
    case: usize,
    watch: &'a dyn Watch,
    /// Frames of the host itself until now.
    notes: u64,
    inside: bool,
}

impl<'a> Recorder<'a> {
    pub fn new(log: LogWriter, case: usize, watch: &'a dyn Watch, plan: &Plan) -> Self {
        Self { log, case, watch, notes: 0, inside: plan.has_view(View::Inside) }
    }

    pub fn record(&mut self, event: Event<'_>) -> Result<(), RigError> {
        match event {
            Event::Phase(phase) => self.watch.phase(self.case, phase),
            Event::Frame { stream, encoded, frame } => {
                self.append(source(stream), encoded)?;
                self.count(&frame.message);
                self.watch.frame(self.case, source(stream), frame);
            }
            Event::Damaged(error) => {
                self.watch.phase(self.case, &error.to_string());
                self.watch.damaged(self.case);
            }
            Event::Note(note) => self.note(note)?,
        }
        Ok(())
    }

    fn append(&self, source: Source, encoded: &[u8]) -> Result<(), RigError> {
        let case = u16::try_from(self.case).unwrap_or(u16::MAX);
        self.log.append(case, source, encoded).map_err(|error| RigError::Keep(Box::new(error)))
    }

    /// Counts triggers once, where the target's record has them or else where the generator's has.
    fn count(&self, message: &Message) {
        match message {
            Message::Samples(samples) => self.watch.samples(self.case, samples.len() as u64),
            Message::BenchSamples(batch) => {
                self.watch.samples(self.case, batch.samples.len() as u64);
            }
            Message::Packet(packet) if !self.inside => {
                self.watch.samples(self.case, packet.samples.len() as u64);
            }
            _ => {}
        }
    }

    fn note(&mut self, note: Note) -> Result<(), RigError> {
        let frame = Frame { number: self.notes, message: Message::Note(note) };
        self.notes += 1;
        let encoded = encode(&frame).map_err(|error| RigError::Keep(Box::new(error)))?;
        self.append(Source::Host, &encoded)
    }
}

pub(crate) const fn source(stream: Stream) -> Source {
    match stream {
        Stream::Target => Source::Target,
        Stream::Generator => Source::Generator,
    }
}
