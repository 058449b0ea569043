// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Newtypes for the three quantities that must never be mixed up.

use serde::{Deserialize, Serialize};

/// A reading of a cycle counter, or a difference of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cycles(pub u64);

/// Nanoseconds; signed, because a difference may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Nanoseconds(pub i64);

/// The number of a trigger within its case, counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Seq(pub u64);

/// The length of one cycle of a counter, in femtoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tick {
    /// Its length; one nanosecond has 1,000,000 of them.
    pub femtoseconds: u64,
}

impl Tick {
    /// Converts a span of cycles, rounded to the nearest nanosecond.
    ///
    /// Exact in 128 bits: 2^63 cycles of any tick do not overflow; a result
    /// beyond `i64` saturates.
    pub fn nanoseconds(self, span: i64) -> Nanoseconds {
        let femto = i128::from(span) * i128::from(self.femtoseconds);
        let half = if femto < 0 { -500_000 } else { 500_000 };
        let nanos = (femto + half) / 1_000_000;
        Nanoseconds(i64::try_from(nanos).unwrap_or(if nanos < 0 { i64::MIN } else { i64::MAX }))
    }

    /// Returns the number of cycles that is nearest to a span in nanoseconds.
    pub fn cycles(self, ns: u64) -> Cycles {
        let tick = u128::from(self.femtoseconds.max(1));
        let cycles = (u128::from(ns) * 1_000_000 + tick / 2) / tick;
        Cycles(u64::try_from(cycles).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tick_of_two_nanoseconds_doubles() {
        let tick = Tick { femtoseconds: 2_000_000 };
        assert_eq!(tick.nanoseconds(567), Nanoseconds(1134));
        assert_eq!(tick.nanoseconds(-3), Nanoseconds(-6));
    }

    #[test]
    fn nanoseconds_become_the_nearest_number_of_cycles() {
        let tick = Tick { femtoseconds: 6_666_667 };
        assert_eq!(tick.cycles(1_000_000), Cycles(150_000));
        assert_eq!(tick.cycles(10), Cycles(1)); // 1.5 ticks and a little less
        assert_eq!(Tick { femtoseconds: 0 }.cycles(u64::MAX), Cycles(u64::MAX));
    }

    #[test]
    fn conversion_rounds_to_nearest_and_saturates() {
        let tick = Tick { femtoseconds: 333_333 };
        assert_eq!(tick.nanoseconds(1), Nanoseconds(0));
        assert_eq!(tick.nanoseconds(2), Nanoseconds(1));
        assert_eq!(Tick { femtoseconds: u64::MAX }.nanoseconds(i64::MAX), Nanoseconds(i64::MAX));
    }
}
