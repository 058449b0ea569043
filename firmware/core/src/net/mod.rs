// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A board's answers on a network besides the protocol: just enough that a host reaches it without
//! being set up.

pub mod dhcp;
pub mod mdns;

/// Where the board serves hosts.
pub const PORT: u16 = 7110;
/// The board, on the network that it makes over USB.
pub const USB_ADDRESS: [u8; 4] = [192, 168, 77, 1];
/// The host there.
pub const USB_HOST: [u8; 4] = [192, 168, 77, 2];
pub const USB_PREFIX: u8 = 24;

/// Returns a locally administered address; `last` distinguishes the addresses of one board.
pub const fn hardware_address(serial: u64, last: u8) -> [u8; 6] {
    let id = serial.to_le_bytes();
    [0x02, 0x69, id[0] ^ id[4], id[1] ^ id[5], id[2] ^ id[6], (id[3] ^ id[7]) & 0xfc | last & 3]
}

/// Returns an address for a network without a DHCP server, within 169.254.0.0/16.
pub const fn link_local(serial: u64) -> [u8; 4] {
    let [_, _, _, _, high, low] = hardware_address(serial, 0);
    // The first and the last 256 are not for use.
    [169, 254, if high == 0 || high == 255 { 1 } else { high }, low]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_a_board_differ_and_are_local_unicast_ones() {
        let all = [0, 1, 2].map(|last| hardware_address(0x1234_5678_9abc_def0, last));
        assert!(all[0] != all[1] && all[1] != all[2] && all[0] != all[2]);
        assert!(all.iter().all(|address| address[0] & 3 == 2));
        assert_ne!(all[0], hardware_address(0x1234_5678_9abc_def1, 0));
    }

    #[test]
    fn a_link_local_address_is_one_that_may_be_used() {
        for serial in [0, 0xff00_0000_0000, u64::MAX, 1 << 16, 0x1234_5678_9abc_def0] {
            let [a, b, high, _] = link_local(serial);
            assert!((a, b) == (169, 254) && (1..=254).contains(&high), "{serial:x}");
        }
    }
}
