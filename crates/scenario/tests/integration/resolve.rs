// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scenarios with keys that are set outside their file: plans that pass the same checks again, or
//! an error that says which rule is broken.

use irqscope_scenario::{Overrides, RigKind, Rule, Scenario, ScenarioError, ScenarioFile, bundled};
use irqscope_wire::{Compensate, Mode, Plan, Stage, Trigger, View};
use proptest::prelude::*;

const ADDRESS: &str = "serial:///dev/ttyACM0";

fn on(rig: Option<RigKind>, connects: bool) -> Overrides {
    let mut overrides = Overrides::default();
    if let Some(rig) = rig {
        overrides.set_rig(rig);
    }
    if connects {
        overrides.set_text("board.address", ADDRESS);
    }
    overrides
}

fn resolve(name: &str, overrides: &Overrides) -> Result<Scenario, ScenarioError> {
    Scenario::resolve(&ScenarioFile::load(name).unwrap(), overrides)
}

fn rules(name: &str, overrides: &Overrides) -> Vec<Rule> {
    resolve(name, overrides).unwrap_err().rules().cloned().collect()
}

/// Checks what no plan may ask for, whatever it was made of.
fn holds(plan: &Plan, rig: RigKind) {
    let Some(asked) = plan.stages() else { return };
    let [outside, inside] = [View::Outside, View::Inside].map(|view| asked.has_view(view));
    assert!(outside || inside);
    // A board's lines are all of a target's stages, `irq` among them, where none is named.
    let seen = asked.stages.len() < 2 || asked.stages.contains(&Stage::Irq);
    assert!(!outside || asked.mode == Mode::Together || seen, "it is unknown whose turn it is");
    assert!(outside || asked.trigger != Trigger::Line, "a line without a generator");
    assert!(!inside || rig.reaches_target(), "a record of a target that is not reached");
    assert_eq!(plan.instruction.is_some(), rig == RigKind::Twin);
    assert!(asked.faults.is_none() || rig == RigKind::Twin);
}

#[test]
fn every_bundled_scenario_on_every_rig_is_right_or_refused_by_a_rule() {
    let rigs = || RigKind::ALL.map(Some).into_iter().chain([None]);
    let mut right = 0;
    for scenario in bundled() {
        for (rig, connects) in rigs().flat_map(|rig| [(rig, false), (rig, true)]) {
            match resolve(scenario.name, &on(rig, connects)) {
                Ok(resolved) => {
                    right += 1;
                    resolved.cases().iter().for_each(|case| holds(&case.plan, resolved.rig));
                    // Its own text is a scenario again, of the same plans.
                    let again = Scenario::parse(scenario.name, "again.toml", resolved.to_toml());
                    let again = again.unwrap_or_else(|error| panic!("{error}"));
                    assert_eq!(again.cases(), resolved.cases(), "{} {rig:?}", scenario.name);
                }
                Err(error) => {
                    assert!(error.rules().next().is_some(), "{}: {error}", scenario.name);
                }
            }
        }
    }
    // All on their own rig, and most on any other.
    assert!(right > 100, "{right}");
}

#[test]
fn stages_in_turn_are_seen_by_a_board_if_it_sees_whose_turn_it_is() {
    for rig in [RigKind::Ssh, RigKind::Local, RigKind::Board] {
        let broken = rules("intspect", &on(Some(rig), true));
        assert!(broken.contains(&Rule::IsolatedUnseen), "{broken:?}");
    }
    for rig in [RigKind::Ssh, RigKind::Local] {
        let mut seen = on(Some(rig), true);
        seen.set("stages", "[\"irq\", \"softirq\", \"work\"]");
        let scenario = resolve("intspect", &seen).unwrap();
        assert!(scenario.cases().iter().all(|case| case.plan.has_view(View::Outside)));
    }
    // Without a board it is what it is in the twin.
    assert!(resolve("intspect", &on(Some(RigKind::Ssh), false)).is_ok());
}

#[test]
fn counting_is_refused_where_no_driver_counts() {
    for connects in [false, true] {
        let broken = rules("bursts-counter", &on(Some(RigKind::Board), connects));
        assert_eq!(broken, [Rule::CountUnreached]);
    }
    let mut without = on(Some(RigKind::Board), false);
    without.set("compensate", "none");
    let scenario = resolve("bursts-counter", &without).unwrap();
    let asked = scenario.cases()[0].plan.stages().unwrap();
    assert_eq!((asked.compensate(), asked.inside), (Compensate::None, None));
}

#[test]
fn the_command_line_is_checked_as_the_file_is() {
    let refused = |key: &str, value: &str| {
        let mut overrides = Overrides::default();
        overrides.set(key, value);
        resolve("demo", &overrides).unwrap_err().to_string()
    };
    let key = refused("trigger.perod", "1ms");
    assert!(key.contains("trigger.perod=1ms (command line)"), "{key}");
    assert!(key.contains("did you mean `period`?"), "{key}");
    assert_eq!(refused("nonsense.key", "1").matches("unknown key").count(), 1);
    assert!(refused("about.x", "1").contains("`about` is no table"));
    assert!(refused("trigger.count", "0").contains("1 to 4294967296"));
    assert!(refused("stages", "[\"irqq\"]").contains("did you mean `irq`?"));
    assert!(refused("rig", "tvin").contains("twin"));
    // Another rig drops keys of the file, but none of the command line.
    let mut explained = on(Some(RigKind::Board), false);
    explained.set_list("states", &["idle"]);
    explained.set("explain", true);
    assert_eq!(rules("demo", &explained), [Rule::ExplainOutside]);
}

#[test]
fn all_that_is_wrong_is_said_at_once() {
    let text = "version = 1\nabout = \"x\"\nkernels = [\"6.1\"]\nstates = [\"idle\"]\ncolour = 3\n\
                [trigger]\nkind = \"tmer\"\nperiod = \"fast\"\ncount = 1\n";
    let error = Scenario::parse("x", "x.toml", text).unwrap_err().to_string();
    for place in ["x.toml:5:1", "x.toml:7:8", "x.toml:8:10"] {
        assert!(error.contains(place), "{error}");
    }
    let text =
        "version = 1\nabout = \"x\"\nstates = [\"idel\"]\n[trigger]\nkind = \"timer\"\ncount = 0\n";
    let error = Scenario::parse("x", "x.toml", text).unwrap_err();
    assert_eq!(error.rules().count(), 4, "{error}");
    assert!(error.to_string().contains("x.toml:3:11"), "{error}");
}

proptest! {
    #[test]
    fn any_setting_is_taken_or_refused(
        name in prop::sample::select(bundled().iter().map(|one| one.name).collect::<Vec<_>>()),
        key in "[a-z.]{0,12}|trigger\\.[a-z]{1,8}|[\\PC]{0,6}",
        value in "\\PC{0,12}",
    ) {
        let mut overrides = Overrides::default();
        overrides.set(key, value);
        if let Ok(scenario) = resolve(name, &overrides) {
            scenario.cases().iter().for_each(|case| holds(&case.plan, scenario.rig));
        }
    }
}

#[test]
fn a_kernel_that_runs_is_listed_as_such_until_it_is_named() {
    let file = ScenarioFile::load("spare-cpu").unwrap();
    let case = |overrides: &Overrides| {
        Scenario::resolve(&file, overrides).unwrap().cases()[0].plan.case.clone()
    };
    let mut overrides = Overrides::default();
    assert_eq!(case(&overrides), "running/idle");
    overrides.found_running("6.12.0".into());
    assert_eq!(case(&overrides), "6.12.0/idle");
}
