// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Goal: where responses name their triggers, every answer is that of its own
//! trigger, and every trigger without one is known to be merged, whatever the target
//! merges and however late it answers.

use irqscope_generator::{Pairing, Slot};
use irqscope_wire::{Answer, Cycles, Seq};
use proptest::prelude::*;

const SLOTS: usize = 128;

/// One stage of a target, as the driver has it: a raise that finds an earlier one
/// pending is merged with it.
#[derive(Default)]
struct Stage {
    pending: Option<u32>,
    shown: u32,
    number: u32,
    /// By trigger: when it was answered; None: merged.
    truth: Vec<Option<u64>>,
}

impl Stage {
    fn raise(&mut self, number: u32) {
        self.truth.push(None);
        self.pending.get_or_insert(number);
    }

    fn run(&mut self, at: u64) {
        if let Some(number) = self.pending.take() {
            self.shown += 1;
            self.number = number;
            self.truth[number as usize - 1] = Some(at);
        }
    }
}

/// The events, one unit of time after the other.
#[derive(Clone, Copy, Debug)]
enum Step {
    Trigger,
    Run,
    Look,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![2 => Just(Step::Trigger), 2 => Just(Step::Run), 1 => Just(Step::Look)];
    prop::collection::vec(step, 1..200)
}

/// Plays the steps; the last answers are looked at in the end.
fn play(steps: &[Step]) -> (Vec<(u64, Answer)>, Stage, bool) {
    let mut pairing = Pairing::new([Slot::EMPTY; SLOTS], 1);
    let (mut stage, mut seen, mut together) = (Stage::default(), 0, false);
    let ends = [Step::Look, Step::Run, Step::Look];
    for (at, step) in steps.iter().chain(&ends).enumerate() {
        let (at, triggers) = (at as u64, stage.truth.len() as u32);
        match step {
            Step::Trigger if triggers < SLOTS as u32 => {
                let number = 1 + triggers;
                assert!(pairing.trigger(Seq(triggers.into()), at));
                pairing.set_trigger_number(at, number);
                stage.raise(number);
            }
            Step::Trigger => {}
            Step::Run => stage.run(at),
            Step::Look => {
                let count = stage.shown - seen;
                together |= count > 1;
                if count > 0 {
                    assert_eq!(pairing.responses(0, count, stage.number, at), count);
                }
                seen = stage.shown;
            }
        }
    }
    pairing.give_up(u64::MAX);
    let answers = std::iter::from_fn(|| pairing.take(true))
        .map(|slot| (slot.at, slot.answers[0].expect("given up")))
        .collect();
    (answers, stage, together)
}

fn span(answer: Answer) -> Option<u64> {
    match answer {
        Answer::Prompt(Cycles(span)) | Answer::Named(Cycles(span)) | Answer::Late(Cycles(span)) => {
            Some(span)
        }
        Answer::Missing | Answer::Coalesced | Answer::Unasked => None,
    }
}

proptest! {
    #[test]
    fn every_certain_answer_is_its_own_triggers_and_none_is_too_short(
        steps in steps(),
    ) {
        let (answers, stage, _) = play(&steps);
        prop_assert_eq!(answers.len(), stage.truth.len());
        for ((made, answer), truth) in answers.iter().zip(&stage.truth) {
            match answer {
                Answer::Prompt(_) | Answer::Named(_) => {
                    let truth = truth.expect("it was answered");
                    prop_assert!(made + span(*answer).unwrap_or(0) >= truth);
                }
                Answer::Missing => prop_assert!(truth.is_none()),
                // Only where several came at once; see below.
                Answer::Coalesced | Answer::Unasked | Answer::Late(_) => {}
            }
        }
        let answered = answers.iter().filter(|(_, answer)| span(*answer).is_some()).count();
        prop_assert_eq!(answered, stage.truth.iter().flatten().count());
    }

    #[test]
    fn nothing_is_unsure_as_long_as_one_response_is_seen_at_a_time(steps in steps()) {
        // A look after every run.
        let seen: Vec<Step> = steps.iter().flat_map(|step| [*step, Step::Look]).collect();
        let (answers, stage, together) = play(&seen);
        prop_assert!(!together);
        let last = stage.truth.iter().rposition(Option::is_some).unwrap_or(0);
        for (trigger, ((_, answer), truth)) in answers.iter().zip(&stage.truth).enumerate() {
            prop_assert!(!matches!(answer, Answer::Late(_)));
            prop_assert_eq!(span(*answer).is_some(), truth.is_some());
            // The last merged ones have no younger response that would show it.
            prop_assert!(truth.is_some() || trigger > last || *answer == Answer::Coalesced);
        }
    }
}

#[test]
fn a_stage_that_does_not_know_its_trigger_answers_the_oldest_for_sure() {
    let mut pairing = Pairing::new([Slot::EMPTY; SLOTS], 2);
    for (seq, at) in [(0, 10), (1, 20)] {
        assert!(pairing.trigger(Seq(seq), at));
        pairing.set_trigger_number(at, 1 + seq as u32);
    }
    assert_eq!(pairing.responses(0, 1, 0, 25), 1);
    assert_eq!(pairing.responses(0, 2, 0, 30), 1, "one more than triggers");
    assert_eq!(pairing.responses(1, 1, 2, 40), 1);
    let first = pairing.take(true).unwrap();
    assert_eq!(first.answers[..2], [Some(Answer::Named(Cycles(15))), Some(Answer::Coalesced)]);
    let second = pairing.take(true).unwrap();
    assert_eq!(second.answers[..2], [10, 20].map(|span| Some(Answer::Prompt(Cycles(span)))));
}

#[test]
fn a_response_to_a_trigger_that_was_given_up_is_extra() {
    let mut pairing = Pairing::new([Slot::EMPTY; SLOTS], 1);
    pairing.trigger(Seq(0), 10);
    pairing.set_trigger_number(10, 1);
    pairing.give_up(10);
    pairing.trigger(Seq(1), 20);
    pairing.set_trigger_number(20, 2);
    assert_eq!(pairing.responses(0, 1, 1, 30), 0);
    assert_eq!(pairing.responses(0, 1, 2, 31), 1);
}

#[test]
fn a_trigger_that_was_not_made_leaves_no_trace() {
    let mut pairing = Pairing::new([Slot::EMPTY; SLOTS], 1);
    pairing.trigger(Seq(0), 10);
    pairing.set_trigger_number(10, 1);
    pairing.trigger(Seq(1), 20);
    pairing.remove_youngest();
    pairing.trigger(Seq(2), 30);
    pairing.set_trigger_number(30, 2);
    assert_eq!(pairing.responses(0, 2, 2, 35), 2);
    let seqs: Vec<u64> = std::iter::from_fn(|| pairing.take(true)).map(|slot| slot.seq.0).collect();
    assert_eq!(seqs, [0, 2]);
}
