// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Latencies split by what the CPU did.
#![allow(clippy::unwrap_used)] // helpers of tests too

#[path = "../../run/tests/synthetic/mod.rs"]
mod synthetic;

use irqscope_analysis::{Above, CauseKind, Explained, Explanation, Truth, culprit, explain};
use irqscope_run::{CaseData, RunDir};
use irqscope_wire::{
    Context, Counters, Cycles, Event, Fault, FaultKind, Message, Nanoseconds, Plan, Priority,
    Sample, Seq, Softirq, Stage, StageThread, Symbol, Vector, What,
};
use proptest::prelude::*;
use synthetic::{Sender, answered, draft, plan};

const STAGES: [Stage; 3] = [Stage::Irq, Stage::Tasklet, Stage::User];
const HANDLER: u64 = 0x1000;
const TASKLET: u64 = 0x1100;
const HOLDER: u64 = 0x2000;
const CALLER: u64 = 0x3000;
const USER_PID: u32 = 80;
const TASK_PID: u32 = 5;
/// Kernel mode, nothing disabled.
const PLAIN: u16 = 0;

fn case(events: Vec<Event>, samples: Vec<Sample>, truth: Vec<Fault>) -> CaseData {
    let parent = tempfile::tempdir().unwrap();
    let plan = Plan { explain: true, ..plan("6.1/idle", &STAGES, samples.len() as u64) };
    let run = RunDir::create(parent.path().join("run"), &draft(&[plan])).unwrap();
    let mut target = Sender::new(&run, 0);
    target.open("6.1.0", &STAGES);
    let symbol = |address, name: &str| Symbol { address, name: name.into() };
    target.send(Message::Samples(samples));
    target.send(Message::Events(events));
    target.send(Message::Symbols(vec![
        symbol(HANDLER, "irqscope_line_handler [irqscope]"),
        symbol(TASKLET, "irqscope_tasklet_run [irqscope]"),
        symbol(HOLDER, "_raw_spin_unlock_irqrestore"),
        symbol(CALLER, "holder_of_the_lock"),
    ]));
    let threads = vec![StageThread { stage: Stage::User, pid: USER_PID }];
    target.send(Message::Explained(irqscope_wire::Explained { threads, ..Default::default() }));
    target.send(Message::Truth(truth));
    target.send(Message::Finished(Counters::default()));
    let index = run.index().unwrap();
    run.case(&index, 0).unwrap()
}

/// Instants of one sample's events, from its trigger.
struct Story {
    trigger: u64,
    /// How long until the handler: beyond 300 cycles, interrupts are disabled.
    entry: u64,
    /// How long the interrupted thread goes on until the user stage may run.
    held: u64,
    interrupted: u64,
    context: u16,
}

impl Story {
    fn undisturbed(trigger: u64) -> Self {
        Self { trigger, entry: 300, held: 200, interrupted: HOLDER + 4, context: PLAIN }
    }

    fn events(&self, order: &mut u32) -> Vec<Event> {
        let priority = Priority(121);
        let task = |at: u64, context, what| (at, TASK_PID, priority, context, what);
        let user = |at, what| (at, USER_PID, Priority(20), PLAIN, what);
        let enter = self.trigger + self.entry;
        let mut at = enter;
        let mut later = |cycles: u64| {
            at += cycles;
            at
        };
        let seq = (self.trigger / 100_000) as u32;
        let interrupted = self.interrupted;
        let handler = What::IrqEntry { number: 7, handler: HANDLER };
        let next = What::Switch { next: USER_PID, priority: Priority(20), preempted: true };
        let back = What::Switch { next: TASK_PID, priority, preempted: false };
        let story = vec![
            task(enter, Context::IRQ, handler),
            task(later(10), self.context, What::Triggered { seq, interrupted }),
            task(later(0), self.context, What::Stacked { address: CALLER + 8 }),
            task(later(90), Context::IRQ, What::IrqExit { number: 7 }),
            task(later(100), Context::SOFTIRQ, What::SoftirqEntry(Softirq::Tasklet)),
            task(later(10), Context::SOFTIRQ, What::TaskletEntry { function: TASKLET }),
            task(later(50), Context::SOFTIRQ, What::TaskletExit),
            task(later(10), Context::SOFTIRQ, What::SoftirqExit(Softirq::Tasklet)),
            task(later(self.held), PLAIN, next),
            user(later(500), What::Statistics { pid: USER_PID }),
            user(later(100), back),
        ];
        let event = |(at, pid, priority, context, what)| {
            *order += 1;
            let (at, context) = (Cycles(at), Context(context));
            Event { at, order: *order, pid, priority, context, what }
        };
        story.into_iter().map(event).collect()
    }

    fn sample(&self) -> Sample {
        let irq = self.entry as i64 + 20;
        let tasklet = self.entry as i64 + 230;
        let user = self.entry as i64 + 270 + self.held as i64 + 300;
        Sample {
            seq: Seq(self.trigger / 100_000),
            trigger_cycles: Cycles(self.trigger),
            trigger_ns: Nanoseconds(self.trigger as i64 * 2),
            responses: vec![
                answered(Stage::Irq, irq, 0),
                answered(Stage::Tasklet, tasklet, 0),
                answered(Stage::User, user, 0),
            ],
        }
    }
}

/// Twenty undisturbed samples, and then the one that is looked at.
fn told(last: &Story, truth: Vec<Fault>) -> CaseData {
    let mut order = 0;
    let calm = (0..20).map(|n| Story::undisturbed(100_000 * n + 50_000));
    let mut stories: Vec<Story> = calm.collect();
    stories.push(Story { ..*last });
    let events = stories.iter().flat_map(|story| story.events(&mut order)).collect();
    case(events, stories.iter().map(Story::sample).collect(), truth)
}

fn late(data: &CaseData, stage: Stage) -> Explained {
    let (_, explained) = explain(data);
    explained.into_iter().rev().find(|one| one.stage == stage).unwrap()
}

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
    assert_eq!(one.segments[0].cause.kind, CauseKind::Unexplained);
    assert_eq!(culprit(&one, 0.1), None);
}

#[test]
fn causes_are_listed_by_what_they_account_for() {
    let story = Story { entry: 5_300, ..Story::undisturbed(2_050_000) };
    let (stages, _) = Explanation::of_case(&told(&story, vec![]), Above::Quantile(1000));
    let irq = &stages[0];
    assert_eq!((irq.stage, irq.count, irq.late, irq.violations), (Stage::Irq, 21, 1, 0));
    assert_eq!(irq.worst, [20]);
    assert_eq!(irq.shares[0].cause.kind, CauseKind::IrqsDisabled);
    assert_eq!(irq.shares[0].longest_ns, 10_000);
    let total: f64 = irq.shares.iter().map(|share| share.per_cent).sum();
    assert!((total - 100.0).abs() < 1e-9);
}

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

fn what() -> impl Strategy<Value = What> {
    let address = prop::sample::select(vec![0, HANDLER, TASKLET, HOLDER, CALLER, 7, u64::MAX]);
    (0..16u8, address, 0..3u32).prop_map(|(kind, address, small)| match kind {
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
