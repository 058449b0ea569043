// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Kernel parameters of a scenario, and its axes: cases with names, and what is refused.

use irqscope_scenario::{Case, Overrides, RigKind, Scenario, ScenarioFile};

fn text(keys: &str) -> String {
    format!(
        "version = 1\nabout = \"x\"\nkernels = [\"6.1\", \"6.1-rt\"]\nstates = [\"idle\"]\n{keys}\n\
         [bench.sleep]\n"
    )
}

fn cases(keys: &str) -> Vec<Case> {
    Scenario::parse("x", "x.toml", &text(keys)).unwrap().cases().to_vec()
}

fn named(cases: &[Case]) -> Vec<(&str, &str)> {
    cases.iter().map(|case| (case.plan.case.as_str(), case.boot.as_str())).collect()
}

fn error(keys: &str) -> String {
    Scenario::parse("x", "x.toml", &text(keys)).unwrap_err().to_string()
}

fn resolved(keys: &str, set: &[(&str, &str)]) -> Result<Vec<Case>, String> {
    let mut overrides = Overrides::default();
    set.iter().for_each(|(key, value)| overrides.set(*key, value));
    let file = ScenarioFile::new("x", "x.toml", text(keys));
    let scenario = Scenario::resolve(&file, &overrides).map_err(|error| error.to_string())?;
    Ok(scenario.cases().to_vec())
}

#[test]
fn parameters_are_those_of_all_cases_and_change_no_name() {
    let all = cases("boot = \"  highres=off   idle=poll \"");
    assert_eq!(
        named(&all),
        [("6.1/idle", "highres=off idle=poll"), ("6.1-rt/idle", "highres=off idle=poll")]
    );
    assert!(cases("").iter().all(|case| case.boot.is_empty() && case.levels.is_empty()));
}

#[test]
fn each_level_of_each_axis_is_a_case_in_the_order_of_the_file() {
    let all = cases(
        "boot = \"threadirqs\"\n[axes]\npreempt = [\"none\", \"full\"]\n\
         timers = [{ level = \"high\" }, { level = \"low\", boot = \"highres=off nohz=off\" }]",
    );
    assert_eq!(
        named(&all[..4]),
        [
            ("6.1/idle/preempt-none/timers-high", "threadirqs preempt=none"),
            ("6.1/idle/preempt-none/timers-low", "threadirqs preempt=none highres=off nohz=off"),
            ("6.1/idle/preempt-full/timers-high", "threadirqs preempt=full"),
            ("6.1/idle/preempt-full/timers-low", "threadirqs preempt=full highres=off nohz=off"),
        ]
    );
    assert_eq!(all.len(), 8);
    let levels: Vec<_> =
        all[1].levels.iter().map(|one| (one.axis.as_str(), one.level.as_str())).collect();
    assert_eq!(levels, [("preempt", "none"), ("timers", "low")]);
}

#[test]
fn a_level_may_be_for_some_kernels_and_an_axis_without_one_leaves_a_kernel_as_it_is() {
    let all = cases(
        "[axes]\npreempt = [{ level = \"full\", boot = \"preempt=full\", kernels = [\"6.1\"] }]",
    );
    assert_eq!(named(&all), [("6.1/idle/preempt-full", "preempt=full"), ("6.1-rt/idle", "")]);
    assert!(error("[axes]\na = [{ level = \"x\", kernels = [\"6.12\"] }]").contains("`6.12`"));
}

#[test]
fn both_can_be_set_on_the_command_line() {
    let set = [("boot", "idle=poll"), ("axes.preempt", "[\"none\", \"full\"]")];
    let all = resolved("", &set).unwrap();
    assert_eq!(named(&all)[0], ("6.1/idle/preempt-none", "idle=poll preempt=none"));
    assert!(resolved("boot = \"nohz=off\"", &[("boot", "")]).unwrap()[0].boot.is_empty());
}

#[test]
fn what_cannot_be_is_refused_with_its_place_and_a_remedy() {
    let owned = error("boot = \"idle=poll console=tty0\"");
    assert!(
        owned.contains("x.toml:5:8") && owned.contains("`console` is the rig's own"),
        "{owned}"
    );
    let level = error("[axes]\na = [{ level = \"b\", boot = \"panic=3\" }]");
    assert!(level.contains("x.toml:6:6") && level.contains("`panic`"), "{level}");
    let axis = error("[axes]\npanic = [\"0\"]");
    assert!(axis.contains("`panic` is the rig's own"), "{axis}");
    assert!(error("[axes]\na = []").contains("no levels"));
    assert!(error("[axes]\na = [\"b\", \"b\"]").contains("`b` is there twice"));
    assert!(error("[axes]\na = [\"b/c\"]").contains("no name of a level"));
    assert!(error("[axes]\nseed = [\"7\"]").contains("no name of an axis"));
    assert!(error("[axes]\na = [{ level = \"b\", bot = \"c\" }]").contains("did you mean `boot`?"));
    assert!(error("[axes]\na = [1]").contains("a level: \"full\", or"));
}

#[test]
fn a_target_that_is_not_booted_takes_no_parameters_of_the_command_line_and_none_of_the_file() {
    let keys = "boot = \"idle=poll\"\n[axes]\npreempt = [\"none\", \"full\"]";
    for rig in [RigKind::Local, RigKind::Ssh] {
        let kept = resolved(keys, &[("rig", rig.name())]).unwrap();
        assert_eq!(named(&kept), [("running/idle", "")]);
        for set in [("boot", "idle=poll"), ("axes.preempt", "[\"full\"]")] {
            let refused = resolved("", &[("rig", rig.name()), set]).unwrap_err();
            assert!(
                refused.contains("boots nothing") && refused.contains("boot loader"),
                "{refused}"
            );
        }
    }
    assert!(resolved(keys, &[("rig", "vm")]).is_ok());
}
