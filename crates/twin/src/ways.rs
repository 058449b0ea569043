// SPDX-License-Identifier: GPL-2.0-or-later
//! Ways through the guest's code: instructions cut into runs, and each way kept once.

use std::collections::HashMap;

use irqscope_wire::{Run, Way};

use crate::trace::Insn;

/// Runs in all ways of a case; later ways are cut short.
const MOST_RUNS: usize = 1 << 23;
/// Runs of a way that is cut short.
const SHORT: usize = 64;

/// Instructions that follow one another in memory.
#[derive(Clone, Copy, Debug)]
pub struct Stretch {
    start: u64,
    pub instructions: u32,
    bytes: u32,
    pub broken_off: bool,
}

/// The instructions of one CPU, cut into runs.
#[derive(Debug)]
pub struct Cutter {
    last: u64,
    next: u64,
    last_ended_block: bool,
}

/// How an instruction goes on from the one before.
pub enum Step {
    /// It follows in memory.
    On,
    /// It is the same again, as those that repeat themselves (`rep movs`) are.
    Again,
    /// It begins a run; `faulted`: the one before was called, and not executed.
    Jump { faulted: bool },
}

impl Cutter {
    pub const fn new() -> Self {
        Self { last: 0, next: 0, last_ended_block: true }
    }

    pub fn step(&mut self, insn: Insn) -> Step {
        let step = match insn.address() {
            here if here == self.next => Step::On,
            here if here == self.last && self.last_ended_block => Step::Again,
            _ => Step::Jump { faulted: !self.last_ended_block },
        };
        self.last = insn.address();
        self.next = insn.address().wrapping_add(insn.length().into());
        self.last_ended_block = insn.ends_block();
        step
    }
}

impl Stretch {
    pub fn new(insn: Insn) -> Self {
        Self { start: insn.address(), instructions: 1, bytes: insn.length(), broken_off: false }
    }

    pub fn extend(&mut self, insn: Insn) {
        self.instructions += 1;
        self.bytes += insn.length();
    }
}

/// Ways, each of them once.
#[derive(Debug, Default)]
pub struct Ways {
    known: HashMap<Way, u32>,
    runs: usize,
    /// Those that were not sent yet.
    pub new: Vec<Way>,
    /// Runs of these.
    pub new_runs: usize,
}

impl Ways {
    /// Returns the number of a way, the next one where it is new.
    pub fn number(&mut self, stretches: impl Iterator<Item = Stretch>, complete: bool) -> u32 {
        let mut end = 0u64;
        let run = |one: Stretch| {
            let step = one.start.wrapping_sub(end).cast_signed();
            end = one.start.wrapping_add(one.bytes.into());
            let Stretch { instructions, bytes, broken_off, .. } = one;
            Run { step, instructions, bytes, broken_off }
        };
        let mut way = Way { runs: stretches.map(run).collect(), complete };
        if let Some(known) = self.known.get(&way) {
            return *known;
        }
        if self.runs + way.runs.len() > MOST_RUNS && way.runs.len() > SHORT {
            way.runs.truncate(SHORT);
            way.complete = false;
            if let Some(known) = self.known.get(&way) {
                return *known;
            }
        }
        let number = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        self.runs += way.runs.len();
        self.new_runs += way.runs.len();
        self.new.push(way.clone());
        self.known.insert(way, number);
        number
    }
}
