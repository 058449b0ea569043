// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A PC's devices, on I/O ports.

use std::arch::asm;

use nix::errno::Errno;
use nix::libc::iopl;

use super::Registers;
use crate::error::{Error, Result};

/// Where QEMU puts `-device pvpanic`.
const PVPANIC: u16 = 0x505;
const SELECTOR: u16 = 0x510;
const DATA: u16 = 0x511;

pub fn stop(event: u8) -> Result<()> {
    let _ports = Ports::allow()?;
    // SAFETY: iopl() was granted. `out dx, al` with a prefix that means nothing to it: by that the
    // twin's plugin knows it (crates/twin/src/stop.rs).
    unsafe {
        asm!(".byte 0x48, 0xee", in("dx") PVPANIC, in("al") event,
             options(nostack, preserves_flags));
    }
    Ok(())
}

pub fn registers() -> Result<impl Registers> {
    Ports::allow()
}

/// Access to the I/O ports, while it lives: children would inherit it, and the kernel switches to
/// threads that have it by a longer way.
struct Ports;

impl Ports {
    fn allow() -> Result<Self> {
        // SAFETY: changes what this thread may do, and touches no memory.
        let allowed = Errno::result(unsafe { iopl(3) });
        allowed.map(|_| Self).map_err(Error::system(
            "reach the I/O ports: the kernel needs CONFIG_X86_IOPL_IOPERM=y",
        ))
    }
}

impl Drop for Ports {
    fn drop(&mut self) {
        // SAFETY: the same. Less access is always granted.
        unsafe { iopl(0) };
    }
}

impl Registers for Ports {
    fn select(&mut self, item: u16) {
        // SAFETY: iopl() was granted; the port is the device's, or reads as all ones.
        unsafe {
            asm!("out dx, ax", in("dx") SELECTOR, in("ax") item, options(nostack, preserves_flags));
        }
    }

    fn byte(&mut self) -> u8 {
        let value: u8;
        // SAFETY: the same.
        unsafe {
            asm!("in al, dx", in("dx") DATA, out("al") value, options(nostack, preserves_flags));
        }
        value
    }
}
