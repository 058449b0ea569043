// SPDX-License-Identifier: GPL-2.0-or-later
//! Interrupts that one CPU sends to another: writes to the local APIC's interrupt command register.
//!
//! The plugin API says after a write where it went and, since QEMU 9.2, what was written. The upper
//! half of the register (0x310) has the destination and the lower half (0x300), whose write sends, has
//! how that is meant (Intel SDM volume 3, "Interrupt Command Register").

use std::ffi::{c_uint, c_void};

use crate::qemu::symbols;

/// The local APIC's registers, where they are after a reset.
const BASE: u64 = 0xfee0_0000;
const LOW: u64 = BASE + 0x300;
const HIGH: u64 = BASE + 0x310;

/// `qemu_plugin_mem_value`: its kind, and a union as large as 128 bits. Its first 32 are all that a
/// register of the APIC has.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Value {
    kind: c_uint,
    low: u64,
    high: u64,
}

symbols! { ApicSymbols:
    qemu_plugin_get_hwaddr: unsafe extern "C" fn(u32, u64) -> *mut c_void,
    qemu_plugin_hwaddr_phys_addr: unsafe extern "C" fn(*const c_void) -> u64,
    qemu_plugin_mem_get_value: unsafe extern "C" fn(u32) -> Value,
}

/// The registers of all CPUs.
pub struct Apic {
    symbols: ApicSymbols,
    /// By CPU: the upper half.
    destinations: Vec<u32>,
}

/// An interrupt on its way, as the register has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupt {
    low: u32,
    high: u32,
}

impl Apic {
    /// Looks up what is needed of QEMU.
    ///
    /// # Errors
    /// The names of what this QEMU does not export.
    pub fn look_up(cpus: usize) -> Result<Self, Vec<&'static str>> {
        Ok(Self { symbols: ApicSymbols::look_up()?, destinations: vec![0; cpus] })
    }

    /// Returns whether a virtual address may be that of the register: pages keep their offsets.
    pub fn may_be(address: u64) -> bool {
        [LOW, HIGH].iter().any(|register| register % 4096 == address % 4096)
    }

    /// Takes a write; returns the interrupt that it sends.
    ///
    /// # Safety
    /// Called from a callback of this access.
    pub unsafe fn writes(&mut self, cpu: c_uint, info: u32, address: u64) -> Option<Interrupt> {
        let symbols = &self.symbols;
        // SAFETY: the caller's promise; the handle is valid within the callback.
        let (place, value) = unsafe {
            let place = (symbols.qemu_plugin_get_hwaddr)(info, address);
            if place.is_null() {
                return None;
            }
            let place = (symbols.qemu_plugin_hwaddr_phys_addr)(place);
            (place, (symbols.qemu_plugin_mem_get_value)(info).low as u32)
        };
        let high = self.destinations.get_mut(cpu as usize)?;
        match place {
            HIGH => *high = value,
            LOW => return Some(Interrupt { low: value, high: *high }),
            _ => {}
        }
        None
    }
}

impl Interrupt {
    /// Returns whether it goes to a CPU; all have the numbers that their APICs have.
    pub fn goes_to(self, cpu: c_uint, from: c_uint) -> bool {
        let destination = self.high >> 24;
        match self.low >> 18 & 3 {
            0 if self.low >> 11 & 1 == 0 => destination == cpu || destination == 0xff,
            0 => cpu < 8 && destination >> cpu & 1 != 0,
            1 => cpu == from,
            2 => true,
            _ => cpu != from,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_goes_where_the_register_says() {
        let to = |low: u32, destination: u32| -> Vec<u32> {
            let one = Interrupt { low, high: destination << 24 };
            (0..4).filter(|cpu| one.goes_to(*cpu, 1)).collect()
        };
        assert_eq!(to(0xfd, 2), [2], "a physical destination");
        assert_eq!(to(0xfd | 1 << 11, 0b1001), [0, 3], "a logical one");
        assert_eq!(to(0xfd | 1 << 18, 0), [1], "itself");
        assert_eq!(to(0xfd | 2 << 18, 0), [0, 1, 2, 3], "all");
        assert_eq!(to(0xfd | 3 << 18, 0), [0, 2, 3], "all others");
    }

    #[test]
    fn only_a_register_of_the_apic_is_looked_at() {
        assert!(Apic::may_be(0xffff_ffff_ff5f_c300) && Apic::may_be(0xffff_ffff_ff5f_c310));
        assert!(!Apic::may_be(0xffff_ffff_ff5f_c0b0));
        assert!(Apic::look_up(2).err().unwrap().contains(&"qemu_plugin_get_hwaddr"));
    }
}
