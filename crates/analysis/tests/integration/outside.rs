// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The account of a case whose triggers a generator sends.

use crate::synthetic::generator::{seen, send};
use crate::synthetic::{Sender, answered, draft, plan, sample};
use irqscope_analysis::{CaseSummary, derive};
use irqscope_run::RunDir;
use irqscope_wire::{
    Answer, Counters, Cycles, Message, Outside, OutsideSample, Plan, Sample, Stage, Trigger,
};

/// Summarises four triggers that were asked for.
fn summary_of(inside: u64, outside: Vec<OutsideSample>, finished: bool) -> CaseSummary {
    let parent = tempfile::tempdir().unwrap();
    let generator = Some(Outside::default());
    let plan = plan("6.1/idle", &[Stage::Irq], 4);
    let plan =
        plan.with_stages(|asked| (asked.trigger, asked.outside) = (Trigger::Line, generator));
    let plan = Plan { tick: None, instruction: None, ..plan };
    let run = RunDir::create(parent.path().join("run"), &draft(&[plan])).unwrap();
    let mut target = Sender::new(&run, 0);
    target.open("6.1.0", &[Stage::Irq]);
    let one = |seq: u64| -> Sample { sample(seq, vec![answered(Stage::Irq, 100, 0)]) };
    target.send(Message::Samples((0..inside).map(one).collect()));
    if finished {
        let counters = Counters { triggers: inside, complete: inside, ..Counters::default() };
        target.send(Message::Finished(counters));
    }
    send(&run, 1, outside, vec![]);
    derive(&run).unwrap().cases.remove(0)
}

fn answers(count: u64) -> Vec<OutsideSample> {
    (0..count).map(|seq| seen(seq, vec![Answer::Prompt(Cycles(900))])).collect()
}

#[test]
fn triggers_are_counted_where_they_are_sent() {
    let case = summary_of(4, answers(4), true);
    assert_eq!((case.triggers, case.complete, case.coalesced), (4, 4, 0));
    assert!(case.identity_holds, "{:?}", case.violations);
}

#[test]
fn a_trigger_that_no_handler_saw_is_coalesced_and_told() {
    let mut outside = answers(4);
    outside[3].answers = vec![Answer::Missing];
    let case = summary_of(3, outside, true);
    assert_eq!((case.triggers, case.complete, case.coalesced), (4, 3, 1));
    assert!(case.identity_holds, "{:?}", case.violations);
    assert_eq!(case.outside.unwrap().lost_interrupts, Some(1));
    assert!(case.warnings.iter().any(|text| text.contains("lost in it")), "{:?}", case.warnings);
}

#[test]
fn a_case_that_was_cut_short_is_unfinished_and_not_invalid() {
    let case = summary_of(2, answers(0), false);
    assert!(case.violations.is_empty(), "{:?}", case.violations);
    assert!(!case.finished && !case.identity_holds);
}

#[test]
fn what_cannot_be_is_invalid_and_says_why() {
    let says = |case: CaseSummary, text: &str| {
        assert!(!case.identity_holds);
        assert!(case.violations.iter().any(|one| one.contains(text)), "{:?}", case.violations);
    };
    says(summary_of(0, answers(0), true), "never saw the target let its interrupt through");
    says(summary_of(3, answers(3), true), "asked for 4 triggers and sent 3");
    says(summary_of(4, answers(3), true), "ran 4 times for 3 triggers");
}
