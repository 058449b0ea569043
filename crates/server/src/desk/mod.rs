// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Application state: at most one generator and one measurement, both watched in snapshots. There
//! is no HTTP here, and `irqscope top` uses the same state.
//!
//! No viewer can hold a measurement up: frames are in the log before they are counted, counting
//! takes a lock for as long as one frame takes, and snapshots are made by a thread of their own,
//! replaced and never queued.

mod generator;
mod link;
mod measurement;
mod publish;
mod rate;
mod scenario;
mod settings;
mod snapshot;
mod tap;

use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use irqscope_rig::Stop;
use irqscope_rig::generator::GeneratorError;
use irqscope_wire::{Command, Refusal, RunState, Stage, StartAt};
use serde_json::{Map, Value};

pub use generator::GeneratorState;
pub use measurement::{Phase, State};
pub use scenario::StartScenario;
pub use settings::Differs;
pub use snapshot::{CaseSnapshot, Measurement, Snapshot};

use link::Link;
use measurement::{Running, Source};
use publish::Publisher;

#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Debug, thiserror::Error)]
pub enum DeskError {
    #[error("a measurement is under way\n  remedy: stop it first")]
    Busy,
    #[error("no generator is connected\n  remedy: connect one by its address, HOST:PORT")]
    NotConnected,
    #[error("nothing is being measured")]
    NotRunning,
    #[error("{0}")]
    Wrong(String),
    #[error(transparent)]
    Generator(#[from] GeneratorError),
    #[error("{0}")]
    Failed(String),
}

/// How a measurement with the connected generator begins.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Start {
    /// Of the lines, in their order; none: the default ones.
    pub stages: Option<Vec<Stage>>,
    /// When it starts; at once, where nothing is said.
    pub at: Option<StartAt>,
}

/// Cheap to clone; all clones share one state.
#[derive(Clone)]
pub struct Desk(Arc<Inner>);

struct Inner {
    /// Where run directories are made.
    runs: PathBuf,
    tool_version: &'static str,
    /// For manifests.
    args: Vec<String>,
    /// Of everything.
    stop: Stop,
    link: Mutex<Option<Link>>,
    generator: Mutex<Option<GeneratorState>>,
    measurement: Mutex<Option<Arc<Running>>>,
    publisher: Publisher,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

impl Desk {
    /// Makes the state, and starts a thread that makes snapshots and ends with it.
    pub fn new(runs: &Path, tool_version: &'static str, args: Vec<String>) -> Self {
        let inner = Arc::new(Inner {
            runs: runs.to_owned(),
            tool_version,
            args,
            stop: Stop::default(),
            link: Mutex::default(),
            generator: Mutex::default(),
            measurement: Mutex::default(),
            publisher: Publisher::default(),
            threads: Mutex::default(),
        });
        publish::start(&inner);
        Self(inner)
    }

    /// Returns the runs directory.
    pub fn runs(&self) -> &Path {
        &self.0.runs
    }

    /// Returns the version of this program.
    pub fn tool_version(&self) -> &'static str {
        self.0.tool_version
    }

    /// Returns the newest snapshot, and all that follow.
    pub fn watch(&self) -> tokio::sync::watch::Receiver<Arc<Snapshot>> {
        let receiver = self.0.publisher.subscribe();
        self.0.publish();
        receiver
    }

    /// Returns the run directory that is being written, by its name.
    pub fn under_way(&self) -> Option<String> {
        self.0.running().and_then(|running| running.run())
    }

    /// Returns the state of the generator, if there is one.
    pub fn generator(&self) -> Option<GeneratorState> {
        lock(&self.0.generator).clone()
    }

    /// Connects to a generator in place of the one before.
    ///
    /// # Errors
    /// The address did not answer, or not in this protocol; or a measurement uses another one.
    pub fn connect(&self, address: &str) -> Result<GeneratorState, DeskError> {
        self.disconnect()?;
        let link = Link::connect(&self.0, address)?;
        *lock(&self.0.link) = Some(link);
        self.0.touch();
        self.generator().ok_or(DeskError::NotConnected)
    }

    /// Disconnects the generator.
    ///
    /// # Errors
    /// It is being measured with.
    pub fn disconnect(&self) -> Result<(), DeskError> {
        if self.0.running().is_some_and(|running| running.source == Source::Generator) {
            return Err(DeskError::Busy);
        }
        if let Some(link) = lock(&self.0.link).take() {
            link.leave();
        }
        *lock(&self.0.generator) = None;
        self.0.touch();
        Ok(())
    }

    /// Sets all that is asked, together; what is in force then, and where it differs.
    ///
    /// # Errors
    /// The request is wrong; or the generator refuses it, and nothing has changed.
    pub fn set(
        &self,
        asked: &Map<String, Value>,
    ) -> Result<(GeneratorState, Vec<Differs>), DeskError> {
        settings::check_names(asked)?;
        let state = self.generator().ok_or(DeskError::NotConnected)?;
        self.ask(Command::Set(settings::changes(asked, &state.hello)?))?;
        let state = self.generator().ok_or(DeskError::NotConnected)?;
        let differs = settings::differs(asked, &state.status.settings);
        Ok((state, differs))
    }

    /// Begins a measurement with the generator; the run directory's name.
    ///
    /// # Errors
    /// No generator, another measurement, or settings that it refuses.
    pub fn start(&self, start: &Start) -> Result<String, DeskError> {
        if self.0.running().is_some() {
            return Err(DeskError::Busy);
        }
        let state = self.generator().ok_or(DeskError::NotConnected)?;
        let stages = start.stages.clone().unwrap_or_else(|| state.default_stages.clone());
        state.check_stages(&stages)?;
        let at = start.at.unwrap_or(StartAt::Now);
        if at == StartAt::Armed && !state.hello.limits.sees_arming {
            return Err(GeneratorError::Refused(Refusal::CannotSeeArming).into());
        }
        if !matches!(state.status.state, RunState::Idle | RunState::Done) {
            return Err(GeneratorError::Refused(Refusal::AlreadyStarted).into());
        }
        let running = self.0.begin(Source::Generator, None, "board")?;
        let (begun, answer) = channel();
        let sent = lock(&self.0.link).as_ref().is_some_and(|link| {
            link.measure(link::Measure { running: Arc::clone(&running), stages, at, begun })
        });
        let answer = if sent { answer.recv().ok() } else { None };
        answer.unwrap_or_else(|| {
            running.end(State::Failed, "the generator's connection has ended");
            Err(DeskError::NotConnected)
        })
    }

    /// Ends the generator's run; triggers in flight are waited for, and the
    /// measurement is complete.
    ///
    /// # Errors
    /// No generator, or the connection was lost.
    pub fn stop_generator(&self) -> Result<GeneratorState, DeskError> {
        if let Some(running) = self.0.running()
            && running.source == Source::Generator
        {
            running.stopping();
        }
        self.ask(Command::Stop)?;
        self.generator().ok_or(DeskError::NotConnected)
    }

    /// Begins a scenario.
    ///
    /// # Errors
    /// Another measurement, or a scenario that does not go with its options.
    pub fn start_scenario(&self, start: &StartScenario) -> Result<(), DeskError> {
        scenario::start(&self.0, start)
    }

    /// Ends whatever is being measured: a generator's run as it ends by itself, a
    /// scenario as Ctrl-C ends `irqscope run`.
    ///
    /// # Errors
    /// No measurement is under way.
    pub fn stop(&self) -> Result<(), DeskError> {
        let running = self.0.running().ok_or(DeskError::NotRunning)?;
        match running.source {
            Source::Generator => self.stop_generator().map(drop),
            Source::Scenario => {
                running.stopping();
                running.stop.request();
                Ok(())
            }
        }
    }

    /// Ends everything, as Ctrl-C ends `irqscope run`, and waits for it.
    pub fn close(&self) {
        self.0.stop.request();
        if let Some(running) = self.0.running() {
            running.stop.request();
        }
        *lock(&self.0.link) = None;
        // One that ends may have begun another.
        loop {
            let threads = std::mem::take(&mut *lock(&self.0.threads));
            if threads.is_empty() {
                return;
            }
            threads.into_iter().for_each(|thread| drop(thread.join()));
        }
    }

    fn ask(&self, command: Command) -> Result<(), DeskError> {
        let answer = lock(&self.0.link).as_ref().map(|link| link.ask(command));
        answer.ok_or(DeskError::NotConnected)?.recv().map_err(|_| DeskError::NotConnected)??;
        Ok(())
    }
}

impl Inner {
    /// Returns the measurement that is under way.
    fn running(&self) -> Option<Arc<Running>> {
        lock(&self.measurement).clone().filter(|running| running.is_active())
    }

    /// Begins a measurement: one at a time.
    fn begin(
        &self,
        source: Source,
        scenario: Option<&str>,
        rig: &str,
    ) -> Result<Arc<Running>, DeskError> {
        let mut measurement = lock(&self.measurement);
        if measurement.as_ref().is_some_and(|running| running.is_active()) {
            return Err(DeskError::Busy);
        }
        let running = Arc::new(Running::new(source, scenario, rig));
        *measurement = Some(Arc::clone(&running));
        drop(measurement);
        self.touch();
        Ok(running)
    }

    /// Notes that something has changed: there will be a snapshot.
    fn touch(&self) {
        self.publisher.touch();
    }

    fn keep(&self, thread: JoinHandle<()>) {
        let mut threads = lock(&self.threads);
        threads.retain(|thread| !thread.is_finished());
        threads.push(thread);
    }
}

/// Locks a mutex; the state that a thread has left when it died is still good to read.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
