// SPDX-License-Identifier: GPL-2.0-or-later
//! The instruction by which a guest stops its machine, and why the clock must not move then.
//!
//! The agent writes to QEMU's pvpanic device, whose CPU then stops. The main loop stops the machine
//! a little later. In between no CPU runs, and if the main loop looks just then, it takes the
//! machine for an idle one and moves the virtual clock on to the next timer
//! (`icount_start_warp_timer` in QEMU's icount code): the guest that goes on later finds itself at
//! one of two times, as the host's scheduler wanted.
//!
//! Where a test of QEMU's own drives a machine, the main loop moves no clock: it looks at the variable
//! `qtest_allowed`. So the agent makes that one write with an instruction that no compiler makes;
//! the plugin knows it by its bytes and sets that variable just before it.

use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use crate::qemu::address;

/// x86: `out dx, al` with a prefix that means nothing to it (crates/agent/src/snapshot/x86_64.rs).
const OUT: &[u8] = &[0x48, 0xee];
/// Arm, 64 bit: `sturb w27, [x28]` (crates/agent/src/snapshot/virt.rs).
const STURB: &[u8] = &[0x9b, 0x03, 0x00, 0x38];
/// RISC-V: `sb gp, 0(t1)`, the lowest byte of the global pointer (crates/agent/src/snapshot/virt.rs).
const SB: &[u8] = &[0x23, 0x00, 0x33, 0x00];

const VARIABLE: &str = "qtest_allowed";

/// The variable, where a guest stops its machine. Set before anything is translated.
static QTEST_ALLOWED: AtomicPtr<AtomicBool> = AtomicPtr::new(std::ptr::null_mut());

/// Gets ready for a guest that stops its machine.
pub fn prepare() -> Result<(), Vec<&'static str>> {
    let found = address(VARIABLE);
    QTEST_ALLOWED.store(found.cast(), Ordering::Relaxed);
    if found.is_null() { Err(vec![VARIABLE]) } else { Ok(()) }
}

/// Returns whether an instruction, given by its bytes, is the one that stops the machine.
pub fn stops(insn: &[u8]) -> bool {
    !QTEST_ALLOWED.load(Ordering::Relaxed).is_null() && is_it(insn)
}

fn is_it(insn: &[u8]) -> bool {
    [OUT, STURB, SB].contains(&insn)
}

/// Keeps the clock where it is, before that instruction.
pub fn stopping() {
    // SAFETY: null, or a `bool` of QEMU's that is never freed; its reader takes QEMU's big lock
    // after the instruction has.
    if let Some(variable) = unsafe { QTEST_ALLOWED.load(Ordering::Relaxed).as_ref() } {
        variable.store(true, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_other_instruction_stops_the_machine() {
        assert!(is_it(OUT) && is_it(STURB) && is_it(SB));
        // out dx, al; out dx, eax; sturb w27, [x27]; sb a0, 0(t1).
        let others: [&[u8]; 4] =
            [&[0xee], &[0x48, 0xef], &[0x7b, 0x03, 0x00, 0x38], &[0x23, 0x00, 0xa3, 0x00]];
        assert!(!others.iter().any(|insn| is_it(insn)));
    }
}
