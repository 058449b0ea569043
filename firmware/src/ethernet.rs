// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Ethernet by a W5500 on SPI, as on the W5500-EVB-Pico and its successor. One
//! image serves boards with and without it: it is asked for its version.

use embassy_net_wiznet::chip::W5500;
use embassy_net_wiznet::{Device, Runner, State};
use embassy_rp::gpio::{Input, Level, Output, Pull};
use embassy_rp::peripherals::{PIN_16, PIN_17, PIN_18, PIN_19, PIN_20, PIN_21, SPI0};
use embassy_rp::spi::{Async, Config, Spi};
use embassy_rp::{Peri, bind_interrupts, dma, peripherals};
use embassy_time::{Delay, Duration, with_timeout};
use embedded_hal_bus::spi::ExclusiveDevice;
use static_cell::StaticCell;

/// The limit of the chip, and of wires without a level shifter.
const SPI_HERTZ: u32 = 30_000_000;
/// It takes a tenth of a second to wake.
const PATIENCE: Duration = Duration::from_secs(1);

/// Behind those that the rings, the player and the window take.
#[cfg(feature = "rp2040")]
pub type Says = peripherals::DMA_CH10;
#[cfg(feature = "rp2040")]
pub type Hears = peripherals::DMA_CH11;
#[cfg(feature = "rp2350")]
pub type Says = peripherals::DMA_CH12;
#[cfg(feature = "rp2350")]
pub type Hears = peripherals::DMA_CH13;

bind_interrupts!(struct Interrupts {
    DMA_IRQ_0 => dma::InterruptHandler<Says>, dma::InterruptHandler<Hears>;
});

type Bus = ExclusiveDevice<Spi<'static, SPI0, Async>, Output<'static>, Delay>;
pub type Carrier = Runner<'static, W5500, Bus, Input<'static>, Output<'static>>;
pub type Network = Device<'static>;

pub struct Pins {
    pub spi: Peri<'static, SPI0>,
    pub data_in: Peri<'static, PIN_16>,
    pub select: Peri<'static, PIN_17>,
    pub clock: Peri<'static, PIN_18>,
    pub data_out: Peri<'static, PIN_19>,
    pub reset: Peri<'static, PIN_20>,
    pub interrupt: Peri<'static, PIN_21>,
    pub says: Peri<'static, Says>,
    pub hears: Peri<'static, Hears>,
}

/// Finds the chip. None: no such chip answers.
pub async fn find(pins: Pins, address: [u8; 6]) -> Option<(Network, Carrier)> {
    static STATE: StaticCell<State<4, 4>> = StaticCell::new();
    let mut config = Config::default();
    config.frequency = SPI_HERTZ;
    let Pins { spi, clock, data_out, data_in, says, hears, .. } = pins;
    let spi = Spi::new(spi, clock, data_out, data_in, says, hears, Interrupts, config);
    let select = Output::new(pins.select, Level::High);
    // Setting up a pin cannot fail.
    let bus = ExclusiveDevice::new(spi, select, Delay).ok()?;
    let interrupt = Input::new(pins.interrupt, Pull::Up);
    let reset = Output::new(pins.reset, Level::High);
    let state = STATE.init_with(State::new);
    let found = embassy_net_wiznet::new(address, state, bus, interrupt, reset);
    with_timeout(PATIENCE, found).await.ok()?.ok()
}
