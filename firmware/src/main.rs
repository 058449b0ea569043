// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The generator board's image, for RP2350 and RP2040.
//!
//! The machines of the PIO do all that needs timing (irqscope-board). What is left
//! for the processor is one task, in which three things take turns: reading what
//! the machines wrote, every millisecond or as fast as it goes; the host's
//! connection; and the light.
#![no_std]
#![no_main]

extern crate alloc;

mod board;
mod fault;
mod feed;
mod heap;
mod link;
mod machines;
mod pins;
mod ring;
mod serial;

use core::cell::RefCell;

use embassy_executor::Spawner;
use embassy_futures::join::join3;
use embassy_rp::clocks::ClockConfig;
use embassy_rp::config::Config;
use embassy_rp::watchdog::Watchdog;
use irqscope_board::Engine;

use board::{Board, keep_going, show};
use machines::Machines;

#[cfg(feature = "rp2040")]
const CHIP: irqscope_board::Chip = irqscope_board::RP2040;
#[cfg(feature = "rp2350")]
const CHIP: irqscope_board::Chip = irqscope_board::RP2350;

/// The chip's clock is the generator's tick. Another frequency than the chip has can
/// only be a mistake in this program: it has one for each.
fn clocks() -> Config {
    let hertz = CHIP.cycles_per_us * 1_000_000;
    Config::new(ClockConfig::system_freq(hertz).expect("the chip has this frequency"))
}

#[embassy_executor::main]
async fn main(_spawner: Spawner) {
    let peripherals = embassy_rp::init(clocks());
    let mut watchdog = Watchdog::new(peripherals.WATCHDOG);
    heap::begin();
    let before = fault::of_the_last_life(&watchdog);
    let machines = Machines::new(peripherals.PIN_12);
    let board =
        RefCell::new(Board::new(Engine::new(CHIP, env!("CARGO_PKG_VERSION")), machines, before));
    let uart = serial::uart(peripherals.UART0, peripherals.PIN_0, peripherals.PIN_1);
    watchdog.start(fault::PATIENCE);
    join3(
        keep_going(&board, watchdog),
        serial::serve(&board, uart),
        show(&board, peripherals.PIN_25),
    )
    .await;
}
