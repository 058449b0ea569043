// SPDX-License-Identifier: GPL-2.0-or-later
//! The timers of the twin's RISC-V machine, after its state was read.
//!
//! QEMU keeps what a CPU's timer is compared with, but not that it runs (`vmstate_riscv_mtimer` in
//! hw/intc/riscv_aclint.c, 7.2 to 10.0): a machine that goes on from a kept state would never be
//! interrupted by its timer again. A write of the same value starts it, for the same instant.

use std::ffi::{c_int, c_void};
use std::sync::atomic::{AtomicI32, Ordering};

use crate::qemu::{Memory, Qemu};

/// The value that the first CPU's timer is compared with, 64 bits, and the others' behind it
/// (`VIRT_CLINT` in hw/riscv/virt.c; SiFive FU540-C000 Manual, chapter 9).
const COMPARED: u64 = 0x0200_4000;
const DISTANCE: u64 = 8;

/// How many CPUs the machine has; 0 where it needs none of this.
static CPUS: AtomicI32 = AtomicI32::new(0);

/// Gets ready for a machine of this many CPUs.
///
/// # Errors
/// The names of what this QEMU does not export.
pub fn prepare(cpus: c_int) -> Result<(), Vec<&'static str>> {
    Memory::look_up()?;
    CPUS.store(cpus, Ordering::Relaxed);
    Ok(())
}

/// Has the timers started as soon as possible, once the machine runs.
pub fn begin(qemu: &Qemu) {
    if CPUS.load(Ordering::Relaxed) > 0 {
        qemu.fire_at(qemu.timer(start), 0);
    }
}

unsafe extern "C" fn start(_opaque: *mut c_void) {
    let Ok(memory) = Memory::look_up() else { return };
    let cpus = u64::try_from(CPUS.load(Ordering::Relaxed)).unwrap_or(0);
    for address in (0..cpus).map(|cpu| COMPARED + cpu * DISTANCE) {
        let [low, high] = [address, address + 4].map(|word| memory.read(word));
        // Nothing was compared with yet: the machine boots.
        if low | high != 0 {
            memory.write(address, low);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outside_qemu_its_symbols_are_named_as_missing() {
        assert!(prepare(1).unwrap_err().contains(&"address_space_rw"));
        assert_eq!(CPUS.load(Ordering::Relaxed), 0, "nothing is written to");
    }
}
