// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bursts, execution times and counting.

use irqscope_scenario::Scenario;
use irqscope_wire::{Burst, Compensate, ExecutionTime, Pacing, Stage};

fn plan(trigger: &str, rest: &str) -> Result<irqscope_wire::StagePlan, String> {
    let text = format!(
        "version = 1\nabout = \"x\"\nkernels = [\"6.1\"]\nstates = [\"idle\"]\n{rest}\n\
         [trigger]\nkind = \"line\"\nperiod = \"5ms\"\ncount = 16\n{trigger}\n"
    );
    let scenario = Scenario::parse("x", "x.toml", &text).map_err(|error| error.to_string())?;
    Ok(scenario.cases()[0].plan.stages().unwrap().clone())
}

#[test]
fn stages_have_fixed_or_drawn_execution_times() {
    let times = "execution = { irq = \"5us\", softirq = { mean = \"70us\" }, \
                 work = { lowest = \"1us\", highest = \"2us\" } }";
    let execution = plan("", times).unwrap().execution.unwrap();
    assert_eq!(execution.time(Stage::Irq), ExecutionTime::Fixed { ns: 5_000 });
    assert_eq!(execution.time(Stage::Softirq), ExecutionTime::Exponential { mean_ns: 70_000 });
    let uniform = ExecutionTime::Uniform { lowest_ns: 1_000, highest_ns: 2_000 };
    assert_eq!(execution.time(Stage::Work), uniform);
    assert_eq!(execution.time(Stage::User), ExecutionTime::Fixed { ns: 0 });
}

#[test]
fn a_wrong_execution_time_says_what_is_right() {
    let refused = |time: &str| plan("", &format!("execution = {{ {time} }}")).unwrap_err();
    assert!(refused("sofirq = \"5us\"").contains("did you mean `softirq`?"));
    assert!(refused("irq = 5").contains("{ mean = \"10us\" }"));
    assert!(refused("irq = { mean = \"1us\", lowest = \"1us\" }").contains("or mean"));
    assert!(refused("irq = { lowest = \"2us\", highest = \"1us\" }").contains("at most highest"));
    assert!(refused("irq = \"2s\"").contains("at most 1s"));
    let others = "stages = [\"irq\"]\nexecution = { work = \"1us\" }";
    assert!(plan("", others).unwrap_err().contains("not among stages"));
}

#[test]
fn a_burst_fits_into_its_period() {
    let burst = plan("burst = 16\ninterval = \"20us\"", "").unwrap().burst;
    assert_eq!(burst, Some(Burst { triggers: 16, interval_ns: 20_000 }));
    let refused = |trigger| plan(trigger, "").unwrap_err();
    assert!(refused("burst = 16").contains("go together"));
    assert!(refused("burst = 1\ninterval = \"20us\"").contains("2 to"));
    assert!(refused("burst = 16\ninterval = \"313us\"").contains("fits into a period"));
    let closed = "burst = 2\ninterval = \"20us\"\npacing = \"closed\"";
    assert!(refused(closed).contains("open"));
}

#[test]
fn a_sleep_asks_its_thread_and_waits_for_its_answer() {
    let sleep = |top: &str, trigger: &str| {
        let text = format!(
            "version = 1\nabout = \"x\"\nkernels = [\"6.1\"]\nstates = [\"idle\"]\n{top}\n\
             [trigger]\nkind = \"sleep\"\nperiod = \"5ms\"\ncount = 16\n{trigger}\n"
        );
        let scenario = Scenario::parse("x", "x.toml", &text).map_err(|error| error.to_string())?;
        Ok::<_, String>(scenario.cases()[0].plan.stages().unwrap().clone())
    };
    let plan = sleep("", "").unwrap();
    assert_eq!(plan.stages, [Stage::Irq, Stage::User]);
    assert_eq!((plan.pacing, plan.outside), (Pacing::Closed, None));
    assert_eq!(sleep("stages = [\"user\"]", "").unwrap().stages, [Stage::User]);
    let refused = |top, trigger| sleep(top, trigger).unwrap_err();
    assert!(refused("stages = [\"irq\"]", "").contains("stages = [\"user\"]"));
    assert!(refused("stages = [\"user\", \"work\"]", "").contains("stages = [\"user\"]"));
    assert!(refused("", "pacing = \"open\"").contains("leave trigger.pacing out"));
    assert!(refused("", "burst = 2\ninterval = \"20us\"").contains("once at a time"));
    assert!(refused("views = [\"outside\"]", "").contains("generator"));
}

#[test]
fn counting_needs_the_record_of_every_stage() {
    let counter = "compensate = \"counter\"";
    assert_eq!(plan("mode = \"together\"", counter).unwrap().compensate(), Compensate::Counter);
    let blind = format!("{counter}\nviews = [\"outside\"]");
    assert!(plan("mode = \"together\"", &blind).unwrap_err().contains("inside"));
    assert!(plan("", "compensate = \"count\"").unwrap_err().contains("`counter`"));
}
