// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The rigs, one file each: how a target is reached and triggered. [`irqscope_scenario::RigFacts`]
//! says what each of them is; [`rig`] is the only code that lists them.

use std::path::Path;

use irqscope_scenario::{Case, RigKind, Scenario};
use irqscope_wire::Plan;

use crate::case::Events;
use crate::error::Result;
use crate::stop::Stop;

mod board;
mod local;
mod open_twin;
mod real;
mod ssh;
mod twin;
mod vm;

pub use open_twin::{OpenTwin, open_plan};
pub(crate) use real::ask;

/// One way to reach a target and to measure cases there.
pub trait Rig: Send + Sync {
    /// Asks the target for the release of the kernel that it runs. `None`: it boots what
    /// a case names, or is not reached.
    ///
    /// # Errors
    /// The target does not answer.
    fn running_kernel(&self, _stop: &Stop) -> Result<Option<String>> {
        Ok(None)
    }

    /// Fetches, builds and finds all that the cases need, and completes their plans with
    /// what the rig decides, before anything is created. `say` shows a slow step.
    ///
    /// # Errors
    /// Something is missing, or a case asks for what this rig cannot do.
    fn prepare(&mut self, cases: &mut [Case], say: &dyn Fn(&str), stop: &Stop) -> Result<()>;

    /// Runs one of the prepared cases and passes on all that it says.
    ///
    /// # Errors
    /// The case did not come to its end, or cannot be trusted.
    fn run_case(&self, job: &Job<'_>, events: &mut Events<'_>) -> Result<()>;
}

/// One case that a rig is to run.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// Its position among the prepared cases.
    pub index: usize,
    /// The case's plan.
    pub plan: &'a Plan,
    /// Where the target's console or kernel log is written, where there is one.
    pub console: &'a Path,
    /// Set when the case is to end early.
    pub stop: &'a Stop,
    /// The first trigger's distance from the start in ns, instead of `twin.first`; the twin's alone.
    pub first: Option<u64>,
}

/// Returns the rig that a scenario names.
#[must_use]
pub fn rig(scenario: &Scenario) -> Box<dyn Rig> {
    let Scenario { board, ssh, payload, devices, .. } = scenario;
    let payload = payload.clone();
    match scenario.rig {
        RigKind::Twin => Box::new(twin::TwinRig::new(scenario.twin, *devices, payload)),
        RigKind::Vm => Box::new(vm::VmRig::new(scenario.vm, *devices, payload)),
        RigKind::Local => Box::new(local::LocalRig::new(board.clone(), payload)),
        RigKind::Ssh => Box::new(ssh::SshRig::new(ssh.clone(), board.clone(), payload)),
        RigKind::Board => Box::new(board::BoardRig::new(board.address.clone())),
    }
}
