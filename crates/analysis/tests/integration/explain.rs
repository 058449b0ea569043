// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Latencies split by what the CPU did.

use crate::story::synthetic::answered;
use crate::story::{
    CALLER, HANDLER, HOLDER, PLAIN, STAGES, Story, TASK_PID, TASKLET, USER_PID, case, late, told,
};
use irqscope_analysis::{
    Above, CauseKind, Explanation, LeftOut, culprit, culprits, explain, ranking,
};
use irqscope_run::{FLAG_COALESCED, FLAG_MISSING, SampleRow};
use irqscope_wire::{
    Called, Context, Counters, Cycles, Event, Nanoseconds, Outcome, Priority, Sample, Seq, Softirq,
    Stage, Vector, What,
};
use proptest::prelude::*;

#[test]
fn disabled_interrupts_are_told_from_the_entry_and_named_by_the_caller() {
    let story = Story { entry: 5_300, ..Story::undisturbed(2_050_000) };
    let data = told(&story, vec![]);
    for stage in STAGES {
        let one = late(&data, stage);
        let (cause, length) = culprit(&one, 0.1).unwrap();
        assert_eq!(cause.kind, CauseKind::IrqsDisabled, "{stage}");
        assert_eq!(cause.name, "holder_of_the_lock", "the helper only enables");
        assert_eq!(length, Nanoseconds(10_000), "5,000 cycles of 2 ns");
    }
    let one = late(&data, Stage::Irq);
    assert_eq!(one.segments.len(), 2, "{:?}", one.segments);
    assert_eq!(one.segments[1].length, Nanoseconds(640));
}

#[test]
fn a_response_has_the_parts_that_the_thesis_names() {
    let story = Story::undisturbed(50_000);
    let mut order = 0;
    let mut events = story.events(&mut order);
    let lengths = |events: Vec<Event>, stage| {
        let one = late(&case(events, vec![story.sample()], vec![]), stage);
        let ns = one.parts.unwrap().0.map(|part| part.0);
        assert_eq!(ns.iter().sum::<i64>(), one.latency.0);
        ns
    };
    // The scheduler's call is unknown: its duration is a part of its latency.
    assert_eq!(lengths(events.clone(), Stage::User), [620, 180, 740, 0, 600]);
    let switch = events[8].clone();
    events.insert(8, Event { at: Cycles(switch.at.0 - 70), what: What::Schedule, ..switch });
    assert_eq!(lengths(events.clone(), Stage::User), [620, 180, 600, 140, 600]);
    assert_eq!(lengths(events.clone(), Stage::Tasklet), [620, 180, 0, 0, 260]);
    assert_eq!(lengths(events, Stage::Irq), [620, 20, 0, 0, 0]);
}

#[test]
fn a_thread_that_goes_on_is_named_with_what_it_was_in() {
    let context = Context::NO_PREEMPTION;
    let story = Story { held: 9_200, context, ..Story::undisturbed(2_050_000) };
    let data = told(&story, vec![]);
    let one = late(&data, Stage::User);
    let (cause, length) = culprit(&one, 0.1).unwrap();
    assert_eq!(cause.kind, CauseKind::NotPreempted);
    assert!(cause.detail.contains("nice 0, in holder_of_the_lock"), "{cause}");
    assert_eq!(length, Nanoseconds(18_000), "9,000 cycles beyond an undisturbed 200");
    assert_eq!(culprit(&late(&data, Stage::Tasklet), 0.1), None);
    let longest = culprits(&data, Stage::User);
    assert_eq!(longest.get(cause), Some(&one.latency.0), "{longest:?}");
    assert!(culprits(&data, Stage::Tasklet).keys().all(|other| other != cause));
}

/// The user stage is called, wants what a thread of low priority has, and a thread
/// of middle priority goes on meanwhile.
#[test]
fn a_stage_that_sleeps_again_waits_for_who_wakes_it() {
    const MIDDLE: u32 = 6;
    let story = Story::undisturbed(2_050_000);
    let mut order = 0;
    let mut events = story.events(&mut order);
    events.truncate(9); // up to the switch to the user stage
    let begin = events[8].at.0;
    let switch =
        |next, priority| What::Switch { next, priority: Priority(priority), preempted: false };
    let more = [
        (100, USER_PID, 20, switch(MIDDLE, 60)),
        (5_100, MIDDLE, 60, switch(TASK_PID, 121)),
        (6_100, TASK_PID, 121, What::Wakeup { pid: USER_PID, priority: Priority(20) }),
        (6_200, TASK_PID, 121, switch(USER_PID, 20)),
        (6_700, USER_PID, 20, What::Statistics { pid: USER_PID }),
    ];
    // Its trigger's handler called it.
    let call = What::Wakeup { pid: USER_PID, priority: Priority(20) };
    events.insert(3, Event { what: call, ..events[2].clone() });
    for (after, pid, priority, what) in more {
        let (at, priority) = (Cycles(begin + after), Priority(priority));
        events.push(Event { at, order: 0, pid, priority, context: Context(PLAIN), what });
    }
    for (order, event) in events.iter_mut().enumerate() {
        event.order = order as u32;
    }
    let answer = (begin + 6_400 - story.trigger) as i64;
    let mut sample = story.sample();
    sample.responses[2] = answered(Stage::User, answer, 0);
    let one = late(&case(events, vec![sample], vec![]), Stage::User);
    let of = |kind| one.segments.iter().find(|segment| segment.cause.kind == kind).unwrap();
    let inversion = of(CauseKind::PriorityInversion);
    assert_eq!(inversion.cause.name, "thread 6");
    assert_eq!(inversion.cause.detail, "real-time 40, before thread 5, on which the stage waits");
    assert_eq!(inversion.length, Nanoseconds(10_000), "5,000 cycles of 2 ns");
    let owner = of(CauseKind::LockOwner);
    assert_eq!((owner.cause.name.as_str(), owner.length), ("thread 5", Nanoseconds(2_000)));
}

#[test]
fn in_user_mode_nobody_can_have_disabled_interrupts() {
    let story = Story { entry: 5_300, ..Story::undisturbed(2_050_000) };
    let story = Story { interrupted: 0, context: Context::USER, ..story };
    let mut stories: Vec<Story> =
        (0..20).map(|n| Story::undisturbed(100_000 * n + 50_000)).collect();
    stories.iter_mut().for_each(|one| (one.interrupted, one.context) = (0, Context::USER));
    stories.push(story);
    let mut order = 0;
    let events = stories.iter().flat_map(|story| story.events(&mut order)).collect();
    let data = case(events, stories.iter().map(Story::sample).collect(), vec![]);
    let one = late(&data, Stage::Irq);
    assert_eq!(culprit(&one, 0.1).unwrap().0.kind, CauseKind::Firmware);
}

/// The CPU under test idles, and its own timer's interrupt comes before the
/// trigger's.
#[test]
fn in_the_idle_loop_nobody_is_blamed_for_disabled_interrupts() {
    let idle = |mut event: Event| {
        (event.pid, event.priority) = (0, Priority(121));
        event.context.0 |= Context::IDLE;
        event
    };
    let timer = Vector::LocalTimer;
    let mut order = 0;
    let mut events = Vec::new();
    let mut samples = Vec::new();
    for trigger in (0..21).map(|n| 100_000 * n + 50_000) {
        let delayed = trigger == 2_050_000;
        let story = Story { entry: if delayed { 900 } else { 300 }, ..Story::undisturbed(trigger) };
        let own: Vec<Event> = story.events(&mut order).into_iter().take(4).map(idle).collect();
        let at = |at: u64, what| {
            let context = Context(Context::IRQ | Context::IDLE);
            Event { at: Cycles(trigger + at), context, what, ..own[0].clone() }
        };
        events
            .push(Event { context: Context(Context::IDLE), ..at(0, What::IdleEntry { state: 1 }) });
        if delayed {
            events.push(at(700, What::VectorEntry { vector: timer, interrupted: HOLDER + 4 }));
            events.push(at(800, What::VectorExit(timer)));
        }
        events.extend(own);
        samples.push(Sample { responses: vec![story.sample().responses[0]], ..story.sample() });
    }
    for (order, event) in events.iter_mut().enumerate() {
        event.order = order as u32;
    }
    let one = late(&case(events, samples, vec![]), Stage::Irq);
    let kinds: Vec<CauseKind> = one.segments.iter().map(|segment| segment.cause.kind).collect();
    assert!(!kinds.contains(&CauseKind::IrqsDisabled), "{:?}", one.segments);
    assert_eq!(kinds[..3], [CauseKind::LeavingIdle, CauseKind::Own, CauseKind::Interrupt]);
    assert_eq!(one.segments[0].length, Nanoseconds(800), "400 cycles beyond an undisturbed 300");
}

/// A count of system management interrupts that rose says whose a stretched step
/// is, wherever it lies.
#[test]
fn firmware_is_named_where_its_interrupts_were_counted() {
    let smi = |data: &mut Vec<Event>, before: usize| {
        let next = data[before].clone();
        data.insert(before, Event { what: What::Smi { count: 1 }, ..next });
        data.iter_mut().enumerate().for_each(|(order, event)| event.order = order as u32);
    };
    let explained = |story: Story, before: usize| {
        let calm = (0..20).map(|n| Story::undisturbed(100_000 * n + 50_000));
        let stories: Vec<Story> = calm.chain([story]).collect();
        let mut order = 0;
        let mut events: Vec<Event> =
            stories.iter().flat_map(|one| one.events(&mut order)).collect();
        let first = events.len() - 11;
        smi(&mut events, first + before);
        case(events, stories.iter().map(Story::sample).collect(), vec![])
    };
    let entry = Story { entry: 5_300, ..Story::undisturbed(2_050_000) };
    let held = Story { held: 9_200, ..Story::undisturbed(2_050_000) };
    for (story, event, length) in [(entry, 0, 10_000), (held, 8, 18_000)] {
        let one = late(&explained(story, event), Stage::User);
        let (cause, found) = culprit(&one, 0.1).unwrap();
        assert_eq!(cause.to_string(), "hypervisor or firmware: system management interrupt");
        assert_eq!(found, Nanoseconds(length), "{:?}", one.segments);
    }
    let calm = explained(Story::undisturbed(2_050_000), 0);
    assert_eq!(culprit(&late(&calm, Stage::User), 0.01), None, "it came before the trigger");
}

/// Of the thread that is interrupted: RCU calls a function back in it, or the machine is stopped.
#[test]
fn what_is_called_back_is_named() {
    let explained = |by, story: Story, stage| {
        let calm = (0..20).map(|n| Story::undisturbed(100_000 * n + 50_000));
        let mut order = 0;
        let mut events: Vec<Event> = calm.flat_map(|one| one.events(&mut order)).collect();
        let mut last = story.events(&mut order);
        let before = |event: &Event, what| {
            let (at, context) = (Cycles(event.at.0 - 6_000), Context(PLAIN));
            Event { at, context, what, ..event.clone() }
        };
        let called = before(&last[0], What::CallbackEntry { by, function: TASKLET });
        let left = Event { what: What::CallbackExit(by), ..last[8].clone() };
        last.insert(8, left);
        last.insert(0, called);
        events.extend(last);
        events.iter_mut().enumerate().for_each(|(order, event)| event.order = order as u32);
        let calm = (0..20).map(|n| Story::undisturbed(100_000 * n + 50_000));
        let samples = calm.chain([story]).map(|story| story.sample()).collect();
        let one = late(&case(events, samples, vec![]), stage);
        culprit(&one, 0.1).map(|(cause, _)| cause.to_string())
    };
    let held = |held| Story { held, ..Story::undisturbed(2_050_000) };
    let named = "not preempted: thread 5 (nice 0, in irqscope_tasklet_run [irqscope])";
    for by in [Called::Rcu, Called::StopMachine] {
        assert_eq!(explained(by, held(9_200), Stage::User).as_deref(), Some(named));
    }
    // Longer than after the interrupt, it ran before.
    let before = explained(Called::StopMachine, held(3_200), Stage::User).unwrap();
    assert_eq!(before, "not preempted: thread 5 (nice 0, in holder_of_the_lock)");
    let off = Story { entry: 5_300, ..Story::undisturbed(2_050_000) };
    let expected =
        "interrupts disabled: irqscope_tasklet_run [irqscope] (called by stop_machine())";
    assert_eq!(explained(Called::StopMachine, off, Stage::Irq).as_deref(), Some(expected));
}

#[test]
fn page_faults_of_the_stage_are_told_from_its_own_path() {
    let story = Story::undisturbed(2_050_000);
    let mut order = 0;
    let mut events = story.events(&mut order);
    let begin = events[8].at.0;
    let fault = |at: u64, what| Event { at: Cycles(begin + at), what, ..events[9].clone() };
    let [from, to] = [fault(100, What::PageFault), fault(4_100, What::PageFaultEnd)];
    events[9].at.0 += 4_000;
    events[10].at.0 += 4_000;
    events.splice(9..9, [from, to]);
    events.iter_mut().enumerate().for_each(|(order, event)| event.order = order as u32);
    let mut sample = story.sample();
    let answer = begin + 4_300 - story.trigger;
    sample.responses[2] = answered(Stage::User, answer as i64, 0);
    let one = late(&case(events, vec![sample], vec![]), Stage::User);
    let (cause, length) = culprit(&one, 0.1).unwrap();
    assert_eq!((cause.to_string().as_str(), length), ("page fault", Nanoseconds(8_000)));
}

#[test]
fn causes_are_listed_by_what_they_account_for() {
    let story = Story { entry: 5_300, ..Story::undisturbed(2_050_000) };
    let (stages, _) = Explanation::of_case(
        &told(&story, vec![]),
        Above::Quantile(irqscope_quantity::Quantile::MAX),
    );
    let irq = &stages[0];
    assert_eq!((irq.stage, irq.count, irq.late, irq.violations), (Stage::Irq, 21, 1, 0));
    assert_eq!(irq.worst, [20]);
    assert_eq!(irq.shares[0].cause.kind, CauseKind::IrqsDisabled);
    assert_eq!(irq.shares[0].longest_ns, 10_000);
    let total: f64 = irq.shares.iter().map(|share| share.per_cent).sum();
    assert!((total - 100.0).abs() < 1e-9);
}

fn what() -> impl Strategy<Value = What> {
    let address = prop::sample::select(vec![0, HANDLER, TASKLET, HOLDER, CALLER, 7, u64::MAX]);
    let called = |small: u32| Called::ALL[small as usize];
    (0..22u8, address, 0..3u32).prop_map(move |(kind, address, small)| match kind {
        0 => What::IrqEntry { number: 7, handler: address },
        1 => What::IrqExit { number: 7 },
        2 => What::SoftirqEntry(Softirq::ALL[small as usize]),
        3 => What::SoftirqExit(Softirq::ALL[small as usize]),
        4 => What::TaskletEntry { function: address },
        5 => What::Switch { next: small, priority: Priority(small as u8), preempted: true },
        6 => What::WorkStart { function: address },
        7 => What::WorkEnd,
        8 => What::VectorEntry { vector: Vector::LocalTimer, interrupted: address },
        9 => What::VectorExit(Vector::LocalTimer),
        10 => What::HrtimerEntry { function: address },
        11 => What::Triggered { seq: small, interrupted: address },
        12 => What::Stacked { address },
        13 => What::Switch { next: small, priority: Priority(20), preempted: false },
        14 => What::Wakeup { pid: small, priority: Priority(20) },
        15 => What::Smi { count: small },
        16 => What::Schedule,
        17 => What::CallbackEntry { by: called(small), function: address },
        18 => What::CallbackExit(called(small)),
        19 => What::PageFault,
        20 => What::PageFaultEnd,
        _ => What::Named("name".into()),
    })
}

proptest! {
    #[test]
    fn whatever_the_events_segments_are_the_latency(
        events in prop::collection::vec((0..2_000u64, 0..3u32, any::<u8>(), 0..256u16, what()), 0..60),
        triggers in prop::collection::vec((0..2_000u64, -10..3_000i64), 1..4),
        cost in 0..400u32,
    ) {
        let event = |(order, (at, pid, priority, context, what)): (usize, _)| Event {
            at: Cycles(at),
            order: order as u32,
            pid,
            priority: Priority(priority),
            context: Context(context),
            what,
        };
        let events = events.into_iter().enumerate().map(event).collect();
        let sample = |(seq, (at, latency)): (usize, &(u64, i64))| Sample {
            seq: Seq(seq as u64),
            trigger_cycles: Cycles(*at),
            trigger_ns: Nanoseconds(0),
            responses: STAGES.map(|stage| answered(stage, *latency, 0)).to_vec(),
        };
        let mut data = case(events, triggers.iter().enumerate().map(sample).collect(), vec![]);
        data.explained.as_mut().unwrap().event_cost = cost;
        let (_, explained) = explain(&data);
        prop_assert_eq!(explained.len(), triggers.len() * STAGES.len());
        for one in &explained {
            let mut at = 0;
            for segment in &one.segments {
                prop_assert_eq!(segment.start.0, at);
                prop_assert!(segment.length.0 >= 0);
                at += segment.length.0;
            }
            prop_assert_eq!(at, one.latency.0.max(0));
        }
    }
}

#[test]
fn every_trigger_is_explained_or_left_out_for_a_reason() {
    let story = Story::undisturbed(2_050_000);
    let mut data = told(&story, vec![]);
    data.counters = Some(Counters { triggers: 30, ..Counters::default() });
    let user = |row: &&mut SampleRow| row.stage == Stage::User;
    for (row, flag) in data.rows.iter_mut().filter(user).zip([FLAG_COALESCED, FLAG_MISSING]) {
        (row.latency, row.flags) = (None, flag);
    }
    for (sample, outcome) in data.raw.iter_mut().zip([Outcome::Coalesced, Outcome::Missing]) {
        sample.responses[2].outcome = outcome;
    }
    let above = Above::Quantile(irqscope_quantity::Quantile::MAX);
    let stages = Explanation::of_case(&data, above).0;
    let of = |stage| stages.iter().find(|one| one.stage == stage).unwrap();
    let left = LeftOut { unrecorded: 9, ..LeftOut::default() };
    assert_eq!((of(Stage::Irq).count, of(Stage::Irq).left_out), (21, left));
    let left = LeftOut { coalesced: 1, missing: 1, ..left };
    assert_eq!((of(Stage::User).count, of(Stage::User).left_out), (19, left));
    assert!(stages.iter().all(|one| one.count as u64 + one.left_out.total() == 30));
}

#[test]
fn causes_are_ranked_over_all_cases_by_the_worst() {
    let above = Above::Quantile(irqscope_quantity::Quantile::P99);
    let mut all = Vec::new();
    for (case, entry, held) in [("6.1/idle", 5_300, 200), ("6.1/load", 1_300, 9_200)] {
        let context = Context::NO_PREEMPTION;
        let story = Story { entry, held, context, ..Story::undisturbed(2_050_000) };
        let mut data = told(&story, vec![]);
        data.case = case.into();
        all.extend(Explanation::of_case(&data, above).0);
    }
    let ranked = ranking(&all);
    let told: Vec<_> = ranked
        .iter()
        .map(|one| (one.all.kind, one.all.longest_ns, one.all.count, one.case.as_str(), one.cases))
        .collect();
    assert_eq!(told[0], (CauseKind::NotPreempted, 18_000, 1, "6.1/load", 1));
    // All three stages of the first case, and two of the second, whose third is the thread's.
    assert_eq!(told[1], (CauseKind::IrqsDisabled, 10_000, 5, "6.1/idle", 2));
    assert_eq!(ranked[1].stages, STAGES);
}
