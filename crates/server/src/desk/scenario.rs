// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A scenario that is started by the server.

use std::sync::Arc;
use std::time::SystemTime;

use irqscope_run::{ExecuteError, Request, RunDir, execute, fresh_name, resolve};
use irqscope_scenario::{Overrides, Scenario, ScenarioFile, bundled, suggestion};
use serde::Deserialize;

use super::measurement::{Running, Source};
use super::tap::Tap;
use super::{DeskError, Inner};

/// The parts of a scenario to execute.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartScenario {
    /// The scenario's name.
    pub scenario: String,
    /// Instead of the scenario's.
    #[serde(default)]
    pub kernels: Vec<String>,
    /// Of the scenario's; all, where none is named.
    #[serde(default)]
    pub states: Vec<String>,
    /// Triggers of each case.
    #[serde(default)]
    pub count: Option<u64>,
    /// Records events, and explains late responses.
    #[serde(default)]
    pub explain: bool,
}

impl StartScenario {
    /// Returns a bundled one: files of this machine are not to be named from afar.
    ///
    /// # Errors
    /// There is no bundled scenario of this name.
    pub fn bundled(self) -> Result<Self, DeskError> {
        if bundled().iter().any(|known| known.name == self.scenario) {
            return Ok(self);
        }
        let names: Vec<&str> = bundled().iter().map(|known| known.name).collect();
        Err(DeskError::Wrong(suggestion("scenario", &self.scenario, &names)))
    }

    /// Returns the file, and the keys that were set on the page.
    fn load(&self) -> Result<(ScenarioFile, Overrides), DeskError> {
        let file = ScenarioFile::load(&self.scenario).map_err(wrong)?;
        let asked = Scenario::resolve(&file, &Overrides::default()).map_err(wrong)?;
        let mut overrides = Overrides::default();
        if asked.rig.boots() {
            overrides.set_list("kernels", &self.kernels);
        }
        let known = |state: &String| asked.states.iter().any(|known| known.name == *state);
        if !self.states.iter().all(known) {
            return Err(DeskError::Wrong("the scenario has no such states".into()));
        }
        overrides.set_list("states", &self.states);
        if let Some(count) = self.count {
            overrides.set("trigger.count", count);
        }
        if self.explain {
            overrides.set("explain", true);
        }
        Ok((file, overrides))
    }
}

fn wrong(error: impl std::fmt::Display) -> DeskError {
    DeskError::Wrong(error.to_string())
}

pub fn start(desk: &Arc<Inner>, start: &StartScenario) -> Result<(), DeskError> {
    let (file, overrides) = start.load()?;
    let scenario = Scenario::resolve(&file, &overrides).map_err(wrong)?;
    let running = desk.begin(Source::Scenario, Some(&scenario.name), scenario.rig.name())?;
    let worker = Arc::clone(desk);
    desk.keep(std::thread::spawn(move || {
        let result = run(&worker, &running, &file, overrides);
        worker.conclude(&running, result);
    }));
    Ok(())
}

fn run(
    desk: &Inner,
    running: &Running,
    file: &ScenarioFile,
    overrides: Overrides,
) -> Result<RunDir, ExecuteError> {
    let scenario = resolve(file, overrides, &running.stop)?;
    let out = fresh_name(&desk.runs, &scenario.name, SystemTime::now());
    let request = Request {
        scenario: &scenario,
        out: &out,
        args: desk.args.clone(),
        tool_version: desk.tool_version,
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        stop: running.stop.clone(),
    };
    execute(&request, &Tap::new(desk, running, &out))
}
