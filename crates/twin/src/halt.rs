// SPDX-License-Identifier: GPL-2.0-or-later
//! The instructions that halt the CPU, and why the clock is brought up to date before them.
//!
//! When all CPUs are halted, QEMU's main loop moves the virtual clock on to the next timer
//! (`icount_start_warp_timer` in QEMU's icount code). It takes the distance from the clock's value,
//! to which the CPU's thread adds what it has executed only after it has left the guest's code
//! (`icount_process_data`). In between the CPU counts as halted already, and no lock is held. If
//! the main loop runs just then, the distance is too long by what was executed since the clock was
//! last read, and the next trigger comes that much late: some hundred nanoseconds, once in a
//! million halts on a busy host.
//!
//! So each instruction that halts gets a callback, which lets QEMU add up beforehand
//! (`icount_update`). A block's instructions are counted when it is entered, and a halting
//! instruction ends its block: the clock then has its final value before the CPU counts as halted.

/// x86: `hlt`, and `mwait`, which QEMU lets halt a machine with one CPU.
const HLT: &[u8] = &[0xf4];
const MWAIT: &[u8] = &[0x0f, 0x01, 0xc9];
/// Arm, 64 bit: `wfi`.
const WFI: &[u8] = &[0x7f, 0x20, 0x03, 0xd5];
/// RISC-V: `wfi`.
const RISCV_WFI: &[u8] = &[0x73, 0x00, 0x50, 0x10];

/// Returns whether an instruction, given by its bytes, halts the CPU.
///
/// The instruction sets are not distinguished: in another one the same bytes mean another
/// instruction at most, before which bringing the clock up to date changes nothing.
pub fn halts(insn: &[u8]) -> bool {
    let unprefixed = match insn {
        // x86: repeat and operand-size prefixes do not change these.
        [0x66 | 0xf2 | 0xf3, rest @ ..] if !rest.is_empty() => rest,
        _ => insn,
    };
    [HLT, MWAIT, WFI, RISCV_WFI].contains(&unprefixed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_halts_is_known_by_its_bytes() {
        for insn in [HLT, MWAIT, WFI, RISCV_WFI, &[0xf3, 0xf4]] {
            assert!(halts(insn), "{insn:x?}");
        }
        // ret, monitor, wfe, pause, nothing, a prefix alone.
        let others: [&[u8]; 6] =
            [&[0xc3], &[0x0f, 0x01, 0xc8], &[0x5f, 0x20, 0x03, 0xd5], &[0xf3, 0x90], &[], &[0xf3]];
        for insn in others {
            assert!(!halts(insn), "{insn:x?}");
        }
    }
}
