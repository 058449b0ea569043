// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What becomes of a scenario on another rig, or with a board.

use irqscope_wire::{Line, Outside, Stage, StagePlan, Tick, Trigger};

use crate::board;
use crate::kind::RigKind;
use crate::scenario::Scenario;
use crate::text::Twin;

impl Scenario {
    /// Changes the rig, and the wires to those that its generator watches. Only
    /// the twin's counter has a tick known beforehand, and a rig may be without a
    /// generator; where one reaches a real machine, it is the one at the board's
    /// address, if there is an address.
    pub fn set_rig(&mut self, rig: RigKind) {
        self.rig = rig;
        (self.template.tick, self.template.instruction) = twin_clock(rig, self.twin);
        if self.needs_driver() {
            self.set_trigger(rig);
        }
    }

    fn set_trigger(&mut self, rig: RigKind) {
        let has_board = !rig.boots() && !self.board.address.is_empty();
        let Some(trigger) = self.trigger() else { return };
        match trigger {
            _ if !rig.reaches_target() => self.leave_to_board(),
            _ if has_board => self.join_board(),
            Trigger::Timer => {}
            Trigger::Inject => self.set_spare_cpu(self.spare_cpu.filter(|_| !rig.boots())),
            // Which wires they are is each kernel's own.
            Trigger::Line => {
                if rig.wires("").is_none() {
                    self.remove_generator();
                }
            }
        }
        if let (false, Some(asked)) = (self.names_stages, self.template.stages_mut()) {
            asked.stages = stages_of(rig, asked.trigger, StagePlan::default().stages);
        }
    }

    fn trigger(&self) -> Option<Trigger> {
        self.template.stages().map(|asked| asked.trigger)
    }

    /// Stages are asked; else benchmarks are run.
    pub fn needs_driver(&self) -> bool {
        self.template.needs_driver()
    }

    /// A generator at an address triggers.
    pub fn needs_board(&self) -> bool {
        self.trigger().is_some_and(|trigger| by_board(self.rig, trigger))
    }

    /// What a board does whatever the scenario was made for, and what it cannot see.
    fn leave_to_board(&mut self) {
        self.join_board();
        self.template = self.template.with_stages(|asked| asked.inside = None);
        (self.observer_effect, self.explain_effect) = (false, false);
    }

    fn join_board(&mut self) {
        if let Some(asked) = self.template.stages_mut() {
            asked.trigger = Trigger::Line;
            asked.line = board::wires(asked.line);
            asked.outside.get_or_insert_default();
        }
    }

    fn set_spare_cpu(&mut self, outside: Option<Outside>) {
        match self.template.stages_mut().filter(|_| outside.is_some()) {
            Some(asked) => (asked.line, asked.outside) = (Line::Memory, outside),
            None => self.remove_generator(),
        }
    }

    fn remove_generator(&mut self) {
        self.template = self.template.without_generator();
        self.observer_effect = false;
    }
}

const fn by_board(rig: RigKind, trigger: Trigger) -> bool {
    !rig.boots() && matches!(trigger, Trigger::Line)
}

/// All stages, or none: as many as the board has lines, which nobody knows yet.
pub(crate) fn stages_of(rig: RigKind, trigger: Trigger, all: Vec<Stage>) -> Vec<Stage> {
    if by_board(rig, trigger) { Vec::new() } else { all }
}

/// The ticks of the counter and of one instruction. QEMU's counter counts
/// virtual nanoseconds, whatever an instruction takes (`icount_get()`).
pub(crate) fn twin_clock(rig: RigKind, twin: Twin) -> (Option<Tick>, Option<Tick>) {
    const NANOSECOND: u64 = 1_000_000;
    let tick = |femtoseconds| rig.facts().virtual_clock.then_some(Tick { femtoseconds });
    (tick(NANOSECOND), tick(NANOSECOND << twin.shift))
}
