// SPDX-License-Identifier: GPL-2.0-or-later
//! System management interrupts at random instants: what firmware does to a CPU, for testing
//! whether it is distinguished from what the kernel does.

use irqscope_generator::Grid;
use irqscope_wire::{Cycles, JitterKind, Settings};

/// While the port's gate is open; uniform from half to one and a half times the mean.
#[derive(Clone, Debug)]
pub struct Smi {
    grid: Grid,
    settings: Settings,
    due: Option<u64>,
}

impl Smi {
    /// Makes the source; `usual` for settings that do not matter here.
    pub fn new(mean_ns: u64, seed: u64, usual: Settings) -> Self {
        let (period, jitter_amount) = (Cycles(mean_ns), Cycles(mean_ns / 2));
        let settings = Settings { period, jitter: JitterKind::Uniform, jitter_amount, ..usual };
        Self { grid: Grid::new(seed), settings, due: None }
    }

    pub fn begin(&mut self, now: u64) {
        self.due = Some(now + self.grid.step(&self.settings, 1));
    }

    pub fn end(&mut self) {
        self.due = None;
    }

    pub fn due(&self) -> Option<u64> {
        self.due
    }

    /// Returns whether one is due; the next comes later.
    pub fn take(&mut self, now: u64) -> bool {
        let is_due = self.due.is_some_and(|due| due <= now);
        if is_due {
            self.begin(now);
        }
        is_due
    }
}
