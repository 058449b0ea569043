// SPDX-License-Identifier: GPL-2.0-or-later
//! The generator's core on QEMU's clock and wires.

use std::collections::VecDeque;

use irqscope_generator::{Act, Source};
use irqscope_wire::Command;

use crate::port::{CONTROL, DATA, Gate, Port};
use crate::qemu::{Pin, Qemu, Timer};

/// How often commands are looked for, where some may come: virtual time.
const POLL_NS: u64 = 1_000_000;

/// What is there once the machine's devices are.
pub struct Wires {
    pub timer: Timer,
    pub pin: Pin,
    pub port: Port,
}

pub struct Machine {
    pub source: Source,
    /// Commands that came in; done at the timer's next turn.
    pub commands: VecDeque<(u64, Command)>,
    /// None: not yet, or it cannot work.
    pub wires: Option<Wires>,
    /// When the guest wrote to the port, until the registers were read.
    written: Option<u64>,
    polls: bool,
}

impl Machine {
    pub fn new(source: Source, polls: bool) -> Self {
        Self { source, commands: VecDeque::new(), wires: None, written: None, polls }
    }

    /// The guest is writing to the port right now.
    pub fn written(&mut self, qemu: &Qemu) {
        let Some(wires) = &self.wires else { return };
        self.written = Some(qemu.now());
        qemu.fire_at(wires.timer, 0);
    }

    /// The timer's turn. An edge comes before a trigger of the same instant,
    /// which cannot have caused it.
    pub fn turn(&mut self, qemu: &Qemu) {
        let now = qemu.now();
        self.look(qemu);
        while let Some((to, command)) = self.commands.pop_front() {
            self.source.command(to, command, now);
        }
        while self.source.due().is_some_and(|due| due <= now) {
            let act = self.source.tick(now);
            self.act(qemu, act);
        }
        self.sleep(qemu, now);
    }

    fn look(&mut self, qemu: &Qemu) {
        let (Some(at), Some(wires)) = (self.written.take(), &mut self.wires) else { return };
        let (changed, gate) = wires.port.look(qemu.inb(DATA), qemu.inb(CONTROL));
        for line in (0..8).filter(|line| changed >> line & 1 != 0) {
            self.source.edge(line, at);
        }
        match gate {
            Gate::Opened => self.source.armed(at),
            Gate::Closed => self.source.disarmed(),
            Gate::Same => {}
        }
    }

    /// The port's gate stands between the wire and the controller.
    fn act(&self, qemu: &Qemu, act: Act) {
        let Some(wires) = &self.wires else { return };
        match act {
            Act::Raise => qemu.set(wires.pin, wires.port.enabled()),
            Act::Lower => qemu.set(wires.pin, false),
            Act::Nothing => {}
        }
    }

    fn sleep(&self, qemu: &Qemu, now: u64) {
        let Some(wires) = &self.wires else { return };
        let poll = self.polls.then_some(now + POLL_NS);
        if let Some(at) = [self.source.due(), poll].into_iter().flatten().min() {
            qemu.fire_at(wires.timer, at);
        }
    }
}
