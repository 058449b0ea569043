// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The generator board's image, for RP2350 and RP2040.
//!
//! The machines of the PIO do all that needs timing (irqscope-board). One task is left for the
//! processor, in which three things take turns: reading what the machines wrote, every millisecond
//! or as fast as it goes; the serial line's host; and the light. USB, Ethernet and hosts over TCP
//! have tasks of their own, all on the same executor: none interrupts another.
#![no_std]
#![no_main]

extern crate alloc;

mod board;
mod ethernet;
mod fault;
mod feed;
mod flash;
mod heap;
mod identity;
mod link;
mod machines;
mod network;
mod pins;
mod ring;
mod sampler;
mod serial;
mod tasks;
mod usb;

use embassy_executor::Spawner;
use embassy_futures::join::join3;
use embassy_rp::clocks::ClockConfig;
use embassy_rp::config::Config;
use embassy_rp::watchdog::Watchdog;
use irqscope_board::Engine;
use irqscope_wire::Severity;
use static_cell::StaticCell;

use board::{Board, Shared, keep_going, show};
use flash::Store;
use machines::Machines;

#[cfg(feature = "rp2040")]
const CHIP: irqscope_board::Chip = irqscope_board::RP2040;
#[cfg(feature = "rp2350")]
const CHIP: irqscope_board::Chip = irqscope_board::RP2350;

/// Returns the clocks' settings: the chip's clock is the generator's tick. Another frequency than
/// the chip has can only be a mistake in this program: it has one for each.
fn clocks() -> Config {
    let hertz = CHIP.cycles_per_us * 1_000_000;
    Config::new(ClockConfig::system_freq(hertz).expect("the chip has this frequency"))
}

/// Returns the chip as it is wired: an RP2040 has a machine for a line or for a window, not for
/// both.
fn chip() -> irqscope_board::Chip {
    #[cfg(feature = "rp2040")]
    if pins::is_strapped(pins::SAMPLES) {
        return irqscope_board::RP2040_WINDOW;
    }
    CHIP
}

#[embassy_executor::main]
async fn main(spawner: Spawner) {
    let peripherals = embassy_rp::init(clocks());
    let mut watchdog = Watchdog::new(peripherals.WATCHDOG);
    heap::begin();
    let before = fault::of_the_last_life(&watchdog);
    let mut store = Store::new(peripherals.FLASH);
    let calibration = store.calibration();
    let serial = identity::serial(&mut store);
    let chip = chip();
    let engine = Engine::new(chip, env!("CARGO_PKG_VERSION"), calibration);
    let mut board = Board::new(engine, Machines::new(peripherals.PIN_12, chip, store));
    if let Some(text) = before {
        board.note(Severity::Warning, text);
    }
    static SHARED: StaticCell<Shared> = StaticCell::new();
    let shared = SHARED.init(Shared::new(board));
    let (says, hears) =
        serial::uart(peripherals.UART0, peripherals.PIN_0, peripherals.PIN_1).split();
    let ethernet = ethernet::Pins {
        spi: peripherals.SPI0,
        data_in: peripherals.PIN_16,
        select: peripherals.PIN_17,
        clock: peripherals.PIN_18,
        data_out: peripherals.PIN_19,
        reset: peripherals.PIN_20,
        interrupt: peripherals.PIN_21,
        #[cfg(feature = "rp2040")]
        says: peripherals.DMA_CH10,
        #[cfg(feature = "rp2040")]
        hears: peripherals.DMA_CH11,
        #[cfg(feature = "rp2350")]
        says: peripherals.DMA_CH12,
        #[cfg(feature = "rp2350")]
        hears: peripherals.DMA_CH13,
    };
    tasks::over_usb(spawner, shared, peripherals.USB, serial);
    tasks::over_ethernet(spawner, shared, ethernet, serial);
    watchdog.start(fault::PATIENCE);
    join3(
        keep_going(shared, watchdog),
        serial::serve(shared, hears, says),
        show(shared, peripherals.PIN_25),
    )
    .await;
}
