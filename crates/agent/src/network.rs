// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Two network cards of a guest: `eth0` here, and `eth1` in network namespace `peer`, so that what is
//! sent from one to the other goes through drivers, interrupts and the wire between them.

use std::fs::{self, File};
use std::io;
use std::net::Ipv4Addr;
use std::os::fd::{AsFd, AsRawFd};
use std::path::Path;
use std::thread;

use netlink_packet_core::{
    NLM_F_ACK, NLM_F_CREATE, NLM_F_EXCL, NLM_F_REQUEST, NetlinkHeader, NetlinkMessage,
    NetlinkPayload,
};
use netlink_packet_route::address::{AddressAttribute, AddressMessage};
use netlink_packet_route::link::{LinkAttribute, LinkFlags, LinkMessage};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use netlink_sys::{Socket, SocketAddr, protocols::NETLINK_ROUTE};
use nix::mount::{MsFlags, mount};
use nix::net::if_::if_nametoindex;
use nix::sched::{CloneFlags, setns, unshare};

use crate::error::{Error, Result};

/// Where the other side's namespace is found, as iproute2 keeps named ones: `ip netns exec peer`.
const PEER: &str = "/run/netns/peer";
/// The namespace of the calling thread.
const OURS: &str = "/proc/thread-self/ns/net";

/// The address of the card here.
const HERE: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 1);
/// The address of the card in namespace `peer`.
pub const THERE: Ipv4Addr = Ipv4Addr::new(10, 77, 0, 2);

/// Bits of an address that both have in common.
const PREFIX: u8 = 24;

/// Makes the namespace, moves the second card there, and gives both cards their addresses.
///
/// # Errors
/// There are no two cards, or the kernel does not do it.
pub fn bring_up() -> Result<()> {
    bring().map_err(|source| Error::System { what: "set up the two network cards", source })
}

/// Brings the loopback interface of the calling thread's namespace up.
///
/// # Errors
/// The kernel does not do it.
pub fn lo_up() -> Result<()> {
    up("lo").map_err(|source| Error::System { what: "bring the loopback interface up", source })
}

fn bring() -> io::Result<()> {
    let peer = on_thread(new_namespace)?;
    change("eth1", LinkFlags::empty(), vec![LinkAttribute::NetNsFd(peer.as_raw_fd())])?;
    on_thread(|| {
        enter_peer()?;
        up("lo")?;
        configure("eth1", THERE)
    })?;
    without_ipv6()?;
    configure("eth0", HERE)
}

/// Runs in a thread of its own what leaves a namespace, and waits for its end: the process has one
/// thread again when the loads fork.
fn on_thread<T: Send + 'static>(
    act: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    let panicked = |_| io::Error::other("a thread that set up a network panicked");
    thread::spawn(act).join().map_err(panicked)?
}

/// Makes a namespace and gives it its name.
fn new_namespace() -> io::Result<File> {
    unshare(CloneFlags::CLONE_NEWNET)?;
    without_ipv6()?;
    if let Some(dir) = Path::new(PEER).parent() {
        fs::create_dir_all(dir)?;
    }
    File::create(PEER)?;
    mount(Some(OURS), PEER, None::<&str>, MsFlags::MS_BIND, None::<&str>)?;
    File::open(PEER)
}

/// Moves the calling thread into namespace `peer`; returns the one that it leaves.
///
/// # Errors
/// There is no such namespace, or no right to enter it.
pub fn enter_peer() -> io::Result<File> {
    let ours = File::open(OURS)?;
    let peer = File::open(PEER).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => io::Error::other("this machine has no network namespace `peer`"),
        _ => error,
    })?;
    enter(&peer)?;
    Ok(ours)
}

/// Moves the calling thread into a network namespace.
///
/// # Errors
/// There is no right to enter it.
pub fn enter(namespace: &File) -> io::Result<()> {
    Ok(setns(namespace.as_fd(), CloneFlags::CLONE_NEWNET)?)
}

/// Turns IPv6 off for interfaces to come: it sends on its own, at times of its own.
fn without_ipv6() -> io::Result<()> {
    for whose in ["all", "default"] {
        let path = format!("/proc/sys/net/ipv6/conf/{whose}/disable_ipv6");
        match fs::write(path, "1") {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn configure(name: &str, address: Ipv4Addr) -> io::Result<()> {
    let mut message = AddressMessage::default();
    message.header.family = AddressFamily::Inet;
    message.header.prefix_len = PREFIX;
    message.header.index = if_nametoindex(name)?;
    message.attributes =
        vec![AddressAttribute::Local(address.into()), AddressAttribute::Address(address.into())];
    request(RouteNetlinkMessage::NewAddress(message), NLM_F_CREATE | NLM_F_EXCL)?;
    up(name)
}

fn up(name: &str) -> io::Result<()> {
    change(name, LinkFlags::Up, Vec::new())
}

/// Sets flags and attributes of an interface.
fn change(name: &str, flags: LinkFlags, attributes: Vec<LinkAttribute>) -> io::Result<()> {
    let mut message = LinkMessage::default();
    message.header.index = if_nametoindex(name)?;
    message.header.flags = flags;
    message.header.change_mask = flags;
    message.attributes = attributes;
    request(RouteNetlinkMessage::SetLink(message), 0)
}

/// Asks the kernel to act, and waits for its answer (rtnetlink(7)).
fn request(message: RouteNetlinkMessage, flags: u16) -> io::Result<()> {
    let mut header = NetlinkHeader::default();
    header.flags = NLM_F_REQUEST | NLM_F_ACK | flags;
    let mut message = NetlinkMessage::new(header, NetlinkPayload::from(message));
    message.finalize();
    let mut bytes = vec![0; message.buffer_len()];
    message.serialize(&mut bytes);
    let socket = Socket::new(NETLINK_ROUTE)?;
    socket.send_to(&bytes, &SocketAddr::new(0, 0), 0)?;
    let (answer, _) = socket.recv_from_full()?;
    let answer = NetlinkMessage::<RouteNetlinkMessage>::deserialize(&answer);
    match answer.map_err(|error| io::Error::other(error.to_string()))?.payload {
        NetlinkPayload::Error(error) if error.code.is_some() => Err(error.to_io()),
        _ => Ok(()),
    }
}
