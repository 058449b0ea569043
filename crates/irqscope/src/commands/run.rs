// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope run`: execute a scenario, derive its figures, show them.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use irqscope_run::{ExecuteError, Request, RunDir, execute, fresh_name, resolve};
use irqscope_scenario::{Overrides, Scenario, ScenarioFile};

use super::Done;
use super::report::{Pages, show_answer};
use crate::cli::{Execution, How, Run};
use crate::exit::Trouble;
use crate::interrupt::stop_on_signals;
use crate::progress::Progress;

pub fn run(options: &Run) -> Done {
    let mut overrides = options.execution.overrides();
    if let Some(triggers) = options.trace {
        overrides.set("twin.trace", triggers);
    }
    if options.sections {
        overrides.set("twin.sections", true);
    }
    let file = ScenarioFile::load(&options.execution.scenario)?;
    let run = carry_out(&file, overrides, &options.execution.how)?;
    let pages =
        if options.no_report { Pages::None } else { Pages::All(irqscope_report::Form::default()) };
    show_answer(&run, &options.shown, Some(&options.execution.scenario), pages)
}

impl Execution {
    /// Returns the keys that the options set.
    pub fn overrides(&self) -> Overrides {
        let mut overrides = self.how.overrides();
        self.changes.add_to(&mut overrides);
        overrides
    }
}

/// Executes a scenario with the keys that were set outside its file.
pub fn carry_out(file: &ScenarioFile, overrides: Overrides, how: &How) -> Result<RunDir, Trouble> {
    let stop = stop_on_signals()?;
    let scenario = resolve(file, overrides, &stop).map_err(ExecuteError::from)?;
    let out = out(how, &scenario);
    if out.symlink_metadata().is_ok() {
        return Err(irqscope_run::RunError::Exists { path: out }.into());
    }
    let request = Request {
        scenario: &scenario,
        out: &out,
        args: std::env::args().collect(),
        tool_version: env!("CARGO_PKG_VERSION"),
        jobs: jobs(how),
        stop,
    };
    execute(&request, &Progress::new()).map_err(|error| kept(error.into(), &out))
}

fn out(options: &How, scenario: &Scenario) -> PathBuf {
    let fresh = || fresh_name(Path::new("runs"), &scenario.name, SystemTime::now());
    options.out.clone().unwrap_or_else(fresh)
}

pub fn jobs(options: &How) -> usize {
    let cpus = || std::thread::available_parallelism().map_or(1, usize::from);
    options.jobs.map_or_else(cpus, usize::from)
}

/// Adds that the run directory has what was received before the trouble; one that has nothing goes.
fn kept(trouble: Trouble, out: &Path) -> Trouble {
    let Ok(run) = RunDir::open(out) else { return trouble };
    if run.remove_if_empty().unwrap_or(false) {
        return trouble;
    }
    trouble.with_note(&format!("what was received is kept in {}", out.display()))
}
