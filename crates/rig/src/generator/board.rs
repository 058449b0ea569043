// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator at an address, which a scenario sets.
//!
//! Rig `board` is such a generator and nothing else. Rigs `local` and `ssh` have it
//! beside the target's agent where the trigger is a line: both views, on two clocks.

use std::sync::mpsc::{Receiver, Sender};

use irqscope_scenario::UNKNOWN;
use irqscope_wire::{
    Burst, Command, GeneratorHello, GeneratorKind, Jitter, Line, Outside as Demands, Plan, Stage,
    StagePlan, StartAt, Status, SystemState, Trigger,
};

use crate::case::{Event, Events};
use crate::command::TICK;
use crate::error::{Result, RigError};
use crate::generator::outside::{Outside, lift};
use crate::generator::{Client, GeneratorError, look};
use crate::plan::asked;
use crate::stop::Stop;

/// A request to the generator while it is measured with.
#[derive(Debug)]
pub struct Ask {
    /// The command.
    pub command: Command,
    /// Receives its result.
    pub reply: Sender<Result<Status, GeneratorError>>,
}

/// Returns the stages of a generator's lines where they are not named: as many as there are lines,
/// in order, without those that only newer kernels have where the others are enough.
pub fn default_stages(lines: u8) -> Vec<Stage> {
    let lines = usize::from(lines);
    let everywhere = || Stage::ALL.iter().copied().filter(|stage| stage.since().is_none());
    let all = || Stage::ALL.iter().copied();
    if lines <= everywhere().count() {
        everywhere().take(lines).collect()
    } else {
        all().take(lines).collect()
    }
}

/// Returns the plan that a generator executes as it is set.
pub fn plan(hello: &GeneratorHello, status: &Status, stages: &[Stage]) -> Plan {
    let set = status.settings;
    let ns = |ticks| u64::try_from(hello.nanoseconds(ticks).0).unwrap_or(0);
    let burst = Burst { triggers: set.burst, interval_ns: ns(set.interval) };
    let asked = StagePlan {
        stages: stages.to_vec(),
        trigger: Trigger::Line,
        line: wires(hello.kind),
        pacing: set.pacing,
        period_ns: ns(set.period),
        count: set.count,
        jitter: Jitter { kind: set.jitter, ns: ns(set.jitter_amount) },
        burst: (set.burst > 1).then_some(burst),
        seed: set.seed,
        timeout_ms: u32::try_from(ns(set.timeout) / 1_000_000).unwrap_or(u32::MAX),
        outside: Some(Demands::of(&set, hello.tick)),
        inside: None,
        ..StagePlan::default()
    };
    Plan {
        case: format!("{}/{UNKNOWN}", hello.kind),
        settle_ms: 0,
        state: SystemState::of(UNKNOWN, Vec::new()),
        ..Plan::of_stages(asked)
    }
}

/// Looks at the generator of a scenario's cases, and completes their plans with what
/// it decides.
///
/// # Errors
/// The address does not answer; or a case asks for what this generator cannot do.
pub fn prepare<'a>(
    address: &str,
    plans: impl Iterator<Item = &'a mut Plan>,
    stop: &Stop,
) -> Result<()> {
    if address.is_empty() {
        return Err(RigError::unready(
            "the scenario does not say where the board is",
            "give --connect ADDRESS, or in the scenario: [board] address = \
             \"serial:///dev/ttyACM0\"; irqscope generator list shows what is there",
        ));
    }
    let (hello, _) = look(address, stop).map_err(lift)?;
    for asked in plans.filter_map(Plan::stages_mut) {
        if asked.stages.is_empty() {
            asked.stages = default_stages(hello.lines);
        }
        check(&hello, asked)?;
    }
    Ok(())
}

fn check(hello: &GeneratorHello, asked: &StagePlan) -> Result<()> {
    let (lines, stages) = (usize::from(hello.lines), asked.stages.len());
    if lines < stages {
        return Err(RigError::unready(
            format!("the generator watches {lines} lines, and the scenario names {stages} stages"),
            "name one for each line that has a wire, in their order: stages = [\"irq\", ...]",
        ));
    }
    let asked = asked.settings(stages).in_ticks(hello.tick);
    asked.check(&hello.limits, false).map_err(|refusal| lift(GeneratorError::Refused(refusal)))
}

/// Connects to a generator and sets it as a plan says, with this many lines in use.
pub(crate) fn set(address: &str, asked: &StagePlan, lines: usize, stop: &Stop) -> Result<Outside> {
    let client = Client::connect_when_free(address, stop).map_err(lift)?;
    let mut outside = Outside::of(client, asked);
    outside.set(asked.settings(lines))?;
    Ok(outside)
}

const fn wires(kind: GeneratorKind) -> Line {
    match kind {
        GeneratorKind::Twin | GeneratorKind::Board => Line::Parport,
        GeneratorKind::Vm => Line::Ivshmem,
        GeneratorKind::Cpu => Line::Memory,
    }
}

/// Starts a generator that is set as it is to be, and follows it until every trigger is accounted
/// for. Requests meanwhile are passed on and answered. When `stop` is requested the generator's run
/// is ended, and not waited for.
///
/// # Errors
/// The generator's refusal or loss; [`RigError::Interrupted`].
pub fn run_case(
    client: Client,
    plan: &Plan,
    at: StartAt,
    asks: &Receiver<Ask>,
    stop: &Stop,
    events: &mut Events<'_>,
) -> Result<()> {
    run(Outside::of(client, asked(plan)?), at, asks, stop, events)
}

/// Starts a generator that is set, and follows it as [`run_case`] does.
///
/// # Errors
/// As [`run_case`]; or it runs with other settings than those that were asked for.
pub(crate) fn run(
    mut outside: Outside,
    at: StartAt,
    asks: &Receiver<Ask>,
    stop: &Stop,
    events: &mut Events<'_>,
) -> Result<()> {
    outside.start(at)?;
    events(Event::Phase("measuring"))?;
    let ran = follow(&mut outside, asks, events);
    if stop.requested() {
        outside.abandon();
        return Err(RigError::Interrupted);
    }
    ran
}

fn follow(outside: &mut Outside, asks: &Receiver<Ask>, events: &mut Events<'_>) -> Result<()> {
    while !outside.has_ended() {
        outside.read_clock();
        for Ask { command, reply } in asks.try_iter() {
            // The requester may have gone; the command is executed all the same.
            let _ = reply.send(outside.client().ask(command));
        }
        outside.follow(TICK, events)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_without_names_are_stages_that_every_kernel_has() {
        assert_eq!(default_stages(2), [Stage::Irq, Stage::Softirq]);
        let everywhere = Stage::ALL.iter().filter(|stage| stage.since().is_none()).count();
        assert!(!default_stages(everywhere as u8).contains(&Stage::WorkBh));
        assert_eq!(default_stages(Stage::COUNT as u8), Stage::ALL);
        assert_eq!(default_stages(u8::MAX).len(), Stage::COUNT);
    }
}
