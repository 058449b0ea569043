// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The CPU's cycle counter, the same that the driver reads. Each architecture has a file
//! for what its own instructions do.

use std::os::fd::{AsRawFd, BorrowedFd};
use std::time::Duration;

use irqscope_wire::Cycles;
use nix::libc;
use nix::sys::time::TimeSpec;

#[cfg(target_arch = "aarch64")]
#[path = "counter/aarch64.rs"]
mod machine;
#[cfg(not(any(target_arch = "aarch64", target_arch = "riscv64", target_arch = "x86_64")))]
#[path = "counter/clock.rs"]
mod machine;
#[cfg(target_arch = "riscv64")]
#[path = "counter/riscv64.rs"]
mod machine;
#[cfg(target_arch = "x86_64")]
#[path = "counter/x86_64.rs"]
mod machine;

use machine::call_stamped;
pub use machine::{execute, known_tick, now, now_after_loads};

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
