// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The facts of a scenario that only the target and the wires know: which kernel runs, and where
//! the board is.

use irqscope_rig::find::{Places, only_board};
use irqscope_rig::{RigError, Stop, check_name, rig};
use irqscope_scenario::{Kernels, Overrides, Scenario, ScenarioError, ScenarioFile};

/// Why a scenario cannot be executed.
#[allow(missing_docs, reason = "each is the error of the crate that it is from")]
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    #[error(transparent)]
    Rig(#[from] RigError),
}

/// Resolves a scenario with what was set outside its file and what is found out: the one
/// board that is connected, and the kernel of a target that runs its own.
///
/// # Errors
/// The scenario is wrong, or the target or the board is not there.
pub fn resolve(
    file: &ScenarioFile,
    mut overrides: Overrides,
    stop: &Stop,
) -> Result<Scenario, ResolveError> {
    let asked = Scenario::resolve(file, &overrides)?;
    if asked.needs_board() && asked.board.address.is_empty() {
        overrides.set_text("board.address", &only_board(&Places::default(), stop)?);
    }
    match asked.rig.facts().kernels {
        Kernels::Booted => asked.kernels.iter().try_for_each(check_name)?,
        Kernels::Running => {
            overrides.found_running(rig(&asked).running_kernel(stop)?.unwrap_or_default());
        }
        Kernels::Unseen => {}
    }
    Ok(Scenario::resolve(file, &overrides)?)
}
