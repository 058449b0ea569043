// SPDX-License-Identifier: GPL-2.0-or-later
//! The instructions after which a CPU may take interrupts again.
//!
//! One that waits is taken at once: the next instruction that is executed is then its handler's first, before
//! which interrupts are disabled as they were before the instruction that enabled them, and no flag shows
//! that they were enabled in between.

/// The effect that an instruction may have on interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enables {
    /// It leaves them disabled.
    Never,
    /// It may enable them, and the CPU goes on behind it: anywhere else it was interrupted.
    Behind,
    /// It may enable them, and the CPU goes on elsewhere.
    Elsewhere,
}

impl Enables {
    /// Returns what an instruction does, given by its bytes; the instruction sets are not distinguished, because
    /// none of these bytes are an instruction of the other one.
    pub fn of(insn: &[u8]) -> Self {
        match insn {
            // x86: `popf`; `sti`, behind which one instruction is always executed. Arm: `msr daifclr` with I
            // among the flags, `msr daif`.
            [0x9d | 0xfb] => Self::Behind,
            [0xff, flags, 0x03, 0xd5] if flags & 0xf2 == 0x42 => Self::Behind,
            [register, 0x42, 0x1b, 0xd5] if register & 0xe0 == 0x20 => Self::Behind,
            // x86: `iret`, `sysret`. Arm: `eret`.
            [0xcf] | [0x48, 0xcf] | [0x48, 0x0f, 0x07] | [0xe0, 0x03, 0x9f, 0xd6] => {
                Self::Elsewhere
            }
            _ => Self::Never,
        }
    }

    /// Returns it as a number of two bits.
    pub fn bits(self) -> u64 {
        match self {
            Self::Never => 0,
            Self::Behind => 1,
            Self::Elsewhere => 2,
        }
    }

    /// Returns what such a number says.
    pub fn of_bits(bits: u64) -> Self {
        match bits & 3 {
            1 => Self::Behind,
            2 => Self::Elsewhere,
            _ => Self::Never,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_enables_interrupts_is_known_by_its_bytes() {
        // popf; sti; msr daifclr, #2 and #3; msr daif, x21.
        let behind: [&[u8]; 5] = [
            &[0x9d],
            &[0xfb],
            &[0xff, 0x42, 0x03, 0xd5],
            &[0xff, 0x43, 0x03, 0xd5],
            &[0x35, 0x42, 0x1b, 0xd5],
        ];
        // iretq, sysretq, eret.
        let elsewhere: [&[u8]; 3] = [&[0x48, 0xcf], &[0x48, 0x0f, 0x07], &[0xe0, 0x03, 0x9f, 0xd6]];
        // cli; msr daifset, #2; msr daifclr, #8 (debug exceptions); ret; ret on Arm; nothing.
        let never: [&[u8]; 6] = [
            &[0xfa],
            &[0xdf, 0x42, 0x03, 0xd5],
            &[0xff, 0x48, 0x03, 0xd5],
            &[0xc3],
            &[0xc0, 0x03, 0x5f, 0xd6],
            &[],
        ];
        for (all, expected) in [
            (&behind[..], Enables::Behind),
            (&elsewhere[..], Enables::Elsewhere),
            (&never[..], Enables::Never),
        ] {
            for insn in all {
                assert_eq!(Enables::of(insn), expected, "{insn:x?}");
                assert_eq!(Enables::of_bits(expected.bits()), expected);
            }
        }
    }
}
