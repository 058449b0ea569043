// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A scenario that is started by the server.

use std::sync::Arc;
use std::time::SystemTime;

use irqscope_rig::{check_name, rig};
use irqscope_run::{ExecuteError, Request, RunDir, execute, fresh_name};
use irqscope_scenario::{Scenario, bundled, suggestion};
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

    fn load(&self) -> Result<Scenario, DeskError> {
        let wrong = |error: &dyn std::fmt::Display| DeskError::Wrong(error.to_string());
        let mut scenario = Scenario::load(&self.scenario).map_err(|error| wrong(&error))?;
        if scenario.rig.boots() && !self.kernels.is_empty() {
            self.kernels.iter().try_for_each(|name| check_name(name)).map_err(|e| wrong(&e))?;
            scenario.kernels.clone_from(&self.kernels);
        }
        if !self.states.is_empty() {
            scenario.states.retain(|state| self.states.contains(&state.name));
            if scenario.states.len() != self.states.len() {
                return Err(DeskError::Wrong("the scenario has no such states".into()));
            }
        }
        if let Some(count) = self.count {
            scenario.set_count(count).map_err(|error| wrong(&error))?;
        }
        if self.explain {
            scenario.set_explain();
        }
        Ok(scenario)
    }
}

pub fn start(desk: &Arc<Inner>, start: &StartScenario) -> Result<(), DeskError> {
    let scenario = start.load()?;
    let running = desk.begin(Source::Scenario, Some(&scenario.name), scenario.rig.name())?;
    let worker = Arc::clone(desk);
    desk.keep(std::thread::spawn(move || {
        let result = run(&worker, &running, scenario);
        worker.conclude(&running, result);
    }));
    Ok(())
}

fn run(desk: &Inner, running: &Running, mut scenario: Scenario) -> Result<RunDir, ExecuteError> {
    let own = rig(&scenario).running_kernel(&running.stop);
    if let Some(own) = own.map_err(ExecuteError::Unprepared)? {
        scenario.kernels = vec![own];
    }
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
