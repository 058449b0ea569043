// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The engine, its machines and its host, as the task's parts share them.

use alloc::string::String;
use core::cell::RefCell;

use embassy_futures::yield_now;
use embassy_rp::Peri;
use embassy_rp::gpio::{Level, Output};
use embassy_rp::peripherals::PIN_25;
use embassy_rp::watchdog::Watchdog;
use embassy_time::{Duration, Timer};
use irqscope_board::Engine;
use irqscope_wire::Command;

use crate::CHIP;
use crate::fault::PATIENCE;
use crate::machines::Machines;

/// Shorter than that is waited for by asking again.
const NAP_US: u64 = 100;

pub struct Board {
    pub engine: Engine,
    machines: Machines,
    /// Told to the first host.
    pub before: Option<String>,
    /// A host is connected.
    pub connected: bool,
}

impl Board {
    pub fn new(engine: Engine, machines: Machines, before: Option<String>) -> Self {
        Self { engine, machines, before, connected: false }
    }

    pub fn command(&mut self, to: u64, command: Command) {
        self.engine.command(to, command, &mut self.machines);
    }
}

/// Reads what the machines wrote, for ever.
pub async fn keep_going(board: &RefCell<Board>, mut watchdog: Watchdog) {
    loop {
        watchdog.feed(PATIENCE);
        let idle = {
            let Board { engine, machines, .. } = &mut *board.borrow_mut();
            engine.poll(machines);
            engine.idle_for() / u64::from(CHIP.cycles_per_us)
        };
        if idle < NAP_US { yield_now().await } else { Timer::after_micros(idle).await }
    }
}

/// The light: flickers while a run is active, is on while a host is connected, and
/// blinks slowly else.
pub async fn show(board: &RefCell<Board>, pin: Peri<'static, PIN_25>) {
    let mut light = Output::new(pin, Level::High);
    loop {
        let (active, connected) = {
            let board = board.borrow();
            (board.engine.is_active(), board.connected)
        };
        match (active, connected) {
            (false, true) => light.set_high(),
            _ => light.toggle(),
        }
        Timer::after(Duration::from_millis(if active { 100 } else { 1_000 })).await;
    }
}
