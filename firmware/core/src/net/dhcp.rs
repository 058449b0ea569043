// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The smallest DHCP server: one address, for the one host at the other end of the
//! USB cable. It names no router and no name server, so that the host's way to the
//! rest of the world stays what it was.

use smoltcp::wire::{DhcpMessageType, DhcpPacket, DhcpRepr, EthernetAddress, Ipv4Address};

use super::{USB_ADDRESS, USB_HOST};

pub const SERVER_PORT: u16 = 67;
pub const CLIENT_PORT: u16 = 68;
/// An answer at most; clients take 576 bytes at least.
pub const LONGEST: usize = 320;

const LEASE_SECONDS: u32 = 24 * 3600;

/// Writes the answer to a client's request, broadcast to [`CLIENT_PORT`]; returns its length. None:
/// no answer.
pub fn answer(asked: &[u8], answer: &mut [u8; LONGEST]) -> Option<usize> {
    let packet = DhcpPacket::new_checked(asked).ok()?;
    let asked = DhcpRepr::parse(&packet).ok()?;
    let message_type = answer_to(&asked)?;
    let repr = said(&asked, message_type);
    let length = repr.buffer_len();
    let buffer = answer.get_mut(..length)?;
    buffer.fill(0);
    repr.emit(&mut DhcpPacket::new_unchecked(buffer)).ok()?;
    Some(length)
}

fn answer_to(asked: &DhcpRepr<'_>) -> Option<DhcpMessageType> {
    let to_another = asked.server_identifier.is_some_and(|it| it.octets() != USB_ADDRESS);
    match asked.message_type {
        DhcpMessageType::Discover => Some(DhcpMessageType::Offer),
        DhcpMessageType::Request if !to_another => {
            // A renewing client sends its address in `ciaddr` (RFC 2131, 4.3.2).
            let wanted = asked.requested_ip.unwrap_or(asked.client_ip);
            let right = wanted.octets() == USB_HOST;
            Some(if right { DhcpMessageType::Ack } else { DhcpMessageType::Nak })
        }
        _ => None,
    }
}

fn said<'a>(asked: &DhcpRepr<'_>, message_type: DhcpMessageType) -> DhcpRepr<'a> {
    let granted = message_type != DhcpMessageType::Nak;
    let board = Ipv4Address::from_octets(USB_ADDRESS);
    DhcpRepr {
        message_type,
        transaction_id: asked.transaction_id,
        secs: 0,
        client_hardware_address: EthernetAddress(asked.client_hardware_address.0),
        client_ip: Ipv4Address::UNSPECIFIED,
        your_ip: if granted {
            Ipv4Address::from_octets(USB_HOST)
        } else {
            Ipv4Address::UNSPECIFIED
        },
        server_ip: board,
        router: None,
        subnet_mask: granted.then_some(Ipv4Address::new(255, 255, 255, 0)),
        relay_agent_ip: Ipv4Address::UNSPECIFIED,
        broadcast: true,
        requested_ip: None,
        client_identifier: None,
        server_identifier: Some(board),
        parameter_request_list: None,
        dns_servers: None,
        max_size: None,
        lease_duration: granted.then_some(LEASE_SECONDS),
        renew_duration: None,
        rebind_duration: None,
        additional_options: &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOST: Ipv4Address = Ipv4Address::from_octets(USB_HOST);
    const BOARD: Ipv4Address = Ipv4Address::from_octets(USB_ADDRESS);

    fn asking<'a>(message_type: DhcpMessageType) -> DhcpRepr<'a> {
        let nobody = said(&silent(), DhcpMessageType::Nak);
        DhcpRepr { message_type, transaction_id: 77, server_identifier: None, ..nobody }
    }

    fn silent<'a>() -> DhcpRepr<'a> {
        let nobody = Ipv4Address::UNSPECIFIED;
        DhcpRepr {
            message_type: DhcpMessageType::Discover,
            transaction_id: 0,
            secs: 0,
            client_hardware_address: EthernetAddress([2, 0, 0, 0, 0, 9]),
            client_ip: nobody,
            your_ip: nobody,
            server_ip: nobody,
            router: None,
            subnet_mask: None,
            relay_agent_ip: nobody,
            broadcast: false,
            requested_ip: None,
            client_identifier: None,
            server_identifier: None,
            parameter_request_list: None,
            dns_servers: None,
            max_size: None,
            lease_duration: None,
            renew_duration: None,
            rebind_duration: None,
            additional_options: &[],
        }
    }

    /// Returns the answer's type, the address that it gives and its transaction.
    fn told(asked: &DhcpRepr<'_>) -> Option<(DhcpMessageType, Ipv4Address, u32)> {
        let mut bytes = vec![0; asked.buffer_len()];
        asked.emit(&mut DhcpPacket::new_unchecked(&mut bytes[..])).unwrap();
        let mut buffer = [0xff; LONGEST];
        let length = answer(&bytes, &mut buffer)?;
        let packet = DhcpPacket::new_checked(&buffer[..length]).unwrap();
        let said = DhcpRepr::parse(&packet).unwrap();
        assert_eq!(said.client_hardware_address, asked.client_hardware_address);
        assert_eq!((said.server_identifier, said.router), (Some(BOARD), None));
        assert_eq!(said.dns_servers.map_or(0, |servers| servers.len()), 0);
        Some((said.message_type, said.your_ip, said.transaction_id))
    }

    #[test]
    fn who_looks_for_an_address_is_offered_the_one_there_is_and_gets_it() {
        let offer = told(&asking(DhcpMessageType::Discover));
        assert_eq!(offer, Some((DhcpMessageType::Offer, HOST, 77)));
        let asked = DhcpRepr {
            requested_ip: Some(HOST),
            server_identifier: Some(BOARD),
            ..asking(DhcpMessageType::Request)
        };
        assert_eq!(told(&asked), Some((DhcpMessageType::Ack, HOST, 77)));
        let renews = DhcpRepr { client_ip: HOST, ..asking(DhcpMessageType::Request) };
        assert_eq!(told(&renews), Some((DhcpMessageType::Ack, HOST, 77)));
    }

    #[test]
    fn another_address_is_refused_and_another_server_left_alone() {
        let other = Ipv4Address::new(10, 0, 0, 5);
        let asked = DhcpRepr { requested_ip: Some(other), ..asking(DhcpMessageType::Request) };
        assert_eq!(told(&asked).map(|it| it.0), Some(DhcpMessageType::Nak));
        let elsewhere = DhcpRepr { server_identifier: Some(other), ..asked };
        assert_eq!(told(&elsewhere), None);
        assert_eq!(told(&asking(DhcpMessageType::Release)), None);
    }

    #[test]
    fn any_bytes_are_read_without_a_panic() {
        let mut good = vec![0; asking(DhcpMessageType::Discover).buffer_len()];
        let mut packet = DhcpPacket::new_unchecked(&mut good[..]);
        asking(DhcpMessageType::Discover).emit(&mut packet).unwrap();
        let mut buffer = [0; LONGEST];
        for length in 0..good.len() {
            answer(&good[..length], &mut buffer);
        }
        for place in 0..good.len() {
            for value in [0, 1, 7, 0x80, 0xff] {
                let mut damaged = good.clone();
                damaged[place] = value;
                answer(&damaged, &mut buffer);
            }
        }
    }
}
