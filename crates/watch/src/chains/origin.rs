// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The beginning of a chain, and the CPUs on which it went on.

use smallvec::{SmallVec, smallvec};

/// Moves from one CPU to another that are kept: handler, its thread, the thread which that wakes.
const LEGS: usize = 8;

/// The place where a chain began, and its way until now.
#[derive(Clone, Debug)]
pub struct Origin {
    number: u64,
    /// From when it was on which CPU; the first is its beginning.
    legs: SmallVec<[(u64, u16); 4]>,
}

impl Origin {
    pub fn new(number: u64, at: u64, cpu: u16) -> Origin {
        Origin { number, legs: smallvec![(at, cpu)] }
    }

    pub fn number(&self) -> u64 {
        self.number
    }

    pub fn at(&self) -> u64 {
        self.legs.first().map_or(0, |(at, _)| *at)
    }

    pub fn legs(&self) -> &[(u64, u16)] {
        &self.legs
    }

    /// Goes on, on another CPU or the same, from an instant on.
    pub fn moves(&mut self, at: u64, cpu: u16) {
        if self.legs.len() < LEGS {
            self.legs.push((at, cpu));
        }
    }

    /// Returns the part of it from an instant on.
    pub fn since(&self, at: u64) -> Origin {
        let legs = self.legs.iter().copied().filter(|(from, _)| *from >= at).collect();
        Origin { number: self.number, legs }
    }
}
