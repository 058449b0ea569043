// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Hosts over TCP, on whichever network the board is: the one that it makes over
//! USB, and one that it finds by Ethernet.

use embassy_executor::Spawner;
use embassy_net::driver::Driver;
use embassy_net::tcp::{TcpReader, TcpSocket, TcpWriter};
use embassy_net::udp::{PacketMetadata, UdpSocket};
use embassy_net::{
    Config, ConfigV4, IpEndpoint, Ipv4Address, Ipv4Cidr, Runner, Stack, StackResources,
    StaticConfigV4,
};
use embassy_rp::clocks::RoscRng;
use embassy_time::{Duration, Timer, with_timeout};
use embedded_io_async::Write;
use irqscope_board::net::{PORT, USB_ADDRESS, USB_PREFIX, dhcp, link_local, mdns};

use crate::board::Shared;
use crate::link::{self, Sink, Source};

/// A host that acknowledges nothing for this time has gone; a silent one is probed.
const GONE: Duration = Duration::from_secs(60);
const ALIVE: Duration = Duration::from_secs(15);
/// How long the last frames of a connection may take.
const FAREWELL: Duration = Duration::from_secs(2);
const AGAIN: Duration = Duration::from_millis(100);
/// A network without a DHCP server has none after that.
const DHCP: Duration = Duration::from_secs(15);

/// Two for hosts, the second of which is refused; one each for DHCP and names, one to spare.
pub const SOCKETS: usize = 5;
pub type Resources = StackResources<SOCKETS>;

/// Starts the board's end of the USB cable.
pub fn over_usb<D: Driver>(
    device: D,
    resources: &'static mut Resources,
) -> (Stack<'static>, Runner<'static, D>) {
    let address = Ipv4Cidr::new(Ipv4Address::from_octets(USB_ADDRESS), USB_PREFIX);
    let fixed = Config::ipv4_static(alone(address));
    embassy_net::new(device, fixed, resources, RoscRng.next_u64())
}

/// Starts a network in which it is one of many.
pub fn over_ethernet<D: Driver>(
    device: D,
    resources: &'static mut Resources,
) -> (Stack<'static>, Runner<'static, D>) {
    let asking = Config::dhcpv4(Default::default());
    embassy_net::new(device, asking, resources, RoscRng.next_u64())
}

fn alone(address: Ipv4Cidr) -> StaticConfigV4 {
    StaticConfigV4 { address, gateway: None, dns_servers: Default::default() }
}

pub fn serve(spawner: Spawner, shared: &'static Shared, stack: Stack<'static>, serial: u64) {
    // Pools are as large as there are networks.
    for _ in 0..2 {
        if let Ok(task) = hosts(shared, stack) {
            spawner.spawn(task);
        }
    }
    if let Ok(task) = name(stack, mdns::Label::new(serial)) {
        spawner.spawn(task);
    }
}

/// Serves one host after another. There are two of it on each network: the second host is refused
/// because there is one already.
#[embassy_executor::task(pool_size = 4)]
async fn hosts(shared: &'static Shared, stack: Stack<'static>) -> ! {
    let (mut hears, mut says) = ([0; 1024], [0; 4096]);
    loop {
        let mut socket = TcpSocket::new(stack, &mut hears, &mut says);
        socket.set_timeout(Some(GONE));
        socket.set_keep_alive(Some(ALIVE));
        socket.set_nagle_enabled(false);
        if socket.accept(PORT).await.is_err() {
            Timer::after(AGAIN).await;
            continue;
        }
        let (mut reader, mut writer) = socket.split();
        link::serve(shared, &mut reader, &mut writer).await;
        socket.close();
        // Best effort: a client that has vanished does not get the end.
        let _ = with_timeout(FAREWELL, socket.flush()).await;
    }
}

impl Source for TcpReader<'_> {
    async fn read(&mut self, buffer: &mut [u8]) -> Option<usize> {
        TcpReader::read(self, buffer).await.ok().filter(|length| *length > 0)
    }
}

impl Sink for TcpWriter<'_> {
    async fn write(&mut self, bytes: &[u8]) -> bool {
        self.write_all(bytes).await.is_ok()
    }
}

/// Answers queries for the board's name and its service.
#[embassy_executor::task(pool_size = 2)]
async fn name(stack: Stack<'static>, label: mdns::Label) -> ! {
    let (mut hears, mut says) = ([0; 1536], [0; 2 * mdns::LONGEST]);
    let (mut heard, mut said) = ([PacketMetadata::EMPTY; 4], [PacketMetadata::EMPTY; 4]);
    let group = Ipv4Address::from_octets(mdns::GROUP);
    while stack.join_multicast_group(group).is_err() {
        Timer::after(AGAIN).await;
    }
    let mut socket = UdpSocket::new(stack, &mut heard, &mut hears, &mut said, &mut says);
    while socket.bind(mdns::PORT).is_err() {
        Timer::after(AGAIN).await;
    }
    let (mut asked, mut answer) = ([0; 512], [0; mdns::LONGEST]);
    loop {
        // A packet that is too long for the buffer is for others.
        let Ok((length, from)) = socket.recv_from(&mut asked).await else { continue };
        let Some(config) = stack.config_v4() else { continue };
        let (port, address) = (from.endpoint.port, config.address.address().octets());
        let Some(said) = label.answer(&asked[..length], port, address, &mut answer) else {
            continue;
        };
        if said.is_shared {
            Timer::after_millis(20 + RoscRng.next_u64() % 100).await;
        }
        let everybody = IpEndpoint::new(group.into(), mdns::PORT);
        let to = if said.to_group { everybody } else { from.endpoint };
        let _ = socket.send_to(&answer[..said.length], to).await;
    }
}

/// Gives the host at the other end of the USB cable its address.
#[embassy_executor::task]
pub async fn lease(stack: Stack<'static>) -> ! {
    let (mut hears, mut says) = ([0; 1536], [0; 1024]);
    let (mut heard, mut said) = ([PacketMetadata::EMPTY; 4], [PacketMetadata::EMPTY; 4]);
    let mut socket = UdpSocket::new(stack, &mut heard, &mut hears, &mut said, &mut says);
    while socket.bind(dhcp::SERVER_PORT).is_err() {
        Timer::after(AGAIN).await;
    }
    let (mut asked, mut answer) = ([0; 1024], [0; dhcp::LONGEST]);
    loop {
        let Ok((length, _)) = socket.recv_from(&mut asked).await else { continue };
        if let Some(length) = dhcp::answer(&asked[..length], &mut answer) {
            // The client has no address yet.
            let all = IpEndpoint::new(Ipv4Address::BROADCAST.into(), dhcp::CLIENT_PORT);
            let _ = socket.send_to(&answer[..length], all).await;
        }
    }
}

/// Takes an address of its own where no DHCP server gives one.
#[embassy_executor::task]
pub async fn fall_back(stack: Stack<'static>, serial: u64) {
    stack.wait_link_up().await;
    if with_timeout(DHCP, stack.wait_config_up()).await.is_err() {
        let address = Ipv4Address::from_octets(link_local(serial));
        stack.set_config_v4(ConfigV4::Static(alone(Ipv4Cidr::new(address, 16))));
    }
}
