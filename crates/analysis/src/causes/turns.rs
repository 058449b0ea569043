// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The turns that the CPUs of a twin take: while another one has its turn, a CPU stands still.
//!
//! An interval of a CPU has the other CPUs' turns in it. Its own time is what is left, and that is what an
//! undisturbed step's length is compared with.

use std::collections::{BTreeMap, BTreeSet};

use irqscope_run::CaseData;

use super::timeline::Timeline;

/// The turns of a case, by CPU.
#[derive(Debug, Default)]
pub struct Turns(BTreeMap<u16, Others>);

/// The turns of all CPUs but one.
#[derive(Debug, Default)]
pub struct Others {
    turns: Vec<Other>,
}

/// A turn, or several one after the other.
#[derive(Debug)]
struct Other {
    from: u64,
    to: u64,
    /// All before this one.
    before: u64,
}

static NONE: Others = Others { turns: Vec::new() };

impl Turns {
    /// Takes the turns of a case. The generator's clock and the target's count the same nanoseconds.
    pub fn of(data: &CaseData) -> Self {
        const NANOSECOND: u64 = 1_000_000;
        let Some(tick) = data.tick() else { return Self::default() };
        let per_cycle = (tick.femtoseconds / NANOSECOND).max(1);
        let changes: Vec<_> = data.turns.iter().map(|(at, cpu)| (at / per_cycle, *cpu)).collect();
        Self::of_changes(&changes)
    }

    /// Takes the turns of a case, in nanoseconds of the generator's clock.
    pub fn in_ns(data: &CaseData) -> Self {
        Self::of_changes(&data.turns)
    }

    /// Makes them of the instants, in readings of the target's counter, from which on a CPU executed, or none.
    fn of_changes(changes: &[(u64, Option<u16>)]) -> Self {
        let cpus: BTreeSet<u16> = changes.iter().filter_map(|(_, cpu)| *cpu).collect();
        Self(cpus.into_iter().map(|cpu| (cpu, Others::of(changes, cpu))).collect())
    }

    /// Returns the turns of all CPUs but this one.
    pub fn of_others(&self, cpu: u16) -> &Others {
        self.0.get(&cpu).unwrap_or(&NONE)
    }
}

impl Others {
    fn of(changes: &[(u64, Option<u16>)], cpu: u16) -> Self {
        let (mut all, mut before) = (Self::default(), 0);
        for pair in changes.windows(2) {
            let [(from, running), (to, _)] = [pair[0], pair[1]];
            if to <= from || running.is_none_or(|running| running == cpu) {
                continue;
            }
            match all.turns.last_mut().filter(|last| last.to == from) {
                Some(last) => last.to = to,
                None => all.turns.push(Other { from, to, before }),
            }
            before += to - from;
        }
        all
    }

    /// Returns how much of the time until `at` was theirs.
    fn until(&self, at: u64) -> u64 {
        let next = self.turns.partition_point(|turn| turn.from < at);
        next.checked_sub(1).map_or(0, |last| {
            let last = &self.turns[last];
            last.before + at.min(last.to) - last.from
        })
    }

    /// Returns the CPU's own time from one instant to another.
    pub fn own(&self, from: u64, to: u64) -> u64 {
        let to = to.max(from);
        to - from - (self.until(to) - self.until(from))
    }

    /// Returns the latest instant from which as much of the CPU's own time is left until `to`.
    pub fn back(&self, to: u64, own: u64) -> u64 {
        let (mut at, mut left) = (to, own);
        let end = self.turns.partition_point(|turn| turn.from < to);
        for turn in self.turns[..end].iter().rev() {
            let ours = at.saturating_sub(turn.to);
            if left <= ours {
                break;
            }
            left -= ours;
            at = turn.from;
        }
        at.saturating_sub(left)
    }

    /// Returns the first instant until which as much of the CPU's own time has passed since `from`.
    pub fn forward(&self, from: u64, own: u64) -> u64 {
        let (mut at, mut left) = (from, own);
        let first = self.turns.partition_point(|turn| turn.to <= from);
        for turn in &self.turns[first..] {
            let ours = turn.from.saturating_sub(at);
            if left <= ours {
                break;
            }
            left -= ours;
            at = turn.to;
        }
        at.saturating_add(left)
    }

    /// Returns how long this CPU may wait for its turn, by those that came into its interrupts: while it sleeps
    /// the others' turns have no limit. Turns are unlike by an eighth at the most (docs/decisions/0010).
    pub fn longest(&self, timeline: &Timeline) -> u64 {
        let interrupts = timeline.intervals.iter().filter(|one| one.interrupt.is_some());
        let turns = interrupts.flat_map(|one| self.within(one.from, one.to));
        let longest = turns.map(|(from, to)| to - from).max().unwrap_or(0);
        longest.saturating_mul(8) / 7
    }

    /// Returns those between two instants, cut to them.
    pub fn within(&self, from: u64, to: u64) -> impl Iterator<Item = (u64, u64)> + '_ {
        let first = self.turns.partition_point(|turn| turn.to <= from);
        let rest = self.turns[first..].iter().take_while(move |turn| turn.from < to);
        rest.map(move |turn| (turn.from.max(from), turn.to.min(to)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes CPUs 0, 1 and 2 take turns.
    fn turns() -> Turns {
        let changes = [
            (100, Some(0)),
            (110, Some(1)),
            (115, Some(2)),
            (130, Some(0)),
            (140, None),
            (150, Some(1)),
            (160, Some(0)),
            (170, None),
        ];
        Turns::of_changes(&changes)
    }

    #[test]
    fn own_time_is_without_the_others_and_with_the_sleep_of_all() {
        let turns = turns();
        let of_0 = turns.of_others(0);
        assert_eq!(of_0.within(0, 1000).collect::<Vec<_>>(), [(110, 130), (150, 160)]);
        assert_eq!(of_0.within(112, 155).collect::<Vec<_>>(), [(112, 130), (150, 155)]);
        assert_eq!(of_0.within(130, 150).count(), 0);
        assert_eq!((of_0.own(100, 170), of_0.own(120, 140), of_0.own(112, 118)), (40, 10, 0));
        let of_1 = turns.of_others(1);
        let others: Vec<_> = of_1.within(0, 1000).collect();
        assert_eq!(others, [(100, 110), (115, 140), (160, 170)]);
        assert_eq!(turns.of_others(7).own(5, 50), 45, "it never executed");
    }

    #[test]
    fn an_instant_is_found_from_either_end() {
        let turns = turns();
        let others = turns.of_others(0);
        for (from, to) in [(100, 170), (105, 165), (112, 152), (131, 139), (120, 125)] {
            for own in 0..=others.own(from, to) {
                let (back, forward) = (others.back(to, own), others.forward(from, own));
                assert!(back >= from && others.own(back, to) == own, "{from} {to} {own} {back}");
                assert!(forward <= to && others.own(from, forward) == own, "{from} {to} {own}");
            }
        }
        assert_eq!((others.back(170, 10), others.back(165, 6)), (160, 149));
        assert_eq!((others.forward(105, 5), others.forward(105, 6)), (110, 131));
    }
}
