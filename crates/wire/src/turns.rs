// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The CPUs of a twin in the order in which they executed: they share one virtual clock, and while one has its
//! turn the others stand still.

use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

/// From an instant on, one CPU executed, or none did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turn {
    /// How long after the turn before it this one began, in virtual ns; of the first one, after
    /// [`Turns::from`].
    pub after: u64,
    /// The CPU. `None`: all sleep, or the record ends here.
    pub cpu: Option<u16>,
}

/// Turns while something was measured. Neighbours are of different CPUs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Turns {
    /// Virtual ns.
    pub from: u64,
    /// In order; a long list comes in several messages.
    pub turns: Vec<Turn>,
    /// There will be no more.
    pub ended: bool,
}

impl Turns {
    /// Returns each turn's beginning, in virtual ns, with its CPU.
    pub fn each(&self) -> impl Iterator<Item = (u64, Option<u16>)> + '_ {
        let mut at = self.from;
        self.turns.iter().map(move |turn| {
            at = at.saturating_add(turn.after);
            (at, turn.cpu)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    #[test]
    fn instants_follow_from_lengths_and_do_not_overflow() {
        let turn = |after, cpu| Turn { after, cpu };
        let turns = vec![turn(0, Some(0)), turn(5, Some(1)), turn(u64::MAX, None)];
        let turns = Turns { from: 100, turns, ended: false };
        let each: Vec<_> = turns.each().collect();
        assert_eq!(each, [(100, Some(0)), (105, Some(1)), (u64::MAX, None)]);
    }
}
