// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scenarios of one kernel and one state: what differs is in their top and their
//! trigger.

use irqscope_scenario::Scenario;
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
