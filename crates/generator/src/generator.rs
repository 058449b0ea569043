// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A run from start to end, driven by the clock of whoever calls.
//!
//! The caller asks [`Generator::due`] when to come next, calls
//! [`Generator::tick`] then or later, does to the interrupt line what it is
//! told, at the instant it has given, and hands over every edge it sees.
//!
//! Useful invariant, at any time:
//! triggers = complete + missing + coalesced + dropped + open, and
//! edges = answers + extra.

use irqscope_wire::{
    Command, Cycles, Limits, Pacing, Refusal, RunState, Seq, Settings, Shape, StartAt, Status,
    Tick, Totals,
};

use crate::Grid;
use crate::pairing::{Fate, Pairing, Seen, Slot};
use crate::settings::{change, initial};

/// What to do with the interrupt line, now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    Nothing,
    Raise,
    Lower,
}

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
    /// The last instant that was told.
    clock: u64,
    /// The hardware keeps the grid; see [`Self::ahead`].
    ahead: bool,
    /// High times are multiples of this.
    high_step: u64,
}

impl<S: AsRef<[Slot]> + AsMut<[Slot]>> Generator<S> {
    pub fn new(slots: S, lines: u8, limits: Limits, tick: Tick, armed_delay: u64) -> Self {
        Self {
            limits,
            lines,
            settings: initial(&limits, tick, lines),
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

    /// For hardware that is given triggers ahead of their time and keeps the grid
    /// itself: nothing is raised by [`Self::tick`], and each trigger is told by
    /// [`Self::made`] when it is out. High times are rounded down to a multiple of
    /// `high_step` ticks.
    #[must_use]
    pub fn ahead(mut self, high_step: u64) -> Self {
        self.ahead = true;
        self.high_step = high_step.max(1);
        self.round_high();
        self
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// In use.
    pub fn lines(&self) -> usize {
        self.pairing.lines()
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    pub fn state(&self) -> RunState {
        self.state
    }

    pub fn status(&self) -> Status {
        let totals = Totals { open: self.pairing.open(), ..self.totals };
        let (run, state, settings) = (self.run, self.state, self.settings);
        Status { run, state, settings, totals, now: Cycles(self.clock) }
    }

    /// For a status that says how late it is.
    pub fn clock(&mut self, now: u64) {
        self.clock = now;
    }

    /// True once after each change of the state.
    pub fn take_changed(&mut self) -> bool {
        core::mem::take(&mut self.changed)
    }

    /// A run is active: its settings are decided.
    pub fn active(&self) -> bool {
        matches!(self.state, RunState::Waiting | RunState::Running | RunState::Draining)
    }

    pub fn command(&mut self, command: Command, now: u64) -> Result<Status, Refusal> {
        self.clock(now);
        match command {
            Command::Calibrate => return Err(Refusal::CannotCalibrate),
            Command::Start(at) => self.start(at, now)?,
            Command::Stop => self.stop(now),
            _ => {
                self.settings =
                    change(&self.limits, self.lines, self.settings, command, self.active())?;
                self.round_high();
            }
        }
        Ok(self.status())
    }

    /// The target has let its interrupt through.
    pub fn armed(&mut self, now: u64) {
        self.armed = true;
        if self.state == RunState::Waiting {
            self.point = now.saturating_add(self.armed_delay);
            self.enter(RunState::Running);
        }
    }

    /// It has blocked it again. Before the first trigger that means that it
    /// was only trying; amid triggers the line is pulsed all the same, for the
    /// silence is a finding. After the last one its run is over: it answers
    /// nothing any more, and what its lines still do is nobody's.
    pub fn disarmed(&mut self) {
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

    /// A trigger is out whose answers are not all there.
    pub fn waits(&self) -> bool {
        self.pairing.waiting_since().is_some()
    }

    /// When to call [`Self::tick`]; an instant in the past means now.
    pub fn due(&self) -> Option<u64> {
        let next = match self.state {
            RunState::Running if !self.ahead => Some(self.point),
            RunState::Draining => Some(match self.pairing.waiting_since() {
                Some(since) => since.saturating_add(self.settings.patience.0).max(self.point),
                None => self.point,
            }),
            _ => None,
        };
        [self.lower_at, next].into_iter().flatten().min()
    }

    /// Does what is due; `now` becomes the trigger's instant if the line is to
    /// be raised. More may be due: ask again.
    pub fn tick(&mut self, now: u64) -> Act {
        self.clock(now);
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

    /// The hardware has raised the line at this instant, for [`Settings::high`].
    /// To be called in the order of time, among all edges. Returns its number.
    pub fn made(&mut self, at: u64) -> Seq {
        self.clock(at);
        self.give_up(at);
        let seq = self.count_trigger();
        self.point = at.saturating_add(self.settings.high.0);
        if !self.pairing.trigger(seq, at) {
            self.totals.dropped += 1;
        }
        seq
    }

    /// As [`Pairing::awaited`].
    pub fn awaited(&mut self, line: u8) -> Option<Seq> {
        self.pairing.awaited(line)
    }

    /// As [`Pairing::exact`].
    pub fn exact(&mut self, line: u8, seq: Seq) {
        self.pairing.exact(line, seq);
    }

    /// There was no room for the sample of a trigger, so that it was not made.
    pub fn unmade(&mut self) {
        self.count_trigger();
        self.totals.dropped += 1;
    }

    /// So many grid points had no trigger: the hardware was not told in time.
    pub fn skipped(&mut self, points: u64) {
        self.totals.skipped += points;
    }

    /// Samples that are open.
    pub fn open(&self) -> u64 {
        self.pairing.open()
    }

    /// Edges were lost: nobody knows any more which trigger the others answer. What
    /// is open is dropped, and the run is over.
    pub fn lost(&mut self) {
        if self.active() {
            self.totals.dropped += self.pairing.open();
            self.pairing.clear();
            self.lower_at = None;
            self.enter(RunState::Done);
        }
    }

    /// The line went up at this instant, and not at the one given to
    /// [`Self::tick`]. To be called before any edge is handed over.
    pub fn raised(&mut self, at: u64) {
        self.pairing.made_at(at);
    }

    /// The line was still up from the trigger before: the youngest one gets no
    /// response of its own.
    pub fn merged(&mut self) {
        self.pairing.merged();
    }

    /// As [`Self::raised`]; the target numbers this trigger so.
    pub fn numbered(&mut self, at: u64, number: u32) {
        self.pairing.numbered(at, number);
    }

    /// The youngest trigger was not made: the target had no room for it.
    pub fn dropped(&mut self) {
        self.pairing.unmade();
        self.totals.dropped += 1;
        self.lower_at = None;
    }

    /// How many of these responses are extra edges; see [`Pairing::responses`].
    /// Outside a run they are nobody's.
    pub fn responses(&mut self, line: u8, count: u32, number: u32, at: u64) -> u32 {
        if !self.listens(line) {
            return 0;
        }
        let answers = self.pairing.responses(line, count, number, at);
        let extra = count - answers;
        self.totals.edges += u64::from(count);
        self.totals.answers += u64::from(answers);
        self.totals.extra += u64::from(extra);
        extra
    }

    /// None: outside a run edges are nobody's, nor are those of a line not in use.
    pub fn edge(&mut self, line: u8, at: u64) -> Option<Seen> {
        if !self.listens(line) {
            return None;
        }
        let seen = match self.settings.shape {
            Shape::Toggle => self.pairing.edge(line, at),
            Shape::Pulse => self.pairing.rise(line, at),
        };
        self.totals.edges += 1;
        match seen {
            Seen::Answer(_) => self.totals.answers += 1,
            Seen::Extra => self.totals.extra += 1,
        }
        Some(seen)
    }

    /// A line has changed. Where lines show pulses the rising edge is the response,
    /// and the falling one says how long it was. None: no response.
    pub fn changed(&mut self, line: u8, high: bool, at: u64) -> Option<Seen> {
        match (self.settings.shape, high) {
            (Shape::Toggle, _) | (Shape::Pulse, true) => self.edge(line, at),
            (Shape::Pulse, false) => {
                self.pairing.fall(line, at);
                None
            }
        }
    }

    /// The target's word; see [`Pairing::coalesced`].
    pub fn coalesced(&mut self, line: u8, seq: Seq) -> bool {
        self.pairing.coalesced(line, seq)
    }

    /// The clock ends: what waits is missing.
    pub fn finish(&mut self) {
        if self.active() {
            self.pairing.give_up(u64::MAX);
            self.lower_at = None;
            self.enter(RunState::Done);
        }
    }

    /// The next final sample, counted as what it is.
    pub fn take(&mut self) -> Option<Slot> {
        let slot = self.pairing.take(self.state == RunState::Done)?;
        match slot.fate() {
            Fate::Complete => self.totals.complete += 1,
            Fate::Missing => self.totals.missing += 1,
            Fate::Coalesced => self.totals.coalesced += 1,
        }
        Some(slot)
    }

    /// The next final sample, counted as dropped. False if there is none.
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
        self.grid = Grid::new(self.settings.seed);
        self.point = if self.ahead { 0 } else { now.saturating_add(self.settings.period.0) };
        self.enter(match at {
            StartAt::Now => RunState::Running,
            StartAt::Armed => RunState::Waiting,
        });
        if self.armed {
            self.armed(now);
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

    fn round_high(&mut self) {
        self.settings.high.0 -= self.settings.high.0 % self.high_step;
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
        if let Some(until) = now.checked_sub(self.settings.patience.0) {
            self.pairing.give_up(until);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use irqscope_wire::{Answer, Range};

    pub const LIMITS: Limits = Limits {
        period: Range { lowest: 10_000, highest: 62_500_000 },
        period_step: 1,
        pulse: 100,
        packet: Range { lowest: 1, highest: 1024 },
        count: Range { lowest: 1, highest: 1 << 32 },
        jitter: Range { lowest: 0, highest: 1_000_000_000 },
        patience: Range { lowest: 10_000, highest: 60_000_000_000 },
        burst: Range { lowest: 1, highest: 10_000 },
        sees_pulses: true,
        sees_arming: true,
        inverts: true,
        calibrates: true,
    };
    const MS: u64 = 1_000_000;

    fn running(lines: u8, count: u64) -> Generator<[Slot; 8]> {
        let tick = Tick { femtoseconds: 1_000_000 };
        let mut generator = Generator::new([Slot::EMPTY; 8], lines, LIMITS, tick, 500);
        generator.command(Command::Count(count), 0).unwrap();
        generator.command(Command::Start(StartAt::Now), 0).unwrap();
        generator
    }

    /// Calls tick until nothing is due by `until`; instants of raises.
    fn advance(generator: &mut Generator<[Slot; 8]>, until: u64) -> Vec<u64> {
        let mut raised = Vec::new();
        while let Some(due) = generator.due().filter(|due| *due <= until) {
            if generator.tick(due) == Act::Raise {
                raised.push(due);
            }
        }
        raised
    }

    #[test]
    fn triggers_stand_on_the_grid_and_the_line_is_up_for_the_duty() {
        let mut generator = running(1, 3);
        assert_eq!(generator.tick(MS - 1), Act::Nothing);
        assert_eq!(generator.tick(MS), Act::Raise);
        assert_eq!(generator.due(), Some(MS + 250_000));
        assert_eq!(generator.tick(MS + 250_000), Act::Lower);
        assert_eq!(generator.due(), Some(2 * MS));
    }

    #[test]
    fn a_response_slower_than_the_period_still_belongs_to_its_trigger() {
        let mut generator = running(1, 3);
        assert_eq!(advance(&mut generator, 3 * MS), [MS, 2 * MS, 3 * MS]);
        for at in [3 * MS + 1, 3 * MS + 2, 3 * MS + 3] {
            generator.edge(0, at);
        }
        advance(&mut generator, 5 * MS);
        let answers: Vec<_> =
            core::iter::from_fn(|| generator.take()).map(|s| s.answers[0]).collect();
        let late = |span| Some(Answer::Late(Cycles(span)));
        assert_eq!(answers, [late(2 * MS + 1), late(MS + 2), Some(Answer::Prompt(Cycles(3)))]);
        assert_eq!(generator.state(), RunState::Done);
        assert_eq!(generator.status().totals.complete, 3);
    }

    #[test]
    fn a_full_window_drops_the_trigger_and_leaves_the_line_alone() {
        let mut generator = running(1, 10);
        assert_eq!(advance(&mut generator, 100 * MS).len(), 8);
        let totals = generator.status().totals;
        assert_eq!((totals.triggers, totals.dropped, totals.open), (10, 2, 8));
        assert!(totals.identity_holds());
    }

    #[test]
    fn a_target_that_never_arms_gets_no_trigger() {
        let mut generator = running(1, 3);
        generator.command(Command::Stop, 0).unwrap();
        advance(&mut generator, 5 * MS);
        generator.command(Command::Start(StartAt::Armed), 5 * MS).unwrap();
        assert_eq!(generator.due(), None);
        generator.armed(6 * MS);
        assert_eq!(generator.due(), Some(6 * MS + 500));
        generator.disarmed();
        assert_eq!(generator.due(), None);
    }

    #[test]
    fn a_target_that_is_armed_already_is_not_waited_for() {
        let mut generator = running(1, 3);
        generator.command(Command::Stop, 0).unwrap();
        advance(&mut generator, 5 * MS);
        generator.armed(5 * MS);
        generator.command(Command::Start(StartAt::Armed), 6 * MS).unwrap();
        assert_eq!(generator.due(), Some(6 * MS + 500));
        generator.disarmed();
        assert_eq!((generator.due(), generator.state()), (None, RunState::Waiting));
    }

    #[test]
    fn a_target_that_has_ended_its_run_answers_nothing_any_more() {
        let mut generator = running(1, 2);
        generator.armed(0);
        assert_eq!(advance(&mut generator, 2 * MS), [MS, 2 * MS]);
        assert!(generator.edge(0, 2 * MS + 7).is_some());
        generator.disarmed();
        assert_eq!(generator.edge(0, 2 * MS + 8), None);
        let fates: Vec<_> = core::iter::from_fn(|| generator.take()).map(|s| s.fate()).collect();
        assert_eq!(fates, [Fate::Complete, Fate::Missing]);
        assert_eq!((generator.state(), generator.status().totals.extra), (RunState::Done, 0));
        let high = generator.status().settings.high.0;
        assert_eq!((generator.due(), generator.tick(3 * MS)), (Some(2 * MS + high), Act::Lower));
    }

    #[test]
    fn a_caller_who_comes_late_skips_points_and_keeps_the_grid() {
        let mut generator = running(1, 3);
        assert_eq!(generator.tick(3 * MS + 5), Act::Raise);
        assert_eq!(generator.status().totals.skipped, 2);
        assert_eq!(advance(&mut generator, 4 * MS), [4 * MS]);
    }

    #[test]
    fn a_trigger_counts_from_when_the_line_really_went_up() {
        let mut generator = running(1, 2);
        assert_eq!(generator.tick(MS), Act::Raise);
        generator.raised(MS + 40);
        generator.edge(0, MS + 100);
        advance(&mut generator, 3 * MS);
        let slot = generator.take().unwrap();
        assert_eq!((slot.at, slot.answers[0]), (MS + 40, Some(Answer::Prompt(Cycles(60)))));
    }

    #[test]
    fn a_trigger_that_met_one_still_pending_is_coalesced_and_leaves_the_edge_to_it() {
        let mut generator = running(2, 2);
        assert_eq!(generator.tick(MS), Act::Raise);
        advance(&mut generator, 2 * MS);
        generator.merged();
        (0..2).for_each(|line| assert!(generator.edge(line, 2 * MS + 9).is_some()));
        advance(&mut generator, 4 * MS);
        let fates: Vec<_> = core::iter::from_fn(|| generator.take()).map(|s| s.fate()).collect();
        assert_eq!(fates, [Fate::Complete, Fate::Coalesced]);
        let totals = generator.status().totals;
        assert!(totals.identity_holds() && totals.coalesced == 1 && totals.extra == 0);
    }

    #[test]
    fn closed_pacing_skips_points_while_a_sample_is_open() {
        let mut generator = running(1, 3);
        generator.command(Command::Stop, 0).unwrap();
        advance(&mut generator, 2 * MS);
        generator.command(Command::Pacing(Pacing::Closed), 0).unwrap();
        generator.command(Command::Start(StartAt::Now), 0).unwrap();
        assert_eq!(advance(&mut generator, 4 * MS), [MS]);
        generator.edge(0, 4 * MS + 7);
        assert_eq!(advance(&mut generator, 5 * MS), [5 * MS]);
        assert_eq!(generator.status().totals.skipped, 3);
    }

    #[test]
    fn what_never_answers_is_missing_when_patience_is_over() {
        let mut generator = running(2, 1);
        advance(&mut generator, MS);
        generator.edge(0, MS + 9);
        advance(&mut generator, 11_000 * MS);
        let slot = generator.take().unwrap();
        assert_eq!(slot.answers[..2], [Some(Answer::Prompt(Cycles(9))), Some(Answer::Missing)]);
        assert_eq!((slot.fate(), generator.state()), (Fate::Missing, RunState::Done));
    }
}
