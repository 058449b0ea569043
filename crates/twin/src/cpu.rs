// SPDX-License-Identifier: GPL-2.0-or-later
//! The registers and the memory of an x86 CPU while it executes, for [`crate::sections`].
//!
//! The plugin API of QEMU 7.2 reads no registers, but every version of QEMU reads them for its own
//! debugger stub (`x86_cpu_gdb_read_register`). That is slow, and the flag IF is wanted before each
//! instruction. So the place where QEMU keeps the flags is found by comparison: of all words in the
//! CPU's object, the one that has changed with the stub's answer each time. Nothing has to be known
//! of the object's layout, and a QEMU in which there is no such word is answered by the stub.

use std::ffi::{c_int, c_uint, c_void};

use crate::qemu::{Space, symbols};

/// Glib's `GByteArray`.
#[repr(C)]
pub(crate) struct Bytes {
    data: *mut u8,
    length: c_uint,
}

symbols! { CpuSymbols:
    qemu_get_cpu: unsafe extern "C" fn(c_int) -> *mut c_void,
    x86_cpu_gdb_read_register: unsafe extern "C" fn(*mut c_void, *mut Bytes, c_int) -> c_int,
    cpu_get_phys_page_debug: unsafe extern "C" fn(*mut c_void, u64) -> u64,
    address_space_memory: Space,
    address_space_map: unsafe extern "C" fn(Space, u64, *mut u64, bool, u64) -> *mut c_void,
    g_byte_array_new: unsafe extern "C" fn() -> *mut Bytes,
}

/// The stub's numbers of registers (gdb-xml/i386-64bit.xml in QEMU's sources).
const RAX: c_int = 0;
const EFLAGS: c_int = 17;
/// Interrupts are enabled.
const IF: u32 = 1 << 9;
/// Changes of IF after which a word that has followed all of them is the flags'.
const ENOUGH: u32 = 500;
const PAGE: u64 = 4096;

/// The machine's only CPU.
pub struct Cpu {
    symbols: CpuSymbols,
    buffer: *mut Bytes,
    flags: Flags,
}

// SAFETY: its pointers are to objects of QEMU, which it never frees; used by the CPU's thread only,
// from within callbacks in its code.
unsafe impl Send for Cpu {}

/// The word that has the flag IF.
enum Flags {
    /// Nothing was compared yet.
    Unknown,
    /// Words that have been like the stub's answer through all `changes` of it.
    Candidates {
        words: Vec<*const u32>,
        last: bool,
        changes: u32,
    },
    Found(*const u32),
    /// No word follows it.
    Stub,
}

impl Cpu {
    pub fn look_up() -> Result<Self, Vec<&'static str>> {
        let symbols = CpuSymbols::look_up()?;
        // SAFETY: glib's function; the array lives as long as QEMU.
        let buffer = unsafe { (symbols.g_byte_array_new)() };
        Ok(Self { symbols, buffer, flags: Flags::Unknown })
    }

    /// Returns whether interrupts are enabled.
    ///
    /// # Safety
    /// Called from a callback in this CPU's code, as all of these.
    pub unsafe fn takes_interrupts(&mut self) -> bool {
        if let Flags::Found(word) = self.flags {
            // SAFETY: the word lies in the CPU's object, which is never freed.
            return unsafe { word.read_volatile() } & IF != 0;
        }
        // SAFETY: the caller's promise.
        let now = unsafe { self.register(EFLAGS) } & u64::from(IF) != 0;
        // SAFETY: as above.
        unsafe { self.compare(now) };
        now
    }

    /// Returns RAX; at the first instruction of a block only, where QEMU has written it back.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn rax(&self) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { self.register(RAX) }
    }

    /// Finds a word of the guest's memory by its virtual address; `None` where there is no memory.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn word_at(&self, address: u64) -> Option<Word> {
        let symbols = &self.symbols;
        // SAFETY: the page tables are read as a debugger does; RAM is mapped for as long as QEMU
        // lives, because it is never unmapped.
        unsafe {
            let cpu = (symbols.qemu_get_cpu)(0);
            let page = (symbols.cpu_get_phys_page_debug)(cpu, address & !(PAGE - 1));
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

    unsafe fn register(&self, number: c_int) -> u64 {
        // SAFETY: the stub's function appends the register's bytes to the array; the CPU is the
        // machine's only one, and it is stopped within the callback.
        unsafe {
            (*self.buffer).length = 0;
            let cpu = (self.symbols.qemu_get_cpu)(0);
            let length = (self.symbols.x86_cpu_gdb_read_register)(cpu, self.buffer, number);
            let bytes = usize::try_from(length).unwrap_or(0).min(8);
            (0..bytes).fold(0, |value, n| value | u64::from(*(*self.buffer).data.add(n)) << (8 * n))
        }
    }

    /// Keeps the words that are like the stub's answer.
    unsafe fn compare(&mut self, now: bool) {
        // SAFETY: all words lie in the CPU's object.
        let agrees = |word: &*const u32| unsafe { word.read_volatile() } & IF != 0;
        match &mut self.flags {
            Flags::Unknown => {
                // SAFETY: the object was allocated with malloc or posix_memalign, which know how
                // long it is; words are read within it only.
                let words = unsafe {
                    let cpu = (self.symbols.qemu_get_cpu)(0);
                    let length = libc::malloc_usable_size(cpu);
                    (0..length / 8).map(|n| cpu.cast::<u64>().add(n).cast_const().cast()).collect()
                };
                self.flags = Flags::Candidates { words, last: now, changes: 0 };
            }
            Flags::Candidates { words, last, changes } => {
                words.retain(|word| agrees(word) == now);
                *changes += u32::from(*last != now);
                *last = now;
                if words.is_empty() {
                    self.flags = Flags::Stub;
                } else if *changes > ENOUGH {
                    self.flags = Flags::Found(words[0]);
                }
            }
            Flags::Found(_) | Flags::Stub => {}
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
        let missing = Cpu::look_up().err().unwrap();
        assert!(missing.contains(&"x86_cpu_gdb_read_register"), "{missing:?}");
    }
}
