// SPDX-License-Identifier: Apache-2.0 OR MIT
//! riscv64: the `time` register, which advances at a frequency that only the kernel knows (RISC-V
//! Unprivileged Specification, Zicntr).

use std::arch::asm;

use irqscope_wire::{Cycles, Tick};
use nix::libc;

use super::Stamped;

/// Makes a system call and takes the counter as the first act in user space.
///
/// # Safety
/// As for the call itself.
#[inline(always)]
pub(super) unsafe fn call_stamped(number: libc::c_long, arguments: [usize; 4]) -> Stamped {
    let (result, cycles): (isize, u64);
    // SAFETY: the caller's; `ecall` preserves all registers but a0.
    unsafe {
        asm!(
            "ecall",
            "rdtime {cycles}",
            cycles = lateout(reg) cycles,
            inout("a0") arguments[0] => result,
            in("a1") arguments[1],
            in("a2") arguments[2],
            in("a3") arguments[3],
            in("a7") number,
            options(nostack),
        );
    }
    Stamped { result, cycles: Cycles(cycles) }
}

/// Executes a number of rounds of a loop of two instructions, as the driver does for the other
/// stages: a register is counted down, and a branch taken.
#[inline(always)]
pub fn execute(rounds: u64) {
    if rounds == 0 {
        return;
    }
    // SAFETY: touches nothing but its own register.
    unsafe {
        asm!("2:", "addi {0}, {0}, -1", "bnez {0}, 2b", inout(reg) rounds => _, options(nomem, nostack));
    }
}

/// Reads the counter.
#[inline(always)]
pub fn now() -> Cycles {
    let cycles: u64;
    // SAFETY: Linux lets user space read the register, which touches nothing.
    unsafe { asm!("rdtime {}", out(reg) cycles, options(nomem, nostack)) };
    Cycles(cycles)
}

/// Reads the counter after all loads before it have been done.
#[inline(always)]
pub fn now_after_loads() -> Cycles {
    // SAFETY: a barrier, which touches nothing; a read of `time` is an input to it.
    unsafe { asm!("fence r, i", options(nostack)) };
    now()
}

/// Returns the length of one cycle where the CPU itself reports it.
pub fn known_tick() -> Option<Tick> {
    None // the device tree and the kernel know the frequency, no register does
}
