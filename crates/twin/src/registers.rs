// SPDX-License-Identifier: GPL-2.0-or-later
//! The registers and the memory of CPUs while they execute.
//!
//! The plugin API of QEMU 7.2 reads no registers, but every version of QEMU reads them for its own
//! debugger stub (`x86_cpu_gdb_read_register`, `aarch64_cpu_gdb_read_register`), which is slow.

use std::ffi::{c_int, c_uint, c_void};

use crate::qemu::{Space, symbols};

/// Glib's `GByteArray`.
#[repr(C)]
pub(crate) struct Bytes {
    data: *mut u8,
    length: c_uint,
}

type Stub = unsafe extern "C" fn(*mut c_void, *mut Bytes, c_int) -> c_int;

symbols! { X86Symbols: x86_cpu_gdb_read_register: Stub, }
symbols! { ArmSymbols: aarch64_cpu_gdb_read_register: Stub, }

symbols! { CpuSymbols:
    qemu_get_cpu: unsafe extern "C" fn(c_int) -> *mut c_void,
    cpu_get_phys_page_debug: unsafe extern "C" fn(*mut c_void, u64) -> u64,
    address_space_memory: Space,
    address_space_map: unsafe extern "C" fn(Space, u64, *mut u64, bool, u64) -> *mut c_void,
    g_byte_array_new: unsafe extern "C" fn() -> *mut Bytes,
}

/// An instruction set whose registers are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Architecture {
    X86,
    Arm,
}

impl Architecture {
    /// Returns that of QEMU's program for a target, `x86_64`.
    pub fn of(target: &str) -> Option<Self> {
        match target {
            "x86_64" => Some(Self::X86),
            "aarch64" => Some(Self::Arm),
            _ => None,
        }
    }

    fn stub(self) -> Result<Stub, Vec<&'static str>> {
        match self {
            Self::X86 => X86Symbols::look_up().map(|found| found.x86_cpu_gdb_read_register),
            Self::Arm => ArmSymbols::look_up().map(|found| found.aarch64_cpu_gdb_read_register),
        }
    }
}

/// A register by the stub's number (gdb-xml/i386-64bit.xml and aarch64-core.xml in QEMU's sources).
#[derive(Clone, Copy)]
pub struct Register(c_int);

impl Register {
    pub const RAX: Self = Self(0);
    pub const EFLAGS: Self = Self(17);
    pub const GS_BASE: Self = Self(25);
    pub const KERNEL_GS_BASE: Self = Self(26);
    pub const X1: Self = Self(1);
    pub const PSTATE: Self = Self(33);
}

const PAGE: u64 = 4096;

/// The reader of all CPUs' registers.
pub struct Registers {
    symbols: CpuSymbols,
    stub: Stub,
    buffer: *mut Bytes,
}

// SAFETY: its pointers are to objects of QEMU, which it never frees; used by the CPUs' one thread
// only, from within callbacks in their code.
unsafe impl Send for Registers {}

impl Registers {
    /// Looks up what is needed of QEMU.
    ///
    /// # Errors
    /// The names of what this QEMU does not export.
    pub fn look_up(architecture: Architecture) -> Result<Self, Vec<&'static str>> {
        let (symbols, stub) = (CpuSymbols::look_up()?, architecture.stub()?);
        // SAFETY: glib's function; the array lives as long as QEMU.
        let buffer = unsafe { (symbols.g_byte_array_new)() };
        Ok(Self { symbols, stub, buffer })
    }

    /// Returns QEMU's object of a CPU.
    pub fn object(&self, cpu: c_uint) -> *mut c_void {
        let cpu = c_int::try_from(cpu).unwrap_or(-1);
        // SAFETY: QEMU's function only looks for it.
        unsafe { (self.symbols.qemu_get_cpu)(cpu) }
    }

    /// Reads a register; a general one at the first instruction of a block only, where QEMU has
    /// written it back.
    ///
    /// # Safety
    /// Called from a callback in the code of this CPU, as all of these.
    pub unsafe fn read(&self, cpu: c_uint, register: Register) -> u64 {
        // SAFETY: the stub's function appends the register's bytes to the array; the CPU is stopped
        // within the callback.
        unsafe {
            (*self.buffer).length = 0;
            let length = (self.stub)(self.object(cpu), self.buffer, register.0);
            let bytes = usize::try_from(length).unwrap_or(0).min(8);
            (0..bytes).fold(0, |value, n| value | u64::from(*(*self.buffer).data.add(n)) << (8 * n))
        }
    }

    /// Finds a word of the guest's memory by its virtual address; `None` where there is no memory.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn word_at(&self, cpu: c_uint, address: u64) -> Option<Word> {
        let symbols = &self.symbols;
        // SAFETY: the page tables are read as a debugger does; RAM is mapped for as long as QEMU
        // lives, because it is never unmapped.
        unsafe {
            let page = (symbols.cpu_get_phys_page_debug)(self.object(cpu), address & !(PAGE - 1));
            if page == u64::MAX || !address.is_multiple_of(4) {
                return None;
            }
            let mut length = 4;
            let at = page + address % PAGE;
            let space = symbols.address_space_memory;
            let word = (symbols.address_space_map)(space, at, &raw mut length, false, 0);
            (length == 4 && !word.is_null()).then_some(Word(word.cast()))
        }
    }
}

/// A word in the guest's memory.
#[derive(Clone, Copy)]
pub struct Word(*const u32);

// SAFETY: the memory is never unmapped.
unsafe impl Send for Word {}

impl Word {
    pub fn read(self) -> u32 {
        // SAFETY: it points to the guest's memory, which stays mapped; the guest's CPU does not run.
        unsafe { self.0.read_volatile() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outside_qemu_its_symbols_are_named_as_missing() {
        for (target, stub) in
            [("x86_64", "x86_cpu_gdb_read_register"), ("aarch64", "aarch64_cpu_gdb_read_register")]
        {
            let architecture = Architecture::of(target).unwrap();
            assert_eq!(architecture.stub().err().unwrap(), [stub]);
            let missing = Registers::look_up(architecture).err().unwrap();
            assert!(missing.contains(&"qemu_get_cpu"), "{missing:?}");
        }
    }
}
