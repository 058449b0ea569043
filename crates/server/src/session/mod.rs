// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Application state: at most one generator and one measurement, both watched in snapshots. There
//! is no HTTP here, and `irqscope top` uses the same state.
//!
//! `owner` has all of it, on one thread; `link` is the thread that has the generator, `measurement`
//! the one under way, `observer` sends its events to the owner. No viewer can hold a measurement
//! up: frames are in the log before the owner counts them, and snapshots are made at most four times
//! in a second, replaced and never queued.

mod generator;
mod link;
mod measurement;
mod observer;
mod owner;
mod rate;
mod scenario;
mod settings;
mod snapshot;

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread::JoinHandle;

use irqscope_analysis::Thresholds;
use irqscope_wire::{Command, Stage, StartAt};
use serde_json::{Map, Value};

pub use generator::GeneratorState;
pub use measurement::State;
pub use scenario::{Checked, StartScenario};
pub use settings::Differs;
pub use snapshot::{CaseSnapshot, Measurement, Narrow, Snapshot, Snapshots};

use crate::error::SessionError;
use link::{Answer, Link};
use measurement::Running;
use owner::{Facts, Mailbox, Owner};

/// How a measurement with the connected generator begins.
#[derive(Clone, Debug, Default, serde::Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Start {
    /// Of the lines, in their order; none: the default ones.
    pub stages: Option<Vec<Stage>>,
    /// When it starts; at once, where nothing is said.
    pub at: Option<StartAt>,
}

/// Cheap to clone; all clones ask one owner. Those that wait for a generator block.
#[derive(Clone)]
pub struct Session {
    facts: Arc<Facts>,
    mailbox: Mailbox,
}

impl Session {
    /// Makes the state, on a thread of its own until [`Session::close`].
    pub fn new(runs: &Path, tool_version: &'static str, args: Vec<String>) -> Self {
        let facts = Arc::new(Facts { runs: runs.to_owned(), tool_version, args });
        Self { mailbox: Owner::start(facts.clone()), facts }
    }

    /// Returns the runs directory.
    pub fn runs(&self) -> &Path {
        &self.facts.runs
    }

    /// Returns the version of this program.
    pub fn tool_version(&self) -> &'static str {
        self.facts.tool_version
    }

    /// Returns the newest snapshot, and all that follow.
    ///
    /// # Errors
    /// The session has ended.
    pub fn watch(&self) -> Result<Snapshots, SessionError> {
        self.mailbox.ask(|owner| Ok(owner.watch()))
    }

    /// Returns the run directory that is being written, by its name.
    ///
    /// # Errors
    /// The session has ended.
    pub fn under_way(&self) -> Result<Option<String>, SessionError> {
        self.mailbox.ask(|owner| Ok(owner.running().and_then(|running| running.run())))
    }

    /// Returns the state of the generator, if there is one.
    ///
    /// # Errors
    /// The session has ended.
    pub fn generator(&self) -> Result<Option<GeneratorState>, SessionError> {
        self.mailbox.ask(|owner| Ok(owner.generator.clone()))
    }

    /// Connects to a generator in place of the one before.
    ///
    /// # Errors
    /// The address did not answer, or not in this protocol; or a measurement uses another one.
    pub fn connect(&self, address: &str) -> Result<GeneratorState, SessionError> {
        let (connected, answer) = channel();
        let address = address.to_owned();
        self.mailbox.ask(|owner| owner.connect(address, connected))?;
        answer.recv().map_err(|_| SessionError::NotConnected)?
    }

    /// Disconnects the generator.
    ///
    /// # Errors
    /// It is being measured with.
    pub fn disconnect(&self) -> Result<(), SessionError> {
        let before = self.mailbox.ask(Owner::disconnect)?;
        // It is free for another host when the thread has ended.
        drop(before.map(JoinHandle::join));
        Ok(())
    }

    /// Sets all that is asked, together; what is in force then, and where it differs.
    ///
    /// # Errors
    /// The request is wrong; or the generator refuses it, and nothing has changed.
    pub fn set(
        &self,
        asked: &Map<String, Value>,
    ) -> Result<(GeneratorState, Vec<Differs>), SessionError> {
        let known = self.generator()?;
        let changes = settings::changes(asked, known.as_ref().map(|state| &state.hello))?;
        let state = self.command(Command::Set(changes.ok_or(SessionError::NotConnected)?))?;
        let differs = settings::differs(asked, &state.status.settings);
        Ok((state, differs))
    }

    /// Begins a measurement with the generator; the run directory's name.
    ///
    /// # Errors
    /// No generator, another measurement, or settings that it refuses.
    pub fn start(&self, start: Start) -> Result<String, SessionError> {
        let (begun, answer) = channel();
        self.mailbox.ask(|owner| owner.start_generator(start, begun))?;
        answer.recv().map_err(|_| SessionError::NotConnected)?
    }

    /// Ends the generator's run; triggers in flight are waited for, and the
    /// measurement is complete.
    ///
    /// # Errors
    /// No generator, or the connection was lost.
    pub fn stop_generator(&self) -> Result<GeneratorState, SessionError> {
        self.mailbox.send(|owner| {
            if owner.has_own_generator() {
                owner.event(Running::stopping);
            }
        });
        self.command(Command::Stop)
    }

    /// Ends whatever is being measured: a generator's run as it ends by itself, a
    /// scenario as Ctrl-C ends `irqscope run`.
    ///
    /// # Errors
    /// No measurement is under way.
    pub fn stop(&self) -> Result<(), SessionError> {
        let own = self.mailbox.ask(|owner| {
            let own = owner.has_own_generator();
            let running = owner.running().ok_or(SessionError::NotRunning)?;
            if !own {
                running.stopping();
                running.stop.request();
                owner.touch();
            }
            Ok(own)
        })?;
        if own { self.stop_generator().map(drop) } else { Ok(()) }
    }

    /// Ends everything, as Ctrl-C ends `irqscope run`, and waits for it.
    pub fn close(&self) {
        let (ended, waiting) = channel::<()>();
        self.mailbox.send(|owner| owner.close(ended));
        let _ = waiting.recv();
    }

    /// Holds triggers from these latencies on, of what is being measured and from now on.
    ///
    /// # Errors
    /// The session has ended.
    pub fn hold_above(&self, above: Thresholds) -> Result<(), SessionError> {
        self.mailbox.ask(move |owner| {
            owner.hold_above(above);
            Ok(())
        })
    }

    /// Passes a command on, and returns the state after it.
    fn command(&self, command: Command) -> Result<GeneratorState, SessionError> {
        let answer: Answer = self.mailbox.ask(move |owner| {
            let link: &Link = owner.link.as_ref().ok_or(SessionError::NotConnected)?;
            Ok(link.ask(command))
        })?;
        let status = answer.recv().map_err(|_| SessionError::NotConnected)??;
        self.mailbox.ask(move |owner| {
            owner.learn(|state| state.learn(&status));
            owner.generator.clone().ok_or(SessionError::NotConnected)
        })
    }
}
