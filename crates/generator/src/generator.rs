// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A run from start to end, driven by the caller's clock.
//!
//! The caller asks [`Generator::due`] when to come next, calls [`Generator::tick`] then or later,
//! does to the interrupt line what it returns, at the instant it has given, and hands over every
//! edge it sees.
//!
//! Useful invariant, at any time:
//! triggers = complete + missing + coalesced + dropped + open, and
//! edges = answers + extra.

mod corrections;
mod hardware_grid;

use irqscope_wire::{
    Command, Cycles, Limits, Mode, Pacing, Range, Refusal, RunState, Seq, Settings, Shape, StartAt,
    Status, Tick, Totals,
};

use crate::Grid;
use crate::pairing::{Match, Pairing};
use crate::settings::{change, initial};
use crate::slot::{Outcome, Slot};

/// The change of the interrupt line, now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Leave it as it is.
    Nothing,
    /// Assert it.
    Raise,
    /// Release it.
    Lower,
}

/// A generator without its hardware: settings, grid, pairing and accounts.
#[derive(Clone, Debug)]
pub struct Generator<S> {
    limits: Limits,
    /// That there are.
    lines: u8,
    settings: Settings,
    /// From the target's arming to the first trigger.
    armed_delay: u64,
    /// The target lets its interrupt through.
    armed: bool,
    state: RunState,
    run: u32,
    totals: Totals,
    grid: Grid,
    /// The next grid point, while running; the end of the last, while draining.
    point: u64,
    /// The line is up until then.
    lower_at: Option<u64>,
    pairing: Pairing<S>,
    changed: bool,
    /// The last instant that was given.
    clock: u64,
    /// The hardware keeps the grid; see [`Self::with_hardware_grid`].
    ahead: bool,
    /// High times are multiples of this.
    high_step: u64,
}

impl<S: AsRef<[Slot]> + AsMut<[Slot]>> Generator<S> {
    /// Makes a generator at rest. `slots` hold the open triggers; `armed_delay` is the time in
    /// ticks from the target's readiness to the first trigger.
    pub fn new(slots: S, lines: u8, limits: Limits, tick: Tick, armed_delay: u64) -> Self {
        let limits = Limits { lines: Range { lowest: 1, highest: lines.into() }, ..limits };
        Self {
            limits,
            lines,
            settings: initial(&limits, tick),
            armed_delay,
            armed: false,
            state: RunState::Idle,
            run: 0,
            totals: Totals::default(),
            grid: Grid::new(0),
            point: 0,
            lower_at: None,
            pairing: Pairing::new(slots, lines),
            changed: false,
            clock: 0,
            ahead: false,
            high_step: 1,
        }
    }

    /// Returns the limits of the settings.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Returns the lines in use.
    pub fn lines(&self) -> usize {
        self.pairing.lines()
    }

    /// Returns the settings in force.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns the state of the run.
    pub fn state(&self) -> RunState {
        self.state
    }

    /// Returns the state, the settings and the totals.
    pub fn status(&self) -> Status {
        let totals = Totals { open: self.pairing.open(), ..self.totals };
        let (run, state, settings) = (self.run, self.state, self.settings);
        Status { run, state, settings, totals, now: Cycles(self.clock) }
    }

    /// Sets the clock for a status that says how late it is.
    pub fn set_clock(&mut self, now: u64) {
        self.clock = now;
    }

    /// Returns true once after each change of the state.
    pub fn take_changed(&mut self) -> bool {
        core::mem::take(&mut self.changed)
    }

    /// Returns whether a run is active: its settings are decided.
    pub fn active(&self) -> bool {
        matches!(self.state, RunState::Waiting | RunState::Running | RunState::Draining)
    }

    /// Executes a command and returns the status after it.
    ///
    /// # Errors
    /// The command is out of the limits, or not allowed in this state.
    pub fn command(&mut self, command: impl Into<Command>, now: u64) -> Result<Status, Refusal> {
        self.set_clock(now);
        match command.into() {
            Command::Calibrate => return Err(Refusal::CannotCalibrate),
            Command::Start(at) => self.start(at, now)?,
            Command::Stop => self.stop(now),
            Command::Status => {}
            Command::Set(changes) => {
                self.settings = change(&self.limits, self.settings, &changes, self.active())?;
                self.round_high();
            }
        }
        Ok(self.status())
    }

    /// Takes note that the target has let its interrupt through.
    pub fn target_armed(&mut self, now: u64) {
        self.armed = true;
        if self.state == RunState::Waiting {
            self.point = now.saturating_add(self.armed_delay);
            self.enter(RunState::Running);
        }
    }

    /// Takes note that it has blocked it again. Before the first trigger that means that it was
    /// only trying; between triggers the line is pulsed all the same, for the silence is a finding.
    /// After the last one its run is over: it answers nothing any more, and later edges are not
    /// counted.
    pub fn target_disarmed(&mut self) {
        self.armed = false;
        match self.state {
            RunState::Running if self.totals.triggers == 0 => self.enter(RunState::Waiting),
            RunState::Draining => {
                self.pairing.give_up(u64::MAX);
                self.enter(RunState::Done);
            }
            _ => {}
        }
    }

    /// Returns whether a trigger is out whose answers are not all there.
    pub fn is_waiting(&self) -> bool {
        self.pairing.waiting_since().is_some()
    }

    /// Returns how many triggers are out whose answers are not all there.
    pub fn waiting(&self) -> u64 {
        self.pairing.waiting().count() as u64
    }

    /// Returns when to call [`Self::tick`]; an instant in the past means now.
    pub fn due(&self) -> Option<u64> {
        let next = match self.state {
            RunState::Running if !self.ahead => Some(self.point),
            RunState::Draining => Some(match self.pairing.waiting_since() {
                Some(since) => since.saturating_add(self.settings.timeout.0).max(self.point),
                None => self.point,
            }),
            _ => None,
        };
        [self.lower_at, next].into_iter().flatten().min()
    }

    /// Does what is due; `now` becomes the trigger's instant if the line is to
    /// be raised. More may be due: ask again.
    pub fn tick(&mut self, now: u64) -> Act {
        self.set_clock(now);
        if self.lower_at.is_some_and(|at| at <= now) {
            self.lower_at = None;
            return Act::Lower;
        }
        match self.state {
            RunState::Running if !self.ahead && self.point <= now => self.grid_point(now),
            RunState::Draining => {
                self.drain(now);
                Act::Nothing
            }
            _ => Act::Nothing,
        }
    }

    /// Returns how many samples are open.
    pub fn open_samples(&self) -> u64 {
        self.pairing.open()
    }

    /// Takes an edge. `None` outside a run, and for lines that are not in use.
    pub fn edge(&mut self, line: u8, at: u64) -> Option<Match> {
        if !self.listens(line) {
            return None;
        }
        let seen = match self.settings.shape {
            Shape::Toggle => self.pairing.edge(line, at),
            Shape::Pulse => self.pairing.rise(line, at),
        };
        self.totals.edges += 1;
        match seen {
            Match::Answer(_) => self.totals.answers += 1,
            Match::Extra => self.totals.extra += 1,
        }
        Some(seen)
    }

    /// Takes a change of a line. Where lines show pulses the rising edge is the response, and the
    /// falling one says how long it was. None: no response.
    pub fn line_changed(&mut self, line: u8, high: bool, at: u64) -> Option<Match> {
        match (self.settings.shape, high) {
            (Shape::Toggle, _) | (Shape::Pulse, true) => self.edge(line, at),
            (Shape::Pulse, false) => {
                self.pairing.fall(line, at);
                None
            }
        }
    }

    /// Ends the clock: what waits is missing.
    pub fn finish(&mut self) {
        if self.active() {
            self.pairing.give_up(u64::MAX);
            self.lower_at = None;
            self.enter(RunState::Done);
        }
    }

    /// Takes the next final sample, counted as what it is.
    pub fn take(&mut self) -> Option<Slot> {
        let slot = self.pairing.take(self.state == RunState::Done)?;
        match slot.outcome() {
            Outcome::Complete => self.totals.complete += 1,
            Outcome::Missing => self.totals.missing += 1,
            Outcome::Coalesced => self.totals.coalesced += 1,
        }
        Some(slot)
    }

    /// Discards the next final sample, counted as dropped. False if there is none.
    pub fn discard(&mut self) -> bool {
        let taken = self.pairing.take(self.state == RunState::Done).is_some();
        self.totals.dropped += u64::from(taken);
        taken
    }

    fn listens(&self, line: u8) -> bool {
        let running = matches!(self.state, RunState::Running | RunState::Draining);
        let unused = self.settings.lines..self.lines;
        running && !unused.contains(&line)
    }

    fn enter(&mut self, state: RunState) {
        self.changed |= self.state != state;
        self.state = state;
    }

    fn start(&mut self, at: StartAt, now: u64) -> Result<(), Refusal> {
        if self.active() {
            return Err(Refusal::AlreadyStarted);
        }
        if at == StartAt::Armed && !self.limits.sees_arming {
            return Err(Refusal::CannotSeeArming);
        }
        self.run = self.run.wrapping_add(1);
        self.totals = Totals::default();
        self.pairing.clear();
        self.pairing.watch(self.settings.lines);
        if self.settings.mode == Mode::Isolated {
            self.pairing.take_turns(self.settings.turn_length);
        }
        self.grid = Grid::new(self.settings.seed);
        self.point = if self.ahead { 0 } else { now.saturating_add(self.settings.period.0) };
        self.enter(match at {
            StartAt::Now => RunState::Running,
            StartAt::Armed => RunState::Waiting,
        });
        if self.armed {
            self.target_armed(now);
        }
        Ok(())
    }

    fn stop(&mut self, now: u64) {
        match self.state {
            RunState::Waiting => self.enter(RunState::Done),
            RunState::Running => {
                self.enter(RunState::Draining);
                self.drain(now);
            }
            _ => {}
        }
    }

    fn grid_point(&mut self, now: u64) -> Act {
        self.give_up(now);
        self.next_point(now);
        if self.settings.pacing == Pacing::Closed && self.pairing.waiting_since().is_some() {
            self.totals.skipped += 1;
            return Act::Nothing;
        }
        let seq = self.count_trigger();
        if !self.pairing.trigger(seq, now) {
            self.totals.dropped += 1;
            return Act::Nothing;
        }
        self.lower_at = Some(now.saturating_add(self.settings.high.0));
        Act::Raise
    }

    fn count_trigger(&mut self) -> Seq {
        let seq = Seq(self.totals.triggers);
        self.totals.triggers += 1;
        if self.totals.triggers >= self.settings.count {
            self.enter(RunState::Draining);
        }
        seq
    }

    /// Points that are over already are skipped and counted; the grid itself
    /// does not shift when the caller is late.
    fn next_point(&mut self, now: u64) {
        let shortest = self.limits.period.lowest.max(1);
        // A pulse in full and the pause after it come before the next.
        let soonest = now.saturating_add(self.settings.high.0 + self.limits.pulse);
        self.point = self.point.saturating_add(self.grid.step(&self.settings, shortest));
        while self.point <= now {
            self.totals.skipped += 1;
            self.point = self.point.saturating_add(self.grid.step(&self.settings, shortest));
        }
        self.point = self.point.max(soonest);
    }

    fn drain(&mut self, now: u64) {
        self.give_up(now);
        let settled = self.pairing.waiting_since().is_none();
        if settled && self.lower_at.is_none() && self.point <= now {
            self.enter(RunState::Done);
        }
    }

    fn give_up(&mut self, now: u64) {
        if let Some(until) = now.checked_sub(self.settings.timeout.0) {
            self.pairing.give_up(until);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
