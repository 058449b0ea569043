// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Goal: whatever goes wrong before a measurement is said in frames, in words
//! and by the exit code.

use crate::common::{agent, frames};
use irqscope_wire::{Frame, Message, Plan, Policy, Scheduling, Stage, StagePlan, encode};

fn plan() -> Plan {
    let scheduling = Scheduling { policy: Policy::Other, priority: 0 };
    let asked = StagePlan {
        stages: vec![Stage::Irq],
        count: 10,
        timeout_ms: 10,
        user: scheduling,
        kthread: scheduling,
        thread: scheduling,
        ..StagePlan::default()
    };
    Plan { case: "here/idle".into(), settle_ms: 0, ..Plan::of_stages(asked) }
}

#[test]
fn without_the_driver_the_case_fails_in_order_and_names_the_remedy() {
    let driver = std::path::Path::new("/sys/class/misc/irqscope");
    assert!(
        !driver.exists(),
        "this machine has the driver, which this test must not: rmmod irqscope"
    );
    let plan = plan();
    let frame = encode(&Frame { number: 0, message: Message::Plan(plan.clone().into()) }).unwrap();
    let output = agent(&["run", "--plan", "-"], &frame);
    assert_eq!(output.status.code(), Some(3));
    let messages = frames(&output);
    assert!(matches!(&messages[0], Message::Hello(hello) if hello.kind == "target"));
    assert_eq!(messages[1], Message::Plan(plan.into()));
    let Message::Failed(failure) = &messages[2] else { panic!("{messages:?}") };
    assert!(failure.remedy.contains("irqscope.ko") && !failure.invalid, "{failure:?}");
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(words.starts_with("irqscope-agent: error: cannot open"), "{words}");
}

#[test]
fn a_garbled_plan_is_wrong_usage_and_also_said_in_frames() {
    let output = agent(&["run"], b"this is no plan\0");
    assert_eq!(output.status.code(), Some(2));
    let messages = frames(&output);
    assert!(matches!(messages[..], [Message::Hello(_), Message::Failed(_)]), "{messages:?}");
}

#[test]
fn a_plan_that_is_not_there_is_wrong_usage() {
    let output = agent(&["run", "--plan", "/nowhere/plan"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("/nowhere/plan"));
}

#[test]
fn wrong_arguments_are_wrong_usage() {
    for arguments in [&[][..], &["measure"], &["load", "sloth"], &["run", "--fast"]] {
        let output = agent(arguments, b"");
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn help_version_and_noop_end_well() {
    assert!(String::from_utf8_lossy(&agent(&["--help"], b"").stdout).contains("Usage:"));
    let version = agent(&["--version"], b"").stdout;
    assert_eq!(version, format!("irqscope-agent {}\n", env!("CARGO_PKG_VERSION")).into_bytes());
    let noop = agent(&["noop"], b"");
    assert!(noop.status.success() && noop.stdout.is_empty() && noop.stderr.is_empty());
}
