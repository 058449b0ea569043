// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The CPU's cycle counter, the same that the driver reads.

use std::arch::asm;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

use irqscope_wire::{Cycles, Tick};
use nix::libc;
use nix::sys::time::TimeSpec;

/// The return value of a system call, and the counter right after it.
#[derive(Clone, Copy, Debug)]
pub struct Stamped {
    /// As the kernel returns it: a length, or a negated errno.
    pub result: isize,
    /// The counter's reading.
    pub cycles: Cycles,
}

/// Reads into `buffer` and takes the counter as the first act in user space.
#[inline(always)]
pub fn read_stamped(fd: BorrowedFd<'_>, buffer: &mut [u8]) -> Stamped {
    let arguments = [fd.as_raw_fd() as usize, buffer.as_mut_ptr() as usize, buffer.len(), 0];
    // SAFETY: read() writes at most `buffer.len()` bytes into `buffer`, which is
    // borrowed mutably.
    unsafe { call_stamped(libc::SYS_read, arguments) }
}

/// Sleeps until an instant of `CLOCK_MONOTONIC`, in nanoseconds, and takes the counter as the
/// first act in user space. The result is 0, or a negated errno.
#[inline(always)]
pub fn sleep_stamped(until_ns: u64) -> Stamped {
    let until = TimeSpec::from_duration(Duration::from_nanos(until_ns));
    let clock = libc::CLOCK_MONOTONIC as usize;
    let absolute = libc::TIMER_ABSTIME as usize;
    // SAFETY: clock_nanosleep() reads `until`, and writes nowhere where the last argument is null.
    unsafe {
        call_stamped(
            libc::SYS_clock_nanosleep,
            [clock, absolute, std::ptr::from_ref(until.as_ref()) as usize, 0],
        )
    }
}

/// Makes a system call and takes the counter as the first act in user space.
///
/// A C library puts its check for errors and cancellation between the system
/// call and what comes after it; so the call is made here, with one register
/// saved before the counter is read into it.
///
/// # Safety
/// As for the call itself.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn call_stamped(number: libc::c_long, arguments: [usize; 4]) -> Stamped {
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

/// Makes a call like the one for x86-64, with the counter right after it.
///
/// # Safety
/// As for the call itself.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
unsafe fn call_stamped(number: libc::c_long, arguments: [usize; 4]) -> Stamped {
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
    #[cfg(target_arch = "x86_64")]
    unsafe {
        asm!("2:", "dec {0}", "jnz 2b", inout(reg) rounds => _, options(nomem, nostack));
    }
    // SAFETY: as above.
    #[cfg(target_arch = "aarch64")]
    unsafe {
        asm!("2:", "subs {0}, {0}, #1", "b.ne 2b", inout(reg) rounds => _, options(nomem, nostack));
    }
}

/// Reads the counter.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn now() -> Cycles {
    // SAFETY: every x86-64 CPU has the counter, and reading it touches nothing.
    Cycles(unsafe { std::arch::x86_64::_rdtsc() })
}

/// Reads the counter.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub fn now() -> Cycles {
    let cycles: u64;
    // SAFETY: Linux lets user space read the virtual counter, which touches
    // nothing.
    unsafe { asm!("mrs {}, cntvct_el0", out(reg) cycles, options(nomem, nostack)) };
    Cycles(cycles)
}

/// Reads the counter after all loads before it have been done.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn now_after_loads() -> Cycles {
    // SAFETY: every x86-64 CPU has the fence, which touches nothing.
    unsafe { std::arch::x86_64::_mm_lfence() };
    now()
}

/// Reads the counter after all loads before it have been done.
#[cfg(target_arch = "aarch64")]
#[inline(always)]
pub fn now_after_loads() -> Cycles {
    // SAFETY: barriers, which touch nothing; `isb` alone lets loads pass.
    unsafe { asm!("dsb ld", "isb", options(nostack)) };
    now()
}

/// Returns the length of one cycle where the CPU itself reports it.
#[cfg(target_arch = "x86_64")]
pub fn known_tick() -> Option<Tick> {
    None // CPUID leaf 0x15 is absent in machines of most vendors, and wrong in some
}

/// Returns the length of one cycle, which the CPU itself reports.
#[cfg(target_arch = "aarch64")]
pub fn known_tick() -> Option<Tick> {
    let hertz: u64;
    // SAFETY: as for the counter itself.
    unsafe { asm!("mrs {}, cntfrq_el0", out(reg) hertz, options(nomem, nostack)) };
    let femtoseconds = 1_000_000_000_000_000u64.checked_div(hertz)?;
    Some(Tick { femtoseconds })
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
compile_error!("the cycle counter of this architecture is not known");

/// Reads into `buffer` and leaves the counter alone.
pub fn read_unstamped(fd: BorrowedFd<'_>, buffer: &mut [u8]) -> Stamped {
    let result = match nix::unistd::read(fd, buffer) {
        Ok(length) => length as isize,
        Err(errno) => -(errno as isize),
    };
    Stamped { result, cycles: Cycles(0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::fd::AsFd;

    #[test]
    fn a_stamped_read_returns_the_bytes_and_an_instant_in_between() {
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(b"12345678").unwrap();
        let mut buffer = [0; 16];
        let before = now();
        let stamped = read_stamped(reader.as_fd(), &mut buffer);
        let after = now();
        assert_eq!((stamped.result, &buffer[..8]), (8, &b"12345678"[..]));
        assert!(before < stamped.cycles && stamped.cycles < after);
    }

    #[test]
    fn a_stamped_sleep_ends_at_its_instant_and_not_before() {
        let monotonic = || {
            let now = nix::time::ClockId::CLOCK_MONOTONIC.now().unwrap();
            now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64
        };
        let until = monotonic() + 2_000_000;
        let before = now();
        let stamped = sleep_stamped(until);
        assert!(monotonic() >= until);
        assert_eq!(stamped.result, 0);
        assert!(before < stamped.cycles && stamped.cycles < now());
    }

    #[test]
    fn a_failed_read_returns_its_negated_errno() {
        let directory = std::fs::File::open("/").unwrap();
        let stamped = read_stamped(directory.as_fd(), &mut [0; 8]);
        assert_eq!(stamped.result, -(libc::EISDIR as isize));
    }
}
