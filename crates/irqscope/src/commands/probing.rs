// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The conditions of commands that go back to one state of the twin again and again: `worst` and `hunt`.

use irqscope_quantity::Unit;
use irqscope_scenario::{RigKind, Scenario};
use irqscope_wire::Stage;
use tempfile::NamedTempFile;

use crate::cli::Execution;
use crate::exit::{Exit, Trouble};

pub fn usage<T>(text: impl Into<String>) -> Result<T, Trouble> {
    Err(Trouble::new(Exit::Usage, text.into()))
}

/// Returns the one stage that is asked for; user where none is.
pub fn stage(options: &Execution) -> Result<Stage, Trouble> {
    match options.changes.stage[..] {
        [] => Ok(Stage::User),
        [stage] => Ok(stage),
        _ => usage("the search is for the latest response of one stage: give one --stage"),
    }
}

/// Checks that a rig can go back to a state.
pub fn check_rig(scenario: &Scenario) -> Result<(), Trouble> {
    match scenario.rig {
        RigKind::Twin => Ok(()),
        rig => usage(format!("rig {} cannot go back to one state: use --rig twin", rig.name())),
    }
}

/// Checks that the generator triggers and looks on.
pub fn check_view(scenario: &Scenario) -> Result<(), Trouble> {
    match scenario.cases().iter().all(|case| case.plan.outside().is_some()) {
        true => Ok(()),
        false => {
            usage("the generator sets the instant: use trigger.kind = \"line\" and view outside")
        }
    }
}

/// Makes a file for the console of a guest.
pub fn console() -> Result<NamedTempFile, Trouble> {
    let failed = |error| Trouble::new(Exit::Usage, format!("cannot create a file: {error}"));
    NamedTempFile::new().map_err(failed)
}

/// Writes a latency, ns, in the unit that suits it: `67.26 µs`.
pub fn figure(ns: u64) -> String {
    let unit = Unit::for_largest(ns.cast_signed());
    format!("{} {}", unit.figure(ns as f64), unit.name())
}
