// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The trigger's own interrupt is the path of every stage, whatever kind of trigger it is.

use crate::story::synthetic::answered;
use crate::story::{CALLER, HANDLER, HOLDER, TASK_PID, case};
use irqscope_analysis::{CauseKind, Explained, culprit, explain};
use irqscope_wire::{
    Context, Cycles, Event, Nanoseconds, Priority, Sample, Seq, Softirq, Stage, Vector, What,
};

const TIMER: u64 = HANDLER;
const OTHER: u64 = CALLER;

/// Events in a row, as (cycles since the one before, event).
struct Row {
    at: u64,
    order: u32,
    events: Vec<Event>,
}

impl Row {
    fn new() -> Self {
        Self { at: 0, order: 0, events: Vec::new() }
    }

    fn push(&mut self, cycles: u64, context: u16, what: What) -> u64 {
        self.at += cycles;
        self.order += 1;
        let (at, context) = (Cycles(self.at), Context(context));
        let (order, priority) = (self.order, Priority(121));
        self.events.push(Event { at, order, pid: TASK_PID, priority, context, what });
        self.at
    }

    fn enter(&mut self, cycles: u64) {
        let timer = What::VectorEntry { vector: Vector::LocalTimer, interrupted: HOLDER + 4 };
        self.push(cycles, Context::IRQ, timer);
    }

    fn leave(&mut self) {
        self.push(60, Context::IRQ, What::VectorExit(Vector::LocalTimer));
    }

    fn function(&mut self, function: u64, length: u64) {
        self.push(50, Context::IRQ, What::HrtimerEntry { function });
        self.push(length, Context::IRQ, What::HrtimerExit);
    }

    fn handled(&mut self, seq: u64) {
        let what = What::Triggered { seq: seq as u32, interrupted: HOLDER + 4 };
        self.push(10, 0, what);
    }

    /// Returns when the stage answers: in the middle.
    fn softirq(&mut self) -> u64 {
        self.push(40, Context::SOFTIRQ, What::SoftirqEntry(Softirq::IrqPoll));
        self.push(80, Context::SOFTIRQ, What::SoftirqExit(Softirq::IrqPoll)) - 40
    }
}

fn sample(seq: u64, from: u64, to: u64) -> Sample {
    let responses = vec![answered(Stage::Softirq, (to - from) as i64, 0)];
    let (trigger_cycles, trigger_ns) = (Cycles(from), Nanoseconds(from as i64 * 2));
    Sample { seq: Seq(seq), trigger_cycles, trigger_ns, responses }
}

/// Adds a timer that triggers; `before` and `after` it, in the same interrupt, another's function.
fn timed(row: &mut Row, seq: u64, entry: u64, before: u64, after: u64) -> Sample {
    row.at = 100_000 * (seq + 1);
    let from = row.at;
    row.enter(entry);
    if before > 0 {
        row.function(OTHER, before);
    }
    row.push(50, Context::IRQ, What::HrtimerEntry { function: TIMER });
    row.handled(seq);
    row.push(90, Context::IRQ, What::HrtimerExit);
    if after > 0 {
        row.function(OTHER, after);
    }
    row.leave();
    let to = row.softirq();
    sample(seq, from, to)
}

/// Adds twenty timers that trigger, with nothing beside them.
fn undisturbed(row: &mut Row) -> Vec<Sample> {
    (0..20).map(|seq| timed(row, seq, 300, 0, 0)).collect()
}

fn explained(row: Row, samples: Vec<Sample>) -> Vec<Explained> {
    let (_, explained) = explain(&case(row.events, samples, vec![]));
    explained
}

fn said(one: &Explained) -> String {
    culprit(one, 0.05).map_or("no cause".to_owned(), |(cause, _)| cause.to_string())
}

#[test]
fn a_timer_that_triggers_is_not_what_delays() {
    let mut row = Row::new();
    let samples = undisturbed(&mut row);
    for one in explained(row, samples) {
        assert!(one.segments.iter().all(|one| one.cause.kind == CauseKind::Own), "{one:?}");
    }
}

#[test]
fn another_timer_in_the_same_interrupt_does_delay() {
    for (before, after) in [(900, 0), (0, 900)] {
        let mut row = Row::new();
        let mut samples = undisturbed(&mut row);
        samples.push(timed(&mut row, 20, 300, before, after));
        let one = explained(row, samples).pop().unwrap();
        assert_eq!(said(&one), "interrupt: local timer (holder_of_the_lock)");
        assert_eq!(culprit(&one, 0.05).unwrap().1, Nanoseconds(1_800), "{:?}", one.segments);
    }
}

/// The timer expires while another one's function runs, and is run next.
#[test]
fn a_timer_that_expires_within_an_interrupt_waits_for_its_function_only() {
    let mut row = Row::new();
    let mut samples = undisturbed(&mut row);
    let late = timed(&mut row, 20, 300, 900, 0);
    samples.push(Sample { trigger_cycles: Cycles(late.trigger_cycles.0 + 500), ..late });
    let one = explained(row, samples).pop().unwrap();
    assert_eq!(said(&one), "interrupt: local timer (holder_of_the_lock)");
    // It ran from 350 to 1,250 cycles after the first instant.
    assert_eq!(culprit(&one, 0.05).unwrap().1, Nanoseconds(1_500), "{:?}", one.segments);
}

/// No stage is irq, as where bottom halves take turns.
#[test]
fn disabled_interrupts_are_told_without_a_stage_irq() {
    let mut row = Row::new();
    let mut samples = undisturbed(&mut row);
    samples.push(timed(&mut row, 20, 5_300, 0, 0));
    let one = explained(row, samples).pop().unwrap();
    let (cause, length) = culprit(&one, 0.05).unwrap();
    assert_eq!(cause.kind, CauseKind::IrqsDisabled, "{:?}", one.segments);
    assert_eq!(length, Nanoseconds(10_000));
}

/// With one CPU, a timer of the same CPU injects the interrupt, which is taken when the timer's
/// own returns.
#[test]
fn a_timer_that_injects_is_the_triggers_path() {
    let injected = |row: &mut Row, seq: u64, after: u64| {
        row.at = 100_000 * (seq + 1);
        row.enter(300);
        row.push(50, Context::IRQ, What::HrtimerEntry { function: TIMER });
        let from = row.at + 20;
        row.push(90, Context::IRQ, What::HrtimerExit);
        if after > 0 {
            row.function(OTHER, after);
        }
        row.leave();
        row.push(70, Context::IRQ, What::IrqEntry { number: 7, handler: HANDLER });
        row.handled(seq);
        row.push(90, Context::IRQ, What::IrqExit { number: 7 });
        let to = row.softirq();
        sample(seq, from, to)
    };
    let mut row = Row::new();
    let mut samples: Vec<Sample> = (0..20).map(|seq| injected(&mut row, seq, 0)).collect();
    samples.push(injected(&mut row, 20, 900));
    let explained = explained(row, samples);
    for one in &explained[..20] {
        assert!(one.segments.iter().all(|one| one.cause.kind == CauseKind::Own), "{one:?}");
    }
    assert_eq!(said(&explained[20]), "interrupt: local timer (holder_of_the_lock)");
}
