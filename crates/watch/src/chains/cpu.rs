// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One CPU: what it runs now, and what it ran before.

use std::collections::VecDeque;

use super::origin::Origin;
use crate::event::VECTORS;

/// Changes that are remembered: at 100,000 a second, 80 ms.
const HISTORY: usize = 8_192;

/// The work that a CPU does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Running {
    /// The handlers of an interrupt.
    Interrupt(u32),
    Softirq(u8),
    /// A timer's callback, by its address.
    Timer(u64),
    /// An interrupt without a descriptor.
    Local(u8),
    /// A work, by its function's address.
    Work(u64),
    /// A thread; 0 is the idle one.
    Thread(u32),
    /// Before the first switch that was seen.
    Unknown,
}

/// An interruption of the CPU's thread.
#[derive(Clone, Debug)]
pub struct Frame {
    pub running: Running,
    /// The chain that it belongs to.
    pub origin: Option<Origin>,
    /// When a timer was due.
    pub due: Option<u64>,
    /// A poll within has been counted.
    pub polled: bool,
}

impl Frame {
    pub fn of(running: Running) -> Frame {
        Frame { running, origin: None, due: None, polled: false }
    }
}

/// From when on a CPU ran something.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    pub at: u64,
    pub running: Running,
    /// The chain that it belonged to.
    pub chain: Option<u64>,
    /// The number of the text that says what let a timer's interrupt wait at its end.
    pub held_off: Option<usize>,
}

#[derive(Debug, Default)]
pub struct Cpu {
    pub task: Option<u32>,
    /// The innermost last.
    pub frames: Vec<Frame>,
    /// Chains that wait for a softirq.
    pub pending: [Option<Origin>; VECTORS.len()],
    /// The interrupt whose handler has just returned, and its chain.
    pub tail: Option<(u32, Option<Origin>)>,
    /// The kernel's stack, the innermost first, until the timer that comes late enters.
    stack: Vec<u64>,
    has_user_space: bool,
    history: VecDeque<Mark>,
}

impl Cpu {
    /// Leaves the innermost frame of a kind, and what was left open within it.
    pub fn pop(&mut self, wanted: impl Fn(Running) -> bool) -> Option<Frame> {
        let place = self.frames.iter().rposition(|frame| wanted(frame.running))?;
        self.frames.truncate(place + 1);
        self.frames.pop()
    }

    /// Runs another thread, in the frames that it was switched out in; returns those of the one
    /// before. An interrupt's handler is never switched out: its end was lost.
    pub fn switch(&mut self, next: u32, resumed: Vec<Frame>) -> Vec<Frame> {
        self.task = Some(next);
        self.tail = None;
        let kept = |frame: &Frame| !matches!(frame.running, Running::Interrupt(_));
        let left = self.frames.drain(..).filter(kept).collect();
        self.frames.extend(resumed);
        left
    }

    pub fn mark(&mut self, at: u64, chain: Option<u64>) {
        if self.history.len() == HISTORY {
            self.history.pop_front();
        }
        let thread = self.task.map_or(Running::Unknown, Running::Thread);
        let running = self.frames.last().map_or(thread, |frame| frame.running);
        self.history.push_back(Mark { at, running, chain, held_off: None });
    }

    /// Keeps a function of the kernel's stack; a stack that has a hole is dropped.
    pub fn stacked(&mut self, place: u32, address: u64, has_user_space: bool) {
        if place == 0 {
            self.stack.clear();
        }
        self.has_user_space = has_user_space;
        if self.stack.len() == place as usize {
            self.stack.push(address);
        }
    }

    /// Takes the stack; returns also whether the interrupt on it can have come in user space: a thread of a
    /// program was interrupted, in no softirq.
    pub fn stack(&mut self) -> (Vec<u64>, bool) {
        let in_softirq = |frame: &Frame| matches!(frame.running, Running::Softirq(_));
        let was_user_possible = self.has_user_space && !self.frames.iter().any(in_softirq);
        (std::mem::take(&mut self.stack), was_user_possible)
    }

    /// Returns whether what the CPU runs can have let an interrupt wait that comes now: there was none since
    /// it was due.
    pub fn could_wait(&self, due: u64, at: u64) -> bool {
        let waits = |mark: &Mark| matches!(mark.running, Running::Thread(_) | Running::Softirq(_));
        self.ran(due, at).iter().all(|(_, mark)| mark.as_ref().is_some_and(waits))
    }

    /// Says what let the interrupt wait that comes now.
    pub fn was_held_off(&mut self, text: usize) {
        if let Some(last) = self.history.back_mut() {
            last.held_off = Some(text);
        }
    }

    /// Returns what it ran in a time, each with its beginning within that time; none for a
    /// beginning that is no longer remembered.
    pub fn ran(&self, from: u64, to: u64) -> Vec<(u64, Option<Mark>)> {
        let first = self.history.partition_point(|mark| mark.at <= from);
        let before = first.checked_sub(1).and_then(|place| self.history.get(place)).copied();
        let within = self.history.range(first..).take_while(|mark| mark.at < to);
        let mut ran = vec![(from, before)];
        ran.extend(within.map(|mark| (mark.at, Some(*mark))));
        ran
    }
}
