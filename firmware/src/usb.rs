// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The board on USB: a network interface (CDC-NCM) and a serial line (CDC-ACM) at
//! once, by the drivers that every Linux has.

use core::convert::Infallible;
use core::ops::Range;

use embassy_futures::poll_once;
use embassy_rp::peripherals::USB;
use embassy_rp::usb::{Driver, InterruptHandler};
use embassy_rp::{Peri, bind_interrupts};
use embassy_usb::class::cdc_acm::{self, CdcAcmClass, Receiver, Sender};
use embassy_usb::class::cdc_ncm::{self, CdcNcmClass, embassy_net as ncm};
use embassy_usb::{Builder, Config, UsbDevice};
use embedded_io_async::{ErrorType, Read};
use irqscope_board::net::hardware_address;
use static_cell::{ConstStaticCell, StaticCell};

use crate::link::Sink;

pub type Bus = Driver<'static, USB>;
pub type Network = ncm::Device<'static, MTU>;
pub type Carrier = ncm::Runner<'static, Bus, MTU>;

/// For tests, by pid.codes: a board is found by its names.
const VENDOR: u16 = 0x1209;
const PRODUCT: u16 = 0x0001;
const PACKET: u16 = 64;
const MTU: usize = 1514;

bind_interrupts!(struct Interrupts {
    USBCTRL_IRQ => InterruptHandler<USB>;
});

pub struct Usb {
    pub device: UsbDevice<'static, Bus>,
    pub hears: Hears,
    pub says: Says,
    pub carrier: Carrier,
    pub network: Network,
}

/// Sets the device up; `serial` is the board's own number, `text` the same in hexadecimal digits.
pub fn begin(usb: Peri<'static, USB>, serial: u64, text: &'static str) -> Usb {
    static CONFIGURATION: ConstStaticCell<[u8; 256]> = ConstStaticCell::new([0; 256]);
    static CAPABILITIES: ConstStaticCell<[u8; 64]> = ConstStaticCell::new([0; 64]);
    static CONTROL: ConstStaticCell<[u8; 128]> = ConstStaticCell::new([0; 128]);
    static SERIAL: StaticCell<cdc_acm::State<'static>> = StaticCell::new();
    static NETWORK: StaticCell<cdc_ncm::State<'static>> = StaticCell::new();
    static FRAMES: StaticCell<ncm::State<MTU, 4, 4>> = StaticCell::new();

    let mut builder = Builder::new(
        Bus::new(usb, Interrupts),
        names(text),
        CONFIGURATION.take(),
        CAPABILITIES.take(),
        &mut [], // nothing for Windows alone
        CONTROL.take(),
    );
    let network = NETWORK.init_with(cdc_ncm::State::new);
    let network = CdcNcmClass::new(&mut builder, network, hardware_address(serial, 1), PACKET);
    let line = CdcAcmClass::new(&mut builder, SERIAL.init_with(cdc_acm::State::new), PACKET);
    let (says, hears) = line.split();
    let frames = FRAMES.init_with(ncm::State::new);
    let (carrier, network) = network.into_embassy_net_device(frames, hardware_address(serial, 0));
    Usb { device: builder.build(), hears: Hears::new(hears), says: Says(says), carrier, network }
}

fn names(serial: &'static str) -> Config<'static> {
    let mut config = Config::new(VENDOR, PRODUCT);
    config.manufacturer = Some("irqscope");
    config.product = Some("irqscope generator board");
    config.serial_number = Some(serial);
    config.max_power = 100;
    config
}

/// The serial line's way from the host. Without a cable an endpoint does not wait:
/// it has nothing, at once and for ever.
pub struct Hears {
    receiver: Receiver<'static, Bus>,
    packet: [u8; PACKET as usize],
    /// The part of the packet that is still to be read.
    left: Range<usize>,
}

impl Hears {
    const fn new(receiver: Receiver<'static, Bus>) -> Self {
        Self { receiver, packet: [0; PACKET as usize], left: 0..0 }
    }
}

impl ErrorType for Hears {
    type Error = Infallible;
}

impl Read for Hears {
    async fn read(&mut self, buffer: &mut [u8]) -> Result<usize, Infallible> {
        while self.left.is_empty() {
            self.receiver.wait_connection().await;
            let length = self.receiver.read_packet(&mut self.packet).await.unwrap_or(0);
            self.left = 0..length.min(self.packet.len());
        }
        let length = buffer.len().min(self.left.len());
        let end = self.left.start + length;
        buffer[..length].copy_from_slice(&self.packet[self.left.start..end]);
        self.left.start = end;
        Ok(length)
    }
}

/// The serial line's way to the host.
pub struct Says(Sender<'static, Bus>);

impl Sink for Says {
    async fn write(&mut self, bytes: &[u8]) -> bool {
        if poll_once(self.0.wait_connection()).is_pending() {
            return false;
        }
        for packet in bytes.chunks(PACKET.into()) {
            if self.0.write_packet(packet).await.is_err() {
                return false;
            }
        }
        // Full packets alone do not say that they were all.
        !bytes.len().is_multiple_of(PACKET.into()) || self.0.write_packet(&[]).await.is_ok()
    }
}
