// SPDX-License-Identifier: Apache-2.0 OR MIT
//! All that a board's processor does, between its wires and its packets.
//!
//! Useful invariant: triggers and edges reach the [`Source`] in the order of time.
//! An edge is handed on only when no trigger can have been made before it that was not reported
//! yet, and when every machine has written down what it saw until then.

use alloc::{collections::VecDeque, format, string::String, vec::Vec};
use irqscope_generator::Source;
use irqscope_wire::{
    Calibration, Changes, Command, Message, Note, Pacing, Polarity, Refusal, RunState, Severity,
    Status,
};

use crate::calibration::{self, Gauge};
use crate::line::{Edge, Line};
use crate::plan::Plan;
use crate::player::{Made, Player};
use crate::{Chip, HIGH_STEP, SHORTEST_PERIOD, Window};

/// Triggers that may be open at once; a power of two.
const WINDOW: usize = 64;
/// Messages that may wait for the host.
const ROOM: usize = 8;
/// Triggers that are planned ahead at most, and for how long if that is enough.
const AHEAD: usize = 24;
const AHEAD_US: u64 = 2_000;
/// By then every machine's word has reached memory.
const SETTLED_US: u64 = 2;
/// From the clock's reading to the player, for as many triggers as are planned at
/// once.
const HANDOVER_US: u64 = 500;
/// A line that is up by this cycle was so before the machines started.
const BEFORE: u64 = 16;
const LINES: usize = 8;

/// The machines, and what they wrote.
pub trait Wires {
    /// Returns the cycles since the machines started, to a microsecond.
    fn now(&self) -> u64;
    /// Starts all machines anew, in the same cycle; what they wrote is forgotten.
    fn begin(&mut self);
    /// Returns the next word that a line's machine wrote.
    fn word(&mut self, line: u8) -> Option<u32>;
    /// Returns what the player wrote for the next trigger.
    fn echo(&mut self) -> Option<(u32, u32)>;
    /// Hands words to the player, which plays them one after the other.
    fn play(&mut self, triggers: &[[u32; 2]]);
    /// Stops the player: it plays nothing more, from now on.
    fn halt(&mut self);
    /// Sets which edge of the interrupt line is the trigger, from now on.
    fn set_polarity(&mut self, polarity: Polarity);
    /// Arms the sampler for the next trigger; what it wrote is forgotten.
    fn arm(&mut self);
    /// Returns all lines in this cycle of the window, a bit for each.
    fn sample(&mut self, index: u64) -> Option<u8>;
    /// Keeps a calibration over being switched off. False: it could not.
    fn keep(&mut self, calibration: &Calibration) -> bool;
    /// Returns the line whose machine has written more than could be kept.
    fn lost(&mut self) -> Option<u8>;
}

#[derive(Debug)]
pub struct Engine {
    /// The machines' present purpose.
    source: Source,
    /// While the board measures itself: the host's own source, which rests.
    resting: Option<(Source, Gauge)>,
    calibration: Option<Calibration>,
    chip: Chip,
    window: Window,
    plan: Option<Plan>,
    player: Player,
    lines: [Line; LINES],
    /// In the order of time; false: without room for its sample.
    planned: VecDeque<bool>,
    made: VecDeque<Made>,
    /// The last point that was planned.
    last: u64,
    first: bool,
    unseen_told: bool,
}

impl Engine {
    /// Makes a generator at rest; `calibration`: the one that was kept.
    pub fn new(chip: Chip, version: &str, calibration: Option<Calibration>) -> Self {
        Self {
            source: Source::new(chip.hello(version), WINDOW, ROOM, 0).with_hardware_grid(HIGH_STEP),
            resting: None,
            calibration,
            chip,
            window: Window::new(chip.window),
            plan: None,
            player: Player::default(),
            lines: Default::default(),
            planned: VecDeque::with_capacity(AHEAD),
            made: VecDeque::with_capacity(AHEAD),
            last: 0,
            first: true,
            unseen_told: false,
        }
    }

    /// Returns the source that a host speaks with.
    pub fn host(&mut self) -> &mut Source {
        self.resting.as_mut().map_or(&mut self.source, |(source, _)| source)
    }

    /// Returns the first frames of a connection.
    pub fn first_frames(&mut self) -> Vec<Message> {
        let calibration = self.calibration.clone().map(Message::Calibration);
        self.host().greeting().into_iter().chain(calibration).collect()
    }

    /// Executes the command of a host's frame `to`, and answers it.
    pub fn command(&mut self, to: u64, command: Command, wires: &mut impl Wires) {
        let result = match &mut self.resting {
            Some((source, _)) => while_measuring(source, command, wires.now()),
            None => self.obey(command, wires),
        };
        self.host().reply(Some(to), result);
        self.plan_ahead(wires);
        self.source.pump();
    }

    fn obey(&mut self, command: Command, wires: &mut impl Wires) -> Result<Status, Refusal> {
        match command {
            Command::Calibrate => return self.calibrate(wires),
            Command::Stop => self.halt(wires),
            _ => {}
        }
        let status = self.source.set(command, wires.now())?;
        match command {
            Command::Start(_) => self.start(wires),
            Command::Set(changes) => {
                changes.polarity.iter().for_each(|polarity| wires.set_polarity(*polarity));
                self.plan.iter_mut().for_each(|plan| plan.set(status.settings));
            }
            _ => {}
        }
        Ok(status)
    }

    fn calibrate(&mut self, wires: &mut impl Wires) -> Result<Status, Refusal> {
        if self.is_active() {
            return Err(Refusal::AlreadyStarted);
        }
        let cycles_per_us = self.chip.cycles_per_us;
        let generator = calibration::generator(self.source.hello(), cycles_per_us, WINDOW)?;
        self.source.set_clock(wires.now());
        let status = self.source.status();
        let host = core::mem::replace(&mut self.source, generator);
        self.resting = Some((host, Gauge::new(self.chip.lines)));
        self.start(wires);
        Ok(status)
    }

    /// Evaluates what the calibration has sent; at its end the host's source goes on.
    fn measure(&mut self, wires: &mut impl Wires) {
        let Some((host, gauge)) = &mut self.resting else { return };
        while let Some(message) = self.source.outbox.pop() {
            if let Some(note) = gauge.read(message) {
                host.outbox.push(Message::Note(note));
            }
        }
        if self.source.state() != RunState::Done {
            return;
        }
        if let Some((host, gauge)) = self.resting.take() {
            self.source = host;
            self.calibrated(gauge.result(), wires);
        }
    }

    fn calibrated(&mut self, calibration: Calibration, wires: &mut impl Wires) {
        if !wires.keep(&calibration) {
            self.note(
                "the calibration could not be written to flash: it holds until this board is \
                 switched off"
                    .into(),
            );
        }
        self.source.outbox.push(Message::Calibration(calibration.clone()));
        self.calibration = Some(calibration);
    }

    /// Reads what the machines wrote, and gives the player what comes next. To be
    /// called every millisecond, or as fast as it goes where triggers are closer.
    pub fn poll(&mut self, wires: &mut impl Wires) {
        if self.is_active() {
            let now = wires.now();
            self.read_triggers(wires);
            self.hand_on(now, wires);
            if let Some(line) = wires.lost() {
                self.lose(line, wires);
            }
            self.give_up(now);
            self.plan_ahead(wires);
            self.arm(wires);
        }
        self.source.pump();
        self.measure(wires);
    }

    fn arm(&mut self, wires: &mut impl Wires) {
        // As far as the clock and the machines may be apart.
        let blur = SETTLED_US * u64::from(self.chip.cycles_per_us);
        let from = wires.now();
        if self.window.is_over(from.saturating_sub(blur), !self.source.is_waiting()) {
            wires.arm();
            self.window.armed(from.saturating_sub(blur), wires.now() + blur);
        }
    }

    /// Returns whether a run is active.
    pub fn is_active(&self) -> bool {
        matches!(self.source.state(), RunState::Running | RunState::Draining)
    }

    /// Returns how many cycles may pass until the next poll.
    pub fn idle_for(&self) -> u64 {
        let period = self.source.settings().period.0;
        let ms = 1_000 * u64::from(self.chip.cycles_per_us);
        if self.is_active() { (period / 4).min(2 * ms) } else { 2 * ms }
    }

    fn start(&mut self, wires: &mut impl Wires) {
        wires.begin();
        let settings = *self.source.settings();
        self.plan = Some(Plan::new(settings, SHORTEST_PERIOD, wires.now()));
        self.window.forget();
        self.player = Player::default();
        self.lines = Default::default();
        self.planned.clear();
        self.made.clear();
        (self.last, self.first, self.unseen_told) = (0, true, false);
        self.arm(wires);
    }

    /// Stops the triggers; those that are out already are reported.
    fn halt(&mut self, wires: &mut impl Wires) {
        wires.halt();
        if self.is_active() {
            self.plan = None;
            self.read_triggers(wires);
            self.player.forget();
            self.hand_on(wires.now(), wires);
        }
    }

    fn read_triggers(&mut self, wires: &mut impl Wires) {
        while let Some((left, idled)) = wires.echo() {
            let Some(made) = self.player.wrote(left, idled) else { continue };
            if core::mem::take(&mut self.first)
                && let Some(plan) = &mut self.plan
            {
                plan.shift(made.late);
            }
            if !made.seen && !core::mem::replace(&mut self.unseen_told, true) {
                self.note(
                    "the trigger does not reach its own input: its instants are computed, and \
                     leave out what a buffer takes; join pins GP10 and GP11"
                        .into(),
                );
            }
            self.made.push_back(made);
        }
    }

    /// Hands on everything until then, in the order of time.
    fn hand_on(&mut self, now: u64, wires: &mut impl Wires) {
        let settled = now.saturating_sub(SETTLED_US * u64::from(self.chip.cycles_per_us));
        let until = self.player.next_rise().map_or(settled, |rise| settled.min(rise));
        // A line that is empty has nothing as old as that.
        let mut next = [u64::MAX; LINES];
        for (line, next) in next.iter_mut().enumerate().take(self.chip.lines.into()) {
            *next = self.fill(line, now, wires);
        }
        loop {
            let trigger = self.made.front().map_or(u64::MAX, |made| made.at);
            let (line, at) = oldest(&next);
            if trigger <= at && trigger < u64::MAX {
                self.trigger(trigger);
                self.source.pump();
            } else if at <= until
                && let Some(edge) = self.lines[line].take()
            {
                next[line] = self.fill(line, now, wires);
                self.edge(line, edge, wires);
            } else {
                return;
            }
        }
    }

    fn fill(&mut self, line: usize, now: u64, wires: &mut impl Wires) -> u64 {
        self.lines[line].fill(now, || wires.word(line as u8));
        self.lines[line].next_at()
    }

    fn trigger(&mut self, at: u64) {
        self.made.pop_front();
        while self.planned.pop_front() == Some(false) {
            self.source.record_dropped_trigger();
        }
        let seq = self.source.record_trigger(at);
        self.window.trigger(at, seq);
    }

    fn edge(&mut self, line: usize, edge: Edge, wires: &mut impl Wires) {
        if edge.at >= BEFORE {
            self.answer(line, edge, wires);
        } else if self.resting.is_none() {
            // With a falling trigger, a line that is joined to it is so.
            self.note(format!(
                "line {line} is high before the first trigger: if it stays so, it has no edges, \
                 and every response on it is missing"
            ));
        }
    }

    /// Hands on an edge; one that answers the window's trigger is looked up there.
    fn answer(&mut self, line: usize, edge: Edge, wires: &mut impl Wires) {
        let owner = self
            .window
            .owner()
            .filter(|seq| self.source.expected_trigger(line as u8) == Some(*seq));
        let exact = owner.and_then(|_| {
            self.window.exact(line, edge.rising, edge.at, |index| wires.sample(index))
        });
        self.source.line_changed(line as u8, edge.rising, exact.unwrap_or(edge.at));
        if let (Some(seq), Some(_)) = (owner, exact) {
            self.source.mark_exact(line as u8, seq);
        }
    }

    /// Gives up old triggers: time passes also where nothing happens.
    fn give_up(&mut self, now: u64) {
        if self.player.waiting() == 0 && self.made.is_empty() {
            while self.planned.pop_front().is_some() {
                self.source.record_dropped_trigger();
            }
            let settled = now.saturating_sub(SETTLED_US * u64::from(self.chip.cycles_per_us));
            if self.source.due().is_some_and(|due| due <= settled) {
                self.source.tick(settled);
            }
        }
    }

    fn lose(&mut self, line: u8, wires: &mut impl Wires) {
        wires.halt();
        self.player.forget();
        self.made.clear();
        self.planned.clear();
        self.source.abort_run();
        self.note(format!(
            "line {line} changes faster than this board can read: edges were lost, what was open \
             is dropped, and the run is over; see whether the line is connected"
        ));
    }

    /// Hands over all that is planned together, so that triggers that follow each other faster than
    /// they are planned do so exactly.
    fn plan_ahead(&mut self, wires: &mut impl Wires) {
        let mut triggers = Vec::with_capacity(AHEAD);
        let soon = wires.now() + HANDOVER_US * u64::from(self.chip.cycles_per_us);
        while self.source.state() == RunState::Running && !self.is_ahead(soon) {
            let Some(trigger) = self.plan_one(soon) else { break };
            triggers.extend(trigger);
        }
        if !triggers.is_empty() {
            wires.play(&triggers);
        }
    }

    /// Returns whether enough is planned.
    fn is_ahead(&self, now: u64) -> bool {
        let until = now + AHEAD_US * u64::from(self.chip.cycles_per_us);
        let closed = self.source.settings().pacing == Pacing::Closed;
        match (closed, self.planned.len()) {
            (true, 0) => self.source.is_waiting() || !self.made.is_empty(),
            (true, _) => true,
            (false, 0 | 1) => false,
            (false, planned) => planned >= AHEAD || self.last > until,
        }
    }

    /// Plans the next trigger, without words if there is no room for its sample. None: all are
    /// planned.
    fn plan_one(&mut self, soon: u64) -> Option<Option<[u32; 2]>> {
        let plan = self.plan.as_mut()?;
        let earliest = self.player.earliest(soon);
        if self.first && self.planned.is_empty() {
            plan.not_before(earliest);
        } else {
            self.source.record_skipped(plan.skip_to(earliest));
        }
        let point = plan.point()?;
        let has_room = self.source.open_samples() + (self.planned.len() as u64) < WINDOW as u64;
        let trigger = has_room.then(|| self.player.trigger(point, plan.high(), soon));
        plan.take();
        self.planned.push_back(has_room);
        self.last = point;
        Some(trigger)
    }

    fn note(&mut self, text: String) {
        self.source.outbox.push(Message::Note(Note { severity: Severity::Warning, text }));
    }
}

/// Executes a command during a calibration: the host's settings may change, but not what the
/// machines do.
fn while_measuring(source: &mut Source, command: Command, now: u64) -> Result<Status, Refusal> {
    match command {
        Command::Start(_) | Command::Calibrate => Err(Refusal::AlreadyStarted),
        Command::Set(Changes { polarity: Some(_), .. }) => Err(Refusal::AlreadyStarted),
        _ => source.set(command, now),
    }
}

/// Returns which comes first, and when.
fn oldest(next: &[u64; LINES]) -> (usize, u64) {
    let mut oldest = (0, next[0]);
    for (line, at) in next.iter().enumerate().skip(1) {
        if *at < oldest.1 {
            oldest = (line, *at);
        }
    }
    oldest
}
