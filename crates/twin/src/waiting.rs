// SPDX-License-Identifier: GPL-2.0-or-later
//! Whether a trigger's answer is still waited for by a trace.
//!
//! From outside an answer that was merged with another one looks like one that has not come yet, until the timeout
//! is over (`irqscope_generator::pairing`). A trace that went on until then would be filled by what the guest does
//! between triggers, and the paths of all triggers meanwhile would not be in it. So a number of waiting triggers that
//! was never less through many triggers in a row is taken for answers that will not come.

/// Triggers: more than a burst has.
const TRIGGERS: usize = 32;

/// The fewest triggers that waited at one time, from each trigger to the next.
#[derive(Debug)]
pub struct Waiting {
    least: [u64; TRIGGERS],
    latest: usize,
}

impl Waiting {
    pub const fn new() -> Self {
        Self { least: [0; TRIGGERS], latest: 0 }
    }

    /// Takes note of a trigger; `waiting` of them are without their answers, this one included.
    pub fn trigger(&mut self, waiting: u64) {
        self.latest = (self.latest + 1) % TRIGGERS;
        self.least[self.latest] = waiting;
    }

    /// Takes note that this number waits now. Returns whether one of them may still be answered.
    pub fn go_on(&mut self, waiting: u64) -> bool {
        let least = &mut self.least[self.latest];
        *least = waiting.min(*least);
        self.least.iter().min().is_none_or(|fewest| waiting > *fewest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_never_comes_is_waited_for_through_a_number_of_triggers() {
        let mut waiting = Waiting::new();
        for _ in 0..TRIGGERS {
            waiting.trigger(1);
            assert!(waiting.go_on(1));
            assert!(!waiting.go_on(0));
        }
        // From now on one is lost: each trigger after it is answered, and there is one more than ought to be.
        for number in 0..2 * TRIGGERS {
            waiting.trigger(2);
            assert!(waiting.go_on(2), "its own answer is waited for");
            assert_eq!(waiting.go_on(1), number + 1 < TRIGGERS, "trigger {number}");
        }
        // Until the timeout.
        assert!(!waiting.go_on(0));
        waiting.trigger(1);
        assert!(waiting.go_on(1));
    }

    #[test]
    fn a_burst_is_waited_for_as_a_whole() {
        let mut waiting = Waiting::new();
        for _ in 0..100 {
            for open in 1..=16 {
                waiting.trigger(open);
                assert!(waiting.go_on(open));
            }
            assert!((1..16).rev().all(|open| waiting.go_on(open)));
            assert!(!waiting.go_on(0));
        }
    }
}
