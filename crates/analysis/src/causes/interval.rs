// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The time from one event to the next, and what the CPU did in it.

use irqscope_wire::{Called, Priority, What};

use super::cpu::Waits;
use super::frame::Frame;

/// The event that begins or ends an interval, by which alike steps of a path are found.
pub type Mark = std::mem::Discriminant<What>;

#[derive(Clone, Debug)]
pub struct Interval {
    pub from: u64,
    pub to: u64,
    pub pid: u32,
    pub priority: Priority,
    /// Outermost first; empty while the thread itself runs.
    pub frames: Vec<Frame>,
    /// When the hard interrupt that it is a part of was entered.
    pub interrupt: Option<u64>,
    pub idle: bool,
    /// It began with a call of a function that is called back.
    pub called: bool,
    /// See [`stopped`](super::stopped).
    pub runs_callback: bool,
    /// It began with a switch to the thread.
    pub switched: bool,
    /// The thread that comes next, if it ended with a switch.
    pub next: Option<u32>,
    /// It ended because the thread sleeps.
    pub slept: bool,
    /// It ended because a hard interrupt came.
    pub interrupted: bool,
    pub began: Mark,
    pub ended: Mark,
    /// Events written at its beginning.
    pub events: u32,
    /// System management interrupts came in it.
    pub smis: u32,
    /// The CPU stands still in it, and waits for another one.
    pub waits: Option<Waits>,
    /// Events are missing before its end: their numbers jump, or another thread runs then without a
    /// switch. An answer in it came before the record ended.
    pub gap: bool,
}

impl Interval {
    /// Returns whether the thread had the CPU for itself in all of it: it was given it, or kept it
    /// until an interrupt came. Otherwise the kernel may have been on its way to what comes next.
    pub fn is_run(&self) -> bool {
        self.next.is_none() && (self.switched || self.interrupted)
    }

    /// Returns the innermost function that is called back and runs, and its caller.
    pub fn callback(&self) -> Option<(Called, u64)> {
        self.called_back().filter(|_| self.runs_callback)
    }

    /// Returns the same, also where it may not have begun yet, or have returned.
    pub fn called_back(&self) -> Option<(Called, u64)> {
        self.frames.iter().rev().find_map(|frame| match frame {
            Frame::Callback { by, function } => Some((*by, *function)),
            _ => None,
        })
    }

    /// Returns whether a thread runs by itself, without softirqs or interrupts on top of it.
    pub fn is_threads(&self) -> bool {
        self.frames.iter().all(Frame::is_threads)
    }

    /// Returns whether it is the idle thread itself; its loop has interrupts disabled until it
    /// sleeps.
    pub fn idles(&self) -> bool {
        self.idle && self.frames.is_empty()
    }
}
