// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Complaints in a guest's kernel log.

/// Beginnings of complaints: warnings, bugs, lockdep, stalls, leaks, panics.
const COMPLAINTS: [&str; 14] = [
    "WARNING:",
    "BUG:",
    "Oops",
    "Kernel panic",
    "general protection fault",
    "possible circular locking",
    "possible recursive locking",
    "inconsistent lock state",
    "suspicious RCU usage",
    "blocked for more than",
    "soft lockup",
    "rcu_sched self-detected stall",
    "detected stalls on CPUs",
    "sleeping function called from invalid context",
];

/// Returns the first line of a kernel log that is a complaint.
pub fn first_complaint(log: &str) -> Option<&str> {
    log.lines().find(|line| COMPLAINTS.iter().any(|complaint| line.contains(complaint)))
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
}
