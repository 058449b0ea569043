// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Response words, and what became of them since the last look.

use std::sync::atomic::{AtomicU32, Ordering};

use crate::LINES;

/// More responses than that between two looks are none; see [`super`].
pub const MOST_AT_ONCE: u32 = 4096;

/// One response line: the number of responses so far, modulo 2^32. It has a
/// cache line of its own, so that a store to it disturbs no other line.
///
/// The layout is the driver's: a native-endian u32 every 64 bytes.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Word(AtomicU32);

const _: () = assert!(size_of::<Word>() == 64);

impl Word {
    pub const fn new(count: u32) -> Self {
        Self(AtomicU32::new(count))
    }

    pub fn count(&self) -> u32 {
        self.0.load(Ordering::Acquire)
    }

    /// What a target does: it stores how many responses there were.
    pub fn store(&self, count: u32) {
        self.0.store(count, Ordering::Release);
    }
}

/// What one word showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    None,
    /// So many responses; more than one happened between two looks.
    Edges(u32),
    Strange,
}

/// All words at one look.
pub type Counts = [u32; LINES];

/// Reads the first `lines` words; the others are 0.
pub fn counts(words: &[Word], lines: usize) -> Counts {
    let mut counts = [0; LINES];
    for (count, word) in counts.iter_mut().zip(words).take(lines) {
        *count = word.count();
    }
    counts
}

/// The words as they were last seen.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    seen: Counts,
}

impl Watch {
    /// From here on changes count.
    pub fn reset(&mut self, counts: &Counts) {
        self.seen = *counts;
    }

    pub fn differs(&self, counts: &Counts) -> bool {
        self.seen != *counts
    }

    pub fn change(&mut self, line: usize, counts: &Counts) -> Change {
        let more = counts[line].wrapping_sub(self.seen[line]);
        self.seen[line] = counts[line];
        match more {
            0 => Change::None,
            1..=MOST_AT_ONCE => Change::Edges(more),
            _ => Change::Strange,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(from: u32, to: u32) -> Change {
        let word = [Word::new(from)];
        let mut watch = Watch::default();
        watch.reset(&counts(&word, 1));
        word[0].store(to);
        let counts = counts(&word, 1);
        assert_eq!(watch.differs(&counts), from != to);
        watch.change(0, &counts)
    }

    #[test]
    fn a_word_counts_over_its_end() {
        assert_eq!(change(7, 7), Change::None);
        assert_eq!(change(7, 8), Change::Edges(1));
        assert_eq!(change(u32::MAX, 0), Change::Edges(1));
        assert_eq!(change(u32::MAX - 1, 1), Change::Edges(3));
    }

    #[test]
    fn a_word_that_goes_back_or_leaps_is_no_response() {
        assert_eq!(change(7, 0), Change::Strange);
        assert_eq!(change(0, MOST_AT_ONCE), Change::Edges(MOST_AT_ONCE));
        assert_eq!(change(0, MOST_AT_ONCE + 1), Change::Strange);
        assert_eq!(change(0, 0xdead_beef), Change::Strange);
    }
}
