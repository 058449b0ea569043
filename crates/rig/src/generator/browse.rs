// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Boards on a network, by their service: `_irqscope._tcp` (DNS-SD, RFC 6763), asked for by
//! multicast DNS (RFC 6762) from a port of our own, so that each board answers to it alone.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::time::{Duration, Instant};

use nix::ifaddrs::getifaddrs;
use nix::net::if_::InterfaceFlags;

/// Where all responders of a network listen.
pub(super) const GROUP: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(ALL), 5353);
const ALL: Ipv4Addr = Ipv4Addr::new(224, 0, 0, 251);
const SERVICE: [&str; 3] = ["_irqscope", "_tcp", "local"];
/// Boards wait up to 120 ms, so as not to answer all at once.
const PATIENCE: Duration = Duration::from_millis(600);
const HEADER: usize = 12;
const ADDRESS: u16 = 1;
const POINTER: u16 = 12;
const SERVER: u16 = 33;
const INTERNET: u16 = 1;
/// The labels of a name and its pointers, at most: some point at themselves.
const STEPS: usize = 128;

/// A board that has answered.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Host {
    /// Its name, such as `irqscope-0123456789abcdef.local`.
    pub name: String,
    pub address: SocketAddr,
}

/// Asks each of these for boards, on every network that this machine is in.
pub(super) fn hosts(responders: &[SocketAddr]) -> BTreeSet<Host> {
    let sockets: Vec<UdpSocket> = own_addresses()
        .into_iter()
        .filter_map(|own| UdpSocket::bind((own, 0)).ok())
        .filter(|socket| socket.set_nonblocking(true).is_ok())
        .collect();
    let question = question();
    for (socket, responder) in
        sockets.iter().flat_map(|it| responders.iter().map(move |to| (it, to)))
    {
        // A network that is down has no boards.
        let _ = socket.send_to(&question, responder);
    }
    let until = Instant::now() + PATIENCE;
    let mut found = BTreeSet::new();
    let mut packet = [0; 9000];
    while !responders.is_empty() && Instant::now() < until {
        for socket in &sockets {
            while let Ok((length, _)) = socket.recv_from(&mut packet) {
                found.extend(parse(&packet[..length]).unwrap_or_default());
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    found
}

/// Returns the addresses from which a packet goes into another network each.
fn own_addresses() -> Vec<Ipv4Addr> {
    let up = InterfaceFlags::IFF_UP | InterfaceFlags::IFF_RUNNING;
    let all = getifaddrs().into_iter().flatten().filter(|it| it.flags.contains(up));
    all.filter_map(|it| Some(it.address?.as_sockaddr_in()?.ip())).collect()
}

fn question() -> Vec<u8> {
    let mut packet = vec![0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0];
    for label in SERVICE {
        packet.extend([label.len() as u8]);
        packet.extend(label.bytes());
    }
    packet.extend([0]);
    packet.extend([POINTER, INTERNET].map(u16::to_be_bytes).concat());
    packet
}

/// Returns the boards that an answer names, with where they are. None: it is no such packet.
fn parse(packet: &[u8]) -> Option<Vec<Host>> {
    let word = |at: usize| Some(u16::from_be_bytes([*packet.get(at)?, *packet.get(at + 1)?]));
    let [questions, records] = [word(4)?, word(6)?.checked_add(word(8)?)?.checked_add(word(10)?)?];
    let mut at = HEADER;
    for _ in 0..questions {
        at = name(packet, at)?.1 + 4;
    }
    let (mut servers, mut addresses) = (Vec::new(), BTreeMap::new());
    for _ in 0..records {
        let (owner, end) = name(packet, at)?;
        let (kind, data) = (word(end)?, end + 10);
        at = data + usize::from(word(end + 8)?);
        match kind {
            SERVER if owner.ends_with(&format!(".{}", SERVICE.join("."))) => {
                servers.push((name(packet, data + 6)?.0, word(data + 4)?));
            }
            ADDRESS if at == data + 4 => {
                let bytes: [u8; 4] = packet.get(data..at)?.try_into().ok()?;
                addresses.insert(owner, Ipv4Addr::from(bytes));
            }
            _ => {}
        }
    }
    let host = |(name, port): (String, u16)| {
        let address = (*addresses.get(&name)?, port).into();
        Some(Host { name, address })
    };
    Some(servers.into_iter().filter_map(host).collect())
}

/// Reads a name in small letters, and returns it with the place behind it.
fn name(packet: &[u8], begin: usize) -> Option<(String, usize)> {
    let (mut at, mut behind, mut labels) = (begin, None, Vec::new());
    for _ in 0..STEPS {
        match usize::from(*packet.get(at)?) {
            0 => return Some((labels.join("."), behind.unwrap_or(at + 1))),
            length if length < 0x40 => {
                let label = packet.get(at + 1..=at + length)?;
                labels.push(String::from_utf8_lossy(label).to_lowercase());
                at += 1 + length;
            }
            high if high >= 0xc0 => {
                behind.get_or_insert(at + 2);
                at = (high & 0x3f) << 8 | usize::from(*packet.get(at + 1)?);
            }
            _ => return None,
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERIALS: [&str; 2] = ["0123456789abcdef", "0123456789abcdee"];

    /// Returns what a board answers (firmware/core/src/net/mdns.rs has the same bytes), with
    /// pointers where `short`.
    fn answer(serial: &str, address: [u8; 4], short: bool) -> Vec<u8> {
        let service = b"\x09_irqscope\x04_tcp\x05local\x00";
        let label = [b"\x19irqscope-", serial.as_bytes()].concat();
        let full = [&label[..], service].concat();
        let (instance, name) = match short {
            // Behind the question: the record's name and head, then the instance.
            true => (b"\xc0\x46".to_vec(), [&label[..], b"\xc0\x1b"].concat()),
            false => (full.clone(), [&label[..], b"\x05local\x00"].concat()),
        };
        let record = |name: &[u8], kind: u8, data: &[u8]| {
            let head = [0, kind, 0, 1, 0, 0, 0, 10, 0, data.len() as u8];
            [name, &head, data].concat()
        };
        let head = [0, 1, 0x84, 0, 0, 1, 0, 1, 0, 0, 0, 3];
        let server = [&[0, 0, 0, 0, 0x1b, 0xc6], &name[..]].concat();
        [
            &head[..],
            service,
            &[0, 12, 0, 1],
            &record(service, 12, &full),
            &record(&instance, 33, &server),
            &record(&instance, 16, &[0]),
            &record(&name, 1, &address),
        ]
        .concat()
    }

    fn board(serial: &str, last: u8) -> Host {
        let address = SocketAddr::from(([169, 254, 7, last], 7110));
        Host { name: format!("irqscope-{serial}.local"), address }
    }

    /// Answers one question as a board does.
    fn responder(serial: &'static str, last: u8) -> SocketAddr {
        let socket = UdpSocket::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = socket.local_addr().unwrap();
        std::thread::spawn(move || {
            let mut asked = [0; 512];
            let (length, from) = socket.recv_from(&mut asked).unwrap();
            assert_eq!(asked[..length], question());
            socket.send_to(b"noise", from).unwrap();
            socket.send_to(&answer(serial, [169, 254, 7, last], false), from).unwrap();
        });
        address
    }

    #[test]
    fn all_boards_that_answer_are_found_each_by_its_name() {
        let responders = [responder(SERIALS[0], 1), responder(SERIALS[1], 2)];
        let found = hosts(&responders);
        assert_eq!(found, BTreeSet::from([board(SERIALS[0], 1), board(SERIALS[1], 2)]));
    }

    #[test]
    fn names_that_point_into_the_packet_are_followed() {
        let parsed = parse(&answer(SERIALS[0], [169, 254, 7, 1], true));
        assert_eq!(parsed, Some(vec![board(SERIALS[0], 1)]));
    }

    #[test]
    fn any_bytes_are_read_without_a_panic() {
        for short in [false, true] {
            let good = answer(SERIALS[0], [169, 254, 7, 1], short);
            (0..good.len()).for_each(|length| drop(parse(&good[..length])));
            for place in 0..good.len() {
                for value in [0, 1, 0x3f, 0x40, 0xc0, 0xff] {
                    let mut damaged = good.clone();
                    damaged[place] = value;
                    parse(&damaged);
                }
            }
        }
    }
}
