// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The settings that keep a disturbance away, by what it was: Linux' documentation, admin-guide
//! (kernel-parameters, kernel-per-CPU-kthreads) and timers/no_hz.

use super::disturbance::Described;
use crate::cmdline::has_parameter;

/// A rule: which acts, entries or callers it is about, and what keeps them away.
struct Rule {
    about: &'static [&'static str],
    /// A parameter that says it is set already.
    parameter: &'static str,
    remedy: &'static str,
    /// The remedy where that parameter is set, and something else holds it there.
    otherwise: &'static str,
}

const RULES: [Rule; 13] = [
    Rule {
        about: &["enqueue_dl_entity", "dl_server_", "dl_task_timer"],
        parameter: "",
        remedy: "the fair server (6.12 and later) has a timer for this CPU: 0 in \
                 /sys/kernel/debug/sched/fair_server/cpu{cpu}/runtime",
        otherwise: "",
    },
    Rule {
        about: &["timer tick_sched_timer", "timer tick_nohz_handler", "tick_periodic"],
        parameter: "nohz_full",
        remedy: "nohz_full={cpu}",
        otherwise: "one runnable thread on this CPU, and no POSIX CPU timers or perf events",
    },
    Rule {
        about: &["softirq rcu", "RCU callback", "thread rcuc/"],
        parameter: "rcu_nocbs",
        remedy: "rcu_nocbs={cpu} (nohz_full= has it in it)",
        otherwise: "",
    },
    Rule {
        about: &["clocksource_watchdog"],
        parameter: "tsc",
        remedy: "tsc=reliable (where the counter is), or clocksource=",
        otherwise: "",
    },
    Rule {
        about: &["work vmstat_update", "vmstat_shepherd"],
        parameter: "",
        remedy: "sysctl vm.stat_interval=3600",
        otherwise: "",
    },
    Rule {
        about: &["watchdog_timer_fn", "softlockup_fn", "thread watchdog/"],
        parameter: "nowatchdog",
        remedy: "nowatchdog, or sysctl kernel.watchdog=0",
        otherwise: "",
    },
    Rule {
        about: &["timer mce_timer_fn", "mce_"],
        parameter: "mce",
        remedy: "mce=ignore_ce, or 0 in machinecheck*/check_interval",
        otherwise: "",
    },
    Rule {
        about: &["flush_tlb", "arch_tlbbatch", "tlb_"],
        parameter: "",
        remedy: "keep the process's other threads from changing its memory; mlock",
        otherwise: "",
    },
    Rule {
        about: &["handler ", "device interrupt"],
        parameter: "irqaffinity",
        remedy: "irqaffinity={others}, or /proc/irq/N/smp_affinity_list",
        otherwise: "managed interrupts: isolcpus=managed_irq,{cpu}",
    },
    Rule {
        about: &[
            "thread migration/",
            "stop ",
            "softirq sched",
            "sched_balance",
            "rebalance_domains",
            "active_load_balance",
        ],
        parameter: "isolcpus",
        remedy: "isolcpus={cpu}, or a cpuset without load balancing",
        otherwise: "",
    },
    Rule {
        about: &["thread kworker/", "work "],
        parameter: "isolcpus",
        remedy: "/sys/devices/virtual/workqueue/cpumask without {cpu}",
        otherwise: "the work is bound to this CPU: what queues it",
    },
    Rule {
        about: &["sched_rt_period_timer", "halted"],
        parameter: "",
        remedy: "sysctl kernel.sched_rt_runtime_us=-1",
        otherwise: "",
    },
    Rule {
        about: &["thread "],
        parameter: "isolcpus",
        remedy: "isolcpus={cpu}, a cpuset, or taskset for the thread",
        otherwise: "the thread's own affinity",
    },
];

/// Returns what keeps such a disturbance away from a CPU: only the first rule for each act, and not
/// what the command line has already.
pub fn remedies(described: &Described, cpu: u16, cmdline: &str) -> Vec<String> {
    let callers = described.from.iter().flat_map(|from| &from.callers);
    let acts = callers.chain(&described.acts).chain([&described.entry]);
    let mut all: Vec<String> = Vec::new();
    for act in acts {
        // A kind of act is known by its beginning, a function anywhere in its name.
        let matches =
            |text: &&str| act.starts_with(*text) || !text.contains(' ') && act.contains(*text);
        let about = |rule: &&Rule| rule.about.iter().any(matches);
        let Some(rule) = RULES.iter().find(about) else { continue };
        let is_set = has_parameter(cmdline, rule.parameter);
        let text = if is_set { rule.otherwise } else { rule.remedy };
        let text = text.replace("{cpu}", &cpu.to_string()).replace("{others}", "OTHERS");
        if !text.is_empty() && !all.contains(&text) {
            all.push(text);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isolate::Asked;

    fn of(acts: &[&str], callers: &[&str], cmdline: &str) -> Vec<String> {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let from = Asked { cpu: 0, thread: "bash".into(), callers: owned(callers) };
        let from = (!callers.is_empty()).then_some(from);
        remedies(&Described { entry: "call interrupt".into(), acts: owned(acts), from }, 3, cmdline)
    }

    #[test]
    fn a_setting_is_named_until_it_is_made() {
        assert_eq!(of(&["timer tick_nohz_handler"], &[], "quiet nohz=on"), ["nohz_full=3"]);
        let held = of(&["timer tick_nohz_handler"], &[], "quiet nohz_full=3");
        assert!(held[0].starts_with("one runnable thread on this CPU"), "{held:?}");
        assert!(of(&["softirq rcu"], &[], "rcu_nocbs=3").is_empty());
        assert!(of(&["timer watchdog_timer_fn"], &[], "nowatchdog").is_empty());
    }

    #[test]
    fn the_code_that_asked_has_rules_of_its_own() {
        let server = of(&["irq_work nohz_full_kick_func"], &["enqueue_dl_entity"], "");
        assert_eq!(server.len(), 1, "an irq_work is no work: {server:?}");
        assert!(server[0].ends_with("fair_server/cpu3/runtime"), "{server:?}");
        let flush = of(&["call flush_tlb_func"], &["flush_tlb_mm_range"], "");
        assert!(flush[0].contains("mlock"), "{flush:?}");
    }
}
