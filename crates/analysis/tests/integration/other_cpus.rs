// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Waits of the CPU under test for another one, and answers that come there.

use crate::story;
use crate::story::{PLAIN, Story, TASK_PID, late, told};
use irqscope_analysis::{CauseKind, Explained};
use irqscope_run::CaseData;
use irqscope_wire::{Context, Cycles, Event, Outcome, Priority, Stage, Symbol, Vector, What};

const LOCK: u64 = 0x9000;
const HOLDING: u32 = 70;
const CALLED: u64 = 0x4000;
const ENTRY: u64 = 0x5000;
const OFF: u64 = 0x6000;

fn event(order: u32, at: u64, pid: u32, what: What) -> Event {
    let (priority, context) = (Priority(121), Context(PLAIN));
    Event { at: Cycles(at), order, pid, priority, context, what }
}

/// Adds events to the CPU under test, with numbers that leave no gap.
fn with(data: &mut CaseData, added: Vec<Event>) {
    data.events.extend(added);
    data.events.sort_by_key(|event| event.at);
    for (event, order) in data.events.iter_mut().zip(1..) {
        event.order = order;
    }
}

fn other(story: &[(u64, u32, What)]) -> Vec<Event> {
    let all = story.iter().zip(1..);
    all.map(|((at, pid, what), order)| event(order, *at, *pid, what.clone())).collect()
}

fn named(name: &str) -> What {
    What::Named(name.into())
}

fn longest(one: &Explained) -> String {
    one.segments.iter().max_by_key(|segment| segment.length).unwrap().cause.to_string()
}

/// Makes a trigger whose handler is 5,000 cycles late, for as long as a lock is waited for.
fn spinning() -> CaseData {
    let mut data = told(&Story { entry: 5_300, ..Story::undisturbed(2_050_000) }, vec![]);
    with(
        &mut data,
        vec![
            event(0, 2_049_900, TASK_PID, What::ContentionBegin { lock: LOCK }),
            event(0, 2_055_000, TASK_PID, What::ContentionEnd { lock: LOCK }),
        ],
    );
    data
}

#[test]
fn the_one_that_has_the_lock_is_named_with_its_cpu() {
    let mut data = spinning();
    let holder = other(&[
        (2_000_000, HOLDING, named("holder")),
        (2_000_000, HOLDING, What::IdleExit),
        (2_080_000, HOLDING, What::Statistics { pid: HOLDING }),
    ]);
    data.others.insert(3, holder.clone());
    assert_eq!(longest(&late(&data, Stage::Irq)), "another CPU: holder (has a lock on CPU 3)");
    // One that wants it as well has it not.
    let waiting = other(&[
        (2_010_000, 71, named("second")),
        (2_010_000, 71, What::ContentionBegin { lock: LOCK }),
        (2_080_000, 71, What::ContentionEnd { lock: LOCK }),
    ]);
    data.others.insert(1, waiting);
    assert_eq!(longest(&late(&data, Stage::Irq)), "another CPU: holder (has a lock on CPU 3)");
    // Of two that may have it neither is chosen.
    data.others.insert(2, holder);
    let both = "another CPU: holder or holder (has a lock on CPU 2 or CPU 3)";
    assert_eq!(longest(&late(&data, Stage::Irq)), both);
}

#[test]
fn without_a_record_of_the_other_cpu_it_is_still_not_this_one() {
    assert_eq!(longest(&late(&spinning(), Stage::Irq)), "another CPU: which has a lock");
}

#[test]
fn where_there_is_one_cpu_no_other_has_the_lock() {
    // A mutex or, on RT kernels, a spinlock: the thread is about to sleep.
    let mut data = spinning();
    data.started.as_mut().unwrap().cpus = 1;
    let all = late(&data, Stage::Irq);
    let kinds: Vec<_> = all.segments.iter().map(|segment| segment.cause.kind).collect();
    assert!(!kinds.contains(&CauseKind::OtherCpu), "{kinds:?}");
}

#[test]
fn a_call_that_is_taken_late_names_the_code_that_kept_it_off() {
    let mut data = told(&Story { held: 5_000, ..Story::undisturbed(2_050_000) }, vec![]);
    let end = 2_050_000 + 300 + 270 + 4_900;
    with(
        &mut data,
        vec![
            event(0, 2_049_900, TASK_PID, What::CallOthers { function: CALLED }),
            event(0, end, TASK_PID, What::CallOthersEnd),
        ],
    );
    for (address, name) in [(CALLED, "called"), (ENTRY, "asm_sysvec_call_function"), (OFF, "off")] {
        data.symbols.push(Symbol { address, name: name.into() });
    }
    let vector = Vector::CallFunctionSingle;
    data.others.insert(
        1,
        other(&[
            (2_000_000, HOLDING, named("holder")),
            (2_000_000, HOLDING, What::IdleExit),
            (end - 100, HOLDING, What::VectorEntry { vector, interrupted: 0 }),
            (end - 50, HOLDING, What::VectorExit(vector)),
            (end - 40, HOLDING, What::Stacked { address: ENTRY + 20 }),
            (end - 40, HOLDING, What::Stacked { address: OFF + 4 }),
            (end + 9_000, HOLDING, What::Statistics { pid: HOLDING }),
        ]),
    );
    assert_eq!(
        longest(&late(&data, Stage::User)),
        "another CPU: off (takes late, on CPU 1, the call of called)"
    );
    // It was in user mode: nothing lies beyond the interrupt's entry.
    data.others.get_mut(&1).unwrap().remove(5);
    assert_eq!(
        longest(&late(&data, Stage::User)),
        "another CPU: holder (takes late, on CPU 1, the call of called)"
    );
}

#[test]
fn an_answer_on_another_cpu_waits_for_what_that_one_does() {
    let story = Story { held: 5_000, ..Story::undisturbed(2_050_000) };
    let mut data = told(&story, vec![]);
    for response in data.raw.iter_mut().flat_map(|sample| &mut sample.responses) {
        if let (Stage::User, Outcome::Answered { cpu, .. }) =
            (response.stage, &mut response.outcome)
        {
            *cpu = 2;
        }
    }
    let unseen = late(&data, Stage::User);
    assert_eq!(longest(&unseen), "unexplained: answered on CPU 2");
    let begin = 2_050_000 + 300 + 100;
    let next = |pid| What::Switch { next: pid, priority: Priority(20), preempted: false };
    data.others.insert(
        2,
        other(&[
            (2_000_000, HOLDING, named("hog")),
            (2_000_000, HOLDING, What::IdleExit),
            (begin + 4_700, HOLDING, next(story::USER_PID)),
            (begin + 9_700, story::USER_PID, next(HOLDING)),
        ]),
    );
    let seen = late(&data, Stage::User);
    assert!(longest(&seen).ends_with(": hog (nice 0)"), "{}", longest(&seen));
    let sum: i64 = seen.segments.iter().map(|segment| segment.length.0).sum();
    assert_eq!(sum, seen.latency.0);
}

/// The counter's tick in these tests, in ns.
const TICK_NS: u64 = 2;

#[test]
fn another_cpus_turn_is_no_cause_but_itself() {
    // Of 5,300 cycles until the handler another CPU executed 5,000: interrupts were on.
    let late_entry = Story { entry: 5_300, ..Story::undisturbed(2_050_000) };
    let mut data = told(&late_entry, vec![]);
    let without = late(&data, Stage::Irq);
    assert!(longest(&without).starts_with("interrupts disabled"), "{}", longest(&without));
    let turn = |cycles: u64, cpu| (cycles * TICK_NS, cpu);
    data.turns = vec![turn(0, Some(0)), turn(2_050_100, Some(1)), turn(2_055_100, Some(0))];
    for stage in [Stage::Irq, Stage::Tasklet, Stage::User] {
        let with = late(&data, stage);
        let cycles = |kind: CauseKind| {
            let of = with.segments.iter().filter(|segment| segment.cause.kind == kind);
            of.map(|segment| segment.length.0 as u64 / TICK_NS).sum::<u64>()
        };
        assert_eq!(cycles(CauseKind::Turn), 5_000, "{stage:?}");
        assert_eq!(cycles(CauseKind::IrqsDisabled), 0, "{stage:?}");
        let sum: i64 = with.segments.iter().map(|segment| segment.length.0).sum();
        assert_eq!(sum, with.latency.0);
        let begin = with.segments.iter().find(|segment| segment.cause.kind == CauseKind::Turn);
        assert_eq!(begin.unwrap().start.0 as u64, 100 * TICK_NS);
    }
}

#[test]
fn what_a_cpu_waits_for_is_not_called_a_turn() {
    let mut data = spinning();
    data.turns = vec![(0, Some(3)), (2_052_000 * TICK_NS, Some(0)), (2_054_000 * TICK_NS, Some(3))];
    let waits = late(&data, Stage::Irq);
    let of = |kind| waits.segments.iter().filter(|one| one.cause.kind == kind).count();
    assert_eq!(longest(&waits), "another CPU: which has a lock");
    assert_eq!(of(CauseKind::OtherCpu), 1, "in one piece: {:?}", waits.segments);
}

#[test]
fn a_timer_that_was_set_late_is_a_turn_and_no_firmware() {
    let cause = |beyond: u64| {
        let user =
            Story { interrupted: 0, context: Context::USER, ..Story::undisturbed(2_050_000) };
        let mut data = told(&Story { entry: 300 + beyond, ..user }, vec![]);
        // An interrupt that a turn of 700 cycles came into.
        let irq = |at, what| event(0, at, TASK_PID, what);
        let entry = What::IrqEntry { number: 9, handler: CALLED };
        with(&mut data, vec![irq(60_000, entry), irq(61_000, What::IrqExit { number: 9 })]);
        let turn = |cycles: u64, cpu| (cycles * TICK_NS, cpu);
        data.turns = vec![
            turn(0, Some(0)),
            turn(20_000, Some(1)), // while this one sleeps, which says nothing
            turn(40_000, Some(0)),
            turn(60_100, Some(1)),
            turn(60_800, Some(0)),
        ];
        longest(&late(&data, Stage::Irq))
    };
    assert_eq!(cause(700), "turn of another CPU: while the timer was set");
    assert_eq!(cause(900), "hypervisor or firmware: interrupts were on, in user mode");
}
