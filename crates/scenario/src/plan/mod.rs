// SPDX-License-Identifier: Apache-2.0 OR MIT
//! From a checked scenario to the plans of its cases.

mod axes;
mod bench;
pub(crate) mod outside;
pub(crate) mod states;

use irqscope_quantity::Span;
use irqscope_wire::{
    Burst, Delay, DelayedLocking, Execution, FaultKind, Faults, Inside, Jitter, Mode, Pacing, Plan,
    Stage, StageExecution, StagePlan, SystemState, Tick, Trigger, View, Work,
};

use crate::arch::Arch;
use crate::kernel::KernelName;
use crate::kind::{Kernels, RigKind};
use crate::raw::{FaultsText, LocksText, Named, Text, TimeText, TriggerText, Twin};
use crate::scenario::{Case, RUNNING, UNKNOWN};
use crate::sweep::Sweep;

/// Returns the kernels of the cases: of a target that runs its own, what it was found to
/// run.
pub(crate) fn kernels(text: &Text, running: Option<&str>) -> Vec<KernelName> {
    let named = || text.kernels.iter();
    match text.rig.facts().kernels {
        Kernels::Booted => named().filter_map(|name| KernelName::parse(name).ok()).collect(),
        Kernels::Unseen if !text.kernels.is_empty() => {
            named().map(|name| KernelName::running(name)).collect()
        }
        Kernels::Unseen => vec![KernelName::running(UNKNOWN)],
        Kernels::Running => vec![KernelName::running(running.unwrap_or(RUNNING))],
    }
}

/// Returns the labels of a scenario's kernels.
pub(crate) fn labels(text: &Text) -> Vec<String> {
    kernels(text, None).into_iter().map(|kernel| kernel.label).collect()
}

/// Returns kernels by states by the levels of axes, in the order of the file; where an effect of measuring is
/// asked for, each once more without the view from inside, or with events. With several
/// seeds each of these once for each; in a sweep each at every frequency.
pub(crate) fn cases(text: &Text, kernels: &[KernelName]) -> Vec<Case> {
    let (states, template, locks) = (states::of(text), template(text), locks(text));
    let mut cases = Vec::new();
    for kernel in kernels {
        for state in &states {
            let at_levels = axes::over(text, case(text.rig, &template, kernel, state));
            for case in at_levels.into_iter().flat_map(|case| in_every_mode(&locks, case)) {
                let like = |plan| Case { plan, ..case.clone() };
                let blind = text.observer_effect.then(|| like(case.plan.without_inside()));
                let explained = text.explain_effect.then(|| like(case.plan.explained()));
                let all = [Some(case.clone()), blind, explained].into_iter().flatten();
                cases.extend(all.flat_map(|case| with_every_seed(text, case)));
            }
        }
    }
    match text.sweep.as_ref().and_then(|sweep| Sweep::of(sweep).ok()) {
        Some(sweep) => sweep.over(cases),
        None => cases,
    }
}

fn case(rig: RigKind, template: &Plan, kernel: &KernelName, state: &SystemState) -> Case {
    let case = format!("{}/{}", kernel.label, state.name);
    let mut plan = Plan { case, state: state.clone(), ..template.clone() };
    plan.tick = rig.facts().virtual_clock.then(|| Arch::of_kernel(&kernel.label).counter());
    let wires = rig.wires(&kernel.label).filter(|_| plan.outside().is_some());
    if let (Some(asked), Some(wires)) = (plan.stages_mut(), wires) {
        asked.line = wires;
    }
    Case::new(kernel.clone(), plan)
}

/// Returns the case, or one for each of several seeds.
fn with_every_seed(text: &Text, case: Case) -> Vec<Case> {
    let seeds = text.trigger.as_ref().map_or(0..=0, |trigger| {
        trigger.seed..=trigger.seed.saturating_add(u64::from(trigger.seeds.saturating_sub(1)))
    });
    if seeds.start() == seeds.end() {
        return vec![case];
    }
    let with = |seed| Case {
        plan: case.plan.with_seed(seed),
        seed_of: Some(case.plan.case.clone()),
        ..case.clone()
    };
    seeds.map(with).collect()
}

/// Returns the case, or one for each mode of delayed locking.
fn in_every_mode(locks: &[DelayedLocking], case: Case) -> Vec<Case> {
    if locks.is_empty() {
        return vec![case];
    }
    let with = |locks: &DelayedLocking| {
        let name = format!("{}/{}", case.plan.case, locks.mode);
        let delayed_locking = Some(*locks);
        Case { plan: Plan { case: name, delayed_locking, ..case.plan.clone() }, ..case.clone() }
    };
    locks.iter().map(with).collect()
}

fn locks(text: &Text) -> Vec<DelayedLocking> {
    let Some(LocksText { modes, policy, max_refusals, short_period }) = &text.locks else {
        return Vec::new();
    };
    let default = DelayedLocking::default();
    let of = |mode: &Named<_>| DelayedLocking {
        mode: mode.0,
        policy: policy.map_or(default.policy, |policy| policy.0),
        max_refusals: max_refusals.unwrap_or(default.max_refusals),
        short_period: short_period.map_or(default.short_period, |way| way.0),
    };
    modes.iter().map(of).collect()
}

/// Returns the plan that all cases have in common.
fn template(text: &Text) -> Plan {
    let common = Plan {
        instruction: instruction(text.rig, text.twin),
        idle_states: text.idle_states,
        sysctls: text.sysctl.0.clone(),
        ..Plan::default()
    };
    match (&text.bench, &text.trigger) {
        (Some(bench), _) => bench.plan(common),
        (None, Some(trigger)) => Plan {
            cpu: trigger.cpu,
            settle_ms: milliseconds(trigger.settle),
            work: Work::Stages(stages(text, trigger)),
            ..common
        },
        (None, None) => common, // was refused
    }
}

/// Returns the length of an instruction where it is known.
fn instruction(rig: RigKind, twin: Twin) -> Option<Tick> {
    const NANOSECOND: u64 = 1_000_000;
    rig.facts().virtual_clock.then_some(Tick { femtoseconds: NANOSECOND << twin.shift })
}

/// Returns the one of `period` and `frequency`; none where both are given, or neither.
pub(crate) fn period_ns(trigger: &TriggerText) -> Option<u64> {
    match (trigger.period, trigger.frequency) {
        (Some(period), None) => Some(period.0),
        (None, Some(frequency)) => Some(frequency.period_ns()),
        _ => None,
    }
}

fn milliseconds(span: Span) -> u32 {
    u32::try_from(span.0 / 1_000_000).unwrap_or(u32::MAX)
}

fn stages(text: &Text, trigger: &TriggerText) -> StagePlan {
    let default = StagePlan::default();
    // All, or none: as many as the board has lines, which is found out later.
    let by_board = !text.rig.boots() && trigger.kind.0 == Trigger::Line;
    let unnamed = || match trigger.kind.0 {
        _ if by_board => Vec::new(),
        Trigger::Sleep => SLEEPERS.to_vec(),
        _ => Stage::ALL.to_vec(),
    };
    let named = |asked: &Vec<Named<Stage>>| asked.iter().map(|stage| stage.0).collect();
    let asked = text.stages.as_ref().map_or_else(unnamed, named);
    let inside = Inside { explain: text.explain, compensate: text.compensate.0 };
    StagePlan {
        trigger: trigger.kind.0,
        line: outside::line(text, trigger),
        irq: trigger.irq,
        mode: mode(text, trigger),
        turn_length: trigger.turn_length.unwrap_or_else(|| turn_length(trigger.count, &asked)),
        stages: asked,
        pacing: pacing(trigger),
        period_ns: period_ns(trigger).unwrap_or(default.period_ns), // was checked
        count: trigger.count,
        jitter: Jitter { kind: trigger.jitter.0, ns: trigger.jitter_amount.0 },
        burst: burst(trigger),
        execution: execution(text),
        seed: trigger.seed,
        timeout_ms: milliseconds(trigger.timeout).max(1),
        user: text.priority.user.map_or(default.user, |priority| priority.0),
        kthread: text.priority.kthread.map_or(default.kthread, |priority| priority.0),
        thread: text.priority.thread.map_or(default.thread, |priority| priority.0),
        delay: text
            .test
            .as_ref()
            .map(|test| Delay { stage: test.stage.0, instructions: test.instructions }),
        outside: outside::settings(text, trigger),
        inside: outside::has_view(text, View::Inside).then_some(inside),
        faults: text.faults.as_ref().map(|asked| faults(asked, text.twin.cpus)),
    }
}

/// The stages that a sleep asks: the timer's interrupt, and the thread that slept.
pub(crate) const SLEEPERS: [Stage; 2] = [Stage::Irq, Stage::User];

/// Returns whether triggers wait for answers. A thread sleeps only when it has answered.
pub(crate) fn pacing(trigger: &TriggerText) -> Pacing {
    let default = match trigger.kind.0 {
        Trigger::Sleep => Pacing::Closed,
        _ => Pacing::Open,
    };
    trigger.pacing.as_ref().map_or(default, |pacing| pacing.0)
}

/// Returns which stages one trigger asks. A target that is not reached takes no turns unless the
/// scenario says that it does.
pub(crate) fn mode(text: &Text, trigger: &TriggerText) -> Mode {
    let default = if text.rig.reaches_target() { Mode::Isolated } else { Mode::Together };
    trigger.mode.map_or(default, |mode| mode.0)
}

/// Returns the length of turns that share the triggers evenly, exactly if a length allows it: long,
/// for a stage that has slept for several periods answers later than alone, and short enough for
/// each stage to have several.
fn turn_length(count: u64, asked: &[Stage]) -> u32 {
    const LONGEST: u32 = 64;
    let asked = if asked.is_empty() { Stage::ALL } else { asked };
    let others = asked.iter().filter(|stage| **stage != Stage::Irq).count().max(1) as u64;
    let is_even = |length: &u32| count.is_multiple_of(others * u64::from(*length));
    let rounds = count.div_ceil(others * u64::from(LONGEST)).max(1);
    let fair = || u32::try_from(count / (others * rounds)).unwrap_or(LONGEST).max(1);
    (LONGEST / 2..=LONGEST).rev().find(is_even).unwrap_or_else(fair)
}

fn burst(trigger: &TriggerText) -> Option<Burst> {
    let (triggers, interval) = (trigger.burst?, trigger.interval?);
    Some(Burst { triggers, interval_ns: interval.0 })
}

fn execution(text: &Text) -> Option<Execution> {
    let stages = text.execution.as_ref()?.iter();
    let time =
        |(stage, time): (&Named<Stage>, &TimeText)| StageExecution { stage: stage.0, time: time.0 };
    Some(Execution { stages: stages.map(time).collect() })
}

fn faults(faults: &FaultsText, cpus: u32) -> Faults {
    let kinds = faults.kinds.as_ref().map(|kinds| kinds.iter().map(|kind| kind.0).collect());
    let nanoseconds = |span: u64| u32::try_from(span).unwrap_or(u32::MAX); // was checked
    Faults {
        kinds: kinds.unwrap_or_else(|| {
            FaultKind::ALL.iter().copied().filter(|kind| cpus > 1 || !kind.is_remote()).collect()
        }),
        length_ns: nanoseconds(faults.length.0),
        interval_ns: nanoseconds(faults.interval.0),
        seed: faults.seed,
    }
}
