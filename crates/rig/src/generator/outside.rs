// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The view from outside over TCP: a generator that is set as a plan says,
//! started, and followed until all its triggers are accounted for.

use std::path::Path;
use std::time::{Duration, Instant};

use irqscope_wire::secret::Secret;
use irqscope_wire::{Changes, Message, Nanoseconds, RunState, StagePlan, StartAt, Status};

use crate::case::{Event, Events, Stream};
use crate::command::TICK;
use crate::error::{Result, RigError, lost};
use crate::generator::{Client, GeneratorError, Received, settings};
use crate::stop::Stop;

/// A busy host may leave a generator without a CPU for this time.
const SILENCE: Duration = Duration::from_secs(30);
/// How often a generator's clock is read.
const READING: Duration = Duration::from_secs(1);
/// How long a lost connection is tried again.
const RECONNECT: Duration = Duration::from_secs(10);
/// Beyond the last trigger's timeout.
const MARGIN: Duration = Duration::from_secs(10);

pub(crate) struct Outside {
    client: Client,
    /// The settings that a run begins with.
    asked: Changes<Nanoseconds>,
    /// From the last trigger to the last sample, at most.
    timeout: Duration,
    /// The generator's number of the run that is followed; none before it is started.
    run: Option<u32>,
    ended: bool,
    /// When its clock was asked for last.
    read: Instant,
}

impl Outside {
    /// Connects, sets and starts: the first trigger waits for the target.
    pub fn begin(
        address: &str,
        secret: Option<Secret>,
        plan: &StagePlan,
        stop: &Stop,
    ) -> Result<Self> {
        let client = Client::connect_with(address, secret, stop).map_err(lift)?;
        let asked = plan.settings(client.hello().lines.into());
        let mut outside = Self::of(client, plan);
        outside.set(asked)?;
        outside.start(StartAt::Armed)?;
        Ok(outside)
    }

    /// Follows a generator that is set already, and waits to be started.
    pub fn of(mut client: Client, plan: &StagePlan) -> Self {
        client.set_idle_timeout(SILENCE);
        let timeout = Duration::from_millis(plan.timeout_ms.into());
        let asked = Changes::default();
        Self { client, asked, timeout, run: None, ended: false, read: Instant::now() }
    }

    /// Sets what a run is to begin with.
    ///
    /// # Errors
    /// The generator's refusal or loss.
    pub fn set(&mut self, asked: Changes<Nanoseconds>) -> Result<()> {
        self.asked = asked;
        let changes = asked.in_ticks(self.client.hello().tick);
        self.client.set(changes).map(drop).map_err(lift)
    }

    /// Starts a run.
    ///
    /// # Errors
    /// The generator's refusal or loss; or it runs with other settings than those that
    /// were asked for.
    pub fn start(&mut self, at: StartAt) -> Result<()> {
        let status = self.client.start(at).map_err(lift)?;
        self.run = Some(status.run);
        let checked = settings::check(&self.asked, self.client.hello(), &status.settings);
        if checked.is_err() {
            self.abandon();
        }
        checked
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
        let deadline = Instant::now() + self.timeout + MARGIN;
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

/// Maps an error; an interrupt by the user is not a failure.
pub(crate) fn lift(error: GeneratorError) -> RigError {
    match error {
        GeneratorError::Interrupted => RigError::Interrupted,
        error => error.into(),
    }
}
