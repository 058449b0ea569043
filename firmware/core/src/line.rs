// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One response line: what its machine wrote, into edges.

/// An edge, in cycles since the machines started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    pub at: u64,
    pub rising: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Line {
    /// The next edge is a rising one: they take turns.
    high: bool,
    next: Option<Edge>,
}

impl Line {
    /// Reads on, if the oldest edge was taken.
    pub fn fill(&mut self, now: u64, word: impl FnOnce() -> Option<u32>) {
        if self.next.is_none() {
            self.next = word().map(|word| {
                self.high = !self.high;
                Edge { at: instant(word, now), rising: self.high }
            });
        }
    }

    /// Returns when the oldest edge was that was not taken; the end of time if there is none.
    pub fn next_at(&self) -> u64 {
        self.next.map_or(u64::MAX, |edge| edge.at)
    }

    pub fn take(&mut self) -> Option<Edge> {
        self.next.take()
    }
}

/// Converts a counter's word. One that has run around is distinguished from one that has not by the
/// time at which it is read: that is known to the microsecond, while once around takes a minute.
fn instant(word: u32, now: u64) -> u64 {
    let counted = 0u32.wrapping_sub(word);
    let steps = now / 2;
    let age = (steps as u32).wrapping_sub(counted) as i32;
    let since = steps.saturating_add_signed(-i64::from(age));
    1 + 2 * since
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what the machine writes in a cycle in which it looks.
    fn word(cycle: u64) -> u32 {
        0u32.wrapping_sub((cycle / 2) as u32)
    }

    #[test]
    fn an_edge_is_told_at_the_cycle_of_the_look_that_saw_it_around_any_number_of_times() {
        for cycle in [1, 3, 1_000_001, (1 << 33) - 1, (1 << 33) + 1, (7 << 33) + 12_345] {
            for late in [0, 5, 12_500, 1 << 30] {
                assert_eq!(instant(word(cycle), cycle + late), cycle, "{cycle} read {late} later");
            }
        }
    }

    #[test]
    fn a_clock_that_is_a_little_slow_changes_nothing() {
        let cycle = (3 << 33) + 1;
        assert_eq!(instant(word(cycle), cycle - 250), cycle);
    }

    #[test]
    fn edges_take_turns() {
        let mut line = Line::default();
        let mut words = [word(11), word(21), word(31)].into_iter();
        let mut seen = Vec::new();
        for _ in 0..4 {
            line.fill(100, || words.next());
            seen.extend(line.take().map(|edge| (edge.at, edge.rising)));
        }
        assert_eq!(seen, [(11, true), (21, false), (31, true)]);
    }
}
