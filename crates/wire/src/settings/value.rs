// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The types of settings, and the raw numbers that stand for their values.

use crate::{Cycles, JitterKind, Mode, Nanoseconds, Pacing, Polarity, Shape};

/// A type that a setting's value may have.
pub trait Value: Copy {
    /// The names of the values in the order of their raw numbers; empty: numbers.
    const NAMES: &'static [&'static str] = &[];

    /// Returns the raw number.
    fn to_raw(self) -> u64;

    /// Returns the value whose raw number is nearest.
    fn nearest(raw: u64) -> Self;

    /// Returns the value of a raw number, if there is one.
    fn from_raw(raw: u64) -> Option<Self> {
        Some(Self::nearest(raw)).filter(|value| value.to_raw() == raw)
    }
}

macro_rules! numbers {
    ($($number:ty),+) => { $(
        impl Value for $number {
            fn to_raw(self) -> u64 {
                self.into()
            }

            fn nearest(raw: u64) -> Self {
                raw.try_into().unwrap_or(Self::MAX)
            }
        }
    )+ };
}

macro_rules! names {
    ($($named:ty),+) => { $(
        impl Value for $named {
            const NAMES: &'static [&'static str] = Self::NAMES;

            fn to_raw(self) -> u64 {
                self as u64
            }

            fn nearest(raw: u64) -> Self {
                let last = Self::ALL.len() - 1;
                Self::ALL[usize::try_from(raw).map_or(last, |raw| raw.min(last))]
            }
        }
    )+ };
}

numbers!(u8, u16, u32, u64);
names!(JitterKind, Mode, Pacing, Polarity, Shape);

impl Value for Cycles {
    fn to_raw(self) -> u64 {
        self.0
    }

    fn nearest(raw: u64) -> Self {
        Self(raw)
    }
}

impl Value for Nanoseconds {
    fn to_raw(self) -> u64 {
        u64::try_from(self.0).unwrap_or(0)
    }

    fn nearest(raw: u64) -> Self {
        Self(i64::try_from(raw).unwrap_or(i64::MAX))
    }
}
