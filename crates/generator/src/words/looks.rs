// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How well the words were watched: the uncertainty of every instant.

use std::format;

use irqscope_wire::{Note, Severity, Tick};

/// Blind for longer than this is worth a warning.
const LONG_NS: i64 = 10_000;

/// Counts of one run; spans in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looks {
    pub looks: u64,
    /// Of all looks together.
    pub watched: u64,
    /// The longest time between two looks: no edge is later than that by the
    /// fault of the generator.
    pub longest: u64,
    /// From a trigger's instant to the first look after it, at the soonest and
    /// the latest: no shorter latency can be told from this one.
    pub floor: Option<(u64, u64)>,
    /// Edges that shared a look with another one of their line.
    pub together: u64,
    /// Words that went back or leapt.
    pub strange: u64,
}

impl Looks {
    pub(super) fn look(&mut self, since_last: u64) {
        self.looks += 1;
        self.watched = self.watched.saturating_add(since_last);
        self.longest = self.longest.max(since_last);
    }

    pub(super) fn first_after_trigger(&mut self, span: u64) {
        let (soonest, latest) = self.floor.unwrap_or((span, span));
        self.floor = Some((soonest.min(span), latest.max(span)));
    }

    /// For the run's log.
    pub fn note(&self, tick: Tick) -> Note {
        let ns = |ticks: u64| tick.nanoseconds(i64::try_from(ticks).unwrap_or(i64::MAX)).0;
        let mean = self.watched.checked_div(self.looks).unwrap_or(0);
        let mut text = format!(
            "response words were looked at every {} ns, and once after {} ns: an edge's instant is \
             late by no more",
            ns(mean),
            ns(self.longest)
        );
        if let Some((soonest, latest)) = self.floor {
            let (soonest, latest) = (ns(soonest), ns(latest));
            text +=
                &format!("; the first look after a trigger came {soonest} to {latest} ns later");
        }
        if self.together > 0 {
            text += &format!("; {} edges shared a look with another", self.together);
        }
        if self.strange > 0 {
            text += &format!("; {} times a word changed as no response does", self.strange);
        }
        let blurred = self.together > 0 || self.strange > 0 || ns(self.longest) > LONG_NS;
        let severity = if blurred { Severity::Warning } else { Severity::Info };
        Note { severity, text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_names_how_late_an_instant_can_be() {
        let mut looks = Looks::default();
        (0..9).for_each(|_| looks.look(100));
        looks.look(1_100);
        looks.first_after_trigger(700);
        looks.first_after_trigger(400);
        let note = looks.note(Tick { femtoseconds: 500_000 });
        assert_eq!(note.severity, Severity::Info);
        assert!(note.text.contains("every 100 ns, and once after 550 ns"), "{}", note.text);
        assert!(note.text.contains("200 to 350 ns later"), "{}", note.text);
        looks.look(30_000);
        assert_eq!(looks.note(Tick { femtoseconds: 500_000 }).severity, Severity::Warning);
    }
}
