// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The tasks of each network.

use alloc::format;
use core::fmt::Write;

use embassy_executor::Spawner;
use embassy_net::Runner;
use embassy_rp::Peri;
use embassy_rp::peripherals::USB;
use embassy_usb::UsbDevice;
use heapless::String;
use irqscope_board::net::{PORT, USB_ADDRESS, hardware_address};
use irqscope_wire::Severity;
use static_cell::StaticCell;

use crate::board::Shared;
use crate::network::{self, Resources};
use crate::{ethernet, serial, usb};

/// Each task is spawned once: there is room for all.
macro_rules! spawn {
    ($spawner:expr, $($task:expr),+ $(,)?) => {
        $(if let Ok(task) = $task { $spawner.spawn(task) })+
    };
}

pub fn over_usb(spawner: Spawner, shared: &'static Shared, bus: Peri<'static, USB>, number: u64) {
    static NAME: StaticCell<String<16>> = StaticCell::new();
    static RESOURCES: StaticCell<Resources> = StaticCell::new();
    let name = NAME.init(String::new());
    let _ = write!(name, "{number:016X}");
    let usb = usb::begin(bus, number, name);
    let (stack, runner) = network::over_usb(usb.network, RESOURCES.init_with(Resources::new));
    spawn!(
        spawner,
        cable(usb.device),
        line(shared, usb.hears, usb.says),
        frames(usb.carrier),
        packets(runner),
        network::lease(stack),
    );
    network::serve(spawner, shared, stack, number);
}

pub fn over_ethernet(spawner: Spawner, shared: &'static Shared, pins: ethernet::Pins, number: u64) {
    spawn!(spawner, look_for_ethernet(spawner, shared, pins, number));
}

#[embassy_executor::task]
async fn look_for_ethernet(
    spawner: Spawner,
    shared: &'static Shared,
    pins: ethernet::Pins,
    number: u64,
) {
    static RESOURCES: StaticCell<Resources> = StaticCell::new();
    let found = ethernet::find(pins, hardware_address(number, 2)).await;
    let also =
        if found.is_some() { "and by Ethernet" } else { "no W5500 answers: not by Ethernet" };
    let [a, b, c, d] = USB_ADDRESS;
    let text = format!("this board serves port {PORT} over USB at {a}.{b}.{c}.{d}; {also}");
    shared.board().note(Severity::Info, text);
    if let Some((device, carrier)) = found {
        let (stack, runner) = network::over_ethernet(device, RESOURCES.init_with(Resources::new));
        spawn!(
            spawner,
            ethernet_frames(carrier),
            ethernet_packets(runner),
            network::fall_back(stack, number),
        );
        network::serve(spawner, shared, stack, number);
    }
}

#[embassy_executor::task]
async fn cable(mut device: UsbDevice<'static, usb::Bus>) -> ! {
    device.run().await
}

#[embassy_executor::task]
async fn line(shared: &'static Shared, hears: usb::Hears, says: usb::Says) -> ! {
    serial::serve(shared, hears, says).await
}

#[embassy_executor::task]
async fn frames(carrier: usb::Carrier) -> ! {
    carrier.run().await
}

#[embassy_executor::task]
async fn packets(mut runner: Runner<'static, usb::Network>) -> ! {
    runner.run().await
}

#[embassy_executor::task]
async fn ethernet_frames(carrier: ethernet::Carrier) -> ! {
    carrier.run().await
}

#[embassy_executor::task]
async fn ethernet_packets(mut runner: Runner<'static, ethernet::Network>) -> ! {
    runner.run().await
}
