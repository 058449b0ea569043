// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A scenario's demands on a kernel with delayed locking.

use irqscope_scenario::Scenario;
use irqscope_wire::{LockMode, LockPolicy};

fn scenario(locks: &str) -> Result<Scenario, String> {
    let text = format!(
        "version = 1\nabout = \"x\"\nkernels = [\"delayed-locking\"]\nstates = [\"tcp\"]\n\
         [bench.sleep]\n[delayed-locking]\n{locks}"
    );
    Scenario::parse("x", "x.toml", &text).map_err(|error| error.to_string())
}

#[test]
fn every_mode_is_a_case_of_its_own() {
    let scenario = scenario("modes = [\"off\", \"on\"]\npolicy = \"average\"").unwrap();
    let cases = scenario.cases();
    let names: Vec<&str> = cases.iter().map(|case| case.plan.case.as_str()).collect();
    assert_eq!(names, ["delayed-locking/tcp/off", "delayed-locking/tcp/on"]);
    let asked = cases[1].plan.delayed_locking.unwrap();
    assert_eq!((asked.mode, asked.policy), (LockMode::On, LockPolicy::Average));
    assert_eq!(asked.max_refusals, 100);
}

#[test]
fn wrong_modes_are_refused() {
    assert!(scenario("modes = []").unwrap_err().contains("off, monitor, on"));
    assert!(scenario("modes = [\"on\", \"on\"]").unwrap_err().contains("twice"));
    assert!(scenario("modes = [\"of\"]").unwrap_err().contains("`off`"));
}
