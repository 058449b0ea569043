// SPDX-License-Identifier: Apache-2.0 OR MIT
//! x86-64: the time stamp counter.

use std::arch::asm;

use irqscope_wire::{Cycles, Tick};
use nix::libc;

use super::Stamped;

/// Makes a system call and takes the counter as the first act in user space.
///
/// A C library puts its check for errors and cancellation between the system
/// call and what comes after it; so the call is made here, with one register
/// saved before the counter is read into it.
///
/// # Safety
/// As for the call itself.
#[inline(always)]
pub(super) unsafe fn call_stamped(number: libc::c_long, arguments: [usize; 4]) -> Stamped {
    let result: isize;
    let (low, high): (u64, u64);
    // SAFETY: the caller's; `syscall` itself clobbers rcx and r11 only.
    unsafe {
        asm!(
            "syscall",
            "mov r8, rax",
            "rdtsc",
            inout("rax") number as u64 => low,
            in("rdi") arguments[0],
            in("rsi") arguments[1],
            inout("rdx") arguments[2] as u64 => high,
            in("r10") arguments[3],
            lateout("r8") result,
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    Stamped { result, cycles: Cycles(high << 32 | low) }
}

/// Executes a number of rounds of a loop of two instructions, as the driver does for the other
/// stages: a register is counted down, and a branch taken.
#[inline(always)]
pub fn execute(rounds: u64) {
    if rounds == 0 {
        return;
    }
    // SAFETY: touches nothing but its own register and the flags.
    unsafe { asm!("2:", "dec {0}", "jnz 2b", inout(reg) rounds => _, options(nomem, nostack)) }
}

/// Reads the counter.
#[inline(always)]
pub fn now() -> Cycles {
    // SAFETY: every x86-64 CPU has the counter, and reading it touches nothing.
    Cycles(unsafe { std::arch::x86_64::_rdtsc() })
}

/// Reads the counter after all loads before it have been done.
#[inline(always)]
pub fn now_after_loads() -> Cycles {
    // SAFETY: every x86-64 CPU has the fence, which touches nothing.
    unsafe { std::arch::x86_64::_mm_lfence() };
    now()
}

/// Returns the length of one cycle where the CPU itself reports it.
pub fn known_tick() -> Option<Tick> {
    None // CPUID leaf 0x15 is absent in machines of most vendors, and wrong in some
}
