// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope run`: execute a scenario, derive its figures, show them.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use irqscope_rig::find::{Places, only_board};
use irqscope_rig::{Stop, check_name, rig};
use irqscope_run::{Request, RunDir, execute, fresh_name};
use irqscope_scenario::{Kernels, RigKind, Scenario, ScenarioError, UNKNOWN};

use super::Done;
use super::report::{Format, show};
use crate::cli::{Execution, How, Run};
use crate::exit::{Exit, Trouble};
use crate::interrupt::stop_on_signals;
use crate::progress::Progress;

pub fn run(options: &Run) -> Done {
    let Execution { scenario, how, explain } = &options.execution;
    let run = carry_out(Scenario::load(scenario)?, how, |scenario| {
        if *explain {
            scenario.set_explain();
        }
        options.trace.map_or(Ok(()), |triggers| scenario.set_trace(triggers))
    })?;
    show(&run, if options.json { Format::Summary } else { Format::Table })
}

/// Executes a scenario as it is asked for, and as `adapt` changes it then.
pub fn carry_out(
    mut scenario: Scenario,
    how: &How,
    adapt: impl FnOnce(&mut Scenario) -> Result<(), ScenarioError>,
) -> Result<RunDir, Trouble> {
    let stop = stop_on_signals()?;
    choose(&mut scenario, how, &stop)?;
    adapt(&mut scenario)?;
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

/// Lets the options have precedence over the scenario.
fn choose(scenario: &mut Scenario, how: &How, stop: &Stop) -> Result<(), Trouble> {
    let rig = how.rig.unwrap_or(scenario.rig);
    if !rig.reaches_target() || how.connect.is_some() {
        check_board(scenario, rig)?;
    }
    if let Some(address) = &how.connect {
        scenario.board.address.clone_from(address);
    }
    if how.rig.is_some() || how.connect.is_some() {
        scenario.set_rig(rig);
    }
    if let Some(host) = &how.host {
        scenario.ssh.host.clone_from(host);
    }
    if scenario.needs_board() && scenario.board.address.is_empty() {
        scenario.board.address = only_board(&Places::default(), stop)?;
    }
    scenario.kernels = kernels(how, scenario, stop)?;
    Ok(())
}

/// Checks that a generator at an address has anything to do.
fn check_board(scenario: &Scenario, rig: RigKind) -> Result<(), Trouble> {
    let usage = |text: String| Err(Trouble::new(Exit::Usage, text));
    if rig.boots() {
        let rig = rig.name();
        return usage(format!(
            "--connect names a board that is wired to a machine; rig {rig} boots one with a \
             generator of its own: add --rig board, or --rig ssh or local for both views"
        ));
    }
    if !scenario.needs_driver() {
        return usage(format!("{} runs benchmarks, which nothing triggers", scenario.name));
    }
    Ok(())
}

/// Returns the kernels of the cases: the chosen ones where the rig boots them, else the
/// one that the target runs.
fn kernels(options: &How, scenario: &Scenario, stop: &Stop) -> Result<Vec<String>, Trouble> {
    match scenario.rig.facts().kernels {
        Kernels::Booted => {
            let asked = &options.kernel;
            let chosen = if asked.is_empty() { &scenario.kernels } else { asked };
            chosen.iter().try_for_each(|name| check_name(name))?;
            Ok(chosen.clone())
        }
        Kernels::Unseen => named(options, scenario),
        Kernels::Running => {
            let own = rig(scenario).running_kernel(stop)?.unwrap_or_default();
            if options.kernel.is_empty() {
                return Ok(vec![own]);
            }
            let what = format!("--kernel is for rigs twin and vm; this target runs {own}");
            Err(Trouble::new(Exit::Usage, what))
        }
    }
}

/// Checks the names: one target runs one kernel, and says nothing of it to a board.
fn named(options: &How, scenario: &Scenario) -> Result<Vec<String>, Trouble> {
    match &options.kernel[..] {
        [] if options.rig.is_none() => Ok(scenario.kernels.clone()),
        [] => Ok(vec![UNKNOWN.to_owned()]),
        [name] => Ok(vec![name.clone()]),
        _ => Err(Trouble::new(Exit::Usage, "with rig board, --kernel names the one that runs")),
    }
}

fn out(options: &How, scenario: &Scenario) -> PathBuf {
    let fresh = || fresh_name(Path::new("runs"), &scenario.name, SystemTime::now());
    options.out.clone().unwrap_or_else(fresh)
}

fn jobs(options: &How) -> usize {
    let cpus = || std::thread::available_parallelism().map_or(1, usize::from);
    options.jobs.map_or_else(cpus, usize::from)
}

/// Adds that the run directory has what was received before the trouble.
fn kept(trouble: Trouble, out: &Path) -> Trouble {
    if RunDir::open(out).is_err() {
        return trouble;
    }
    trouble.with_note(&format!("what was received is kept in {}", out.display()))
}
