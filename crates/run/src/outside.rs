// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Collects a generator's messages about a case.

use irqscope_wire::{
    Account, Answer, Calibration, Counters, ExtraEdge, GeneratorHello, GeneratorKind, Message,
    Nanoseconds, OutsideSample, Packet, Reply, RunState, Status, Tick, Totals,
};

use crate::calibration::{ClockError, GeneratorFacts, line_offsets};

/// A generator's messages in one case.
#[derive(Clone, Debug, Default)]
pub struct OutsideData {
    /// Its hello.
    pub hello: Option<GeneratorHello>,
    /// Its last status; that of a run that has ended says so.
    pub status: Option<Status>,
    /// In the order of their sequence numbers; a gap is a dropped sample.
    pub samples: Vec<OutsideSample>,
    /// Edges that answered nothing, as far as they were listed.
    pub extras: Vec<ExtraEdge>,
    /// Its measurements of itself.
    pub calibration: Option<Calibration>,
    totals: Totals,
    /// The host's clock and its own, in nanoseconds, at each of its replies.
    readings: Vec<(f64, f64)>,
}

impl OutsideData {
    /// Takes a message that came at `host_ns` of the host's clock.
    pub(crate) fn understand(&mut self, message: Message, host_ns: u64) {
        match message {
            Message::GeneratorHello(hello) => self.hello = Some(hello),
            Message::Status(status) => {
                self.totals = status.totals;
                self.status = Some(status);
            }
            Message::Packet(packet) => self.add(packet),
            Message::Calibration(calibration) => self.calibration = Some(calibration),
            Message::Reply(Reply { result: Ok(status), .. }) => self.read_clock(status, host_ns),
            _ => {}
        }
    }

    fn add(&mut self, packet: Packet) {
        self.samples.extend(packet.samples);
        self.extras.extend(packet.extras);
        self.totals = packet.totals;
    }

    fn read_clock(&mut self, status: Status, host_ns: u64) {
        let Some(tick) = self.tick() else { return };
        let own = status.now.0 as f64 * tick.femtoseconds as f64 / 1e6;
        // Its zero may be the start of a run.
        if self.readings.last().is_some_and(|(_, before)| own < *before) {
            self.readings.clear();
        }
        if status.state == RunState::Running {
            self.readings.push((host_ns as f64, own));
        }
    }

    /// Returns the facts for the manifest; `None` where no generator has sent its hello.
    pub fn facts(&self) -> Option<GeneratorFacts> {
        let hello = self.hello.as_ref()?;
        // A twin's clock counts instructions.
        let runs = hello.kind != GeneratorKind::Twin;
        let calibration = self.calibration.as_ref();
        Some(GeneratorFacts {
            kind: hello.kind,
            tool_version: hello.tool_version.clone(),
            tick_femtoseconds: hello.tick.femtoseconds,
            calibration: calibration.map_or_else(Vec::new, |it| line_offsets(it, hello.tick)),
            clock: ClockError::of(&self.readings).filter(|_| runs),
        })
    }

    /// Returns the youngest totals that were received.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Returns the accounting identity's terms, where no agent has counted and the run
    /// came to its end.
    pub(crate) fn counters(&self) -> Option<Counters> {
        let status = self.status.filter(|status| status.state == RunState::Done)?;
        Some(Account::from(status.totals).into())
    }

    /// Returns the length of its tick.
    pub fn tick(&self) -> Option<Tick> {
        self.hello.as_ref().map(|hello| hello.tick)
    }
}

/// A response on a line, in the generator's ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub at: u64,
    /// The length of its pulse, if it was one and its end was seen.
    pub width: Option<u64>,
    /// It was looked for in every cycle.
    pub window: bool,
}

/// Returns the delay of a generator's own way to a line, in ticks; 0 without a
/// calibration.
pub(crate) fn offset(calibration: Option<&Calibration>, line: usize) -> i64 {
    let found = calibration.and_then(|it| it.lines.get(line).copied().flatten());
    found.map_or(0, |loopback| loopback.offset)
}

/// Returns the length of a line's pulse.
pub(crate) fn width(sample: &OutsideSample, line: usize) -> Option<u64> {
    sample.widths.get(line).copied().flatten().map(|width| width.0)
}

/// Returns the ticks from the trigger to its answer.
pub(crate) fn span(answer: &Answer) -> Option<u64> {
    match answer {
        Answer::Prompt(span) | Answer::Late(span) | Answer::Named(span) => Some(span.0),
        Answer::Missing | Answer::Coalesced | Answer::Unasked => None,
    }
}

/// Returns a span from a trigger as a latency, less the generator's own delay.
pub(crate) fn latency(tick: Tick, span: u64, offset: i64) -> Nanoseconds {
    tick.nanoseconds(i64::try_from(span).unwrap_or(i64::MAX).saturating_sub(offset))
}

/// Converts ticks of a generator's clock to nanoseconds.
pub(crate) fn nanoseconds(tick: Tick, ticks: u64) -> Nanoseconds {
    tick.nanoseconds(i64::try_from(ticks).unwrap_or(i64::MAX))
}
