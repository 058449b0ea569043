// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A scenario that is started by the server.

use std::time::SystemTime;

use irqscope_rig::Stop;
use irqscope_run::{ExecuteError, Request, RunDir, execute, fresh_name, resolve};
use irqscope_scenario::{
    KernelName, KernelSource, Overrides, Scenario, ScenarioError, ScenarioFile, bundled, confined,
    suggestion,
};
use serde::{Deserialize, Serialize};

use super::Session;
use super::measurement::{Running, Source};
use super::observer::Observer;
use super::owner::{Facts, Mailbox};
use crate::error::SessionError;

/// The name of what was written on the page: it becomes a part of a path.
const OWN: &str = "own";

/// The parts of a scenario to execute.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StartScenario {
    /// The name of a bundled one; of one's own, `own`.
    pub scenario: String,
    /// One's own: its text, instead of a bundled one's.
    #[serde(default)]
    pub toml: Option<String>,
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
    /// Returns a bundled one, or one that stays in guests: files of this machine are not to be named from afar, nor are its
    /// trees and repositories, whose makefiles are programs.
    ///
    /// # Errors
    /// There is no bundled scenario of this name, or a kernel is named by its files.
    pub fn bundled(self) -> Result<Self, SessionError> {
        let is_of_files = |text: &&String| {
            !matches!(
                KernelName::parse(text),
                Ok(KernelName { source: KernelSource::Known(_), .. })
            )
        };
        if let Some(kernel) = self.kernels.iter().find(is_of_files) {
            return Err(SessionError::KernelOfFile(kernel.clone()));
        }
        if self.toml.is_some() {
            confined(&self.file()?)?;
            return Ok(self);
        }
        if bundled().iter().any(|known| known.name == self.scenario) {
            return Ok(self);
        }
        let names: Vec<&str> = bundled().iter().map(|known| known.name).collect();
        Err(ScenarioError::Unknown(suggestion("scenario", &self.scenario, &names)).into())
    }

    fn file(&self) -> Result<ScenarioFile, SessionError> {
        match &self.toml {
            Some(text) => Ok(ScenarioFile::new(OWN, "own.toml", text.as_str())),
            None => Ok(ScenarioFile::load(&self.scenario)?),
        }
    }

    /// Returns the file, and the keys that were set on the page.
    fn load(&self) -> Result<(ScenarioFile, Overrides), SessionError> {
        let file = self.file()?;
        let asked = Scenario::resolve(&file, &Overrides::default())?;
        let mut overrides = Overrides::default();
        if asked.rig.boots() {
            overrides.set_list("kernels", &self.kernels);
        }
        let known = |state: &String| asked.states.iter().any(|known| known.name == *state);
        if !self.states.iter().all(known) {
            return Err(SessionError::NoSuchState);
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

/// A scenario that was checked.
#[derive(Clone, Debug, Serialize)]
pub struct Checked {
    /// One line about it.
    about: String,
    /// Its cases, in their order.
    cases: Vec<String>,
    /// Triggers of each case.
    count: u64,
}

impl Session {
    /// Checks a scenario, and begins nothing.
    ///
    /// # Errors
    /// Everything that is wrong with it, each with its place.
    pub fn check_scenario(&self, start: &StartScenario) -> Result<Checked, SessionError> {
        let (file, overrides) = start.load()?;
        let scenario = Scenario::resolve(&file, &overrides)?;
        let cases = scenario.cases();
        let asked = cases.first().and_then(|case| case.plan.stages());
        Ok(Checked {
            count: asked.map_or(0, |asked| asked.count),
            cases: cases.iter().map(|case| case.plan.case.clone()).collect(),
            about: scenario.about,
        })
    }

    /// Begins a scenario.
    ///
    /// # Errors
    /// Another measurement, or a scenario that does not go with its options.
    pub fn start_scenario(&self, start: &StartScenario) -> Result<(), SessionError> {
        let (file, overrides) = start.load()?;
        let scenario = Scenario::resolve(&file, &overrides)?;
        self.mailbox.ask(move |owner| {
            owner.check_free()?;
            let name = Some(&*scenario.name);
            let running = Running::new(Source::Scenario, name, scenario.rig.name(), None);
            let (facts, stop) = (owner.facts.clone(), running.stop.clone());
            owner.measure(running, move |mailbox| run(&facts, mailbox, &file, overrides, stop));
            Ok(())
        })
    }
}

fn run(
    facts: &Facts,
    mailbox: &Mailbox,
    file: &ScenarioFile,
    overrides: Overrides,
    stop: Stop,
) -> Result<RunDir, ExecuteError> {
    let scenario = resolve(file, overrides, &stop)?;
    let out = fresh_name(&facts.runs, &scenario.name, SystemTime::now());
    let request = Request {
        scenario: &scenario,
        out: &out,
        args: facts.args.clone(),
        tool_version: facts.tool_version,
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        stop,
    };
    execute(&request, &Observer::new(mailbox, &out))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_names_no_files_of_this_machine() {
        let start = |scenario: &str, kernel: &str| StartScenario {
            scenario: scenario.into(),
            kernels: vec![kernel.into()],
            ..StartScenario::default()
        };
        assert!(start("demo", "6.1-rt").bundled().is_ok());
        for kernel in
            ["/src/linux", "x=~/src/linux", "git:/src/linux@v6.1", "a.deb", "image:a,modules:b"]
        {
            let error = start("demo", kernel).bundled().unwrap_err().to_string();
            assert!(error.contains("command line"), "{error}");
        }
        assert!(start("../x.toml", "6.1").bundled().is_err());
        let own =
            |toml: &str| StartScenario { toml: Some(toml.into()), ..StartScenario::default() };
        assert!(own("kernels = [\"6.1\"]").bundled().is_ok());
        for toml in ["kernels = [\"/src/linux\"]", "rig = \"local\"", "modules = [\"x\"]"] {
            assert!(own(toml).bundled().is_err(), "{toml}");
        }
    }
}
