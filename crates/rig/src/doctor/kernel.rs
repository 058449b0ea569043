// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Behaviour that came with a version of the kernel and that delays real-time threads, by the rules
//! of that version.

use super::finding::{Finding, Topic};
use super::system::System;
use crate::kernel::release::kernel_version;

const TOPIC: Topic = Topic::Figures;
const SCHED: &str = "/sys/kernel/debug/sched";

/// Returns what holds for the kernel that runs here.
pub(super) fn examine(system: &System) -> Vec<Finding> {
    let version = kernel_version(&system.release());
    let rules = [
        ((6, 12), fair_server(system)),
        ((6, 12), lazy_preemption(system)),
        ((6, 2), lazy_rcu(system)),
        ((2, 6), timer_migration(system)),
    ];
    let of_version = |(since, finding)| if version >= since { finding } else { None };
    rules.into_iter().filter_map(of_version).collect()
}

/// Finds a fair server: since 6.12 a deadline server runs other tasks where real-time threads leave
/// them no time (commit 63ba8422f876), and it preempts every FIFO priority.
fn fair_server(system: &System) -> Option<Finding> {
    let dir = format!("{SCHED}/fair_server");
    let runtime = |cpu: &String| -> Option<u64> {
        system.read(&format!("{dir}/{cpu}/runtime"))?.parse().ok()
    };
    let served = system.names(&dir).iter().filter_map(runtime).filter(|ns| *ns > 0).max()?;
    Some(Finding::advice(
        TOPIC,
        format!(
            "the fair server of this kernel preempts real-time threads that leave other tasks no \
             time, for up to {} ms of each second",
            served / 1_000_000
        ),
        format!("for one in {dir}/cpu*/runtime; do echo 0 | sudo tee $one; done"),
    ))
}

/// Finds lazy preemption, by which an ordinary task is preempted by another ordinary one at its next tick;
/// softirqs that ksoftirqd runs wait as long.
fn lazy_preemption(system: &System) -> Option<Finding> {
    let modes = system.read(&format!("{SCHED}/preempt"))?;
    modes.contains("(lazy)").then(|| {
        Finding::advice(
            TOPIC,
            "preemption is lazy: what ordinary threads run, ksoftirqd's softirqs too, can wait for \
             a tick of another ordinary thread",
            format!("to compare, echo full | sudo tee {SCHED}/preempt"),
        )
    })
}

/// Finds lazy RCU, whose callbacks are collected for up to ten seconds and then run together.
fn lazy_rcu(system: &System) -> Option<Finding> {
    let lazy = system.read("/sys/module/rcutree/parameters/enable_rcu_lazy")?;
    (lazy == "Y").then(|| {
        Finding::advice(
            TOPIC,
            "RCU is lazy: callbacks are collected for up to ten seconds and then run in one batch",
            "boot with rcutree.enable_rcu_lazy=0",
        )
    })
}

/// Finds timer migration: timers of idle CPUs run on busy ones, also on the CPU under test.
fn timer_migration(system: &System) -> Option<Finding> {
    let migrates = system.read("/proc/sys/kernel/timer_migration")? == "1";
    (migrates && system.cpus().len() > 1).then(|| {
        Finding::advice(
            TOPIC,
            "timers of idle CPUs are run by busy ones, a CPU under test among them",
            "echo 0 | sudo tee /proc/sys/kernel/timer_migration",
        )
    })
}

#[cfg(test)]
mod tests {
    use super::super::system::fake::Fake;
    use super::*;

    fn says(files: &[(&str, &str)]) -> Vec<String> {
        examine(&Fake::new(files).system()).iter().map(|one| format!("{one:?}")).collect()
    }

    const FAIR: (&str, &str) = ("/sys/kernel/debug/sched/fair_server/cpu0/runtime", "50000000\n");
    const LAZY: (&str, &str) = ("/sys/kernel/debug/sched/preempt", "none voluntary full (lazy)");

    #[test]
    fn a_rule_holds_from_its_version_on() {
        let of = |release| says(&[("/proc/sys/kernel/osrelease", release), FAIR, LAZY]);
        let found = of("6.12.95+deb13-amd64");
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("50 ms of each second"), "{found:?}");
        assert!(found[1].contains("preemption is lazy"), "{found:?}");
        assert!(of("6.1.0-56-amd64").is_empty());
        assert_eq!(of("7.3.4+deb13-amd64").len(), 2);
    }

    #[test]
    fn settings_that_are_right_are_no_findings() {
        let found = says(&[
            ("/proc/sys/kernel/osrelease", "6.12.0"),
            ("/sys/kernel/debug/sched/fair_server/cpu0/runtime", "0"),
            ("/sys/kernel/debug/sched/preempt", "none voluntary (full) lazy"),
            ("/sys/module/rcutree/parameters/enable_rcu_lazy", "N"),
            ("/proc/sys/kernel/timer_migration", "1"),
        ]);
        assert!(found.is_empty(), "{found:?}");
        let several = [
            ("/proc/sys/kernel/osrelease", "6.12.0"),
            ("/proc/sys/kernel/timer_migration", "1"),
            ("/sys/devices/system/cpu/cpu0/online", "1"),
            ("/sys/devices/system/cpu/cpu1/online", "1"),
        ];
        assert_eq!(says(&several).len(), 1);
    }
}
