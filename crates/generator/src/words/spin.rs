// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The loop: look, raise what is due, and talk when there is time for it.

use std::time::Duration;

use irqscope_wire::{Message, RunState};

use super::watch::{Change, Shown, Watch, shown};
use super::{Broken, PollStats, Raised, Wires};
use crate::server::Server;
use crate::{Act, Source};

/// No talking if a trigger is due within this.
const SLACK_NS: u64 = 5_000;
/// No talking more often than this, and in any case as often as the other.
const SELDOM_NS: u64 = 50_000;
const OFTEN_NS: u64 = 2_000_000;
/// While there is no run.
const REST: Duration = Duration::from_millis(1);
/// How long the end waits for a host that reads slowly.
const GRACE: Duration = Duration::from_secs(2);

pub struct Spin<W> {
    source: Source,
    server: Option<Server>,
    wires: W,
    lines: usize,
    watch: Watch,
    armed: bool,
    /// It was armed once: what the words say is known.
    knows_words: bool,
    stats: PollStats,
    /// The run whose polls these are, and whether they were reported.
    run: u32,
    told: bool,
    /// When the words were last looked at, and the time before.
    looked: u64,
    looked_before: u64,
    /// The trigger that no look has followed yet.
    raised: Option<u64>,
    /// When the server was last talked to.
    talked: u64,
    slack: u64,
    seldom: u64,
    often: u64,
    broken: Option<Broken>,
}

impl<W: Wires> Spin<W> {
    pub fn new(source: Source, server: Option<Server>, wires: W) -> Self {
        let (femtoseconds, lines) = {
            let hello = source.hello();
            (hello.tick.femtoseconds.max(1), usize::from(hello.lines).min(crate::LINES))
        };
        let ticks = |ns: u64| (ns * 1_000_000).div_ceil(femtoseconds);
        Self {
            source,
            server,
            wires,
            lines,
            watch: Watch::default(),
            armed: false,
            knows_words: false,
            stats: PollStats::new(ticks(PollStats::UNCERTAIN_NS)),
            run: 0,
            told: true,
            looked: 0,
            looked_before: 0,
            raised: None,
            talked: 0,
            slack: ticks(SLACK_NS),
            seldom: ticks(SELDOM_NS),
            often: ticks(OFTEN_NS),
            broken: None,
        }
    }

    pub fn begin(&mut self) {
        self.wires.begin();
        self.poll_anew();
        // A run may have been started before.
        (self.run, self.told) = (self.source.status().run, self.rests_for_good());
    }

    pub fn turn(&mut self) {
        let now = self.poll();
        self.do_what_is_due(now);
        if self.may_talk(now) {
            self.talk(now);
        }
        if self.rests() {
            std::thread::sleep(REST);
            self.poll_anew();
        } else {
            self.wires.pause();
        }
    }

    pub fn is_broken(&self) -> bool {
        self.broken.is_some()
    }

    /// Ends; sends the last messages of a run that is active; returns its polls.
    pub fn end(mut self) -> Result<PollStats, Broken> {
        // The caller of the end may have waited for what there is to see now.
        self.poll();
        self.source.finish();
        self.report_polls();
        self.source.pump();
        if let Some(server) = &mut self.server {
            server.shut_down(&mut self.source, GRACE);
        }
        self.broken.map_or(Ok(self.stats), Err)
    }

    /// Starts anew: nothing was watched until now.
    fn poll_anew(&mut self) {
        self.looked = self.wires.now();
        self.looked_before = self.looked;
    }

    /// Reads the words before the clock: no instant is before its edge.
    fn poll(&mut self) -> u64 {
        let shown = shown(self.wires.words(), self.lines);
        let now = self.wires.now();
        let blind = self.note_poll(now);
        // Read after the words: the driver disarms before it resets them.
        let armed = self.wires.armed();
        self.take_changes(&shown, blind, now, armed);
        if armed != self.armed {
            if !armed {
                // The last answers may have come between the two looks.
                let shown = self::shown(self.wires.words(), self.lines);
                self.take_changes(&shown, blind, now, armed);
            }
            self.arm(armed, now);
        }
        now
    }

    /// Returns how long ago an edge of this look can have been: a word was last read after the look
    /// before the last, and before the clock of the last.
    fn note_poll(&mut self, now: u64) -> u64 {
        let since_last = now.saturating_sub(self.looked);
        let blind = now.saturating_sub(self.looked_before);
        (self.looked_before, self.looked) = (self.looked, now);
        if !self.rests() {
            self.stats.poll(since_last, blind);
        }
        if let Some(at) = self.raised.take() {
            self.stats.first_after_trigger(now.saturating_sub(at));
        }
        blind
    }

    fn take_changes(&mut self, shown: &Shown, blind: u64, now: u64, armed: bool) {
        if self.knows_words && !self.rests() && self.watch.differs(shown) {
            self.take_edges(shown, blind, now, armed);
        }
    }

    fn take_edges(&mut self, shown: &Shown, blind: u64, now: u64, armed: bool) {
        for line in 0..self.lines {
            match self.watch.change(line, shown) {
                Change::None => {}
                Change::Corrupt => self.stats.corrupt += u64::from(armed),
                Change::Edges { count, number } => {
                    self.stats.edges(count, blind);
                    self.source.responses(line as u8, count, number, now);
                }
            }
        }
    }

    fn arm(&mut self, armed: bool, now: u64) {
        self.armed = armed;
        if armed {
            self.knows_words = true;
            self.watch.reset(&shown(self.wires.words(), self.lines));
            self.source.target_armed(now);
        } else {
            self.source.target_disarmed();
        }
    }

    /// Does what is due, one thing per look.
    fn do_what_is_due(&mut self, now: u64) {
        if self.source.due().is_none_or(|due| due > now) {
            return;
        }
        let now = self.wires.now();
        match self.source.tick(now) {
            Act::Raise => self.raise(),
            Act::Lower => self.wires.lower(),
            Act::Nothing => {}
        }
    }

    fn raise(&mut self) {
        match self.wires.raise() {
            Ok(Raised::At(at)) => {
                self.source.set_trigger_time(at);
                self.raised = Some(at);
            }
            Ok(Raised::Numbered(at, number)) => {
                self.source.set_trigger_number(at, number);
                self.raised = Some(at);
            }
            Ok(Raised::Dropped) => self.source.drop_youngest(),
            Ok(Raised::Merged(at)) => {
                self.source.set_trigger_time(at);
                self.source.coalesce_youngest();
            }
            Err(broken) => {
                self.source.fail(&broken.what, &broken.remedy);
                self.broken = Some(broken);
            }
        }
    }

    fn may_talk(&self, now: u64) -> bool {
        let since = now.saturating_sub(self.talked);
        let quiet = || {
            let soon = now.saturating_add(self.slack);
            !self.source.is_waiting() && self.source.due().is_none_or(|due| due > soon)
        };
        let time = since >= self.often || (since >= self.seldom && quiet());
        self.rests() || (self.raised.is_none() && time)
    }

    fn talk(&mut self, now: u64) {
        self.talked = now;
        if self.source.state() == RunState::Done {
            self.report_polls();
        }
        match &mut self.server {
            Some(server) => drop(server.exchange(&mut self.source, now)),
            None => self.source.pump(),
        }
        let run = self.source.status().run;
        if run != self.run {
            (self.run, self.told) = (run, false);
            self.stats = PollStats::new(self.stats.uncertain_from);
        }
    }

    /// Reports the polls, where possible before the status that ends the run, which the next pump
    /// sends.
    fn report_polls(&mut self) {
        if !self.told {
            self.told = true;
            self.wires.over();
            let note = self.stats.note(self.source.hello().tick);
            self.source.outbox.push(Message::Note(note));
        }
    }

    fn rests_for_good(&self) -> bool {
        matches!(self.source.state(), RunState::Idle | RunState::Done)
    }

    /// Returns whether nothing can happen that needs an instant.
    fn rests(&self) -> bool {
        !matches!(self.source.state(), RunState::Running | RunState::Draining)
    }
}

#[cfg(test)]
mod tests;
