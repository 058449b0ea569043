// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The causes named for late responses, compared with the ground truth.

use crate::story::{Story, told};
use irqscope_analysis::Truth;
use irqscope_run::CaseData;
use irqscope_wire::{Cycles, Event, Fault, FaultKind, What};

#[test]
fn a_wrong_name_is_counted_as_wrong() {
    let story = Story { entry: 5_300, ..Story::undisturbed(2_050_000) };
    let (begin, end) = (Cycles(2_049_000), Cycles(2_055_000));
    let fault = Fault { kind: FaultKind::IrqsOff, begin, end };
    let truth = Truth::of(&told(&story, vec![fault])).unwrap();
    let row = &truth.kinds["irqs-off"];
    assert_eq!((row.faults, row.moved, row.right), (1, 3, 0));
    let wrong = &row.wrong["interrupts disabled: holder_of_the_lock"];
    assert_eq!((wrong.count, wrong.seq), (3, 20));
    assert_eq!((truth.without, truth.false_alarms), (60, 0));
}

/// One within the other: interrupts off from 2,500 cycles before the trigger's
/// handler on, then 3,000 more of a thread that is not preempted.
#[test]
fn of_two_at_once_the_longer_one_has_to_be_named_and_the_other_to_appear() {
    let fault = |begin, end| {
        let (begin, end) = (Cycles(begin), Cycles(end));
        Fault { kind: FaultKind::IrqsPreempt, begin, end }
    };
    let story = Story { entry: 2_800, held: 3_200, ..Story::undisturbed(2_050_000) };
    let end = 2_050_000 + story.entry + 270 + 3_000;
    let truth = vec![fault(2_049_000, end), fault(2_049_500, 2_052_500)];
    let mut data = told(&story, truth);
    let name = What::Named("irqscope-faults".into());
    let named = Event { what: name, ..data.events[0].clone() };
    data.events.insert(0, named);
    let row = |data: &CaseData| {
        let row = Truth::of(data).unwrap().kinds["irqs-off-in-preempt-off"].clone();
        (row.faults, row.moved, row.right)
    };
    // Only the thread is; it is what the user stage waited for the longest.
    assert_eq!(row(&data), (2, 3, 1));
    let holder = data.symbols.iter_mut().find(|one| one.name == "holder_of_the_lock").unwrap();
    holder.name = "irqscope_fault_within".into();
    assert_eq!(row(&data), (2, 3, 3));
}
