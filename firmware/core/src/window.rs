// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The window: what all lines were in every cycle after one trigger.
//!
//! The machines that count look at a line in every second cycle, and so does the one
//! that sees the trigger: a span is known to a cycle more or less. The sampler looks
//! in every cycle, and begins to with the trigger itself: a span is how many samples
//! it took. It does so for one trigger at a time, until its memory is full, and is
//! then armed again by the processor. So the counters say when an edge was, and the
//! window says it exactly, for the trigger that it has and for as long as it lasts.
//!
//! Useful invariant: the first trigger after the arming is the window's. One that
//! may have come before it or after it, as far as the processor's clock knows, leaves it without an
//! owner.

use irqscope_wire::Seq;

/// A span of this many samples ends with the first sample.
const FIRST: u64 = 1;
/// How much the counters may be wrong about a span.
const BLUR: u64 = 1;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Not armed, or it is unknown for which trigger.
    Idle,
    /// Between these cycles.
    Armed {
        from: u64,
        to: u64,
    },
    Taken {
        at: u64,
        seq: Seq,
    },
}

#[derive(Clone, Debug)]
pub struct Window {
    /// Cycles; 0: there is none.
    length: u64,
    state: State,
}

impl Window {
    pub const fn new(length: u32) -> Self {
        Self { length: length as u64, state: State::Idle }
    }

    /// Forgets all, to begin anew.
    pub fn forget(&mut self) {
        self.state = State::Idle;
    }

    /// Returns whether it is to be armed now; `quiet`: nothing more is expected in it.
    pub fn is_over(&self, now: u64, quiet: bool) -> bool {
        match self.state {
            _ if self.length == 0 => false,
            State::Idle => true,
            State::Armed { .. } => false,
            State::Taken { at, .. } => quiet || now > at + self.length,
        }
    }

    /// Notes that it was armed in some cycle between these.
    pub fn armed(&mut self, from: u64, to: u64) {
        self.state = State::Armed { from, to };
    }

    /// Takes a trigger that was seen, in the order of time.
    pub fn trigger(&mut self, at: u64, seq: Seq) {
        if let State::Armed { from, to } = self.state
            && at >= from
        {
            self.state = if at > to { State::Taken { at, seq } } else { State::Idle };
        }
    }

    /// Returns the trigger that it belongs to.
    pub fn owner(&self) -> Option<Seq> {
        match self.state {
            State::Taken { seq, .. } => Some(seq),
            _ => None,
        }
    }

    /// Returns the instant of an edge that the counters saw at `edge`, so that the span since its
    /// trigger is exact. `sample` has all lines, a bit for each, by cycle of the window. None: it
    /// does not show this edge, and only this one.
    pub fn exact(
        &self,
        line: usize,
        rising: bool,
        edge: u64,
        mut sample: impl FnMut(u64) -> Option<u8>,
    ) -> Option<u64> {
        let State::Taken { at, .. } = self.state else { return None };
        let near = edge.checked_sub(at)?;
        let mut high = |index: u64| Some(sample(index)? >> line & 1 == 1);
        let mut found = None;
        for span in near.saturating_sub(BLUR)..=near + BLUR {
            // The first sample has none before it to differ from.
            let Some(index) = span.checked_sub(FIRST).filter(|index| *index > 0) else { continue };
            if index >= self.length {
                return None;
            }
            if high(index)? == rising && high(index - 1)? != rising {
                if found.is_some() {
                    return None;
                }
                found = Some(at + span);
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: usize = 3;

    fn taken(at: u64) -> Window {
        let mut window = Window::new(100);
        window.armed(0, 10);
        window.trigger(at, Seq(7));
        window
    }

    /// Makes a line that changes this many cycles after the trigger, at all of these.
    fn line(spans: &'static [u64]) -> impl FnMut(u64) -> Option<u8> {
        move |index| {
            let changes = spans.iter().filter(|span| **span <= index + FIRST).count();
            Some(if changes % 2 == 1 { 1 << LINE } else { 0 })
        }
    }

    #[test]
    fn an_edge_is_found_where_it_was_whatever_the_counters_blurred() {
        for seen in [40, 41, 42] {
            assert_eq!(taken(1_000).exact(LINE, true, 1_000 + seen, line(&[41])), Some(1_041));
        }
        assert_eq!(taken(1_000).exact(LINE, true, 1_043, line(&[41])), None);
        assert_eq!(taken(1_000).exact(LINE, false, 1_041, line(&[41])), None, "it rose");
        assert_eq!(taken(1_000).exact(LINE, false, 1_061, line(&[41, 60])), Some(1_060));
    }

    #[test]
    fn what_is_at_an_end_of_the_window_or_beyond_is_left_to_the_counters() {
        assert_eq!(taken(1_000).exact(LINE, true, 1_001, line(&[1])), None);
        assert_eq!(taken(1_000).exact(LINE, true, 1_002, line(&[2])), Some(1_002));
        assert_eq!(taken(1_000).exact(LINE, true, 1_150, line(&[150])), None);
        assert_eq!(taken(1_000).exact(LINE, true, 990, line(&[41])), None, "before its trigger");
        let unwritten = |index| (index < 20).then_some(0);
        assert_eq!(taken(1_000).exact(LINE, true, 1_041, unwritten), None);
    }

    #[test]
    fn a_glitch_that_counters_cannot_tell_apart_is_not_guessed_at() {
        // Up, down and up again within what the counters may have meant.
        assert_eq!(taken(1_000).exact(LINE, true, 1_042, line(&[41, 42, 43])), None);
    }

    #[test]
    fn the_window_is_the_first_triggers_after_the_arming() {
        let mut window = Window::new(100);
        assert!(window.is_over(0, true));
        window.armed(500, 600);
        assert!(!window.is_over(1_000, true));
        window.trigger(400, Seq(0));
        assert_eq!(window.owner(), None);
        window.trigger(700, Seq(1));
        window.trigger(750, Seq(2));
        assert_eq!(window.owner(), Some(Seq(1)));
        assert!(!window.is_over(790, false) && window.is_over(790, true));
        assert!(window.is_over(801, false));
    }

    #[test]
    fn a_trigger_amid_the_arming_makes_the_window_nobodys() {
        let mut window = Window::new(100);
        window.armed(500, 600);
        window.trigger(550, Seq(0));
        window.trigger(700, Seq(1));
        assert_eq!(window.owner(), None);
        assert!(window.is_over(700, false));
    }

    #[test]
    fn a_board_without_a_window_never_arms_one() {
        assert!(!Window::new(0).is_over(1_000, true));
    }
}
