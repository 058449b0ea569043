// SPDX-License-Identifier: GPL-2.0-or-later
//! What a PC's parallel port shows: data bits are response lines 0 to 7, control
//! bits 0 to 3 lines 8 to 11, and control bit 4 lets the interrupt input through.

pub const DATA: u32 = 0x378;
pub const CONTROL: u32 = 0x37a;
/// Its ISA interrupt, where the port tells of writes.
pub const INTERRUPT: u32 = 7;
/// All its response lines.
pub const LINES: u8 = 12;
const WIRES: u8 = 0x0f;
const ENABLE: u8 = 1 << 4;
/// Bits that no driver can clear; an absent port reads as all ones.
const ABSENT: u8 = 0xff;

/// The port as it was last seen.
#[derive(Clone, Copy, Debug)]
pub struct Port {
    lines: u16,
    enabled: bool,
}

/// What has become of the interrupt gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    Same,
    Opened,
    Closed,
}

impl Port {
    /// None if there is no port.
    pub fn new(data: u8, control: u8) -> Option<Self> {
        let lines = lines(data, control);
        (control != ABSENT).then_some(Self { lines, enabled: control & ENABLE != 0 })
    }

    /// A trigger reaches the interrupt controller.
    pub fn enabled(&self) -> bool {
        self.enabled
    }

    /// Whether a line is high, as it was last seen.
    pub fn is_high(&self, line: u8) -> bool {
        self.lines >> line & 1 != 0
    }

    /// Takes the registers after a write: changed lines, and the gate.
    pub fn look(&mut self, data: u8, control: u8) -> (u16, Gate) {
        let now = lines(data, control);
        let changed = std::mem::replace(&mut self.lines, now) ^ now;
        let enabled = control & ENABLE != 0;
        let gate = match (std::mem::replace(&mut self.enabled, enabled), enabled) {
            (false, true) => Gate::Opened,
            (true, false) => Gate::Closed,
            _ => Gate::Same,
        };
        (changed, gate)
    }
}

fn lines(data: u8, control: u8) -> u16 {
    u16::from(data) | u16::from(control & WIRES) << 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_seen_once() {
        let mut port = Port::new(0xff, 0xcc).unwrap();
        assert_eq!(port.look(0x00, 0xcc), (0xff, Gate::Same));
        assert_eq!(port.look(0x00, 0xdc), (0x00, Gate::Opened));
        assert!(port.enabled());
        assert_eq!(port.look(0x05, 0xdc), (0x05, Gate::Same));
        assert_eq!(port.look(0x05, 0xcc), (0x00, Gate::Closed));
        assert!(!port.enabled());
        assert_eq!(port.look(0x04, 0xc5), (0x901, Gate::Same));
    }

    #[test]
    fn an_absent_port_is_none() {
        assert!(Port::new(0xff, 0xff).is_none());
    }
}
