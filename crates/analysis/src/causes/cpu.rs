// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A CPU from one event to the next: its thread, the frames that this has entered, and the
//! other CPU that it stands still for.

use std::collections::BTreeMap;

use irqscope_wire::{Context, Event, Priority, What};

use super::frame::Frame;

/// The thing of another CPU that one waits for without sleeping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// Until it gives the lock at this address free.
    Lock(u64),
    /// Until it has called this function, which it was asked to at this instant.
    Call { function: u64, since: u64 },
}

/// A CPU, as the events until now show it.
#[derive(Debug, Default)]
pub struct Cpu {
    pub known: bool,
    pub pid: u32,
    pub priority: Priority,
    pub idle: bool,
    stacks: BTreeMap<u32, Vec<Frame>>,
    /// When the hard interrupt that it is in was entered.
    pub interrupt: Option<u64>,
    /// For other CPUs, innermost last, with the frames that it was in. A thread that is switched
    /// away from does not spin: it sleeps until it has a lock.
    waiting: Vec<(usize, Waits)>,
}

impl Cpu {
    pub fn waits(&self) -> Option<Waits> {
        let (frames, waits) = self.waiting.last()?;
        (*frames == self.frames().len()).then_some(*waits)
    }

    fn wait(&mut self, event: &Event) {
        let frames = self.frames().len();
        match event.what {
            What::ContentionBegin { lock } => self.waiting.push((frames, Waits::Lock(lock))),
            What::CallOthers { function } => {
                self.waiting.push((frames, Waits::Call { function, since: event.at.0 }));
            }
            What::ContentionEnd { lock } => self.end_wait(|waits| waits == Waits::Lock(lock)),
            What::CallOthersEnd => self.end_wait(|waits| matches!(waits, Waits::Call { .. })),
            What::Switch { .. } => self.waiting.clear(),
            _ => {}
        }
    }

    fn end_wait(&mut self, is: impl Fn(Waits) -> bool) {
        if let Some(at) = self.waiting.iter().rposition(|(_, waits)| is(*waits)) {
            self.waiting.truncate(at);
        }
    }

    pub fn frames(&self) -> &[Frame] {
        self.stacks.get(&self.pid).map_or(&[], Vec::as_slice)
    }

    pub fn take(&mut self, event: &Event) {
        if !self.known || self.pid != event.pid {
            self.pid = event.pid;
            self.known = true;
        }
        self.priority = event.priority;
        self.idle = event.context.is(Context::IDLE);
        let stack = self.stacks.entry(self.pid).or_default();
        // After a gap: what the event's context excludes was left unseen.
        if !event.context.is(Context::IRQ) {
            stack.retain(|frame| !frame.is_interrupt());
        }
        if !event.context.is(Context::IRQ) && !event.context.is(Context::SOFTIRQ) {
            stack.retain(Frame::is_threads);
        }
        match event.what {
            What::IrqEntry { number, handler } => stack.push(Frame::Irq { number, handler }),
            What::VectorEntry { vector, .. } => stack.push(Frame::Vector(vector)),
            What::SoftirqEntry(vector) => stack.push(Frame::Softirq(vector)),
            What::TaskletEntry { function } => stack.push(Frame::Tasklet(function)),
            What::HrtimerEntry { function } => stack.push(Frame::Hrtimer(function)),
            What::TimerEntry { function } => stack.push(Frame::Timer(function)),
            What::WorkStart { function } => stack.push(Frame::Work(function)),
            What::IrqExit { .. } => leave(stack, |frame| matches!(frame, Frame::Irq { .. })),
            What::VectorExit(_) => leave(stack, |frame| matches!(frame, Frame::Vector(_))),
            What::SoftirqExit(_) => leave(stack, |frame| matches!(frame, Frame::Softirq(_))),
            What::TaskletExit => leave(stack, |frame| matches!(frame, Frame::Tasklet(_))),
            What::HrtimerExit => leave(stack, |frame| matches!(frame, Frame::Hrtimer(_))),
            What::TimerExit => leave(stack, |frame| matches!(frame, Frame::Timer(_))),
            // RCU's callbacks follow each other: only the last one has an end of its own.
            What::CallbackEntry { by, function } => {
                leave(stack, |frame| frame.is_called_by(by));
                stack.push(Frame::Callback { by, function });
            }
            What::CallbackExit(by) => leave(stack, |frame| frame.is_called_by(by)),
            What::PageFault => stack.push(Frame::PageFault),
            What::PageFaultEnd => leave(stack, |frame| matches!(frame, Frame::PageFault)),
            What::WorkEnd => leave(stack, |frame| matches!(frame, Frame::Work(_))),
            What::Switch { next, priority, .. } => {
                self.pid = next;
                self.priority = priority;
                self.idle = next == 0;
            }
            _ => {}
        }
        self.wait(event);
        let hard = self.frames().iter().any(Frame::is_interrupt);
        self.interrupt = hard.then(|| self.interrupt.unwrap_or(event.at.0));
    }
}

/// Leaves the innermost of its kind, and what was entered within it.
fn leave(stack: &mut Vec<Frame>, is: impl Fn(&Frame) -> bool) {
    if let Some(at) = stack.iter().rposition(is) {
        stack.truncate(at);
    }
}
