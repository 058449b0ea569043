// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Softirqs that are threads, as on RT kernels: an interrupt preempts them.

use crate::story::{CALLER, Story, TASK_PID, case, late};
use irqscope_analysis::{CauseKind, culprit};
use irqscope_run::CaseData;
use irqscope_wire::{Context, Cycles, Event, Nanoseconds, Priority, Softirq, Stage, What};

/// Makes twenty samples that interrupt a thread, and one that interrupts a tasklet of other code, each
/// `held` cycles before the user stage has the CPU.
fn told(held: u64) -> CaseData {
    let mut order = 0;
    let calm = (0..20).map(|n| Story::undisturbed(100_000 * n + 50_000));
    let last = Story { held, ..Story::undisturbed(2_050_000) };
    let stories: Vec<Story> = calm.chain([last]).collect();
    let mut events = Vec::new();
    for (number, story) in stories.iter().enumerate() {
        let mut own = story.events(&mut order);
        own.drain(4..8); // its own tasklet
        if number == 20 {
            own[4].context = Context(Context::SOFTIRQ);
            events.extend(begun(story));
        }
        events.extend(own);
    }
    for (order, event) in events.iter_mut().enumerate() {
        event.order = order as u32;
    }
    case(events, stories.iter().map(Story::sample).collect(), vec![])
}

/// Makes the events of a tasklet that begins before a trigger.
fn begun(story: &Story) -> [Event; 2] {
    let event = |before, what| Event {
        at: Cycles(story.trigger - before),
        order: 0,
        pid: TASK_PID,
        priority: Priority(121),
        context: Context(Context::SOFTIRQ),
        what,
    };
    [
        event(60, What::SoftirqEntry(Softirq::Tasklet)),
        event(50, What::TaskletEntry { function: CALLER }),
    ]
}

#[test]
fn the_way_out_of_a_preempted_softirq_is_the_stages_own() {
    let undisturbed = late(&told(200), Stage::User);
    assert_eq!(culprit(&undisturbed, 0.05), None, "{:?}", undisturbed.segments);
}

#[test]
fn a_softirq_that_goes_on_is_named_for_the_part_that_is_not_usual() {
    let one = late(&told(5_200), Stage::User);
    let (cause, length) = culprit(&one, 0.05).unwrap();
    assert_eq!((cause.kind, cause.detail.as_str()), (CauseKind::Softirq, "holder_of_the_lock"));
    assert_eq!(length, Nanoseconds(10_000), "5,000 cycles of 2 ns beyond an undisturbed step");
}
