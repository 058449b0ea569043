// SPDX-License-Identifier: GPL-2.0-or-later
//! A PC's parallel port: data bits are response lines 0 to 7, control bits 0 to 3
//! lines 8 to 11, and control bit 4 lets the interrupt input through.

use crate::port::Seen;

pub const DATA: u32 = 0x378;
pub const CONTROL: u32 = 0x37a;
/// Its ISA interrupt, where the port reports writes.
pub const INTERRUPT: u32 = 7;
const WIRES: u8 = 0x0f;
const ENABLE: u8 = 1 << 4;
/// Bits that no driver can clear; an absent port reads as all ones.
const ABSENT: u8 = 0xff;

/// Returns what was seen of the port; `None` if there is no port.
pub fn seen(data: u8, control: u8) -> Option<Seen> {
    let lines = u16::from(data) | u16::from(control & WIRES) << 8;
    (control != ABSENT).then_some(Seen { lines, enabled: control & ENABLE != 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_registers_are_twelve_lines_and_a_gate() {
        assert_eq!(seen(0x05, 0xdc), Some(Seen { lines: 0xc05, enabled: true }));
        assert_eq!(seen(0x04, 0xc5), Some(Seen { lines: 0x504, enabled: false }));
    }

    #[test]
    fn an_absent_port_is_none() {
        assert_eq!(seen(0xff, 0xff), None);
    }
}
