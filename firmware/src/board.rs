// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The engine, its machines and its host, as the task's parts share them.

use alloc::collections::VecDeque;
use alloc::string::String;
use core::cell::{RefCell, RefMut};

use embassy_futures::yield_now;
use embassy_rp::Peri;
use embassy_rp::gpio::{Level, Output};
use embassy_rp::peripherals::PIN_25;
use embassy_rp::watchdog::Watchdog;
use embassy_time::{Duration, Timer};
use irqscope_board::{Engine, HostSlot, Wires};
use irqscope_wire::{Command, Note, Severity, Status};

use crate::CHIP;
use crate::fault::PATIENCE;
use crate::machines::Machines;

/// Shorter than that is waited for by asking again.
const NAP_US: u64 = 100;

/// The state that all of the processor's tasks share.
pub struct Shared {
    board: RefCell<Board>,
    pub slot: HostSlot,
}

impl Shared {
    pub fn new(board: Board) -> Self {
        Self { board: RefCell::new(board), slot: HostSlot::default() }
    }

    /// Borrows the board; never held while a task waits.
    pub fn board(&self) -> RefMut<'_, Board> {
        self.board.borrow_mut()
    }
}

pub struct Board {
    pub engine: Engine,
    machines: Machines,
    /// Sent to the first host.
    notes: VecDeque<Note>,
}

impl Board {
    pub fn new(engine: Engine, machines: Machines) -> Self {
        Self { engine, machines, notes: VecDeque::new() }
    }

    pub fn note(&mut self, severity: Severity, text: String) {
        self.notes.push_back(Note { severity, text });
    }

    pub fn take_note(&mut self) -> Option<Note> {
        self.notes.pop_front()
    }

    /// Returns the status as it is now.
    pub fn status(&mut self) -> Status {
        let now = self.machines.now();
        let host = self.engine.host();
        host.set_clock(now);
        host.status()
    }

    pub fn command(&mut self, to: u64, command: Command) {
        self.engine.command(to, command, &mut self.machines);
    }
}

/// Reads what the machines wrote, for ever.
pub async fn keep_going(shared: &Shared, mut watchdog: Watchdog) {
    loop {
        watchdog.feed(PATIENCE);
        let idle = {
            let Board { engine, machines, .. } = &mut *shared.board();
            engine.poll(machines);
            engine.idle_for() / u64::from(CHIP.cycles_per_us)
        };
        if idle < NAP_US { yield_now().await } else { Timer::after_micros(idle).await }
    }
}

/// Drives the light: it flickers while a run is active, is on while a host is connected, and blinks
/// slowly else.
pub async fn show(shared: &Shared, pin: Peri<'static, PIN_25>) {
    let mut light = Output::new(pin, Level::High);
    loop {
        let active = shared.board().engine.is_active();
        match (active, shared.slot.is_taken()) {
            (false, true) => light.set_high(),
            _ => light.toggle(),
        }
        Timer::after(Duration::from_millis(if active { 100 } else { 1_000 })).await;
    }
}
