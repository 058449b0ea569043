// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The view from outside over TCP: a generator that is set as a plan says,
//! started, and followed until all its triggers are accounted for.

use std::path::Path;
use std::time::{Duration, Instant};

use irqscope_wire::{
    Burst, Command, Message, Outside as Settings, Polarity, RunState, Shape, StagePlan, StartAt,
    Status, Tick,
};

use crate::case::{Event, Events, Stream};
use crate::command::TICK;
use crate::error::{Result, RigError, lost};
use crate::generator::{Client, GeneratorError, Received};
use crate::stop::Stop;

/// A busy host may leave a generator without a CPU for this time.
const SILENCE: Duration = Duration::from_secs(30);
/// How often a generator's clock is read.
const READING: Duration = Duration::from_secs(1);
/// How long a lost connection is tried again.
const RECONNECT: Duration = Duration::from_secs(10);
/// Beyond the last trigger's patience.
const MARGIN: Duration = Duration::from_secs(10);

pub(crate) struct Outside {
    client: Client,
    /// From the last trigger to the last sample, at most.
    patience: Duration,
    /// The generator's number of the run that is followed; none before it is started.
    run: Option<u32>,
    ended: bool,
    /// When its clock was asked for last.
    read: Instant,
}

impl Outside {
    /// Connects, sets and starts: the first trigger waits for the target.
    pub fn begin(address: &str, plan: &StagePlan, settings: Settings, stop: &Stop) -> Result<Self> {
        let mut client = Client::connect(address, stop).map_err(lift)?;
        set(&mut client, plan, settings)?;
        let mut outside = Self::of(client, plan);
        outside.start(StartAt::Armed)?;
        Ok(outside)
    }

    /// Follows a generator that is set already, and waits to be started.
    pub fn of(mut client: Client, plan: &StagePlan) -> Self {
        client.bear_silence_for(SILENCE);
        let patience = Duration::from_millis(plan.timeout_ms.into());
        Self { client, patience, run: None, ended: false, read: Instant::now() }
    }

    pub fn start(&mut self, at: StartAt) -> Result<()> {
        self.run = Some(self.client.start(at).map_err(lift)?.run);
        Ok(())
    }

    pub fn has_started(&self) -> bool {
        self.run.is_some()
    }

    /// Asks for its clock now and then: each reply has it.
    pub fn read_clock(&mut self) {
        if self.read.elapsed() >= READING {
            self.read = Instant::now();
            // A lost generator is reported by what follows; a refusal leaves one reading out.
            let _ = self.client.status();
        }
    }

    /// Ends its run, if one goes on, and does not wait for it: it would go on without
    /// anybody.
    pub fn abandon(&mut self) {
        if self.has_started() && !self.ended {
            let _ = self.client.stop();
        }
    }

    /// Returns the client, for messages to it while it is followed.
    pub fn client(&mut self) -> &mut Client {
        &mut self.client
    }

    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Passes on what has arrived. True once all triggers are accounted for.
    pub fn drain(&mut self, events: &mut Events<'_>) -> Result<bool> {
        // It may go away once it is done.
        while !self.ended && self.follow(Duration::ZERO, events)? {}
        Ok(self.ended)
    }

    /// Passes on all that is still to come, if it was started; the target has ended.
    pub fn finish(&mut self, console: &Path, events: &mut Events<'_>) -> Result<()> {
        self.ended |= !self.has_started();
        let deadline = Instant::now() + self.patience + MARGIN;
        while !self.ended {
            self.follow(TICK, events)?;
            if Instant::now() > deadline {
                let what = "the generator does not account for its last triggers";
                return Err(lost(what, console));
            }
        }
        Ok(())
    }

    /// Returns the next frame, if one comes in time. A lost connection is made again: the
    /// generator's run goes on meanwhile, and its numbers show what is missing.
    pub fn follow(&mut self, timeout: Duration, events: &mut Events<'_>) -> Result<bool> {
        match self.client.next(timeout) {
            Ok(received) => {
                received.as_ref().map_or(Ok(()), |received| self.pass_on(received, events))?;
                Ok(received.is_some())
            }
            Err(lost @ GeneratorError::Lost { .. }) => {
                events(Event::warning(format!("{lost}; connecting again")))?;
                self.client.reconnect(RECONNECT).map_err(lift)?;
                Ok(true)
            }
            Err(error) => Err(lift(error)),
        }
    }

    fn pass_on(&mut self, received: &Received, events: &mut Events<'_>) -> Result<()> {
        let frame = match &received.frame {
            Ok(frame) => frame,
            Err(error) => return events(Event::Damaged(*error)),
        };
        events(Event::Frame { stream: Stream::Generator, encoded: &received.encoded, frame })?;
        match &frame.message {
            Message::Status(Status { run, state, .. }) => {
                self.ended = Some(*run) == self.run && *state == RunState::Done;
            }
            Message::Failed(failure) => {
                let (what, remedy) = (failure.what.clone(), failure.remedy.clone());
                return Err(lift(GeneratorError::Failed { what, remedy }));
            }
            _ => {}
        }
        Ok(())
    }
}

/// Sets all that a plan says of a generator.
pub(crate) fn set(client: &mut Client, plan: &StagePlan, settings: Settings) -> Result<()> {
    for command in commands(plan, settings, client.hello().tick) {
        client.set(command).map_err(lift)?;
    }
    Ok(())
}

/// Returns the commands in an order in which each can be done.
fn commands(plan: &StagePlan, settings: Settings, tick: Tick) -> Vec<Command> {
    let ticks = |ns| tick.cycles(ns);
    let mut commands = vec![
        Command::Period(ticks(plan.period_ns)),
        Command::Duty(settings.duty_per_mille),
        Command::Packet(settings.packet),
        Command::Count(plan.count),
        Command::Jitter { kind: plan.jitter.kind, amount: ticks(plan.jitter.ns) },
        Command::Seed(plan.seed),
        Command::Pacing(plan.pacing),
        Command::Patience(ticks(u64::from(plan.timeout_ms) * 1_000_000)),
    ];
    if let Some(Burst { triggers, interval_ns }) = plan.burst {
        commands.push(Command::Burst { triggers, interval: ticks(interval_ns) });
    }
    if settings.polarity != Polarity::Rising {
        commands.push(Command::Polarity(settings.polarity));
    }
    if plan.shape() != Shape::Toggle {
        commands.push(Command::Shape(plan.shape()));
    }
    commands
}

/// Maps errors; an interrupt by the user is not a failure.
pub(crate) fn lift(error: GeneratorError) -> RigError {
    match error {
        GeneratorError::Interrupted => RigError::Interrupted,
        error => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::{Cycles, Jitter, JitterKind};

    #[test]
    fn a_plan_is_set_in_the_generators_own_ticks() {
        let jitter = Jitter { kind: JitterKind::Uniform, ns: 500 };
        let plan = StagePlan { jitter, timeout_ms: 10, ..StagePlan::default() };
        let tick = Tick { femtoseconds: 6_666_667 };
        let commands = commands(&plan, Settings::default(), tick);
        assert_eq!(commands[0], Command::Period(Cycles(150_000)));
        let amount = Cycles(75);
        assert_eq!(commands[4], Command::Jitter { kind: JitterKind::Uniform, amount });
        assert_eq!(commands[7], Command::Patience(Cycles(1_500_000)));
    }
}
