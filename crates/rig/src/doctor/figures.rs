// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Settings that would spoil figures measured on this machine: all that makes a latency say
//! something else than how the kernel responds.

use super::finding::{Finding, Topic};
use super::system::System;

const TOPIC: Topic = Topic::Figures;
const CPU: &str = "/sys/devices/system/cpu";
const CAP_IPC_LOCK: u32 = 14;
const CAP_SYS_NICE: u32 = 23;
/// Idle states that take longer to leave than this are worth a word.
const SLOW_EXIT_US: u64 = 5;
/// The most memory that the agent and its ring take, locked.
const LOCKED_BYTES: u64 = 256 << 20;

pub(super) fn examine(system: &System) -> Vec<Finding> {
    vec![
        governor(system),
        idle_states(system),
        siblings(system),
        mitigations(system),
        clocksource(system),
        throttling(system),
        priority(system),
        memory_lock(system),
        hypervisor(system),
    ]
}

fn governor(system: &System) -> Finding {
    let read = |cpu: &String| system.read(&format!("{cpu}/cpufreq/scaling_governor"));
    let mut governors: Vec<String> = system.cpus().iter().filter_map(read).collect();
    governors.sort();
    governors.dedup();
    match governors.join(", ").as_str() {
        "" => Finding::fine(TOPIC, "no frequency scaling"),
        "performance" => Finding::fine(TOPIC, "CPU frequency governor: performance"),
        others => Finding::advice(
            TOPIC,
            format!("CPU frequency governor: {others}; latencies contain changes of frequency"),
            format!("echo performance | sudo tee {CPU}/cpu*/cpufreq/scaling_governor"),
        ),
    }
}

fn idle_states(system: &System) -> Finding {
    let driver = system.read(&format!("{CPU}/cpuidle/current_driver"));
    let slowest = slowest_idle_state(system);
    match (driver, slowest) {
        (Some(driver), Some((exit_us, state))) if exit_us > SLOW_EXIT_US => Finding::advice(
            TOPIC,
            format!(
                "{driver} enters {state}, which takes {exit_us} us to leave; irqscope holds \
                 /dev/cpu_dma_latency at 0 while it measures, your application may not"
            ),
            "let the application do so too, or boot with \
             intel_idle.max_cstate=0 processor.max_cstate=1",
        ),
        _ => Finding::fine(TOPIC, "no slow idle states"),
    }
}

/// Returns the longest exit latency of an enabled idle state, with its name.
fn slowest_idle_state(system: &System) -> Option<(u64, String)> {
    let state_dirs = |cpu: String| {
        let dir = format!("{cpu}/cpuidle");
        let names = system.names(&dir).into_iter();
        names.map(|name| format!("{dir}/{name}")).collect::<Vec<_>>()
    };
    let exit = |state: String| {
        let read = |file: &str| system.read(&format!("{state}/{file}"));
        let enabled = read("disable").as_deref() != Some("1");
        Some((read("latency")?.parse().ok()?, read("name")?)).filter(|_| enabled)
    };
    system.cpus().into_iter().flat_map(state_dirs).filter_map(exit).max()
}

fn siblings(system: &System) -> Finding {
    if system.read(&format!("{CPU}/smt/active")).as_deref() != Some("1") {
        return Finding::fine(TOPIC, "no SMT siblings share a core");
    }
    Finding::advice(
        TOPIC,
        "SMT is on: a sibling slows the CPU under test down unseen",
        format!("echo off | sudo tee {CPU}/smt/control"),
    )
}

fn mitigations(system: &System) -> Finding {
    let dir = format!("{CPU}/vulnerabilities");
    let is_mitigated = |name: &String| {
        let state = system.read(&format!("{dir}/{name}")).unwrap_or_default();
        state.starts_with("Mitigation")
    };
    let names: Vec<String> = system.names(&dir).into_iter().filter(is_mitigated).collect();
    if names.is_empty() {
        return Finding::fine(TOPIC, "no mitigations cost time at kernel entries");
    }
    Finding::advice(
        TOPIC,
        format!("mitigations cost time at every kernel entry: {}", names.join(", ")),
        "measure with those that you deploy; to see what they cost, boot with mitigations=off",
    )
}

fn clocksource(system: &System) -> Finding {
    let dir = "/sys/devices/system/clocksource/clocksource0";
    let current = system.read(&format!("{dir}/current_clocksource")).unwrap_or_default();
    let available = system.read(&format!("{dir}/available_clocksource")).unwrap_or_default();
    if !system.is_x86() || current == "tsc" {
        return Finding::fine(TOPIC, format!("clocksource: {current}"));
    }
    let what = format!("clocksource: {current}, not tsc");
    if available.split_whitespace().any(|name| name == "tsc") {
        let remedy = format!("echo tsc | sudo tee {dir}/current_clocksource");
        return Finding::advice(TOPIC, what, remedy);
    }
    Finding::advice(
        TOPIC,
        format!("{what}: the kernel does not trust the cycle counter that irqscope reads"),
        "see why: dmesg | grep -i tsc; on a machine whose counters do agree, boot with tsc=reliable",
    )
}

fn throttling(system: &System) -> Finding {
    let read = |name: &str| system.read(&format!("/proc/sys/kernel/sched_rt_{name}_us"));
    match read("runtime").as_deref() {
        None | Some("-1") => Finding::fine(TOPIC, "real-time tasks are not throttled"),
        Some(runtime) => Finding::advice(
            TOPIC,
            format!(
                "real-time tasks are throttled after {runtime} us of {} us",
                read("period").unwrap_or_else(|| "1000000".into())
            ),
            "sudo sysctl -w kernel.sched_rt_runtime_us=-1",
        ),
    }
}

fn priority(system: &System) -> Finding {
    let allowed = limit(system, "Max realtime priority").unwrap_or(0);
    if system.has_capability(CAP_SYS_NICE) || allowed >= 99 {
        return Finding::fine(TOPIC, "real-time priorities may be set");
    }
    Finding::problem(
        TOPIC,
        "real-time priorities may not be set (no CAP_SYS_NICE, RLIMIT_RTPRIO below 99)",
        "run irqscope as root: sudo irqscope ...",
    )
}

fn memory_lock(system: &System) -> Finding {
    let allowed = limit(system, "Max locked memory").unwrap_or(0);
    if system.has_capability(CAP_IPC_LOCK) || allowed >= LOCKED_BYTES {
        return Finding::fine(TOPIC, "memory may be locked");
    }
    Finding::problem(
        TOPIC,
        format!(
            "only {} KiB of memory may be locked: page faults spoil the user stage",
            allowed >> 10
        ),
        "run irqscope as root: sudo irqscope ...",
    )
}

/// Returns the soft limit of a line of /proc/self/limits.
fn limit(system: &System, name: &str) -> Option<u64> {
    let text = system.read("/proc/self/limits")?;
    let value = text.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?;
    if value == "unlimited" { Some(u64::MAX) } else { value.parse().ok() }
}

fn hypervisor(system: &System) -> Finding {
    let cpuinfo = system.read("/proc/cpuinfo").unwrap_or_default();
    let flags = cpuinfo.lines().find(|line| line.starts_with("flags")).unwrap_or_default();
    if !flags.split_whitespace().any(|flag| flag == "hypervisor") {
        return Finding::fine(TOPIC, "no hypervisor below");
    }
    Finding::advice(
        TOPIC,
        "this machine is virtual: latencies contain what its hypervisor does meanwhile",
        "measure the bare machine: irqscope run ... --rig ssh --host root@MACHINE",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::Level;
    use crate::doctor::system::fake::Fake;

    /// A machine set up with care.
    const QUIET: [(&str, &str); 12] = [
        ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "performance\n"),
        ("sys/devices/system/cpu/cpuidle/current_driver", "intel_idle\n"),
        ("sys/devices/system/cpu/cpu0/cpuidle/state1/name", "C1\n"),
        ("sys/devices/system/cpu/cpu0/cpuidle/state1/latency", "2\n"),
        ("sys/devices/system/cpu/smt/active", "0\n"),
        ("sys/devices/system/cpu/vulnerabilities/meltdown", "Not affected\n"),
        ("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
        ("sys/devices/system/clocksource/clocksource0/available_clocksource", "tsc hpet\n"),
        ("proc/sys/kernel/sched_rt_runtime_us", "-1\n"),
        ("proc/self/status", "CapEff:\t000001ffffffffff\n"),
        ("proc/self/limits", "Max locked memory         8388608    8388608    bytes\n"),
        ("proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu tsc\n"),
    ];

    fn complaints(path: &str, text: &str) -> Vec<Finding> {
        let fake = Fake::new(&QUIET);
        fake.put(path, text);
        let findings = examine(&fake.system()).into_iter();
        findings.filter(|finding| finding.level != Level::Fine).collect()
    }

    fn complaint(path: &str, text: &str) -> (String, String) {
        let mut found = complaints(path, text);
        assert_eq!(found.len(), 1, "{path}: {found:?}");
        let finding = found.remove(0);
        (finding.what, finding.remedy.unwrap())
    }

    #[test]
    fn a_quiet_machine_gets_no_advice() {
        assert_eq!(complaints("unrelated", ""), []);
    }

    #[test]
    fn each_spoiler_is_found_alone_and_has_a_remedy() {
        let cases = [
            (
                "sys/devices/system/cpu/cpu3/cpufreq/scaling_governor",
                "schedutil",
                "schedutil",
                "tee",
            ),
            ("sys/devices/system/cpu/smt/active", "1", "SMT", "smt/control"),
            (
                "sys/devices/system/cpu/vulnerabilities/mds",
                "Mitigation: x",
                "mds",
                "mitigations=off",
            ),
            (
                "sys/devices/system/clocksource/clocksource0/current_clocksource",
                "hpet",
                "hpet, not tsc",
                "echo tsc",
            ),
            ("proc/sys/kernel/sched_rt_runtime_us", "950000", "950000 us of 1000000 us", "sysctl"),
            ("proc/cpuinfo", "flags\t\t: fpu hypervisor tsc", "virtual", "bare machine"),
        ];
        for (path, text, what, remedy) in cases {
            let found = complaint(path, text);
            assert!(found.0.contains(what) && found.1.contains(remedy), "{found:?}");
        }
    }

    #[test]
    fn a_slow_idle_state_counts_unless_it_is_disabled() {
        let state = "sys/devices/system/cpu/cpu1/cpuidle/state3";
        let fake = Fake::new(&QUIET);
        fake.put(&format!("{state}/name"), "C6");
        fake.put(&format!("{state}/latency"), "133");
        let finding = idle_states(&fake.system());
        assert!(finding.what.contains("C6") && finding.what.contains("133 us"), "{finding:?}");
        fake.put(&format!("{state}/disable"), "1");
        assert_eq!(idle_states(&fake.system()).level, Level::Fine);
    }

    #[test]
    fn a_counter_that_the_kernel_does_not_trust_is_not_just_switched_on() {
        let fake = Fake::new(&QUIET);
        let dir = "sys/devices/system/clocksource/clocksource0";
        fake.put(&format!("{dir}/current_clocksource"), "hpet");
        fake.put(&format!("{dir}/available_clocksource"), "hpet acpi_pm");
        assert!(clocksource(&fake.system()).remedy.unwrap().contains("dmesg"));
    }

    #[test]
    fn limits_stand_in_for_capabilities() {
        let nobody = ("proc/self/status", "CapEff:\t0000000000000000\n");
        assert_eq!(complaints(nobody.0, nobody.1).len(), 2);
        let fake = Fake::new(&QUIET);
        fake.put(nobody.0, nobody.1);
        let limits = "Max locked memory    unlimited  unlimited  bytes\n\
                      Max realtime priority    99    99\n";
        fake.put("proc/self/limits", limits);
        assert!(examine(&fake.system()).iter().all(|finding| finding.level == Level::Fine));
    }
}
