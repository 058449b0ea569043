// SPDX-License-Identifier: Apache-2.0 OR MIT
//! When the player plays what it is given: its own clock, kept in step with what it
//! writes down.

use alloc::collections::VecDeque;

use crate::programs::UNSEEN;

/// From the look for a word to the rising edge, without the silence.
const LEAD: u64 = 5;
/// From the rising edge to the next look for a word, without the high time.
const TAIL: u64 = 7;
/// One look for a word that finds none.
const IDLE: u64 = 4;
/// How much longer the line is high than twice the word says.
const HIGH: u64 = 6;
/// The high word at least: the input sees a trigger in the second look, by the two
/// flip-flops before it.
const LEAST_HIGH: u64 = 1;

/// The line is high for a multiple of this.
pub const HIGH_STEP: u64 = 2;
/// The shortest time that the line is high.
pub const SHORTEST_HIGH: u64 = HIGH + 2 * LEAST_HIGH;
/// From one trigger to the next at least.
pub const SHORTEST_PERIOD: u64 = LEAD + 1 + TAIL + 2 * LEAST_HIGH;

/// A trigger that is out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Made {
    /// The cycle of the look at the trigger's own input that saw it; if none did,
    /// the cycle in which it would have, with input and output joined.
    pub at: u64,
    pub seen: bool,
    /// How much later it came than it was to, in cycles.
    pub late: i64,
}

#[derive(Clone, Copy, Debug)]
struct Expected {
    asked: u64,
    rise: u64,
    /// How long the player was thought to have nothing before.
    idle: u64,
    high: u64,
}

/// All instants in it are as they were planned; `shift` is what they really are
/// later by, as far as the machine has reported it.
#[derive(Clone, Debug)]
pub struct Player {
    /// The next look for a word once all is played.
    free: u64,
    shift: i64,
    idled: u32,
    expected: VecDeque<Expected>,
}

impl Default for Player {
    /// Returns the state in which the machine starts.
    fn default() -> Self {
        // Cycle 1 takes one from Y, which was 0.
        Self { free: 2, shift: 0, idled: u32::MAX, expected: VecDeque::new() }
    }
}

impl Player {
    /// Returns the first cycle in which another trigger can rise, if the words for it are written
    /// before `now`.
    pub fn earliest(&self, now: u64) -> u64 {
        (self.begin(now) + LEAD + 1).saturating_add_signed(self.shift)
    }

    /// Returns the words for a trigger that is to rise then and to be high for that time. Exact,
    /// unless the player has nothing to play before; then it is nearly that.
    pub fn trigger(&mut self, rise: u64, high: u64, now: u64) -> [u32; 2] {
        let begin = self.begin(now);
        let planned = rise.saturating_add_signed(-self.shift);
        let silence = planned.saturating_sub(begin + LEAD).clamp(1, u64::from(u32::MAX));
        let half = (high.saturating_sub(HIGH) / 2).clamp(LEAST_HIGH, u64::from(u32::MAX));
        let (asked, idle) = (rise, begin - self.free);
        let rise = begin + LEAD + silence;
        self.expected.push_back(Expected { asked, rise, idle, high: half });
        self.free = rise + TAIL + 2 * half;
        [silence as u32, half as u32]
    }

    /// Takes what the machine wrote for the oldest trigger that was not reported yet.
    pub fn wrote(&mut self, left: u32, idled: u32) -> Option<Made> {
        let expected = self.expected.pop_front()?;
        let idle = IDLE * u64::from(self.idled.wrapping_sub(idled));
        self.idled = idled;
        self.shift += idle as i64 - expected.idle as i64;
        let rise = expected.rise.saturating_add_signed(self.shift);
        let late = rise as i64 - expected.asked as i64;
        let seen = left != UNSEEN;
        let looks = if seen { expected.high.saturating_sub(u64::from(left)) } else { 1 };
        Some(Made { at: rise + 1 + 2 * looks, seen, late })
    }

    /// Returns how many triggers were given and not reported yet.
    pub fn waiting(&self) -> usize {
        self.expected.len()
    }

    /// Returns the first cycle in which the oldest of them can be seen.
    pub fn next_rise(&self) -> Option<u64> {
        self.expected.front().map(|next| {
            let soonest = next.rise - next.idle;
            soonest.saturating_add_signed(self.shift)
        })
    }

    /// Forgets them: they will not be played.
    pub fn forget(&mut self) {
        self.expected.clear();
    }

    /// Returns the next poll for a word that will find one. When an idle player polls is known
    /// nearly; exactly when the trigger is out.
    fn begin(&self, now: u64) -> u64 {
        match self.expected.is_empty() {
            true => self.free.max(now.saturating_add_signed(-self.shift)),
            false => self.free,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortest_period_is_ten_megahertz_of_the_slower_chip() {
        assert_eq!((SHORTEST_PERIOD, SHORTEST_HIGH), (15, 8));
        let mut player = Player::default();
        assert_eq!(player.trigger(100, 8, 0), [93, 1]);
        assert_eq!(player.trigger(115, 8, 0), [1, 1]);
        assert_eq!(player.earliest(0), 130);
    }

    #[test]
    fn triggers_given_in_time_rise_in_the_cycle_that_was_asked_for() {
        let mut player = Player::default();
        let first = player.trigger(100, 10, 0);
        assert_eq!(first, [93, 2]);
        assert_eq!(player.trigger(1_000, 51, 0), [1_000 - 5 - (100 + 7 + 4), 22]);
        // Seen in the second look, and never idle.
        let made = player.wrote(1, u32::MAX);
        assert_eq!(made, Some(Made { at: 103, seen: true, late: 0 }));
        assert_eq!(player.next_rise(), Some(1_000));
    }

    #[test]
    fn who_was_idle_rises_nearly_then_and_says_when_and_the_next_one_follows_exactly() {
        let mut player = Player::default();
        // Thought to look again in cycle 4,000; it does in 2 + 4 * 950.
        assert_eq!(player.trigger(10_000, 10, 4_000)[0], 10_000 - 5 - 4_000);
        assert_eq!(player.trigger(11_000, 10, 4_000)[0], 1_000 - 5 - 7 - 4);
        let made = player.wrote(1, u32::MAX - 950);
        assert_eq!(made, Some(Made { at: 9_805, seen: true, late: -198 }));
        let made = player.wrote(1, u32::MAX - 950);
        assert_eq!(made, Some(Made { at: 10_805, seen: true, late: -198 }));
    }

    #[test]
    fn a_trigger_given_too_late_shifts_itself_only() {
        let mut player = Player::default();
        player.trigger(100, 10, 0);
        player.trigger(200, 10, 0);
        assert_eq!(player.wrote(1, u32::MAX), Some(Made { at: 103, seen: true, late: 0 }));
        // A hundred looks found no word.
        assert_eq!(player.wrote(1, u32::MAX - 100), Some(Made { at: 603, seen: true, late: 400 }));
        assert_eq!(player.trigger(1_000, 10, 0)[0], 1_000 - 5 - (600 + 7 + 4));
    }

    #[test]
    fn a_trigger_that_is_not_seen_is_told_as_such_and_shifts_nothing() {
        let mut player = Player::default();
        player.trigger(100, 20, 0);
        player.trigger(200, 20, 0);
        assert_eq!(player.wrote(UNSEEN, u32::MAX), Some(Made { at: 103, seen: false, late: 0 }));
        assert_eq!(player.next_rise(), Some(200));
        // In the very last of its looks.
        assert_eq!(player.wrote(0, u32::MAX), Some(Made { at: 215, seen: true, late: 0 }));
    }

    #[test]
    fn nobody_waits_for_a_trigger_that_was_not_given() {
        assert_eq!(Player::default().wrote(1, 1), None);
    }
}
