// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Samples with the events of what happened meanwhile, for tests of what is said
//! of them.

pub(crate) use crate::synthetic;

use irqscope_analysis::{Explained, explain};
use irqscope_run::{CaseData, RunDir};
use irqscope_wire::{
    Context, Counters, Cycles, Event, Fault, Inside, Message, Nanoseconds, Priority, Sample, Seq,
    Softirq, Stage, StageThread, Symbol, What,
};
use synthetic::{Sender, answered, draft, plan};

pub const STAGES: [Stage; 3] = [Stage::Irq, Stage::Tasklet, Stage::User];
pub const HANDLER: u64 = 0x1000;
pub const TASKLET: u64 = 0x1100;
pub const HOLDER: u64 = 0x2000;
pub const CALLER: u64 = 0x3000;
pub const USER_PID: u32 = 80;
pub const TASK_PID: u32 = 5;
/// Kernel mode, nothing disabled.
pub const PLAIN: u16 = 0;

pub fn case(events: Vec<Event>, samples: Vec<Sample>, truth: Vec<Fault>) -> CaseData {
    let parent = tempfile::tempdir().unwrap();
    let inside = Some(Inside { explain: true, ..Inside::default() });
    let plan = plan("6.1/idle", &STAGES, samples.len() as u64);
    let plan = plan.with_stages(|asked| asked.inside = inside);
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
    let mut data = run.case(&index, 0).unwrap();
    if let Some(started) = &mut data.started {
        started.cpus = 4;
    }
    data
}

/// Instants of one sample's events, from its trigger.
pub struct Story {
    pub trigger: u64,
    /// How long until the handler: beyond 300 cycles, interrupts are disabled.
    pub entry: u64,
    /// How long the interrupted thread goes on until the user stage may run.
    pub held: u64,
    pub interrupted: u64,
    pub context: u16,
}

impl Story {
    pub fn undisturbed(trigger: u64) -> Self {
        Self { trigger, entry: 300, held: 200, interrupted: HOLDER + 4, context: PLAIN }
    }

    pub fn events(&self, order: &mut u32) -> Vec<Event> {
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

    pub fn sample(&self) -> Sample {
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

/// Makes twenty undisturbed samples, and then the one that is examined.
pub fn told(last: &Story, truth: Vec<Fault>) -> CaseData {
    let mut order = 0;
    let calm = (0..20).map(|n| Story::undisturbed(100_000 * n + 50_000));
    let mut stories: Vec<Story> = calm.collect();
    stories.push(Story { ..*last });
    let events = stories.iter().flat_map(|story| story.events(&mut order)).collect();
    case(events, stories.iter().map(Story::sample).collect(), truth)
}

pub fn late(data: &CaseData, stage: Stage) -> Explained {
    let (_, explained) = explain(data);
    explained.into_iter().rev().find(|one| one.stage == stage).unwrap()
}
