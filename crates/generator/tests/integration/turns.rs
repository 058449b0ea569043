// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A target whose first line answers each trigger and the others in turn.

use irqscope_generator::{Match, Outcome, Pairing, Slot};
use irqscope_wire::Answer::{self, Coalesced, Late, Missing, Prompt, Unasked};
use irqscope_wire::{Cycles, Seq};
use proptest::prelude::*;

fn pairing(lines: u8) -> Pairing<Vec<Slot>> {
    let mut pairing = Pairing::new(vec![Slot::EMPTY; 64], lines);
    pairing.take_turns(1);
    pairing
}

fn answers(slot: &Slot, lines: usize) -> Vec<Answer> {
    slot.answers[..lines].iter().map(|answer| answer.unwrap()).collect()
}

#[test]
fn each_trigger_waits_on_the_first_line_and_on_its_turns() {
    let mut pairing = pairing(4);
    for trigger in 0..7 {
        let at = trigger * 1000;
        assert!(pairing.trigger(Seq(trigger), at));
        assert_eq!(pairing.edge(2, at + 1), Match::Extra, "before the handler no stage runs");
        assert_eq!(pairing.edge(0, at + 2), Match::Answer(Seq(trigger)));
        let turn = 1 + trigger % 3;
        let others = (1..4).filter(|line| *line != turn);
        for line in others {
            assert_eq!(pairing.edge(line as u8, at + 3), Match::Extra);
        }
        assert!(pairing.waiting_since().is_some());
        assert_eq!(pairing.edge(turn as u8, at + 4), Match::Answer(Seq(trigger)));
        assert!(pairing.waiting_since().is_none());
        let slot = pairing.take(true).unwrap();
        let mut expected = [Prompt(Cycles(2)), Unasked, Unasked, Unasked];
        expected[turn as usize] = Prompt(Cycles(4));
        assert_eq!(answers(&slot, 4), expected);
        assert_eq!(slot.outcome(), Outcome::Complete);
    }
}

#[test]
fn a_quick_stage_overtakes_a_slow_one_of_the_trigger_before() {
    let mut pairing = pairing(3);
    for (trigger, at) in [(0, 0), (1, 100)] {
        pairing.trigger(Seq(trigger), at);
        pairing.edge(0, at + 10);
    }
    assert_eq!(pairing.edge(2, 120), Match::Answer(Seq(1)));
    assert_eq!(pairing.edge(1, 130), Match::Answer(Seq(0)));
    let first = answers(&pairing.take(true).unwrap(), 3);
    assert_eq!(first, [Prompt(Cycles(10)), Late(Cycles(130)), Unasked]);
    let second = answers(&pairing.take(true).unwrap(), 3);
    assert_eq!(second, [Prompt(Cycles(10)), Unasked, Prompt(Cycles(20))]);
}

#[test]
fn a_lost_interrupt_takes_no_turn() {
    let mut pairing = pairing(3);
    pairing.trigger(Seq(0), 0);
    pairing.trigger(Seq(1), 1000);
    // Nothing of the first one: the target has not seen it.
    pairing.give_up(500);
    assert_eq!(pairing.edge(0, 1010), Match::Answer(Seq(1)));
    assert_eq!(pairing.edge(1, 1020), Match::Answer(Seq(1)));
    let lost = pairing.take(true).unwrap();
    assert_eq!(answers(&lost, 3), [Missing, Unasked, Unasked]);
    assert_eq!(lost.outcome(), Outcome::Missing);
    let taken = pairing.take(true).unwrap();
    assert_eq!(answers(&taken, 3), [Prompt(Cycles(10)), Prompt(Cycles(20)), Unasked]);
}

#[test]
fn a_response_that_does_not_come_is_missing_on_its_own_line() {
    let mut pairing = pairing(3);
    pairing.trigger(Seq(0), 0);
    pairing.edge(0, 10);
    pairing.give_up(u64::MAX);
    let slot = pairing.take(true).unwrap();
    assert_eq!(answers(&slot, 3), [Prompt(Cycles(10)), Missing, Unasked]);
}

#[test]
fn what_was_merged_asks_no_line() {
    let mut pairing = pairing(3);
    pairing.trigger(Seq(0), 0);
    pairing.trigger(Seq(1), 100);
    pairing.coalesce_youngest();
    pairing.edge(0, 110);
    pairing.edge(1, 120);
    let first = answers(&pairing.take(true).unwrap(), 3);
    assert_eq!(first, [Late(Cycles(110)), Late(Cycles(120)), Unasked]);
    let merged = pairing.take(true).unwrap();
    assert_eq!(answers(&merged, 3), [Coalesced, Unasked, Unasked]);
    assert_eq!(merged.outcome(), Outcome::Coalesced);
}

#[test]
fn with_one_other_line_both_answer_each_trigger() {
    let mut pairing = pairing(2);
    for trigger in 0..3 {
        pairing.trigger(Seq(trigger), 0);
        pairing.edge(1, 1);
        pairing.edge(0, 2);
        let slot = pairing.take(true).unwrap();
        assert_eq!(answers(&slot, 2), [Prompt(Cycles(2)), Prompt(Cycles(1))]);
    }
}

proptest! {
    /// Loses interrupts and responses at random: each trigger settles, asks one other line at most,
    /// and every response has the time that it took.
    #[test]
    fn turns_stay_right_whatever_is_lost(
        lines in 3u8..8,
        fates in prop::collection::vec((any::<bool>(), any::<bool>(), 1u64..400), 1..60),
    ) {
        let mut pairing = pairing(lines);
        let others = u64::from(lines) - 1;
        let (mut taken, mut expected) = (0, Vec::new());
        for (number, (is_lost, is_silent, span)) in fates.iter().enumerate() {
            let at = number as u64 * 1000;
            prop_assert!(pairing.trigger(Seq(number as u64), at));
            let turn = 1 + taken % others;
            if !is_lost {
                taken += 1;
                pairing.edge(0, at + 1);
                if !is_silent {
                    pairing.edge(turn as u8, at + span);
                }
            }
            pairing.give_up(at + 500);
            expected.push((!is_lost).then_some((turn, (!is_silent).then_some(*span))));
        }
        for fate in expected {
            let slot = pairing.take(true).unwrap();
            let asked = (1..usize::from(lines)).filter(|line| slot.answers[*line] != Some(Unasked));
            let asked: Vec<usize> = asked.collect();
            match fate {
                None => {
                    prop_assert_eq!(slot.answers[0], Some(Missing));
                    prop_assert!(asked.is_empty());
                }
                Some((turn, span)) => {
                    prop_assert_eq!(&asked, &vec![turn as usize]);
                    let answer = span.map_or(Missing, |span| Prompt(Cycles(span)));
                    prop_assert_eq!(slot.answers[turn as usize], Some(answer));
                }
            }
        }
        prop_assert!(pairing.take(true).is_none());
    }
}

#[test]
fn a_turn_lasts_for_some_triggers_and_a_lost_interrupt_is_none_of_them() {
    let mut pairing = Pairing::new(vec![Slot::EMPTY; 64], 3);
    pairing.take_turns(2);
    let mut turns = Vec::new();
    for trigger in 0..9 {
        pairing.trigger(Seq(trigger), trigger * 1000);
        if trigger == 3 {
            pairing.mark_coalesced(0, Seq(trigger));
        } else {
            pairing.edge(0, trigger * 1000 + 2);
            let is_first = pairing.edge(1, trigger * 1000 + 3) == Match::Answer(Seq(trigger));
            turns.push(if is_first { 1 } else { 2 });
            pairing.edge(2, trigger * 1000 + 3);
        }
        assert!(pairing.take(true).is_some(), "trigger {trigger}");
    }
    assert_eq!(turns, [1, 1, 2, 2, 1, 1, 2, 2]);
}
