// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Reasons that make a result invalid, and reasons that make it doubtful: two closed sets, each
//! member with its remedy.

use irqscope_run::{CaseData, Gap, LogHealth};
use irqscope_wire::{Account, BenchmarkKind, Counters, Severity, Stage, Totals};

use crate::phases::{self, Few};
use crate::{OutsideAccount, bench};

/// The figures of a case must not be used.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Violation {
    #[error(
        "the driver's counters do not add up ({}): the driver is at fault, please report it",
        Account::from(*.0)
    )]
    Identity(Counters),
    #[error(
        "the driver counted {driver} {what} and the log has {counted}: records were lost on the way, repeat the run"
    )]
    Recount { what: &'static str, driver: u64, counted: u64 },
    #[error(
        "the generator's counts do not add up ({}; {} edges, {} answers + {} extra): the generator is at fault, please report it",
        Account::from(*.0), .0.edges, .0.answers, .0.extra
    )]
    OutsideIdentity(Totals),
    #[error(
        "the generator had not accounted for every trigger when the case ended; repeat the run"
    )]
    OutsideUnfinished,
    #[error(
        "the generator counted {generator} samples and the log has {counted}: frames were lost on the way, repeat the run"
    )]
    OutsideRecount { generator: u64, counted: u64 },
    #[error("a view from outside was asked for and no generator spoke; repeat the run")]
    NoOutside,
    #[error(
        "the generator never saw the target let its interrupt through, and sent no trigger: a driver must enable the port's interrupt (control bit 4 of a parallel port)"
    )]
    NeverArmed,
    #[error("the generator was asked for {asked} triggers and sent {sent}; repeat the run")]
    FewerTriggers { asked: u64, sent: u64 },
    #[error(
        "the generator watched {lines} lines and {stages} stages answered: which line is whose is not known; ask for stages that this kernel has"
    )]
    OtherLines { lines: usize, stages: usize },
    #[error(
        "the handler ran {handled} times for {sent} triggers: something else raises this interrupt; give it a line of its own"
    )]
    MoreHandled { sent: u64, handled: u64 },
    #[error("triggers with more than one sample: {0}; the sender repeated itself, repeat the run")]
    Repeated(u64),
    #[error(
        "negative latencies: {0}; the cycle counter is not to be trusted, pin trigger and stages to one CPU or choose a machine with a constant, synchronised counter"
    )]
    NegativeLatency(u64),
    #[error(
        "{series}: the target sent {target} samples and the log has {counted}: frames were lost on the way, repeat the run"
    )]
    BenchRecount { series: String, target: u64, counted: u64 },
    #[error(
        "{series}: {asked} were asked for and {taken} taken + {skipped} skipped + {dropped} dropped: the agent is at fault, please report it"
    )]
    BenchIdentity { series: String, asked: u64, taken: u64, skipped: u64, dropped: u64 },
    #[error("{0}: the target never said how it ended; repeat the run")]
    NoBenchmark(String),
    #[error(
        "samples that cannot be converted to nanoseconds: {0}; what the target said at its start is not in the log, repeat the run"
    )]
    Unconverted(u64),
}

/// The figures of a case are what was measured, but the reader should know.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Warning {
    #[error("{0}")]
    Target(String),
    #[error("stage {0} is not offered by this kernel and was left out")]
    Unavailable(String),
    #[error(
        "load {0} is not installed on the target: the state was lighter than asked for; install it there"
    )]
    AbsentLoad(String),
    #[error(
        "triggers that found no room in the ring: {0}; lengthen the period or enlarge the ring"
    )]
    Overrun(u64),
    #[error(
        "triggers answered together with another: {0}; lengthen the period or use closed pacing"
    )]
    Coalesced(u64),
    #[error("triggers that lack the answer of a stage: {0}; raise the timeout or lighten the load")]
    Missing(u64),
    #[error("runs of a stage without a trigger: {0}; find out what else raises it")]
    Spurious(u64),
    #[error(
        "interrupts that were raised while an earlier one was pending, and lost in it: {0}; lengthen the period"
    )]
    LostInterrupts(u64),
    #[error(
        "answers from outside whose trigger is not certain: {0}; their latencies are upper bounds (flag 16 in samples.parquet)"
    )]
    Unsure(u64),
    #[error("edges that answered no trigger: {0}; find out what else drives the lines")]
    ExtraEdges(u64),
    #[error("samples that the generator had to drop: {0}; read faster, or lengthen the period")]
    Dropped(u64),
    #[error(
        "triggers came at {met} of 100 phases of the kernel's tick of {tick_us} us: what it delays is in all samples or in none; add jitter, or take a period that is prime to the tick"
    )]
    FewPhases { met: usize, tick_us: u32 },
    #[error(
        "{benchmark}: its periods began at {met} of 100 phases of the kernel's tick of {tick_us} us: what it delays is in all samples or in none; take a period that is no part of the tick's{}",
        better_us.map_or_else(String::new, |us| format!(", such as {us}us"))
    )]
    FewBenchPhases { benchmark: BenchmarkKind, met: usize, tick_us: u32, better_us: Option<u64> },
    #[error(
        "the seeds gave the same samples, so there is no interval over them: a seed draws jitter and random execution times, and there is neither; trigger.jitter = \"uniform\" with a trigger.jitter-amount makes them differ"
    )]
    SameSeeds,
    #[error("{benchmark} was not run: {why}")]
    NoBenchmark { benchmark: String, why: String },
    #[error(
        "{benchmark}: periods that had passed before their thread could see to them: {skipped}; lengthen the period, or find out in the samples before them what took the time"
    )]
    BenchSkipped { benchmark: String, skipped: u64 },
    #[error("{benchmark}: samples that found no room: {dropped}; ask for fewer, or less often")]
    BenchDropped { benchmark: String, dropped: u64 },
    #[error("{0}: repeat the run if its figures matter")]
    Gap(Gap),
    #[error(
        "frames in the log that are not of this protocol: {0}; use matching versions of irqscope and its agent"
    )]
    Undecodable(u64),
    #[error("the case has no end in the log: what was received before is shown; repeat the run")]
    Unfinished,
    #[error("the case failed: {what}; {remedy}")]
    Failed { what: String, remedy: String },
}

impl Warning {
    /// Returns what is doubtful about a case.
    pub fn of(data: &CaseData) -> Vec<Self> {
        let mut warnings = Self::of_target(data);
        if let Some(counters) = &data.counters {
            warnings.extend(Self::of_counters(counters));
        }
        if let Some(outside) = OutsideAccount::of(data) {
            warnings.extend(Self::of_outside(&outside));
        }
        warnings.extend(Self::of_phases(data));
        warnings.extend(bench::warnings(data));
        warnings.extend(data.gaps.iter().copied().map(Self::Gap));
        if data.undecodable > 0 {
            warnings.push(Self::Undecodable(data.undecodable));
        }
        match &data.failure {
            Some(failure) => warnings
                .push(Self::Failed { what: failure.what.clone(), remedy: failure.remedy.clone() }),
            None if data.counters.is_none() => warnings.push(Self::Unfinished),
            None => {}
        }
        warnings
    }

    /// Returns whether triggers came faster than they were answered.
    pub(crate) fn is_of_overload(&self) -> bool {
        matches!(
            self,
            Self::Overrun(_)
                | Self::Coalesced(_)
                | Self::Missing(_)
                | Self::LostInterrupts(_)
                | Self::Unsure(_)
                | Self::Dropped(_)
        )
    }

    fn of_target(data: &CaseData) -> Vec<Self> {
        let notes = data.notes.iter().filter(|note| note.severity == Severity::Warning);
        let mut warnings: Vec<Self> = notes.map(|note| Self::Target(note.text.clone())).collect();
        if let Some(started) = &data.started {
            // A scenario that asks all stages means those that there are.
            let asks_all = data.asked().is_some_and(|it| it.stages.len() == Stage::ALL.len());
            let missed = started.unavailable.iter().filter(|_| !asks_all);
            warnings.extend(missed.map(|stage| Self::Unavailable(stage.name().into())));
            warnings.extend(started.absent_loads.iter().cloned().map(Self::AbsentLoad));
        }
        warnings
    }

    /// Returns the warnings about periods that meet less than half of the tick's phases; one for
    /// all variants of a benchmark.
    fn of_phases(data: &CaseData) -> Vec<Self> {
        let hz = data.started.as_ref().and_then(|started| started.timer_hz);
        let (Some(plan), Some(hz)) = (&data.plan, hz) else { return Vec::new() };
        let tick_us = 1_000_000 / hz.max(1);
        let few = |met: &usize| *met < phases::PARTS / 2;
        let triggers = plan.stages().map(|asked| phases::of_triggers(asked, hz)).filter(few);
        let of_triggers = triggers.map(|met| Self::FewPhases { met, tick_us });
        let benchmarks = plan.benchmarks().iter().filter_map(|asked| {
            let Few { met, better_us } = phases::few_of_benchmark(asked, hz)?;
            Some(Self::FewBenchPhases { benchmark: asked.kind(), met, tick_us, better_us })
        });
        let mut all: Vec<Self> = of_triggers.into_iter().chain(benchmarks).collect();
        all.dedup();
        all
    }

    fn of_outside(outside: &OutsideAccount) -> impl Iterator<Item = Self> {
        let OutsideAccount { unexplained_extra: extra, unsure, dropped, .. } = *outside;
        let lost = outside.lost_interrupts.unwrap_or(0);
        let all = [
            (lost, Self::LostInterrupts(lost)),
            (unsure, Self::Unsure(unsure)),
            (extra, Self::ExtraEdges(extra)),
            (dropped, Self::Dropped(dropped)),
        ];
        all.into_iter().filter(|(count, _)| *count > 0).map(|(_, warning)| warning)
    }

    fn of_counters(counters: &Counters) -> impl Iterator<Item = Self> {
        let Counters { dropped, coalesced, missing, spurious, .. } = *counters;
        let all = [
            (dropped, Self::Overrun(dropped)),
            (coalesced, Self::Coalesced(coalesced)),
            (missing, Self::Missing(missing)),
            (spurious, Self::Spurious(spurious)),
        ];
        all.into_iter().filter(|(count, _)| *count > 0).map(|(_, warning)| warning)
    }
}

/// Formats the warning about the log as a whole; empty for a sound one.
pub(crate) fn log_warning(health: LogHealth) -> Option<String> {
    let LogHealth { records, damaged, lost, repeated, truncated } = health;
    let end = if truncated { ", its end is torn" } else { "" };
    (!health.is_sound()).then(|| {
        format!(
            "the log is damaged ({records} records read, {damaged} stretches unreadable, {lost} records lost, {repeated} there again{end}): what is readable was used"
        )
    })
}
