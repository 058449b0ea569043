// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What is said of late responses, beside what is known of them.
#![allow(clippy::unwrap_used)] // helpers of tests too

mod story;

use irqscope_analysis::Truth;
use irqscope_wire::{Cycles, Fault, FaultKind};
use story::{Story, told};

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
