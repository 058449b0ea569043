// SPDX-License-Identifier: GPL-2.0-or-later
//! The flag IF of an x86 CPU while it executes, for [`crate::sections`].
//!
//! QEMU's debugger stub is slow ([`crate::registers`]), and the flag is wanted before each
//! instruction. So the place where QEMU keeps the flags is found by comparison: of all words in the
//! CPU's object, the one that has changed with the stub's answer each time. Nothing has to be known
//! of the object's layout, and a QEMU in which there is no such word is answered by the stub.

use std::ffi::c_uint;

use crate::registers::{Register, Registers, Word};

/// Interrupts are enabled.
const IF: u32 = 1 << 9;
/// Changes of IF after which a word that has followed all of them is the flags'.
const ENOUGH: u32 = 500;

/// A CPU of the machine.
pub struct Cpu {
    number: c_uint,
    registers: Registers,
    flags: Flags,
}

// SAFETY: its words are in an object that QEMU never frees; used by the CPU's thread only, from
// within callbacks in its code.
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
    /// Looks up what is needed of QEMU.
    ///
    /// # Errors
    /// The names of what this QEMU does not export.
    pub fn look_up(number: c_uint) -> Result<Self, Vec<&'static str>> {
        Ok(Self { number, registers: Registers::look_up()?, flags: Flags::Unknown })
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
        let now =
            unsafe { self.registers.read(self.number, Register::Eflags) } & u64::from(IF) != 0;
        // SAFETY: as above.
        unsafe { self.compare(now) };
        now
    }

    /// Returns RAX of the CPU `at` that executes; at the first instruction of a block only, where QEMU has written
    /// it back.
    ///
    /// # Safety
    /// Called from a callback in that CPU's code, as the next one.
    pub unsafe fn rax(&self, at: c_uint) -> u64 {
        // SAFETY: the caller's promise.
        unsafe { self.registers.read(at, Register::Rax) }
    }

    /// Finds a word of the guest's memory by its virtual address; `None` where there is no memory.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn word_at(&self, at: c_uint, address: u64) -> Option<Word> {
        // SAFETY: the caller's promise.
        unsafe { self.registers.word_at(at, address) }
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
                    let cpu = self.registers.object(self.number);
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
