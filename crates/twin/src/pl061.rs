// SPDX-License-Identifier: GPL-2.0-or-later
//! The GPIO controller of QEMU's Arm machine `virt`, a PL061 with eight lines: one
//! is the interrupt input, the others, in their order, are response lines while
//! they are outputs. The input's bit in the interrupt mask is the gate.

use crate::port::Seen;

/// Its type, and that of the interrupt controller that it is wired to.
pub const TYPE: &std::ffi::CStr = c"pl061";
pub const CONTROLLER: &std::ffi::CStr = c"arm_gic";
/// Where the machine has it, and the shared interrupt that is its.
const BASE: u64 = 0x0903_0000;
pub const INTERRUPT: u32 = 7;
/// All lines: the address of the data register is a mask.
pub const DATA: u64 = BASE + 0x3fc;
pub const DIRECTION: u64 = BASE + 0x400;
pub const ENABLE: u64 = BASE + 0x410;
pub const LINES: u32 = 8;

/// Converts the registers; `input`: the interrupt's line.
pub fn seen(data: u8, direction: u8, enable: u8, input: u32) -> Seen {
    let high = data & direction;
    let below = (1 << input) - 1;
    let lines = (high & below) | (high >> 1 & !below);
    Seen { lines: lines.into(), enabled: enable >> input & 1 != 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_lines_without_a_gap_where_the_input_is() {
        let lines = |data, direction, input| seen(data, direction, 0, input).lines;
        assert_eq!(lines(0xff, 0x7f, 7), 0x7f);
        assert_eq!(lines(0b1010_0101, 0xff, 3), 0b101_0101 & 0x7f);
        assert_eq!(lines(0xff, 0xfe, 0), 0x7f);
        assert_eq!(lines(0xff, 0x00, 7), 0, "inputs show nothing");
    }

    #[test]
    fn the_inputs_mask_bit_is_the_gate() {
        assert!(seen(0, 0, 0x80, 7).enabled);
        assert!(!seen(0, 0, 0x7f, 7).enabled);
    }
}
