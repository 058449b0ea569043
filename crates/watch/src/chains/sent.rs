// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Interrupts that one CPU sends to another, each with the thread and the function that sent it.

use std::collections::VecDeque;
use std::ops::Range;

/// Interrupts between CPUs that are remembered.
const MOST: usize = 1_024;

/// An interrupt that one CPU sent to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sent {
    /// When, on CLOCK_MONOTONIC.
    pub at: u64,
    /// The sending CPU.
    pub from: u16,
    /// The other one.
    pub to: u16,
    /// The thread that the sending CPU ran.
    pub thread: String,
    /// The function that sent it.
    pub place: String,
}

/// The latest of them, in the order in which they were sent.
#[derive(Debug, Default)]
pub struct Senders(VecDeque<Sent>);

impl Senders {
    /// Keeps one, in the place of the oldest where there are many.
    pub fn keep(&mut self, sent: Sent) {
        if self.0.len() == MOST {
            self.0.pop_front();
        }
        self.0.push_back(sent);
    }

    /// Returns the latest that a CPU was sent in a time.
    pub fn latest(&self, to: u16, within: Range<u64>) -> Option<&Sent> {
        self.0.iter().rev().find(|one| one.to == to && within.contains(&one.at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_in_a_time_is_found_among_those_that_are_kept() {
        let sent = |at, to| Sent { at, from: 1, to, thread: "exec".into(), place: "tlb".into() };
        let mut senders = Senders::default();
        (0..MOST as u64 + 10).for_each(|at| senders.keep(sent(at, at as u16 % 2)));
        assert_eq!(senders.latest(0, 0..10), None, "they were too many");
        assert_eq!(senders.latest(0, 10..101).map(|one| one.at), Some(100));
        assert_eq!(senders.latest(1, 10..101).map(|one| one.at), Some(99));
        assert_eq!(senders.latest(2, 0..u64::MAX), None);
    }
}
