// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scenarios of one kernel and one state: what differs is in their top and their
//! trigger.

use irqscope_scenario::{Overrides, RigKind, Scenario, ScenarioError, ScenarioFile};
use irqscope_wire::StagePlan;

fn text(top: &str, trigger: &str) -> String {
    format!(
        "version = 1\nabout = \"a test\"\nkernels = [\"6.1\"]\nstates = [\"idle\"]\n{top}\n\
         [trigger]\ncount = 100\n{trigger}\n"
    )
}

pub fn parse(top: &str, trigger: &str) -> Result<Scenario, String> {
    Scenario::parse("test", "test.toml", &text(top, trigger)).map_err(|error| error.to_string())
}

/// Resolves a scenario with keys that were set outside the file.
pub fn resolve(
    top: &str,
    trigger: &str,
    set: impl FnOnce(&mut Overrides),
) -> Result<Scenario, ScenarioError> {
    let mut overrides = Overrides::default();
    set(&mut overrides);
    let file = ScenarioFile::new("test", "test.toml", text(top, trigger));
    Scenario::resolve(&file, &overrides)
}

/// Resolves it on another rig.
pub fn on(rig: RigKind, top: &str, trigger: &str) -> Scenario {
    resolve(top, trigger, |overrides| overrides.set_rig(rig)).unwrap()
}

pub fn plan(top: &str, trigger: &str) -> StagePlan {
    asked(&parse(top, trigger).unwrap())
}

/// Returns what the first case asks.
pub fn asked(scenario: &Scenario) -> StagePlan {
    scenario.cases()[0].plan.stages().unwrap().clone()
}

pub fn error(top: &str, trigger: &str) -> String {
    parse(top, trigger).expect_err("a wrong scenario is refused")
}
