// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Response words, and what became of them since the last look.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::LINES;

/// A larger jump between two polls is corruption, not responses; see [`super`].
pub const MOST_AT_ONCE: u32 = 4096;

/// One response line: in the low half the number of responses until now, in the high half the
/// number of the trigger that the last one answers. It has a cache line of its own, so that a store
/// to it disturbs no other line.
///
/// The layout is the driver's: a native-endian u64 every 64 bytes.
#[derive(Debug, Default)]
#[repr(C, align(64))]
pub struct Word(AtomicU64);

const _: () = assert!(size_of::<Word>() == 64);

impl Word {
    /// Makes a word that shows `count` responses.
    pub const fn new(count: u32) -> Self {
        Self(AtomicU64::new(count as u64))
    }

    /// Returns how many responses there were.
    pub fn count(&self) -> u32 {
        count_of(self.shown())
    }

    fn shown(&self) -> u64 {
        self.0.load(Ordering::Acquire)
    }

    /// Stores, as a target does, how many responses there were, and which trigger it answers; 0 if
    /// it does not know.
    pub fn store(&self, count: u32, number: u32) {
        self.0.store(u64::from(number) << 32 | u64::from(count), Ordering::Release);
    }
}

const fn count_of(shown: u64) -> u32 {
    shown as u32
}

/// The change of one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    None,
    /// The number of responses; more than one happened between two polls. The last one answers the
    /// trigger of this number, if it is not 0.
    Edges {
        count: u32,
        number: u32,
    },
    Corrupt,
}

/// All words at one look.
pub type Shown = [u64; LINES];

/// Reads the first `lines` words; the others are 0. The first word comes last: a target stores it
/// before the handler raises any stage, so a look that sees a stage's response sees the handler's.
pub fn shown(words: &[Word], lines: usize) -> Shown {
    let mut shown = [0; LINES];
    for (shown, word) in shown.iter_mut().zip(words).take(lines).rev() {
        *shown = word.shown();
    }
    shown
}

/// The words as they were last seen.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    seen: Shown,
}

impl Watch {
    /// Resets it: from here on changes count.
    pub fn reset(&mut self, shown: &Shown) {
        self.seen = *shown;
    }

    pub fn differs(&self, shown: &Shown) -> bool {
        self.seen != *shown
    }

    pub fn change(&mut self, line: usize, shown: &Shown) -> Change {
        let count = count_of(shown[line]).wrapping_sub(count_of(self.seen[line]));
        let changed = shown[line] != self.seen[line];
        self.seen[line] = shown[line];
        match count {
            0 if !changed => Change::None,
            1..=MOST_AT_ONCE => Change::Edges { count, number: (shown[line] >> 32) as u32 },
            _ => Change::Corrupt,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(from: u32, to: u32) -> Change {
        let word = [Word::new(from)];
        let mut watch = Watch::default();
        watch.reset(&shown(&word, 1));
        word[0].store(to, 0);
        let shown = shown(&word, 1);
        assert_eq!(watch.differs(&shown), from != to);
        watch.change(0, &shown)
    }

    const fn edges(count: u32) -> Change {
        Change::Edges { count, number: 0 }
    }

    #[test]
    fn a_word_counts_over_its_end() {
        assert_eq!(change(7, 7), Change::None);
        assert_eq!(change(7, 8), edges(1));
        assert_eq!(change(u32::MAX, 0), edges(1));
        assert_eq!(change(u32::MAX - 1, 1), edges(3));
    }

    #[test]
    fn no_look_sees_a_stage_without_the_handler_that_raised_it() {
        const LAST: u32 = 200_000;
        let words = [const { Word::new(0) }; 4];
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for count in 1..=LAST {
                    words[0].store(count, 0);
                    words[3].store(count, 0);
                }
            });
            loop {
                let shown = shown(&words, 4);
                let [handler, stage] = [0, 3].map(|line| count_of(shown[line]));
                assert!(handler >= stage, "{handler} {stage}");
                if stage == LAST {
                    break;
                }
            }
        });
    }

    #[test]
    fn a_word_that_goes_back_or_leaps_is_no_response() {
        assert_eq!(change(7, 0), Change::Corrupt);
        assert_eq!(change(0, MOST_AT_ONCE), edges(MOST_AT_ONCE));
        assert_eq!(change(0, MOST_AT_ONCE + 1), Change::Corrupt);
        assert_eq!(change(0, 0xdead_beef), Change::Corrupt);
    }

    #[test]
    fn a_word_says_which_trigger_it_answers() {
        let word = [Word::new(0)];
        let mut watch = Watch::default();
        watch.reset(&shown(&word, 1));
        word[0].store(2, u32::MAX);
        let both = Change::Edges { count: 2, number: u32::MAX };
        assert_eq!(watch.change(0, &shown(&word, 1)), both);
        // Another number without another response is no response.
        word[0].store(2, 7);
        assert_eq!(watch.change(0, &shown(&word, 1)), Change::Corrupt);
    }
}
