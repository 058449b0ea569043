// SPDX-License-Identifier: GPL-2.0-or-later
//! The thread that a CPU runs, read where the guest's kernel keeps it.

use std::collections::HashMap;
use std::ffi::c_uint;

use irqscope_wire::LOOP_THREAD;

use crate::registers::{Register, Registers, Word};

/// `TASK_COMM_LEN`.
const NAME: u64 = 16;

/// A thread's description is not longer, in bytes.
const DESCRIPTION: u64 = 1 << 14;

/// Where the kernel keeps the current thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// From the base of a CPU's own data to the pointer to the thread; 0: not known.
    pointer: u64,
    /// From the beginning of a thread to its name; 0: not found.
    name: u64,
}

impl Layout {
    /// Reads what the loop has in its registers.
    ///
    /// # Safety
    /// Called from a callback at the first instruction of a block, in the code of this CPU.
    pub unsafe fn told(registers: &Registers, cpu: c_uint) -> Self {
        // SAFETY: the caller's promise.
        Self { pointer: unsafe { registers.read(cpu, Register::RAX) }, name: 0 }
    }

    /// Finds the place of names by that of the loop's own thread.
    ///
    /// # Safety
    /// Called from a callback in the code of this CPU.
    unsafe fn find_name(&mut self, registers: &Registers, cpu: c_uint, thread: u64) {
        let found = (8..DESCRIPTION).step_by(8).find(|offset| {
            // SAFETY: the caller's promise.
            let name = unsafe { read(registers, cpu, thread + offset) };
            name == LOOP_THREAD
        });
        self.name = found.unwrap_or(0);
    }
}

/// The pointer to the current thread of one CPU.
#[derive(Default)]
pub struct Current {
    /// The base of the CPU's own data; 0: not known.
    base: u64,
    /// The pointer, once the kernel's page tables were seen.
    pointer: Option<[Word; 2]>,
    /// The thread of the loop, which was the first.
    own: u64,
    last: u64,
    names: HashMap<u64, String>,
}

impl Current {
    /// Notes where a CPU's own data is, while it executes user code.
    ///
    /// # Safety
    /// Called from a callback in the code of this CPU.
    pub unsafe fn of_user(registers: &Registers, cpu: c_uint) -> Self {
        // SAFETY: the caller's promise.
        let base = unsafe { registers.read(cpu, Register::KERNEL_GS_BASE) };
        Self { base, ..Self::default() }
    }

    /// Looks which thread runs: `None` where it is the same as before, else its name, or no name where it
    /// is the loop's own.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn look(
        &mut self,
        registers: &Registers,
        cpu: c_uint,
        layout: &mut Layout,
    ) -> Option<Option<String>> {
        // SAFETY: the caller's promise.
        unsafe { self.learn_own(registers, cpu, layout) }
        // SAFETY: as above.
        let thread = unsafe { self.thread(registers, cpu, layout) }?;
        if std::mem::replace(&mut self.last, thread) == thread {
            return None;
        }
        // SAFETY: as above.
        Some((thread != self.own).then(|| unsafe { self.name(registers, cpu, layout, thread) }))
    }

    /// Learns which thread is the loop's, before anything else can have run; by the page tables of the
    /// CPU that executes.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn learn_own(&mut self, registers: &Registers, cpu: c_uint, layout: &mut Layout) {
        if self.own == 0
            // SAFETY: the caller's promise.
            && let Some(thread) = unsafe { self.thread(registers, cpu, layout) }
        {
            (self.own, self.last) = (thread, thread);
            // SAFETY: as above.
            unsafe { layout.find_name(registers, cpu, thread) }
        }
    }

    /// Returns the name of the thread that a CPU runs, from within the kernel's code; empty if it is
    /// not known.
    ///
    /// # Safety
    /// As above.
    pub unsafe fn name_in_kernel(
        &mut self,
        registers: &Registers,
        cpu: c_uint,
        layout: &Layout,
    ) -> String {
        if self.base == 0 {
            // SAFETY: the caller's promise.
            self.base = unsafe { registers.read(cpu, Register::GS_BASE) };
        }
        // SAFETY: as above.
        let thread = unsafe { self.thread(registers, cpu, layout) };
        let thread = thread.filter(|_| layout.name != 0);
        // SAFETY: as above. Names change, and this is rare: it is read each time.
        thread.map_or_else(String::new, |thread| unsafe {
            read(registers, cpu, thread + layout.name)
        })
    }

    unsafe fn thread(
        &mut self,
        registers: &Registers,
        cpu: c_uint,
        layout: &Layout,
    ) -> Option<u64> {
        if layout.pointer == 0 || self.base == 0 {
            return None;
        }
        if self.pointer.is_none() {
            let at = self.base.wrapping_add(layout.pointer);
            // SAFETY: the caller's promise.
            let [low, high] = [at, at + 4].map(|at| unsafe { registers.word_at(cpu, at) });
            self.pointer = Some([low?, high?]);
        }
        let [low, high] = self.pointer?.map(Word::read);
        Some(u64::from(high) << 32 | u64::from(low))
    }

    unsafe fn name(
        &mut self,
        registers: &Registers,
        cpu: c_uint,
        layout: &Layout,
        thread: u64,
    ) -> String {
        if layout.name == 0 {
            return "unknown".into();
        }
        // SAFETY: the caller's promise.
        let now = unsafe { read(registers, cpu, thread + layout.name) };
        match now.is_empty() {
            // Its page is not there in the page tables of user code.
            true => self.names.get(&thread).cloned().unwrap_or_else(|| "unknown".into()),
            false => self.names.entry(thread).insert_entry(now).get().clone(),
        }
    }
}

unsafe fn read(registers: &Registers, cpu: c_uint, address: u64) -> String {
    // SAFETY: the caller's promise.
    let words = (0..NAME / 4).map_while(|n| unsafe { registers.word_at(cpu, address + 4 * n) });
    let bytes: Vec<u8> = words.flat_map(|word| word.read().to_le_bytes()).collect();
    let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..length]).into_owned()
}
