// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What becomes of a scenario on another rig, or with a board.

use irqscope_wire::{Line, Outside, Plan, Stage, Tick, Trigger};

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
        match self.template.trigger {
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
        if !self.names_stages {
            let all = Plan::default().stages;
            self.template.stages = stages_of(rig, self.template.trigger, all);
        }
    }

    /// Stages are asked; else benchmarks are run.
    pub fn needs_driver(&self) -> bool {
        self.template.needs_driver()
    }

    /// A generator at an address triggers.
    pub fn needs_board(&self) -> bool {
        by_board(self.rig, self.template.trigger) && self.needs_driver()
    }

    /// What a board does whatever the scenario was made for, and what it cannot see.
    fn leave_to_board(&mut self) {
        self.join_board();
        (self.template.inside, self.template.explain) = (false, false);
        (self.observer_effect, self.explain_effect) = (false, false);
    }

    fn join_board(&mut self) {
        let Plan { outside, line, .. } = &self.template;
        let (outside, line) = (outside.unwrap_or_default(), board::wires(*line));
        let trigger = Trigger::Line;
        self.template = Plan { trigger, line, outside: Some(outside), ..self.template.clone() };
    }

    fn set_spare_cpu(&mut self, outside: Option<Outside>) {
        match outside {
            Some(_) => (self.template.line, self.template.outside) = (Line::Memory, outside),
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
