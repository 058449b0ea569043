// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The differences of two measurements besides their figures.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use irqscope_run::{AGENT, CaseManifest, Manifest};
use irqscope_wire::{Plan, Scheduling, Stage, Started};
use serde::Serialize;

use super::MeasuredCase;

/// Something that both manifests say differently.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ManifestDifference {
    /// The setting.
    pub what: &'static str,
    /// The first side.
    pub base: String,
    /// The second side.
    pub other: String,
    /// It can change the figures by itself; else it is what is compared, or known
    /// to be without effect.
    pub matters: bool,
}

/// A fact of a case; `None` where it is unknown or has no meaning.
type Fact = fn(&Manifest, &CaseManifest) -> Option<String>;

/// Settings that are expected to differ, or that do no harm.
const HARMLESS: [(&str, Fact); 4] = [
    ("kernel", |_, case| Some(target(case)?.kernel.clone())),
    ("preemption", |_, case| Some(target(case)?.preemption.clone())),
    ("irqscope", |run, _| Some(run.tool_version.clone())),
    ("triggers asked for", |_, case| Some(case.asked()?.count.to_string())),
];

const MATTERS: [(&str, Fact); 34] = [
    ("rig", |run, _| Some(run.rig.clone())),
    ("machine", |_, case| Some(target(case)?.machine.clone())),
    ("CPU model", |_, case| Some(target(case)?.cpu_model.clone())),
    ("CPUs", |_, case| Some(target(case)?.cpus.to_string())),
    ("clocksource", |_, case| Some(target(case)?.clocksource.clone())),
    ("frequency governor", |_, case| Some(target(case)?.governor.clone())),
    ("QEMU", |run, _| run.host.tools.get("qemu").cloned()),
    // The instructions that it executes are part of the measurement.
    ("irqscope's agent", |run, _| run.host.tools.get(AGENT).cloned()),
    ("load", |_, case| Some(load(case))),
    ("loads that were absent", |_, case| Some(target(case)?.absent_loads.join(", "))),
    ("settling time", |_, case| Some(format!("{} ms", plan(case)?.settle_ms))),
    ("CPU under test", |_, case| Some(plan(case)?.cpu.to_string())),
    ("idle states", |_, case| {
        Some(if plan(case)?.idle_states { "left alone" } else { "held off" }.into())
    }),
    ("instruction", |_, case| Some(format!("{} fs", plan(case)?.instruction?.femtoseconds))),
    ("benchmarks", |_, case| benchmarks(case)),
    ("stages", |_, case| Some(names(&target(case)?.stages))),
    ("trigger", |_, case| Some(case.asked()?.trigger.to_string())),
    ("response line", |_, case| Some(case.asked()?.line.to_string())),
    ("interrupt", |_, case| Some(case.asked()?.irq.to_string())),
    ("injecting CPU", |_, case| Some(target(case)?.inject_cpu?.to_string())),
    ("kernel settings (sysctl)", |_, case| Some(sysctls(case))),
    ("files, packages and modules brought", |_, case| Some(brought(case))),
    ("mode", |_, case| Some(case.asked()?.mode.to_string())),
    ("pacing", |_, case| Some(case.asked()?.pacing.to_string())),
    ("period", |_, case| Some(format!("{} ns", case.asked()?.period_ns))),
    ("jitter", |_, case| jitter(case)),
    ("seed", |_, case| Some(case.asked()?.seed.to_string())),
    ("record from inside", |_, case| Some(yes(case.asked()?.inside.is_some()))),
    ("events (explain)", |_, case| Some(yes(case.asked()?.explains()))),
    ("faults", |_, case| Some(yes(case.asked()?.faults.is_some()))),
    ("inserted delay", |_, case| {
        Some(case.asked()?.delay.map_or("none".into(), |one| {
            format!("{} instructions at {}", one.instructions, one.stage)
        }))
    }),
    ("scheduling of user", |_, case| Some(scheduling(case.asked()?.user))),
    ("scheduling of kthread", |_, case| Some(scheduling(case.asked()?.kthread))),
    ("scheduling of thread", |_, case| Some(scheduling(case.asked()?.thread))),
];

/// Returns everything that differs, the most important first.
pub fn differences(base: &MeasuredCase, other: &MeasuredCase) -> Vec<ManifestDifference> {
    let told = |matters: bool| {
        move |(what, fact): &(&'static str, Fact)| {
            let of = |one: &MeasuredCase| fact(&one.manifest, &one.case).unwrap_or_default();
            let (base, other) = (of(base), of(other));
            (base != other).then_some(ManifestDifference { what, base, other, matters })
        }
    };
    let mut all: Vec<_> = MATTERS.iter().filter_map(told(true)).collect();
    all.extend(command_line(&base.case, &other.case));
    all.extend(HARMLESS.iter().filter_map(told(false)));
    all
}

/// Returns only the words that one of both lacks.
fn command_line(base: &CaseManifest, other: &CaseManifest) -> Option<ManifestDifference> {
    let words = |case: &CaseManifest| -> BTreeSet<String> {
        let line = target(case).map(|target| target.cmdline.clone()).unwrap_or_default();
        // Where the kernel lies is no option.
        line.split_whitespace()
            .filter(|word| !word.starts_with("BOOT_IMAGE="))
            .map(String::from)
            .collect()
    };
    let (base, other) = (words(base), words(other));
    let only = |one: &BTreeSet<String>, without: &BTreeSet<String>| {
        one.difference(without).cloned().collect::<Vec<_>>().join(" ")
    };
    let (what, matters) = ("kernel command line", true);
    let (base, other) = (only(&base, &other), only(&other, &base));
    (base != other).then_some(ManifestDifference { what, base, other, matters })
}

fn target(case: &CaseManifest) -> Option<&Started> {
    case.target.as_ref()
}

fn plan(case: &CaseManifest) -> Option<&Plan> {
    case.plan.as_ref()
}

fn load(case: &CaseManifest) -> String {
    let ours = case.state.loads.iter().map(ToString::to_string);
    let own =
        case.state.own.iter().map(|load| format!("{} ({})", load.name, load.command.join(" ")));
    let loads: Vec<String> = ours.chain(own).collect();
    if loads.is_empty() { "none".into() } else { loads.join(", ") }
}

fn sysctls(case: &CaseManifest) -> String {
    let all = plan(case).map(|plan| plan.sysctls.as_slice()).unwrap_or_default();
    let words: Vec<String> = all.iter().map(|one| format!("{}={}", one.name, one.value)).collect();
    if words.is_empty() { "as they were".into() } else { words.join(" ") }
}

/// Names what a case brought by the number of its parts and a hash, which differs for others; the
/// manifest has them all.
fn brought(case: &CaseManifest) -> String {
    match case.payload_origin.as_slice() {
        [] => "nothing".into(),
        parts => {
            let mut hasher = DefaultHasher::new();
            parts.hash(&mut hasher);
            format!("{} parts ({:016x})", parts.len(), hasher.finish())
        }
    }
}

fn names(stages: &[Stage]) -> String {
    stages.iter().map(|stage| stage.name()).collect::<Vec<_>>().join(", ")
}

fn benchmarks(case: &CaseManifest) -> Option<String> {
    let plan = plan(case).filter(|plan| !plan.needs_driver())?;
    let one = |one: &irqscope_wire::Benchmark| {
        let period = one.period_ns().map_or_else(String::new, |ns| format!(" every {ns} ns"));
        format!("{} {} ({}{period})", one.kind(), one.variant(), one.class())
    };
    Some(plan.benchmarks().iter().map(one).collect::<Vec<_>>().join(", "))
}

fn jitter(case: &CaseManifest) -> Option<String> {
    let jitter = case.asked()?.jitter;
    Some(format!("{} {} ns", jitter.kind, jitter.ns))
}

fn scheduling(Scheduling { policy, priority }: Scheduling) -> String {
    format!("{policy} {priority}")
}

fn yes(is: bool) -> String {
    if is { "yes".into() } else { "no".into() }
}
