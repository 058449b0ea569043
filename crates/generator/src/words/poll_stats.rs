// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How well the words were watched: the uncertainty of every instant.

use std::format;

use irqscope_wire::{Note, Severity, Tick};

/// Counts of one run; spans in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PollStats {
    /// How often the words were read.
    pub polls: u64,
    /// Of all looks together.
    pub watched: u64,
    /// The longest time that an edge can have gone unseen: no instant is later
    /// than that by the fault of the generator.
    pub max_gap: u64,
    /// From a trigger's instant to the first look after it, at the soonest and the latest: no
    /// shorter latency can be distinguished from this one.
    pub floor: Option<(u64, u64)>,
    /// Edges that were seen.
    pub edges: u64,
    /// Edges that can have gone unseen for longer than `uncertain_from`.
    pub uncertain: u64,
    /// The gap between two reads from which on an edge's instant counts as uncertain.
    pub uncertain_from: u64,
    /// Edges that shared a look with another one of their line.
    pub coincident: u64,
    /// Words that went back or leapt.
    pub corrupt: u64,
}

impl PollStats {
    /// A loop on a CPU of its own stays below this, but for timer ticks.
    pub const UNCERTAIN_NS: u64 = 1_000;
    /// A share of uncertain edges above one in this number reaches into the 99.9 % quantile.
    const RARE: u64 = 1_000;

    pub(super) fn new(uncertain_from: u64) -> Self {
        Self { uncertain_from, ..Self::default() }
    }

    pub(super) fn poll(&mut self, since_last: u64, blind: u64) {
        self.polls += 1;
        self.watched = self.watched.saturating_add(since_last);
        self.max_gap = self.max_gap.max(blind);
    }

    pub(super) fn first_after_trigger(&mut self, span: u64) {
        let (soonest, latest) = self.floor.unwrap_or((span, span));
        self.floor = Some((soonest.min(span), latest.max(span)));
    }

    pub(super) fn edges(&mut self, count: u32, blind: u64) {
        let count = u64::from(count);
        self.edges += count;
        self.coincident += count - 1;
        self.uncertain += if blind > self.uncertain_from { count } else { 0 };
    }

    /// Makes a note for the run's log.
    pub fn note(&self, tick: Tick) -> Note {
        let ns = |ticks: u64| tick.nanoseconds(i64::try_from(ticks).unwrap_or(i64::MAX)).0;
        let mean = self.watched.checked_div(self.polls).unwrap_or(0);
        let mut text = format!(
            "response words were looked at every {} ns; an edge's instant is late by at most {} \
             ns, and by more than {} ns for at most {} of {} edges",
            ns(mean),
            ns(self.max_gap),
            ns(self.uncertain_from),
            self.uncertain,
            self.edges
        );
        if let Some((soonest, latest)) = self.floor {
            let (soonest, latest) = (ns(soonest), ns(latest));
            text +=
                &format!("; the first look after a trigger came {soonest} to {latest} ns later");
        }
        if self.coincident > 0 {
            text += &format!("; {} edges shared a look with another", self.coincident);
        }
        if self.corrupt > 0 {
            text += &format!("; {} times a word changed as no response does", self.corrupt);
        }
        let often = self.uncertain.saturating_mul(Self::RARE) > self.edges;
        let severity = match often || self.coincident > 0 || self.corrupt > 0 {
            true => Severity::Warning,
            false => Severity::Info,
        };
        Note { severity, text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_names_how_late_an_instant_can_be_and_for_how_many() {
        let mut stats = PollStats::new(2_000);
        (0..9).for_each(|_| stats.poll(100, 200));
        stats.poll(1_100, 1_200);
        stats.edges(1, 200);
        stats.first_after_trigger(700);
        stats.first_after_trigger(400);
        let half = Tick { femtoseconds: 500_000 };
        let note = stats.note(half);
        assert_eq!(note.severity, Severity::Info);
        let said = |text: &str| assert!(note.text.contains(text), "{}", note.text);
        said("every 100 ns; an edge's instant is late by at most 600 ns");
        said("by more than 1000 ns for at most 0 of 1 edges");
        said("200 to 350 ns later");
        stats.edges(1, 30_000);
        assert_eq!(stats.note(half).severity, Severity::Warning);
    }

    #[test]
    fn a_blurred_edge_among_thousands_is_no_reason_to_warn() {
        let mut stats = PollStats::new(10);
        (0..999).for_each(|_| stats.edges(1, 5));
        stats.edges(1, 11);
        assert_eq!((stats.uncertain, stats.edges), (1, 1000));
        assert_eq!(stats.note(Tick { femtoseconds: 1_000_000 }).severity, Severity::Info);
    }
}
