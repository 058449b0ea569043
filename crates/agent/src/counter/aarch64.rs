// SPDX-License-Identifier: Apache-2.0 OR MIT
//! arm64: the virtual count of the generic timer (Arm Architecture Reference Manual, D11).

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
    // SAFETY: as on x86_64; `svc` preserves all registers but x0.
    unsafe {
        asm!(
            "svc #0",
            "mrs {cycles}, cntvct_el0",
            cycles = lateout(reg) cycles,
            inout("x0") arguments[0] => result,
            in("x1") arguments[1],
            in("x2") arguments[2],
            in("x3") arguments[3],
            in("x8") number,
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
    // SAFETY: touches nothing but its own register and the flags.
    unsafe {
        asm!("2:", "subs {0}, {0}, #1", "b.ne 2b", inout(reg) rounds => _, options(nomem, nostack))
    }
}

/// Reads the counter.
#[inline(always)]
pub fn now() -> Cycles {
    let cycles: u64;
    // SAFETY: Linux lets user space read the virtual counter, which touches
    // nothing.
    unsafe { asm!("mrs {}, cntvct_el0", out(reg) cycles, options(nomem, nostack)) };
    Cycles(cycles)
}

/// Reads the counter after all loads before it have been done.
#[inline(always)]
pub fn now_after_loads() -> Cycles {
    // SAFETY: barriers, which touch nothing; `isb` alone lets loads pass.
    unsafe { asm!("dsb ld", "isb", options(nostack)) };
    now()
}

/// Returns the length of one cycle, which the CPU itself reports.
pub fn known_tick() -> Option<Tick> {
    let hertz: u64;
    // SAFETY: as for the counter itself.
    unsafe { asm!("mrs {}, cntfrq_el0", out(reg) hertz, options(nomem, nostack)) };
    let femtoseconds = 1_000_000_000_000_000u64.checked_div(hertz)?;
    Some(Tick { femtoseconds })
}
