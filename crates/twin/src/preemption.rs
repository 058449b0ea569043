// SPDX-License-Identifier: GPL-2.0-or-later
//! Where Linux counts what keeps a CPU from preemption, as the driver's marks say
//! (`kernel/irqscope/mark.h`).
//!
//! On x86 it is a word of the CPU's own data, whose address the mark has in RAX
//! (`arch/x86/include/asm/preempt.h`). On Arm it is part of the thread that runs, to which the kernel has a
//! pointer in SP_EL0 (`arch/arm64/include/asm/current.h`): the mark has that pointer in X0, and in X1 how far
//! the count lies behind it. QEMU's debugger stub does not show SP_EL0, but the CPU's object has it: of all
//! words that equal X0 at the first mark, it is the one that still does at the second, before which every
//! general register was cleared.

use std::collections::HashMap;
use std::ffi::c_uint;

use crate::cpu::words_of;
use crate::registers::{Architecture, Register, Registers, Word};
use crate::sectioned::NOT_ASKED_FOR;

/// The kernel's addresses are the upper half.
const KERNEL: u64 = 1 << 63;

/// The counter of what keeps a CPU from preemption.
pub enum Preemption {
    /// x86; `None`: there is no such word where the driver said.
    Word(Option<Word>),
    /// Arm.
    Thread(Thread),
}

/// The thread that runs.
#[derive(Default)]
pub struct Thread {
    /// In words from the beginning of a CPU's object, those that may be SP_EL0; the first one is taken.
    slots: Vec<usize>,
    /// SP_EL0 at the mark.
    marked: u64,
    /// From the beginning of a thread to its count, bytes.
    offset: u64,
    /// The last one, and its count.
    last: Option<(u64, Count)>,
    known: HashMap<u64, Count>,
}

/// `preempt.count` and `preempt.need_resched` of `struct thread_info`.
type Count = [Word; 2];

impl Preemption {
    pub fn of(architecture: Architecture) -> Self {
        match architecture {
            Architecture::X86 => Self::Word(None),
            Architecture::Arm => Self::Thread(Thread::default()),
        }
    }

    /// Takes a mark; returns whether something is measured from now on.
    ///
    /// # Safety
    /// Called from a callback at the first instruction of a block, in the code of the CPU `at`.
    pub unsafe fn marked(&mut self, registers: &Registers, at: c_uint) -> bool {
        // SAFETY: the caller's promise.
        let read = |register| unsafe { registers.read(at, register) };
        let value = read(Register::RAX); // X0 has the same number
        match self {
            Self::Word(word) => {
                // SAFETY: as above.
                *word = (value != 0).then(|| unsafe { registers.word_at(at, value) }).flatten();
            }
            Self::Thread(thread) => {
                // SAFETY: of the CPU's object.
                let words = unsafe { words_of(registers.object(at)) }.enumerate();
                // SAFETY: as above.
                let equal = words.filter(|(_, word)| unsafe { word.read_volatile() } == value);
                let slots = equal.map(|(n, _)| n).collect();
                let offset = read(Register::X1);
                let known = std::mem::take(&mut thread.known);
                *thread = Thread { slots, marked: value, offset, known, last: None };
            }
        }
        value != 0
    }

    /// Takes the second mark.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn marked_again(&mut self, registers: &Registers, at: c_uint) {
        if let Self::Thread(thread) = self {
            let object = registers.object(at).cast::<u64>();
            let marked = thread.marked;
            // SAFETY: they are within the object.
            thread.slots.retain(|n| unsafe { object.add(*n).read_volatile() } == marked);
        }
    }

    /// Returns the count before the instruction at an address, with [`NOT_ASKED_FOR`] as x86 has it.
    ///
    /// # Safety
    /// Called from a callback in the code of this CPU.
    pub unsafe fn look(&mut self, registers: &Registers, cpu: c_uint, address: u64) -> Option<u32> {
        match self {
            Self::Word(word) => word.map(Word::read),
            // SAFETY: the caller's promise.
            Self::Thread(thread) => unsafe { thread.look(registers, cpu, address) },
        }
    }
}

impl Thread {
    unsafe fn look(&mut self, registers: &Registers, cpu: c_uint, address: u64) -> Option<u32> {
        let slot = *self.slots.first()?;
        // SAFETY: it is within the object.
        let thread = unsafe { registers.object(cpu).cast::<u64>().add(slot).read_volatile() };
        // In user code, and in the kernel's until it has put the pointer there, it is the user's stack.
        if address < KERNEL || thread < KERNEL {
            return Some(NOT_ASKED_FOR);
        }
        let count = match self.last {
            Some((last, count)) if last == thread => count,
            // SAFETY: the caller's promise.
            _ => unsafe { self.find(registers, cpu, thread) }?,
        };
        self.last = Some((thread, count));
        let [count, not_asked_for] = count.map(Word::read);
        Some(count | if not_asked_for == 0 { 0 } else { NOT_ASKED_FOR })
    }

    unsafe fn find(&mut self, registers: &Registers, cpu: c_uint, thread: u64) -> Option<Count> {
        if let Some(count) = self.known.get(&thread) {
            return Some(*count);
        }
        let at = thread.wrapping_add(self.offset);
        // SAFETY: the caller's promise.
        let [count, asked] = [at, at + 4].map(|at| unsafe { registers.word_at(cpu, at) });
        let count = [count?, asked?];
        self.known.insert(thread, count);
        Some(count)
    }
}
