// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Settings that are against a cause, by the kernel's version and those that are made already.
//!
//! Sources: Linux' documentation (admin-guide/kernel-parameters, core-api/irq/irq-affinity,
//! scheduler/sched-rt-group) and the commits and files that a rule names.

use irqscope_rig::kernel_version;
use irqscope_run::CaseData;

use super::cause::CauseKind;
use crate::cmdline::has_parameter;

/// A version of the kernel, `(6, 12)`.
type Version = (u32, u32);

/// Of every version.
const ALWAYS: [Version; 2] = [(0, 0), (u32::MAX, 0)];

/// Kernels that a rule is about, besides their version.
#[derive(Clone, Copy, PartialEq)]
enum Kernels {
    All,
    /// Without PREEMPT_RT.
    Stock,
    /// With a preemption model that is chosen at boot and not full.
    CanBeFull,
    /// Whose only preemption model is voluntary or none.
    Voluntary,
    /// Machines with several CPUs.
    SeveralCpus,
}

struct Rule {
    kind: CauseKind,
    /// Parts of names, of which the cause's has one; none: any name.
    about: &'static [&'static str],
    /// From the first version on, before the second.
    versions: [Version; 2],
    kernels: Kernels,
    /// A parameter that says it is set already; empty: nothing does.
    parameter: &'static str,
    setting: &'static str,
}

impl Rule {
    const fn new(kind: CauseKind, setting: &'static str) -> Self {
        let (about, versions, kernels) = (&[], ALWAYS, Kernels::All);
        Self { kind, about, versions, kernels, parameter: "", setting }
    }

    const fn about(self, about: &'static [&'static str]) -> Self {
        Self { about, ..self }
    }

    const fn before(self, version: Version) -> Self {
        Self { versions: [self.versions[0], version], ..self }
    }

    const fn since(self, version: Version) -> Self {
        Self { versions: [version, self.versions[1]], ..self }
    }

    const fn on(self, kernels: Kernels) -> Self {
        Self { kernels, ..self }
    }

    const fn unless(self, parameter: &'static str) -> Self {
        Self { parameter, ..self }
    }

    fn holds(&self, kernel: &Kernel<'_>, name: &str) -> bool {
        let [since, before] = self.versions;
        let is_there = match self.kernels {
            Kernels::All => true,
            Kernels::Stock => !kernel.preemption.starts_with("PREEMPT_RT"),
            Kernels::CanBeFull => {
                kernel.preemption.starts_with("PREEMPT_DYNAMIC")
                    && !kernel.preemption.contains("(full)")
            }
            Kernels::Voluntary => kernel.preemption == "voluntary or none",
            Kernels::SeveralCpus => kernel.cpus > 1,
        };
        let is_about = self.about.is_empty() || self.about.iter().any(|part| name.contains(part));
        let versions = since..before;
        let is_set = has_parameter(kernel.cmdline, self.parameter);
        is_there && is_about && versions.contains(&kernel.version) && !is_set
    }
}

/// The functions of the kernel's tick, kernel/time/tick-sched.c: the second in newer kernels.
const TICK: &[&str] = &["tick_sched_timer", "tick_nohz_handler"];
/// Softirqs that call RCU's callbacks back.
const RCU: &[&str] = &["rcu"];

/// Functions of mm/page_alloc.c that give pages which are kept for a CPU back, interrupts disabled: from Linux 6.7 on
/// some thousands at a stretch, before that all ("mm, pcp: avoid to drain PCP when process exit").
const LISTS_OF_PAGES: &[&str] = &["free_unref_page", "free_pcppages_bulk"];

const RULES: [Rule; 18] = [
    // Since then only groups are throttled: "sched/rt: Remove default bandwidth control".
    Rule::new(CauseKind::Throttled, "sysctl kernel.sched_rt_runtime_us=-1").before((6, 12)),
    // "sched/fair: Add trivial fair server".
    Rule::new(CauseKind::Throttled, "0 in /sys/kernel/debug/sched/fair_server/cpu*/runtime")
        .since((6, 12)),
    // "mm/page_alloc: introduce vm.percpu_pagelist_high_fraction"; batches are the least.
    Rule::new(
        CauseKind::IrqsDisabled,
        "sysctl vm.percpu_pagelist_high_fraction=1000000: few pages are kept for a CPU",
    )
    .about(LISTS_OF_PAGES)
    .since((5, 14))
    .unless("sysctl.vm.percpu_pagelist_high_fraction"),
    // "preempt/dynamic: Support dynamic preempt with preempt= boot option".
    Rule::new(CauseKind::NotPreempted, "preempt=full").on(Kernels::CanBeFull),
    Rule::new(CauseKind::NotPreempted, "a kernel with CONFIG_PREEMPT").on(Kernels::Voluntary),
    Rule::new(CauseKind::NotPreempted, "a kernel with PREEMPT_RT").on(Kernels::Stock),
    Rule::new(
        CauseKind::SamePriority,
        "a real-time priority for the thread that answers (chrt); kworkers have none",
    ),
    Rule::new(
        CauseKind::HigherPriority,
        "a higher priority for the thread that answers, or a lower one for this (chrt)",
    ),
    Rule::new(
        CauseKind::PriorityInversion,
        "a lock with priority inheritance (PTHREAD_PRIO_INHERIT)",
    ),
    Rule::new(CauseKind::PageFault, "mlockall(), and each page touched before"),
    Rule::new(CauseKind::Firmware, "what `irqscope doctor` says of system management interrupts"),
    Rule::new(CauseKind::Softirq, "rcu_nocbs= for this CPU: threads call RCU's callbacks back")
        .about(RCU)
        .unless("rcu_nocbs"),
    // "rcu: Make call_rcu() lazy to save power".
    Rule::new(CauseKind::Softirq, "rcutree.enable_rcu_lazy=0: RCU's callbacks are not collected")
        .about(RCU)
        .since((6, 2))
        .unless("rcutree.enable_rcu_lazy"),
    Rule::new(
        CauseKind::Softirq,
        "threadirqs: interrupts' threads run what they raise, with a priority (chrt)",
    )
    .about(&["net_", "block", "tasklet"])
    .on(Kernels::Stock)
    .unless("threadirqs"),
    Rule::new(CauseKind::Interrupt, "nohz_full= for this CPU: no tick while one thread runs")
        .about(TICK)
        .on(Kernels::SeveralCpus)
        .unless("nohz_full"),
    Rule::new(
        CauseKind::Interrupt,
        "irqaffinity= or /proc/irq/N/smp_affinity_list: another CPU for it",
    )
    .about(&["irq "])
    .on(Kernels::SeveralCpus)
    .unless("irqaffinity"),
    Rule::new(CauseKind::Interrupt, "threadirqs: a thread handles it, with a priority (chrt)")
        .about(&["irq "])
        .on(Kernels::Stock)
        .unless("threadirqs"),
    Rule::new(
        CauseKind::OtherCpu,
        "other threads of the process that leave its memory as it is; mlockall()",
    )
    .about(&["flush_tlb", "tlb_"]),
];

/// Facts of the kernel that measured.
struct Kernel<'a> {
    version: Version,
    preemption: &'a str,
    cmdline: &'a str,
    cpus: u32,
}

impl<'a> Kernel<'a> {
    fn of(data: &'a CaseData) -> Option<Self> {
        let started = data.started.as_ref()?;
        Some(Self {
            version: kernel_version(&started.kernel),
            preemption: &started.preemption,
            cmdline: &started.cmdline,
            cpus: started.cpus,
        })
    }
}

/// Returns what can be set against a cause on the kernel of a case; nothing where no rule is known, or all is
/// set already.
pub(super) fn settings(data: &CaseData, kind: CauseKind, name: &str) -> Vec<String> {
    let Some(kernel) = Kernel::of(data) else { return Vec::new() };
    let rules = RULES.iter().filter(|rule| rule.kind == kind && rule.holds(&kernel, name));
    rules.map(|rule| rule.setting.to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use CauseKind::*;

    const RT: &str = "PREEMPT_RT";
    const DYNAMIC: &str = "PREEMPT_DYNAMIC (voluntary)";

    fn of(
        kind: CauseKind,
        name: &str,
        (release, preemption, cmdline, cpus): (&str, &str, &str, u32),
    ) -> Vec<&'static str> {
        let kernel = Kernel { version: kernel_version(release), preemption, cmdline, cpus };
        let rules = RULES.iter().filter(|rule| rule.kind == kind && rule.holds(&kernel, name));
        rules.map(|rule| rule.setting).collect()
    }

    #[test]
    fn a_rule_holds_for_its_versions() {
        let throttled = |release| of(Throttled, "load", (release, DYNAMIC, "", 1));
        assert_eq!(throttled("6.1.0-56-amd64"), ["sysctl kernel.sched_rt_runtime_us=-1"]);
        assert!(throttled("6.12.95+deb13-rt-amd64")[0].contains("fair_server"));
        let collected =
            |release| of(Softirq, "rcu, file_free_rcu", (release, DYNAMIC, "", 1)).len();
        assert_eq!((collected("6.1.0"), collected("6.12.0")), (1, 2));
    }

    #[test]
    fn a_rule_holds_for_its_preemption_models() {
        // Its release does not say what a kernel of one's own is.
        let of = |model| of(NotPreempted, "load-copy", ("7.2.1", model, "quiet", 1));
        let rt = "a kernel with PREEMPT_RT";
        assert!(of(RT).is_empty());
        assert_eq!(of(DYNAMIC), ["preempt=full", rt]);
        assert_eq!(of("PREEMPT_DYNAMIC (lazy)"), ["preempt=full", rt]);
        assert_eq!(of("PREEMPT_DYNAMIC (full)"), [rt]);
        assert_eq!(of("PREEMPT"), [rt]);
        assert_eq!(of("voluntary or none"), ["a kernel with CONFIG_PREEMPT", rt]);
    }

    #[test]
    fn what_is_set_is_not_named_again() {
        let kernel = ("6.1.0", DYNAMIC, "threadirqs irqaffinity=1", 2);
        assert!(of(Interrupt, "irq 11 vring_interrupt", kernel).is_empty());
        assert!(of(Softirq, "net_rx", kernel).is_empty());
        assert_eq!(of(Softirq, "net_rx", ("6.1.0", DYNAMIC, "nothreadirqs=1", 2)).len(), 1);
    }

    #[test]
    fn few_pages_are_kept_where_a_kernel_can_be_asked_to() {
        let of =
            |name, release, cmdline| of(IrqsDisabled, name, (release, DYNAMIC, cmdline, 1)).len();
        let set = "sysctl.vm.percpu_pagelist_high_fraction=1000000";
        assert_eq!(of("free_unref_page_list", "6.1.0", ""), 1);
        assert_eq!(of("free_unref_page_list", "6.1.0", set), 0);
        assert_eq!(of("free_unref_page_list", "5.10.0", ""), 0);
        assert_eq!(of("get_random_u32", "6.1.0", ""), 0);
    }

    #[test]
    fn another_cpu_is_no_remedy_where_there_is_none() {
        let of = |name, cpus| of(Interrupt, name, ("6.12.0-rt", RT, "", cpus));
        assert!(
            of("irq 11 vring_interrupt", 1).is_empty()
                && of("timer, tick_sched_timer", 1).is_empty()
        );
        assert!(of("irq 11 vring_interrupt", 4)[0].contains("irqaffinity="));
        assert!(of("timer, tick_nohz_handler", 4)[0].contains("nohz_full="));
        assert!(of("timer, irqscope_sleep", 4).is_empty());
    }

    #[test]
    fn what_is_not_interference_has_no_rule() {
        assert!(RULES.iter().all(|rule| rule.kind.is_interference()));
    }
}
