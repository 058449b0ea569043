// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Scenario files: the bundled ones are right, and a wrong one says where.

use irqscope_scenario::{Overrides, RigKind, Scenario, ScenarioFile, bundled};
use irqscope_wire::{Load, Stage};

const GOOD: &str = r#"
version = 1
about = "a test"
kernels = ["6.1"]
states = ["idle", "mixed"]
stages = ["irq", "softirq"]

[state.mixed]
loads = ["tcp", "copy"]

[trigger]
kind = "timer"
period = "250us"
count = 100
"#;

fn error(text: &str) -> String {
    Scenario::parse("test", "test.toml", text).expect_err("a wrong scenario is refused").to_string()
}

#[test]
fn every_bundled_scenario_parses_and_has_cases() {
    for scenario in bundled() {
        let parsed = Scenario::load(scenario.name).unwrap();
        assert!(!parsed.cases().is_empty(), "{}", scenario.name);
        assert!(!parsed.about.is_empty());
    }
}

#[test]
fn cases_are_kernels_by_states_with_complete_plans() {
    let scenario = Scenario::parse("test", "test.toml", GOOD).unwrap();
    let cases = scenario.cases();
    assert_eq!(
        cases.iter().map(|case| case.plan.case.as_str()).collect::<Vec<_>>(),
        ["6.1/idle", "6.1/mixed"]
    );
    let plan = &cases[1].plan;
    assert_eq!(plan.state.loads, [Load::Tcp, Load::Copy]);
    let asked = plan.stages().unwrap();
    assert_eq!(asked.stages, [Stage::Irq, Stage::Softirq]);
    assert_eq!((asked.period_ns, asked.count), (250_000, 100));
    assert_eq!(plan.tick.map(|tick| tick.femtoseconds), Some(1_000_000));
    assert_eq!(plan.instruction.map(|tick| tick.femtoseconds), Some(2_000_000));
}

#[test]
fn another_rig_than_the_twin_has_no_tick_beforehand() {
    let mut overrides = Overrides::default();
    overrides.set_rig(RigKind::Local);
    let file = ScenarioFile::new("test", "test.toml", GOOD);
    let scenario = Scenario::resolve(&file, &overrides).unwrap();
    assert_eq!(scenario.cases()[0].plan.tick, None);
}

#[test]
fn wrong_names_are_answered_with_place_and_neighbour() {
    let stage = error(&GOOD.replace("\"softirq\"", "\"softirqs\""));
    assert!(stage.contains("test.toml:6:") && stage.contains("did you mean `softirq`?"), "{stage}");
    let state = error(&GOOD.replace("[\"idle\"", "[\"idel\""));
    assert!(state.contains("test.toml:5:") && state.contains("did you mean `idle`?"), "{state}");
    let key = error(&GOOD.replace("period =", "perod ="));
    assert!(key.contains("test.toml:13:") && key.contains("period"), "{key}");
}

#[test]
fn values_out_of_range_name_the_range() {
    for (from, to, want) in [
        ("count = 100", "count = 0", "count is 1 to"),
        ("\"250us\"", "\"fast\"", "with its unit: 250us"),
        ("\"250us\"", "\"10ns\"", "10us to 1h"),
        ("version = 1", "version = 2", "this program reads 1"),
        ("[\"6.1\"]", "[]", "needs kernels"),
        ("[\"irq\", \"softirq\"]", "[]", "stages is empty"),
    ] {
        let message = error(&GOOD.replace(from, to));
        assert!(message.contains(want), "{message}");
    }
}

#[test]
fn an_unknown_scenario_names_the_nearest() {
    let message = Scenario::load("dmeo").unwrap_err().to_string();
    assert!(message.contains("did you mean `demo`?"), "{message}");
}

const BENCH: &str = r#"
version = 1
about = "a test"
kernels = ["6.1"]
states = ["idle"]

[bench.sched]
policies = ["fifo 95", "deadline"]
period = "1ms"
count = 7

[bench.gtod]
clocks = ["counter"]
"#;

#[test]
fn benchmarks_make_a_plan_that_needs_no_driver() {
    let scenario = Scenario::parse("test", "test.toml", BENCH).unwrap();
    let plan = &scenario.cases()[0].plan;
    assert!(!plan.needs_driver() && plan.uses_real_time());
    let names: Vec<String> =
        plan.benchmarks().iter().map(|one| format!("{} {}", one.kind(), one.variant())).collect();
    // In the order in which benchmarks are run, not in that of the file.
    assert_eq!(names, ["gtod counter", "sched fifo 95", "sched deadline"]);
    assert_eq!(plan.samples(), 100_000 + 7 + 7);
    assert_eq!(plan.tick.map(|tick| tick.femtoseconds), Some(1_000_000));
}

#[test]
fn a_wrong_benchmark_says_what_would_be_right() {
    let wrong = |from: &str, to: &str| error(&BENCH.replace(from, to));
    assert!(wrong("bench.gtod", "bench.gtodd").contains("test.toml:12:"));
    assert!(wrong("\"counter\"", "\"countr\"").contains("did you mean `counter`?"));
    assert!(wrong("\"deadline\"", "\"dedline\"").contains("or \"deadline\""));
    assert!(wrong("1ms", "1us").contains("bench.sched: period is 10us to 1h"));
    assert!(wrong("\"deadline\"", "\"fifo 95\"").contains("there twice"));
    assert!(wrong("count = 7", "work = \"1us\"").contains("unknown key `work`"));
}

#[test]
fn a_scenario_asks_stages_or_runs_benchmarks_and_not_both() {
    let both = format!("{BENCH}\n[trigger]\nkind = \"timer\"\nperiod = \"1ms\"\ncount = 1\n");
    assert!(error(&both).contains("not both"));
    assert!(error(&BENCH.replace("states =", "stages = [\"irq\"]\nstates =")).contains("not both"));
    let neither = &BENCH[..BENCH.find("[bench").unwrap()];
    assert!(error(neither).contains("neither [trigger]"));
    assert!(error(&format!("{neither}\n[bench]\n")).contains("add [bench.sched]"));
}
