// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the generator said of a case, as it came in.

use irqscope_wire::{
    Answer, Counters, ExtraEdge, GeneratorHello, Message, Nanoseconds, OutsideSample, Packet,
    RunState, Status, Tick, Totals,
};

#[derive(Clone, Debug, Default)]
pub struct OutsideData {
    pub hello: Option<GeneratorHello>,
    /// The last one; a run that has ended says so.
    pub status: Option<Status>,
    /// In the order of their sequence numbers; a gap is a dropped sample.
    pub samples: Vec<OutsideSample>,
    /// Edges that answered nothing, as far as they were listed.
    pub extras: Vec<ExtraEdge>,
    totals: Totals,
}

impl OutsideData {
    pub(crate) fn understand(&mut self, message: Message) {
        match message {
            Message::GeneratorHello(hello) => self.hello = Some(hello),
            Message::Status(status) => {
                self.totals = status.totals;
                self.status = Some(status);
            }
            Message::Packet(packet) => self.add(packet),
            _ => {}
        }
    }

    fn add(&mut self, packet: Packet) {
        self.samples.extend(packet.samples);
        self.extras.extend(packet.extras);
        self.totals = packet.totals;
    }

    /// The youngest that were received.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// The accounting identity's terms, where no agent has counted and the run
    /// came to its end.
    pub(crate) fn counters(&self) -> Option<Counters> {
        let status = self.status.filter(|status| status.state == RunState::Done)?;
        let totals = status.totals;
        Some(Counters {
            triggers: totals.triggers,
            complete: totals.complete,
            missing: totals.missing,
            coalesced: totals.coalesced,
            overrun: totals.dropped,
            skipped: totals.skipped,
            spurious: 0,
        })
    }

    pub fn tick(&self) -> Option<Tick> {
        self.hello.as_ref().map(|hello| hello.tick)
    }

    /// Every edge of a line was received, with its instant.
    pub(crate) fn has_every_edge(&self) -> bool {
        self.totals.dropped == 0 && self.extras.len() as u64 == self.totals.extra
    }

    /// All edges of a line, in their order; of pulses the rising ones.
    pub(crate) fn edges(&self, line: usize) -> Vec<Edge> {
        let answered = self.samples.iter().filter_map(|sample| {
            let at = sample.trigger.0.saturating_add(span(sample.answers.get(line)?)?);
            let window = sample.window >> line & 1 != 0;
            Some(Edge { at, width: width(sample, line), window })
        });
        let extra = self.extras.iter().filter(|extra| usize::from(extra.line) == line);
        let extra = extra.map(|extra| Edge { at: extra.at.0, width: None, window: false });
        let mut edges: Vec<Edge> = answered.chain(extra).collect();
        edges.sort_unstable_by_key(|edge| edge.at);
        edges
    }
}

/// A response on a line, in the generator's ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Edge {
    pub at: u64,
    /// How long its pulse was, if it was one and its end was seen.
    pub width: Option<u64>,
    /// It was looked for in every cycle.
    pub window: bool,
}

/// How long a line's pulse was.
pub(crate) fn width(sample: &OutsideSample, line: usize) -> Option<u64> {
    sample.widths.get(line).copied().flatten().map(|width| width.0)
}

/// How long after its trigger an answer came.
pub(crate) fn span(answer: &Answer) -> Option<u64> {
    match answer {
        Answer::Prompt(span) | Answer::Late(span) | Answer::Named(span) => Some(span.0),
        Answer::Missing | Answer::Coalesced => None,
    }
}

/// Ticks of a generator's clock in nanoseconds.
pub(crate) fn nanoseconds(tick: Tick, ticks: u64) -> Nanoseconds {
    tick.nanoseconds(i64::try_from(ticks).unwrap_or(i64::MAX))
}
