// SPDX-License-Identifier: GPL-2.0-or-later
//! The generator's core on QEMU's clock and wires.

use irqscope_generator::server::Server;
use irqscope_generator::{Act, Source};
use irqscope_wire::{Message, Seq};

use crate::port::{Gate, LINES, Port};
use crate::qemu::{Memory, Pin, Qemu, Timer};
use crate::smi::Smi;
use crate::trace;
use crate::translations;
use crate::turns;
use crate::waiting::Waiting;
use crate::wiring::Wiring;

/// How often commands are looked for, where some may come: virtual time.
const POLL_NS: u64 = 1_000_000;

/// The distance of the instants from which a run's triggers may count.
///
/// The guest's clock begins at a virtual time that only its kernel decides, so a run's triggers meet
/// the same phases of its tick, whenever its agent is ready: one of another size is a little earlier
/// or later. All tick rates (100, 250, 300, 1000 Hz) divide it.
const START_GRID_NS: u64 = 100_000_000;

/// The parts that are there once the machine's devices are.
pub struct Wires {
    pub timer: Timer,
    pub pin: Pin,
    pub port: Port,
    pub wiring: Wiring,
}

pub struct Machine {
    pub source: Source,
    /// `port=`: commands that came in are done at the timer's turn.
    pub server: Option<Server>,
    /// `smi=`, and how they are raised.
    pub smi: Option<(Smi, Memory)>,
    /// None: not yet, or it cannot work.
    pub wires: Option<Wires>,
    /// The answers that a trace waits for.
    waiting: Waiting,
    /// When the guest wrote to the port, until the registers were read.
    written: Option<u64>,
    /// The instant from which triggers count, until it has come.
    start: Option<u64>,
}

impl Machine {
    pub fn new(source: Source, server: Option<Server>, smi: Option<(Smi, Memory)>) -> Self {
        let waiting = Waiting::new();
        Self { source, server, smi, wires: None, waiting, written: None, start: None }
    }

    /// Takes note that the guest is writing to the port right now.
    pub fn written(&mut self, qemu: &Qemu) {
        let Some(wires) = &self.wires else { return };
        self.written = Some(qemu.now());
        qemu.fire_at(wires.timer, 0);
    }

    /// Runs the timer's turn. An edge comes before a trigger of the same instant, which cannot have
    /// caused it.
    pub fn turn(&mut self, qemu: &Qemu) {
        let now = qemu.now();
        self.look();
        if let Some(start) = self.start.take_if(|start| *start <= now) {
            self.source.target_armed(start);
        }
        while self.source.due().is_some_and(|due| due <= now) {
            let act = self.source.tick(now);
            self.act(qemu, act);
            if act == Act::Raise && trace::is_wanted() {
                self.waiting.trigger(self.source.waiting());
                let full = trace::trigger(self.youngest(), now);
                full.into_iter().for_each(|message| self.source.outbox.push(message));
            }
        }
        if let Some((smi, memory)) = &mut self.smi
            && smi.take(now)
        {
            memory.smi();
        }
        if trace::is_wanted() && !self.waiting.go_on(self.source.waiting()) {
            self.close_trace();
            if trace::ends(self.source.status().totals.triggers) {
                translations::throw_away();
            }
        }
        self.exchange(now);
        self.sleep(qemu, now);
    }

    pub fn exchange(&mut self, now: u64) {
        if let Some(server) = &mut self.server
            && server.exchange(&mut self.source, now)
        {
            server.wake();
        }
    }

    fn look(&mut self) {
        let (Some(at), Some(wires)) = (self.written.take(), &mut self.wires) else { return };
        let Some(seen) = wires.wiring.seen() else { return };
        let (changed, gate) = wires.port.look(seen);
        // A parallel port's last four lines fall with the gate: these are no answers.
        if gate == Gate::Closed {
            let ended = turns::measure(false);
            ended.into_iter().for_each(|turns| self.source.outbox.push(Message::Turns(turns)));
            self.start = None;
            self.source.target_disarmed();
            self.smi.iter_mut().for_each(|(smi, _)| smi.end());
        }
        for line in (0..LINES).filter(|line| changed >> line & 1 != 0) {
            self.source.line_changed(line, wires.port.is_high(line), at);
            trace::edge(line, at);
        }
        if gate == Gate::Opened {
            turns::measure(true);
            if trace::begins() {
                translations::throw_away();
            }
            let start = at.next_multiple_of(START_GRID_NS);
            self.start = Some(start);
            self.smi.iter_mut().for_each(|(smi, _)| smi.begin(start));
        }
    }

    fn youngest(&self) -> Seq {
        Seq(self.source.status().totals.triggers.saturating_sub(1))
    }

    /// Hands a stretch of the trace over.
    pub fn close_trace(&mut self) {
        for message in trace::close() {
            self.source.outbox.push(message);
        }
    }

    /// Acts; the port's gate stands between the wire and the controller.
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
        let poll = self.server.is_some().then_some(now + POLL_NS);
        let smi = self.smi.as_ref().and_then(|(smi, _)| smi.due());
        if let Some(at) = [self.source.due(), self.start, poll, smi].into_iter().flatten().min() {
            qemu.fire_at(wires.timer, at);
        }
    }
}
