// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The devices of QEMU's machines `virt`, in memory.

use std::fs::{self, File};
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::ptr::NonNull;

use nix::libc::off_t;
use nix::sys::mman::{MapFlags, ProtFlags, mmap};

use super::Registers;
use crate::error::{Error, Result};

/// Where `virt` has its firmware configuration device (hw/arm/virt.c, hw/riscv/virt.c); data, then the
/// selector.
#[cfg(target_arch = "aarch64")]
const FW_CFG: off_t = 0x0902_0000;
#[cfg(target_arch = "riscv64")]
const FW_CFG: off_t = 0x1010_0000;
const SELECTOR_AT: usize = 8;
/// `-device pvpanic-pci`.
const PVPANIC: [(&str, &str); 2] = [("vendor", "0x1b36"), ("device", "0x0011")];
/// A multiple of every page size, and less than the distance of the devices.
const LENGTH: usize = 1 << 16;

pub fn stop(event: u8) -> Result<()> {
    let device = device().map_err(failed("find QEMU's pvpanic-pci"))?;
    fs::write(device.join("enable"), "1").map_err(failed("enable QEMU's pvpanic-pci"))?;
    let registers = device.join("resource0");
    let page = nix::unistd::sysconf(nix::unistd::SysconfVar::PAGE_SIZE).ok().flatten();
    let length = page.and_then(|bytes| usize::try_from(bytes).ok()).unwrap_or(LENGTH);
    let register = map(registers, 0, length).map_err(failed("map QEMU's pvpanic-pci"))?;
    // SAFETY: mapped for good; the device has its only register there.
    unsafe { store(register, event) }
    Ok(())
}

/// Writes a byte by an instruction that the twin's plugin knows (crates/twin/src/stop.rs).
///
/// # Safety
/// A byte can be written there.
#[cfg(target_arch = "aarch64")]
unsafe fn store(register: NonNull<u8>, byte: u8) {
    // SAFETY: the caller's.
    unsafe {
        std::arch::asm!("sturb w27, [x28]", in("w27") u32::from(byte), in("x28") register.as_ptr(),
             options(nostack, preserves_flags));
    }
}

/// Does the same: no compiler stores the lowest byte of the global pointer, which has the event for as
/// long as that takes.
///
/// # Safety
/// A byte can be written there; no signal is handled meanwhile, whose handler might use that pointer.
#[cfg(target_arch = "riscv64")]
unsafe fn store(register: NonNull<u8>, byte: u8) {
    // SAFETY: the caller's; the pointer is as it was afterwards.
    unsafe {
        std::arch::asm!("mv t2, gp", "mv gp, t0", "sb gp, 0(t1)", "mv gp, t2",
             in("t0") usize::from(byte), in("t1") register.as_ptr(), out("t2") _,
             options(nostack));
    }
}

fn device() -> io::Result<PathBuf> {
    let is_it = |path: &PathBuf| {
        PVPANIC.iter().all(|(file, value)| {
            fs::read_to_string(path.join(file)).is_ok_and(|text| text.trim() == *value)
        })
    };
    let devices = fs::read_dir("/sys/bus/pci/devices")?.flatten();
    let found = devices.map(|entry| entry.path()).find(is_it);
    found.ok_or_else(|| io::ErrorKind::NotFound.into())
}

pub fn registers() -> Result<impl Registers> {
    let base = map("/dev/mem".into(), FW_CFG, LENGTH)
        .map_err(failed("map QEMU's firmware configuration"))?;
    Ok(Mapped(base))
}

struct Mapped(NonNull<u8>);

impl Registers for Mapped {
    fn select(&mut self, item: u16) {
        // SAFETY: mapped for good, aligned, and the device has this register.
        unsafe { self.0.add(SELECTOR_AT).cast::<u16>().write_volatile(item.to_be()) }
    }

    fn byte(&mut self) -> u8 {
        // SAFETY: the same.
        unsafe { self.0.read_volatile() }
    }
}

fn map(file: PathBuf, offset: off_t, length: usize) -> io::Result<NonNull<u8>> {
    let file = File::options().read(true).write(true).open(file)?;
    let length = NonZeroUsize::new(length).ok_or(io::ErrorKind::InvalidInput)?;
    let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
    // SAFETY: a new mapping where the kernel likes; nothing unmaps it.
    let mapped = unsafe { mmap(None, length, access, MapFlags::MAP_SHARED, file, offset)? };
    Ok(mapped.cast())
}

fn failed(what: &'static str) -> impl Fn(io::Error) -> Error {
    move |source| Error::System { what, source }
}
