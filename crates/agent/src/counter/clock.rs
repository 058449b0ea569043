// SPDX-License-Identifier: Apache-2.0 OR MIT
//! All other architectures: CLOCK_MONOTONIC_RAW, which advances by nanoseconds. Whether user space
//! may read a counter of a 32-bit Arm depends on its firmware, and the C library reads it where it
//! may.

use std::arch::asm;
use std::io;

use irqscope_wire::{Cycles, Tick};
use nix::libc;
use nix::time::ClockId;

use super::Stamped;
use crate::clock;

/// Makes a system call and takes the clock after it.
///
/// # Safety
/// As for the call itself.
#[inline(always)]
pub(super) unsafe fn call_stamped(number: libc::c_long, arguments: [usize; 4]) -> Stamped {
    let [one, two, three, four] = arguments;
    // SAFETY: the caller's.
    let result = unsafe { libc::syscall(number, one, two, three, four) };
    let cycles = now();
    let errno = || io::Error::last_os_error().raw_os_error().unwrap_or(libc::EIO);
    Stamped { result: if result < 0 { -(errno() as isize) } else { result as isize }, cycles }
}

/// Executes a number of rounds of a loop of a few instructions.
#[inline(always)]
pub fn execute(rounds: u64) {
    for _ in 0..rounds {
        // SAFETY: nothing is executed; the loop stays.
        unsafe { asm!("", options(nomem, nostack, preserves_flags)) };
    }
}

/// Reads the clock.
#[inline(always)]
pub fn now() -> Cycles {
    Cycles(clock::read(ClockId::CLOCK_MONOTONIC_RAW).cast_unsigned())
}

/// Reads the clock after all loads before it have been done.
#[inline(always)]
pub fn now_after_loads() -> Cycles {
    std::sync::atomic::fence(std::sync::atomic::Ordering::Acquire);
    now()
}

/// Returns the length of one cycle: a nanosecond.
pub fn known_tick() -> Option<Tick> {
    Some(Tick { femtoseconds: 1_000_000 })
}
