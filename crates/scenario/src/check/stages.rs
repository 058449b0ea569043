// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Triggers, stages, bursts, execution times and faults.

use irqscope_wire::{
    Compensate, ExecutionTime, JitterKind, Mode, Pacing, Range, Setting, Stage, Trigger, View,
};

use super::{Flaws, Rule};
use crate::plan::outside::has_view;
use crate::plan::{SLEEPERS, mode, pacing, period_ns};
use crate::raw::{FaultsText, Named, Text, TimeText, TriggerText};

/// Sequence numbers of triggers have 32 bits.
pub(crate) const COUNT: Range = Setting::Count.descriptor().usual;
pub(crate) const PERIOD_NS: std::ops::RangeInclusive<u64> = 10_000..=3_600_000_000_000;
/// A longer one would make the watchdogs of the target complain.
const LONGEST_NS: u64 = 1_000_000_000;
pub(crate) const TRIGGERS: std::ops::RangeInclusive<u32> = 2..=1 << 20;
pub(crate) const TURN: Range = Setting::TurnLength.descriptor().usual;
pub(crate) const SEEDS: std::ops::RangeInclusive<u32> = 1..=1_000;
/// Longer ones would make the watchdogs of the target complain.
const FAULT_NS: std::ops::RangeInclusive<u64> = 1_000..=10_000_000;
const FAULT_INTERVAL_NS: std::ops::RangeInclusive<u64> = 10_000..=1_000_000_000;

pub(super) fn check(text: &Text, trigger: &TriggerText, flaws: &mut Flaws<'_>) {
    let count = trigger.count;
    flaws.when(!COUNT.contains(count), "trigger.count", Rule::Count(count));
    match period_ns(trigger) {
        None => flaws.add("trigger", Rule::PeriodOrFrequency),
        Some(period_ns) => {
            let key = if trigger.period.is_some() { "trigger.period" } else { "trigger.frequency" };
            flaws.when(!PERIOD_NS.contains(&period_ns), key, Rule::Period);
            burst(trigger, period_ns, flaws);
        }
    }
    let none = trigger.jitter.0 == JitterKind::None;
    flaws.when(none != (trigger.jitter_amount.0 == 0), "trigger.jitter", Rule::Jitter);
    let seeds = SEEDS.contains(&trigger.seeds)
        && trigger.seed.checked_add(u64::from(trigger.seeds) - 1).is_some();
    flaws.when(!seeds, "trigger.seeds", Rule::Seeds);
    let swept = trigger.seeds > 1 && text.sweep.is_some();
    flaws.when(swept, "trigger.seeds", Rule::SweptSeeds);
    let isolated = mode(text, trigger) == Mode::Isolated;
    let turn = trigger.turn_length.is_some_and(|turn| !isolated || !TURN.contains(turn.into()));
    flaws.when(turn, "trigger.turn-length", Rule::TurnLength);
    let no_stages = text.stages.as_ref().is_some_and(Vec::is_empty);
    flaws.when(no_stages, "stages", Rule::NoStages);
    if trigger.kind.0 == Trigger::Sleep {
        sleep(text, trigger, flaws);
    }
    execution(text, flaws);
    inside(text, trigger, flaws);
    if let Some(asked) = &text.faults {
        faults(asked, text, flaws);
    }
    if let Some(test) = &text.test {
        flaws.when(test.instructions % 2 != 0, "test.instructions", Rule::OddDelay);
        flaws.when(!text.rig.reaches_target(), "test", Rule::Unreached("test"));
    }
}

/// Checks what a thread that sleeps by itself can be asked.
fn sleep(text: &Text, trigger: &TriggerText, flaws: &mut Flaws<'_>) {
    let asks = |asked: &Vec<Named<Stage>>| {
        asked.contains(&Named(Stage::User)) && asked.iter().all(|one| SLEEPERS.contains(&one.0))
    };
    flaws.when(!text.stages.as_ref().is_none_or(asks), "stages", Rule::SleepStages);
    flaws.when(pacing(trigger) == Pacing::Open, "trigger.pacing", Rule::SleepPaced);
    flaws.when(trigger.burst.is_some(), "trigger.burst", Rule::SleepBurst);
}

/// Checks what only the target's own record shows.
fn inside(text: &Text, trigger: &TriggerText, flaws: &mut Flaws<'_>) {
    let inside = has_view(text, View::Inside);
    let key = if text.explain { "explain" } else { "explain-effect" };
    let explains = text.explain || text.explain_effect;
    flaws.when(explains && !inside, key, Rule::ExplainOutside);
    flaws.when(text.explain && text.explain_effect, "explain", Rule::ExplainTwice);
    if text.compensate.0 == Compensate::None {
        return;
    }
    let isolated = mode(text, trigger) == Mode::Isolated;
    flaws.when(isolated, "compensate", Rule::CountIsolated);
    match text.rig.reaches_target() {
        true => {
            let unseen = !inside || text.observer_effect;
            flaws.when(unseen, "compensate", Rule::CountUnseen);
        }
        false => flaws.add("compensate", Rule::CountUnreached),
    }
}

fn execution(text: &Text, flaws: &mut Flaws<'_>) {
    for (Named(stage), TimeText(time)) in text.execution.iter().flatten() {
        let (lowest, highest) = match *time {
            ExecutionTime::Fixed { ns } => (ns, ns),
            ExecutionTime::Uniform { lowest_ns, highest_ns } => (lowest_ns, highest_ns),
            ExecutionTime::Exponential { mean_ns } => (0, mean_ns),
        };
        let key = format!("execution.{stage}");
        let long = lowest > highest || highest > LONGEST_NS;
        flaws.when(long, &key, Rule::Execution(*stage));
        let asked = |stages: &Vec<Named<_>>| stages.contains(&Named(*stage));
        let other = !text.stages.as_ref().is_none_or(asked);
        flaws.when(other, &key, Rule::ExecutionOfOther(*stage));
    }
}

fn burst(trigger: &TriggerText, period_ns: u64, flaws: &mut Flaws<'_>) {
    let (triggers, interval) = match (trigger.burst, trigger.interval) {
        (None, None) => return,
        (Some(triggers), Some(interval)) => (triggers, interval.0),
        _ => return flaws.add("trigger", Rule::BurstAndInterval),
    };
    flaws.when(!TRIGGERS.contains(&triggers), "trigger.burst", Rule::Burst);
    let fits = interval >= *PERIOD_NS.start() && interval <= period_ns / u64::from(triggers.max(1));
    flaws.when(!fits, "trigger.interval", Rule::Interval);
    let closed = trigger.kind.0 != Trigger::Sleep && pacing(trigger) == Pacing::Closed;
    flaws.when(closed, "trigger.pacing", Rule::BurstPaced);
}

fn faults(faults: &FaultsText, text: &Text, flaws: &mut Flaws<'_>) {
    flaws.when(!text.rig.facts().virtual_clock, "faults", Rule::FaultsOutsideTwin);
    let length = FAULT_NS.contains(&faults.length.0);
    let in_range = length && FAULT_INTERVAL_NS.contains(&faults.interval.0);
    let key = if length { "faults.interval" } else { "faults.length" };
    flaws.when(!in_range, key, Rule::FaultTimes);
    let none = faults.kinds.as_ref().is_some_and(Vec::is_empty);
    flaws.when(none, "faults.kinds", Rule::NoFaults);
    let remote = faults.kinds.iter().flatten().find(|kind| kind.0.is_remote());
    if let Some(kind) = remote.filter(|_| text.twin.cpus < 2) {
        flaws.add("faults.kinds", Rule::RemoteFault(kind.0));
    }
}
