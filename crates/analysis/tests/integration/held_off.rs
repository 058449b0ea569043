// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Code that held off more interrupts than the trigger's.

use crate::story::{CALLER, HANDLER, HOLDER, Story, TASKLET, late, told};
use irqscope_analysis::CauseKind;
use irqscope_wire::{Cycles, Event, Nanoseconds, Stage, Vector, What};

/// Names the code that held off the trigger's interrupt and another one, which comes first: the trigger's
/// interrupts what follows that.
#[test]
fn what_held_off_two_interrupts_is_named_by_the_first() {
    let stacked = |address| What::Stacked { address };
    let vector = Vector::LocalTimer;
    let timer = [
        What::VectorEntry { vector, interrupted: HOLDER + 4 },
        stacked(CALLER + 8),
        What::VectorExit(vector),
    ];
    let device = [
        What::IrqEntry { number: 9, handler: HANDLER },
        stacked(HOLDER + 4),
        stacked(CALLER + 8),
        What::IrqExit { number: 9 },
    ];
    for first in [&timer[..], &device] {
        // Its softirqs are interrupted.
        let last =
            Story { entry: 5_300, interrupted: TASKLET + 4, ..Story::undisturbed(2_050_000) };
        let mut data = told(&last, vec![]);
        let entry = data.events.iter().position(|event| event.at == Cycles(2_055_300)).unwrap();
        let own = data.events[entry].clone();
        let count = first.len() as u64;
        for (n, what) in (0..).zip(first) {
            let exit = if n + 1 == count { 100 } else { 0 };
            let event = Event { at: Cycles(2_055_000 + exit), what: what.clone(), ..own.clone() };
            data.events.insert(entry + n as usize, event);
        }
        data.events.iter_mut().enumerate().for_each(|(order, event)| event.order = order as u32);
        let one = late(&data, Stage::Irq);
        let cause = &one.segments[0].cause;
        let known = (cause.kind, &*cause.name);
        assert_eq!(known, (CauseKind::IrqsDisabled, "holder_of_the_lock"), "{first:?}");
        assert_eq!(one.segments[0].length, Nanoseconds(10_000));
    }
}
