// SPDX-License-Identifier: GPL-2.0-or-later
//! Whether a CPU takes interrupts and may be preempted while it executes, for [`crate::sections`].
//!
//! QEMU's debugger stub is slow ([`crate::registers`]), and the CPU's flags are wanted before each
//! instruction. So the place where QEMU keeps them is found by comparison: of all words in the
//! CPU's object, the one that has changed with the stub's answer each time. Nothing has to be known
//! of the object's layout, and a QEMU in which there is no such word is answered by the stub.

use std::ffi::{c_uint, c_void};

use crate::preemption::Preemption;
use crate::registers::{Architecture, Register, Registers};

/// Changes of the flag after which a word that has followed all of them is the flags'.
const ENOUGH: u32 = 500;

/// A CPU of the machine.
pub struct Cpu {
    number: c_uint,
    registers: Registers,
    flag: Flag,
    word: FlagsWord,
    preemption: Preemption,
}

// SAFETY: its words are in an object that QEMU never frees; used by the CPU's thread only, from
// within callbacks in its code.
unsafe impl Send for Cpu {}

/// The flag that says whether interrupts are taken.
#[derive(Clone, Copy)]
struct Flag {
    register: Register,
    bit: u32,
    /// Its value while they are.
    enabled: bool,
}

impl Flag {
    fn of(architecture: Architecture) -> Self {
        match architecture {
            // IF (Intel SDM volume 1, EFLAGS).
            Architecture::X86 => Self { register: Register::EFLAGS, bit: 1 << 9, enabled: true },
            // I of PSTATE.DAIF (Arm ARM, SPSR_EL1).
            Architecture::Arm => Self { register: Register::PSTATE, bit: 1 << 7, enabled: false },
        }
    }

    fn takes_interrupts(self, flags: u32) -> bool {
        (flags & self.bit != 0) == self.enabled
    }
}

/// The word that has the flags.
enum FlagsWord {
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
    pub fn look_up(architecture: Architecture, number: c_uint) -> Result<Self, Vec<&'static str>> {
        Ok(Self {
            number,
            registers: Registers::look_up(architecture)?,
            flag: Flag::of(architecture),
            word: FlagsWord::Unknown,
            preemption: Preemption::of(architecture),
        })
    }

    /// Returns whether interrupts are enabled.
    ///
    /// # Safety
    /// Called from a callback in this CPU's code, as all of these.
    pub unsafe fn takes_interrupts(&mut self) -> bool {
        if let FlagsWord::Found(word) = self.word {
            // SAFETY: the word lies in the CPU's object, which is never freed.
            return self.flag.takes_interrupts(unsafe { word.read_volatile() });
        }
        // SAFETY: the caller's promise.
        let flags = unsafe { self.registers.read(self.number, self.flag.register) };
        let now = self.flag.takes_interrupts(flags as u32);
        // SAFETY: as above.
        unsafe { self.compare(now) };
        now
    }

    /// Returns the kernel's word of preemption, as x86 has it, before the instruction at an address; `None` where
    /// it was not found.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn preemption(&mut self, address: u64) -> Option<u32> {
        // SAFETY: the caller's promise.
        unsafe { self.preemption.look(&self.registers, self.number, address) }
    }

    /// Takes the driver's mark, which the CPU `at` executes; returns whether something is measured from now on.
    ///
    /// # Safety
    /// Called from a callback in the code of the CPU `at`, at the first instruction of a block: QEMU has written
    /// general registers back only there.
    pub unsafe fn marked(&mut self, at: c_uint) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.preemption.marked(&self.registers, at) }
    }

    /// Takes the driver's second mark, at which no general register has what the first one had.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn marked_again(&mut self, at: c_uint) {
        // SAFETY: the caller's promise.
        unsafe { self.preemption.marked_again(&self.registers, at) }
    }

    /// Keeps the words that are like the stub's answer.
    unsafe fn compare(&mut self, now: bool) {
        let flag = self.flag;
        // SAFETY: all words lie in the CPU's object.
        let agrees = |word: &*const u32| flag.takes_interrupts(unsafe { word.read_volatile() });
        match &mut self.word {
            FlagsWord::Unknown => {
                // SAFETY: of such an object.
                let words = unsafe { words_of(self.registers.object(self.number)) };
                let words = words.map(<*const u64>::cast).collect();
                self.word = FlagsWord::Candidates { words, last: now, changes: 0 };
            }
            FlagsWord::Candidates { words, last, changes } => {
                words.retain(|word| agrees(word) == now);
                *changes += u32::from(*last != now);
                *last = now;
                if words.is_empty() {
                    self.word = FlagsWord::Stub;
                } else if *changes > ENOUGH {
                    self.word = FlagsWord::Found(words[0]);
                }
            }
            FlagsWord::Found(_) | FlagsWord::Stub => {}
        }
    }
}

/// Returns the words of a CPU's object.
///
/// # Safety
/// The object is QEMU's, which allocated it with malloc or posix_memalign: they know how long it is.
pub unsafe fn words_of(object: *mut c_void) -> impl Iterator<Item = *const u64> {
    // SAFETY: the caller's promise; words are within it only.
    let length = unsafe { libc::malloc_usable_size(object) };
    // SAFETY: as above.
    (0..length / 8).map(move |n| unsafe { object.cast::<u64>().cast_const().add(n) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interrupts_are_taken_while_if_is_set_and_while_i_is_not() {
        let of = |architecture, flags| Flag::of(architecture).takes_interrupts(flags);
        assert!(of(Architecture::X86, 0x246) && !of(Architecture::X86, 0x46));
        // EL1h, and with DAIF masked.
        assert!(of(Architecture::Arm, 0x6000_0005) && !of(Architecture::Arm, 0x6000_03c5));
    }
}
