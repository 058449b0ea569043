// SPDX-License-Identifier: GPL-2.0-or-later
//! The guest's outputs: response lines, and the gate that lets the interrupt input through.

/// All response lines of the port that has most.
pub const LINES: u8 = 12;

/// A port's registers, as one reading found them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// A bit for each line that is high.
    pub lines: u16,
    /// The gate is open.
    pub enabled: bool,
}

/// The port as it was last seen.
#[derive(Clone, Copy, Debug)]
pub struct Port(Seen);

/// The state of the interrupt gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gate {
    Same,
    Opened,
    Closed,
}

impl Port {
    pub fn new(seen: Seen) -> Self {
        Self(seen)
    }

    /// Returns whether a trigger reaches the interrupt controller.
    pub fn enabled(&self) -> bool {
        self.0.enabled
    }

    /// Returns whether a line is high, as it was last seen.
    pub fn is_high(&self, line: u8) -> bool {
        self.0.lines >> line & 1 != 0
    }

    /// Takes the registers after a write: changed lines, and the gate.
    pub fn look(&mut self, now: Seen) -> (u16, Gate) {
        let before = std::mem::replace(&mut self.0, now);
        let gate = match (before.enabled, now.enabled) {
            (false, true) => Gate::Opened,
            (true, false) => Gate::Closed,
            _ => Gate::Same,
        };
        (before.lines ^ now.lines, gate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_seen_once() {
        let seen = |lines, enabled| Seen { lines, enabled };
        let mut port = Port::new(seen(0xcff, false));
        assert_eq!(port.look(seen(0xc00, false)), (0xff, Gate::Same));
        assert_eq!(port.look(seen(0xc00, true)), (0x00, Gate::Opened));
        assert!(port.enabled());
        assert_eq!(port.look(seen(0xc05, true)), (0x05, Gate::Same));
        assert_eq!(port.look(seen(0xc05, false)), (0x00, Gate::Closed));
        assert!(!port.enabled() && port.is_high(11) && !port.is_high(1));
    }
}
