// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The worst instant for an interrupt within a window: a search that ends with a proof.
//!
//! Measured again and again from one state, a latency is a function of the instant of its only
//! trigger. An interrupt that comes earlier is answered no later: so between two instants that were
//! measured no latency is longer than that of the later one and the time up to it, and a gap whose bound
//! is below the longest latency found need not be looked into. The gap with the highest bound is halved,
//! until none is left (branch and bound, as for functions of bounded slope: Piyavskii, 1972).
//!
//! Where an earlier trigger was answered later than its neighbour, the sentence above does not hold: the
//! trigger disturbs the guest itself. Such pairs are counted, and the bound grows by the most that an
//! earlier one was seen to be answered later.

use std::collections::{BTreeMap, BTreeSet};

/// A search for the longest latency; instants and latencies in ns.
#[derive(Clone, Debug)]
pub struct WorstSearch {
    /// Instants are multiples of this from the window's begin: one instruction.
    step: u64,
    /// Those that are wanted before any gap is halved.
    first: BTreeSet<u64>,
    known: BTreeMap<u64, u64>,
    pending: BTreeSet<u64>,
}

/// The result of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct WorstInstant {
    /// When the trigger came, ns from the start of the measurement.
    pub at_ns: u64,
    /// Its latency, the longest that was measured, ns.
    pub latency_ns: u64,
    /// No latency in the window is longer than this, if an earlier trigger is answered no later than
    /// `excess_ns` after a later one, ns.
    pub bound_ns: u64,
    /// Instants that were measured.
    pub measured: usize,
    /// Neighbours of which the earlier one was answered later.
    pub exceptions: usize,
    /// How much later, at the most, ns.
    pub excess_ns: u64,
}

impl WorstSearch {
    /// Begins a search between two instants, which are measured, as are `cells` - 1 between them.
    /// `step`: the least distance of two instants, ns; at least 1.
    pub fn new(from: u64, to: u64, cells: u64, step: u64) -> Self {
        let step = step.max(1);
        let cells = cells.clamp(1, ((to.saturating_sub(from)) / step).max(1));
        let at = |cell: u64| from + (to.saturating_sub(from)) * cell / cells / step * step;
        let first = (0..=cells).map(at).collect();
        Self { step, first, known: BTreeMap::new(), pending: BTreeSet::new() }
    }

    /// Returns the next instant to measure. `None`: there is none until more is learned, or at all where
    /// nothing is under way.
    pub fn next_instant(&mut self) -> Option<u64> {
        let at = self.first.pop_first().or_else(|| self.split())?;
        self.pending.insert(at);
        Some(at)
    }

    /// Takes the latency of a trigger at this instant.
    pub fn learn(&mut self, at: u64, latency: u64) {
        self.pending.remove(&at);
        self.known.insert(at, latency);
    }

    /// Returns how many instants were handed out.
    pub fn started(&self) -> usize {
        self.known.len() + self.pending.len()
    }

    /// Returns whether something is under way.
    pub fn is_waiting(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Returns the instants that were measured with their latencies, in order.
    pub fn measured(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.known.iter().map(|(at, latency)| (*at, *latency))
    }

    /// Returns what was found; `None` before anything was measured.
    pub fn found(&self) -> Option<WorstInstant> {
        let (at_ns, latency_ns) = self.longest()?;
        let exceptions = self.gaps().filter(|gap| gap.excess > 0).count();
        let excess_ns = self.gaps().map(|gap| gap.excess).max().unwrap_or(0);
        let bound = self.gaps().map(|gap| gap.bound).max().unwrap_or(0);
        let bound_ns = if bound > 0 { latency_ns.max(bound + excess_ns) } else { latency_ns };
        let measured = self.known.len();
        Some(WorstInstant { at_ns, latency_ns, bound_ns, measured, exceptions, excess_ns })
    }

    /// Returns the first of the longest.
    fn longest(&self) -> Option<(u64, u64)> {
        self.measured().max_by_key(|(at, latency)| (*latency, std::cmp::Reverse(*at)))
    }

    /// Returns the middle of the gap that may hide the longest latency.
    fn split(&self) -> Option<u64> {
        let (_, longest) = self.longest()?;
        let under_way = |gap: &Gap| self.pending.range(gap.from + 1..gap.to).next().is_some();
        let gap = self
            .gaps()
            .filter(|gap| gap.bound > longest && gap.to - gap.from > self.step && !under_way(gap))
            .max_by_key(|gap| (gap.bound, gap.to - gap.from))?;
        let steps = (gap.to - gap.from) / self.step;
        Some(gap.from + steps / 2 * self.step)
    }

    fn gaps(&self) -> impl Iterator<Item = Gap> + '_ {
        let later = self.known.iter().skip(1);
        self.known.iter().zip(later).map(|((from, before), (to, after))| {
            // The earliest instant in the gap waits longest for the answer of its end.
            let bound = (after + (to - from)).saturating_sub(self.step);
            let is_open = to - from > self.step;
            let excess = (from + before).saturating_sub(to + after);
            Gap { from: *from, to: *to, bound: if is_open { bound } else { 0 }, excess }
        })
    }
}

struct Gap {
    from: u64,
    to: u64,
    /// 0 where there is no instant between.
    bound: u64,
    /// How much later than the end the begin was answered.
    excess: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sections (begin, end) in which a trigger waits, and 10 ns of its own.
    fn latency(sections: &[(u64, u64)], at: u64) -> u64 {
        let end = sections.iter().find(|(begin, end)| (*begin..*end).contains(&at));
        end.map_or(0, |(_, end)| end - at) + 10
    }

    fn search(sections: &[(u64, u64)], cells: u64) -> WorstInstant {
        let mut search = WorstSearch::new(0, 100_000, cells, 2);
        while let Some(at) = search.next_instant() {
            search.learn(at, latency(sections, at));
        }
        search.found().unwrap()
    }

    #[test]
    fn the_longest_of_all_instants_is_found_and_proved_by_few() {
        let sections = [(1_000, 1_300), (20_000, 24_002), (50_000, 54_000), (99_000, 99_900)];
        let all = (0..=100_000).step_by(2).map(|at| latency(&sections, at)).max().unwrap();
        let found = search(&sections, 8);
        assert_eq!((found.at_ns, found.latency_ns, found.bound_ns), (20_000, all, all));
        assert_eq!(all, 4_012);
        assert!(found.measured < 200, "{found:?}");
        assert_eq!(found.exceptions, 0);
    }

    #[test]
    fn a_section_between_two_instants_of_the_first_round_is_found() {
        assert_eq!(search(&[(33_334, 33_900)], 3).latency_ns, 576);
    }

    #[test]
    fn an_earlier_trigger_that_is_answered_later_is_an_exception() {
        let mut search = WorstSearch::new(0, 100, 1, 2);
        for latency in [500, 10] {
            let at = search.next_instant().unwrap();
            search.learn(at, latency);
        }
        let found = search.found().unwrap();
        assert_eq!((found.exceptions, found.excess_ns, found.latency_ns), (1, 390, 500));
        // The end's 10 ns, 98 up to it, and that much more.
        assert_eq!(found.bound_ns, 500);
    }

    #[test]
    fn several_look_into_different_gaps() {
        let mut search = WorstSearch::new(0, 1000, 2, 2);
        for _ in 0..3 {
            let at = search.next_instant().unwrap();
            search.learn(at, 10);
        }
        let (one, other) = (search.next_instant().unwrap(), search.next_instant().unwrap());
        assert_ne!(one, other);
        assert_eq!(search.next_instant(), None);
    }
}
