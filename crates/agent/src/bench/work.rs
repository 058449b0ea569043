// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A known amount of work: a loop with a fixed number of turns, and no fixed time, so that whatever
//! takes the CPU away makes it longer.

use std::hint::black_box;

use crate::clock::now;

/// Turns of one try when a turn is measured.
const TURNS: u64 = 20_000;
const TRIES: usize = 15;

/// How long turns take here when nothing disturbs them.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Of `TURNS` turns, in nanoseconds.
    best: i64,
}

impl Pace {
    /// Measures the best of several tries, on the CPU that it is called on.
    pub fn measure() -> Pace {
        let one = |_| {
            let begin = now();
            work(TURNS);
            now() - begin
        };
        Pace { best: (0..TRIES).map(one).min().unwrap_or(1).max(1) }
    }

    /// Returns the turns that take this time.
    pub fn turns(self, nanoseconds: u64) -> u64 {
        let turns = u128::from(nanoseconds) * u128::from(TURNS) / self.best as u128;
        u64::try_from(turns).unwrap_or(u64::MAX).max(1)
    }
}

/// Takes this number of turns.
#[inline(never)]
pub fn work(turns: u64) {
    for turn in 0..turns {
        black_box(turn);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_are_proportional_to_time_and_never_none() {
        let pace = Pace { best: 40_000 }; // 2 ns a turn
        assert_eq!(pace.turns(1_000_000), 500_000);
        assert_eq!(pace.turns(0), 1);
        assert_eq!(pace.turns(u64::MAX), u64::MAX / 2);
        assert!(Pace::measure().best > 0);
    }
}
