// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A plan as the driver's settings.

use irqscope_wire::{Execution, ExecutionTime, Scheduling, Stage, StagePlan};

/// More slots than this would take more memory than a small target has.
const MOST_SLOTS: u64 = 1 << 18;
const FEWEST_SLOTS: u64 = 64;

/// Names and values, in the order in which they are written.
pub fn assignments(
    plan: &StagePlan,
    stages: &[Stage],
    cpu: u32,
    inject_cpu: u32,
) -> Vec<(&'static str, String)> {
    let switch = |on| if on { "on" } else { "off" }.to_owned();
    let mut settings = vec![
        ("stages", names(stages)),
        ("trigger", plan.trigger.to_string()),
        ("line", plan.line.to_string()),
        ("inside", switch(plan.inside.is_some())),
        ("explain", switch(plan.explains())),
        ("events", events(plan.count).to_string()),
        ("mode", plan.mode.to_string()),
        ("turn_length", plan.turn_length.to_string()),
        ("pacing", plan.pacing.to_string()),
        ("period_ns", plan.period_ns.to_string()),
        ("count", plan.count.to_string()),
        ("jitter", plan.jitter.kind.to_string()),
        ("jitter_ns", plan.jitter.ns.to_string()),
        ("burst", plan.burst.map_or(1, |burst| burst.triggers).to_string()),
        ("execution", execution(plan.execution.as_ref(), stages)),
        ("compensate", plan.compensate().to_string()),
        ("seed", plan.seed.to_string()),
        ("cpu", cpu.to_string()),
        ("inject_cpu", inject_cpu.to_string()),
        ("slots", slots(plan.count).to_string()),
        ("timeout_ms", plan.timeout_ms.to_string()),
        ("kthread_sched", scheduling(plan.kthread)),
        ("thread_sched", scheduling(plan.thread)),
    ];
    if let Some(burst) = plan.burst {
        settings.push(("interval_ns", burst.interval_ns.to_string()));
    }
    if plan.trigger.facts().uses_irq {
        settings.push(("irq", plan.irq.to_string()));
    }
    if let Some(delay) = plan.delay {
        settings.push(("delay_stage", delay.stage.index().to_string()));
        settings.push(("delay_instructions", delay.instructions.to_string()));
    }
    settings
}

/// Formats execution times: every asked stage has one, so that all lines show pulses.
fn execution(execution: Option<&Execution>, stages: &[Stage]) -> String {
    let Some(execution) = execution else { return "off".to_owned() };
    let text = |stage: &Stage| match execution.time(*stage) {
        ExecutionTime::Fixed { ns } => format!("{stage} fixed {ns}"),
        ExecutionTime::Uniform { lowest_ns, highest_ns } => {
            format!("{stage} uniform {lowest_ns} {highest_ns}")
        }
        ExecutionTime::Exponential { mean_ns } => format!("{stage} exponential {mean_ns}"),
    };
    stages.iter().map(text).collect::<Vec<_>>().join(" ")
}

/// Returns the size of a ring that holds the whole run if that can be afforded.
pub fn slots(count: u64) -> u64 {
    count.clamp(FEWEST_SLOTS, MOST_SLOTS).next_power_of_two()
}

/// Under load about a hundred things happen between a trigger and its last
/// answer. 32 bytes each.
const EVENTS_PER_SAMPLE: u64 = 128;
const MOST_EVENTS: u64 = 1 << 20;
const FEWEST_EVENTS: u64 = 1 << 12;

/// Returns the size of a log of events that most probably holds those of the whole run.
fn events(count: u64) -> u64 {
    let wanted = count.saturating_mul(EVENTS_PER_SAMPLE);
    wanted.clamp(FEWEST_EVENTS, MOST_EVENTS).next_power_of_two()
}

/// Formats a policy as the driver takes it.
pub fn scheduling(scheduling: Scheduling) -> String {
    format!("{} {}", scheduling.policy, scheduling.priority)
}

fn names(stages: &[Stage]) -> String {
    stages.iter().map(|stage| stage.name()).collect::<Vec<_>>().join(" ")
}

/// Splits stages into those that are offered and those that are not, in the plan's order.
pub fn split_stages(asked: &[Stage], offered: &[Stage]) -> (Vec<Stage>, Vec<Stage>) {
    asked.iter().partition(|stage| offered.contains(stage))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::tests::asked;
    use irqscope_wire::{Burst, Delay, Policy, StageExecution};

    fn value(settings: &[(&'static str, String)], name: &str) -> Option<String> {
        settings.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
    }

    #[test]
    fn slots_hold_the_run_and_are_a_power_of_two() {
        assert_eq!(slots(0), 64);
        assert_eq!(slots(2_000), 2_048);
        assert_eq!(slots(2_048), 2_048);
        assert_eq!(slots(u64::MAX), 1 << 18);
    }

    #[test]
    fn a_plan_becomes_text_as_the_driver_reads_it() {
        let settings = assignments(&asked(), &[Stage::Irq, Stage::TaskletHi], 0, 1);
        assert_eq!(value(&settings, "stages").unwrap(), "irq tasklet_hi");
        assert_eq!(value(&settings, "inject_cpu").unwrap(), "1");
        assert_eq!(value(&settings, "thread_sched").unwrap(), "fifo 50");
        assert_eq!(value(&settings, "delay_stage"), None);
        assert_eq!(value(&settings, "irq"), None, "a timer has no line");
        let other = Scheduling { policy: Policy::Other, priority: 0 };
        assert_eq!(scheduling(other), "other 0");
    }

    #[test]
    fn every_asked_stage_has_an_execution_time_if_one_has() {
        let stages = [Stage::Irq, Stage::Softirq, Stage::Work];
        assert_eq!(value(&assignments(&asked(), &stages, 0, 0), "execution").unwrap(), "off");
        let time = |stage, time| StageExecution { stage, time };
        let execution = Some(Execution {
            stages: vec![
                time(Stage::Softirq, ExecutionTime::Fixed { ns: 70_000 }),
                time(Stage::Irq, ExecutionTime::Uniform { lowest_ns: 4_000, highest_ns: 6_000 }),
                time(Stage::User, ExecutionTime::Exponential { mean_ns: 1 }),
            ],
        });
        let burst = Some(Burst { triggers: 16, interval_ns: 20_000 });
        let plan = StagePlan { execution, burst, ..asked() };
        let settings = assignments(&plan, &stages, 0, 0);
        let expected = "irq uniform 4000 6000 softirq fixed 70000 work fixed 0";
        assert_eq!(value(&settings, "execution").unwrap(), expected);
        assert_eq!(value(&settings, "burst").unwrap(), "16");
        assert_eq!(value(&settings, "interval_ns").unwrap(), "20000");
    }

    #[test]
    fn a_delay_is_written_only_where_it_is_asked_for() {
        let delay = Some(Delay { stage: Stage::Work, instructions: 1_000 });
        let plan = StagePlan { delay, ..asked() };
        let settings = assignments(&plan, &[Stage::Work], 0, 0);
        assert_eq!(value(&settings, "delay_stage").unwrap(), "6");
        assert_eq!(value(&settings, "delay_instructions").unwrap(), "1000");
    }

    #[test]
    fn stages_that_are_not_offered_are_set_aside_in_order() {
        let offered = [Stage::Irq, Stage::User];
        let (kept, left) = split_stages(&[Stage::User, Stage::WorkBh, Stage::Irq], &offered);
        assert_eq!((kept, left), (vec![Stage::User, Stage::Irq], vec![Stage::WorkBh]));
    }
}
