// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Complaints in a guest's kernel log.

/// Beginnings of complaints: warnings, bugs, lockdep, leaks, panics.
const COMPLAINTS: [&str; 12] = [
    "WARNING:",
    "BUG:",
    "UBSAN:",
    "Oops",
    "Kernel panic",
    "general protection fault",
    "possible circular locking",
    "possible recursive locking",
    "inconsistent lock state",
    "suspicious RCU usage",
    "soft lockup",
    "sleeping function called from invalid context",
];

/// Complaints that something has waited for long.
const STALLS: [&str; 3] =
    ["blocked for more than", "self-detected stall", "detected stalls on CPUs"];

/// A data race, and how its report names a module of ours: `in FUNCTION [irqscope] / FUNCTION`.
const RACE: &str = "BUG: KCSAN: data-race";
const OURS: &str = "[irqscope";

/// Returns the first line of a kernel log that is a complaint.
pub fn first_complaint(log: &str) -> Option<&str> {
    complaints(log).next()
}

/// Returns the lines of a kernel log that are complaints. The kernel's races with itself, which are
/// many, are not.
pub fn complaints(log: &str) -> impl Iterator<Item = &str> {
    log.lines().filter(|line| {
        let foreign = line.contains(RACE) && !line.contains(OURS);
        let any = |of: &[&str]| of.iter().any(|complaint| line.contains(complaint));
        !foreign && (any(&COMPLAINTS) || any(&STALLS))
    })
}

/// Returns whether a complaint is a mere stall: nothing is wrong in the kernel, and something starves in it.
pub fn is_stall(complaint: &str) -> bool {
    !COMPLAINTS.iter().any(|other| complaint.contains(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_splat_is_found_and_ordinary_lines_are_not() {
        let log = "[    0.1] Linux version 6.1\n[    1.2] WARNING: CPU: 0 PID: 1 at kernel/x.c:1\n";
        assert_eq!(first_complaint(log), Some("[    1.2] WARNING: CPU: 0 PID: 1 at kernel/x.c:1"));
        assert_eq!(first_complaint("[    0.1] irqscope: loaded\n"), None);
    }

    #[test]
    fn a_stall_is_a_complaint_of_another_kind() {
        let stalls = [
            "[   30.7] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:",
            "[   30.7] rcu: INFO: rcu_preempt self-detected stall on CPU",
            "[  120.0] INFO: task kworker/0:1:9 blocked for more than 120 seconds.",
        ];
        let lockup = "[   22.0] watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [loop:99]";
        for stall in stalls {
            assert_eq!(first_complaint(stall), Some(stall));
            assert!(is_stall(stall));
        }
        assert_eq!(first_complaint(lockup), Some(lockup));
        assert!(!is_stall(lockup) && !is_stall("[    1.2] WARNING: CPU: 0 PID: 1 at kernel/x.c:1"));
    }

    #[test]
    fn a_data_race_counts_where_the_driver_takes_part() {
        let foreign = "[    3.1] BUG: KCSAN: data-race in tick_do_update / tick_sched_timer\n";
        let ours = "[    3.2] BUG: KCSAN: data-race in irqscope_answer [irqscope] / ktime_get\n";
        assert_eq!(first_complaint(foreign), None);
        let log = format!("{foreign}{ours}");
        assert_eq!(first_complaint(&log), Some(ours.trim_end()));
    }
}
