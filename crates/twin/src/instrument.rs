// SPDX-License-Identifier: GPL-2.0-or-later
//! Callbacks in the guest's code: before each instruction for a trace, and before an instruction
//! that halts the CPU for the clock (see [`crate::halt`]).
//!
//! QEMU makes them part of the code that it generates. They take no virtual time.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr::{null_mut, without_provenance_mut};

use qemu_plugin_sys::{qemu_plugin_insn, qemu_plugin_tb, qemu_plugin_vcpu_udata_cb_t};

use crate::enabling::Enables;
use crate::qemu::symbols;
use crate::trace::Insn;

/// `QEMU_PLUGIN_CB_NO_REGS`.
const NO_REGS: c_int = 0;
/// `QEMU_PLUGIN_MEM_W`.
const WRITES: c_int = 2;
/// The kernel's addresses are the upper half.
const KERNEL: u64 = 1 << 63;

/// `qemu_plugin_vcpu_mem_cb_t`: CPU, access, address, pointer.
pub type MemoryFn = unsafe extern "C" fn(c_uint, u32, u64, *mut c_void);

symbols! { InsnSymbols:
    qemu_plugin_tb_n_insns: unsafe extern "C" fn(*const qemu_plugin_tb) -> usize,
    qemu_plugin_tb_get_insn:
        unsafe extern "C" fn(*const qemu_plugin_tb, usize) -> *mut qemu_plugin_insn,
    qemu_plugin_insn_vaddr: unsafe extern "C" fn(*const qemu_plugin_insn) -> u64,
    qemu_plugin_insn_haddr: unsafe extern "C" fn(*const qemu_plugin_insn) -> *const u8,
    qemu_plugin_insn_size: unsafe extern "C" fn(*const qemu_plugin_insn) -> usize,
    qemu_plugin_register_vcpu_insn_exec_cb: unsafe extern "C" fn(
        *mut qemu_plugin_insn, qemu_plugin_vcpu_udata_cb_t, c_int, *mut c_void),
    qemu_plugin_register_vcpu_mem_cb: unsafe extern "C" fn(
        *mut qemu_plugin_insn, MemoryFn, c_int, c_int, *mut c_void),
    qemu_get_cpu: unsafe extern "C" fn(c_int) -> *mut c_void,
    icount_update: unsafe extern "C" fn(*mut c_void),
}

#[derive(Clone, Copy)]
pub struct Instrument {
    symbols: InsnSymbols,
}

impl Instrument {
    pub fn look_up() -> Result<Self, Vec<&'static str>> {
        Ok(Self { symbols: InsnSymbols::look_up()? })
    }

    /// Lets `executed` be called before each instruction of the block, with its
    /// [`Insn`] as the pointer.
    ///
    /// # Safety
    /// The block is the one that is being translated.
    pub unsafe fn every_insn(
        &self,
        block: *const qemu_plugin_tb,
        executed: qemu_plugin_vcpu_udata_cb_t,
    ) {
        let symbols = &self.symbols;
        // SAFETY: the caller's promise; the instructions are below the block's count and used
        // within the translation, during which their bytes stay mapped; the callback is never unloaded, and its pointer is a number that
        // is never followed.
        unsafe {
            let count = (symbols.qemu_plugin_tb_n_insns)(block);
            for index in 0..count {
                let insn = (symbols.qemu_plugin_tb_get_insn)(block, index);
                let address = (symbols.qemu_plugin_insn_vaddr)(insn);
                let length = (symbols.qemu_plugin_insn_size)(insn);
                let bytes = (symbols.qemu_plugin_insn_haddr)(insn);
                let known = !bytes.is_null();
                let enables = known.then(|| Enables::of(std::slice::from_raw_parts(bytes, length)));
                let word = Insn::new(address, length, index + 1 == count)
                    .enabling(enables.unwrap_or(Enables::Never))
                    .word();
                let pointer = without_provenance_mut(word as usize);
                (symbols.qemu_plugin_register_vcpu_insn_exec_cb)(insn, executed, NO_REGS, pointer);
            }
        }
    }

    /// Lets `executed` be called before the block's first instruction, with the number that `number`
    /// gives it by the block's address, its count of instructions and the first one's bytes. Returns
    /// whether it gave one.
    ///
    /// # Safety
    /// The block is the one that is being translated.
    pub unsafe fn whole(
        &self,
        block: *const qemu_plugin_tb,
        number: impl Fn(u64, usize, &[u8]) -> Option<u64>,
        executed: qemu_plugin_vcpu_udata_cb_t,
    ) -> bool {
        let symbols = &self.symbols;
        // SAFETY: the caller's promise; a block has a first instruction, whose bytes are in the
        // guest's memory, which stays mapped for as long as the block is translated.
        unsafe {
            let insn = (symbols.qemu_plugin_tb_get_insn)(block, 0);
            let bytes = (symbols.qemu_plugin_insn_haddr)(insn);
            if bytes.is_null() {
                return false;
            }
            let bytes = std::slice::from_raw_parts(bytes, (symbols.qemu_plugin_insn_size)(insn));
            let count = (symbols.qemu_plugin_tb_n_insns)(block);
            let found = number((symbols.qemu_plugin_insn_vaddr)(insn), count, bytes);
            if let Some(number) = found {
                let pointer = without_provenance_mut(number as usize);
                (symbols.qemu_plugin_register_vcpu_insn_exec_cb)(insn, executed, NO_REGS, pointer);
            }
            found.is_some()
        }
    }

    /// Lets `written` be called after each write to memory, if the block is the kernel's.
    ///
    /// # Safety
    /// The block is the one that is being translated.
    pub unsafe fn kernel_writes(&self, block: *const qemu_plugin_tb, written: MemoryFn) {
        let symbols = &self.symbols;
        // SAFETY: the caller's promise.
        unsafe {
            for index in 0..(symbols.qemu_plugin_tb_n_insns)(block) {
                let insn = (symbols.qemu_plugin_tb_get_insn)(block, index);
                if (symbols.qemu_plugin_insn_vaddr)(insn) < KERNEL {
                    return;
                }
                let none = null_mut();
                (symbols.qemu_plugin_register_vcpu_mem_cb)(insn, written, NO_REGS, WRITES, none);
            }
        }
    }

    /// Lets `executed` be called before the block's first instruction, if `wanted` says so of its
    /// bytes.
    ///
    /// # Safety
    /// The block is the one that is being translated.
    pub unsafe fn first_insn(
        &self,
        block: *const qemu_plugin_tb,
        wanted: impl Fn(&[u8]) -> bool,
        executed: qemu_plugin_vcpu_udata_cb_t,
    ) {
        // SAFETY: the caller's promise.
        unsafe { self.insn(block, 0, wanted, executed) }
    }

    /// Lets `executed` be called before the block's last instruction, if `wanted` says so of its
    /// bytes.
    ///
    /// # Safety
    /// The block is the one that is being translated.
    pub unsafe fn last_insn(
        &self,
        block: *const qemu_plugin_tb,
        wanted: impl Fn(&[u8]) -> bool,
        executed: qemu_plugin_vcpu_udata_cb_t,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            let count = (self.symbols.qemu_plugin_tb_n_insns)(block);
            if let Some(last) = count.checked_sub(1) {
                self.insn(block, last, wanted, executed);
            }
        }
    }

    /// Lets `executed` be called before each instruction for whose bytes `wanted` says so.
    ///
    /// # Safety
    /// The block is the one that is being translated.
    pub unsafe fn any_insn(
        &self,
        block: *const qemu_plugin_tb,
        wanted: impl Fn(&[u8]) -> bool,
        executed: qemu_plugin_vcpu_udata_cb_t,
    ) {
        // SAFETY: the caller's promise.
        unsafe {
            for index in 0..(self.symbols.qemu_plugin_tb_n_insns)(block) {
                self.insn(block, index, &wanted, executed);
            }
        }
    }

    unsafe fn insn(
        &self,
        block: *const qemu_plugin_tb,
        index: usize,
        wanted: impl Fn(&[u8]) -> bool,
        executed: qemu_plugin_vcpu_udata_cb_t,
    ) {
        let symbols = &self.symbols;
        // SAFETY: the block has this instruction; its bytes are in the guest's memory, which stays
        // mapped for as long as the block is translated.
        unsafe {
            let insn = (symbols.qemu_plugin_tb_get_insn)(block, index);
            let bytes = (symbols.qemu_plugin_insn_haddr)(insn);
            let length = (symbols.qemu_plugin_insn_size)(insn);
            if !bytes.is_null() && wanted(std::slice::from_raw_parts(bytes, length)) {
                let none = null_mut();
                (symbols.qemu_plugin_register_vcpu_insn_exec_cb)(insn, executed, NO_REGS, none);
            }
        }
    }

    /// Adds to the virtual clock what this CPU has executed, up to the end of its block.
    ///
    /// # Safety
    /// Called from a callback in this very CPU's code.
    pub unsafe fn bring_clock_up_to_date(&self, cpu: c_uint) {
        let Ok(index) = c_int::try_from(cpu) else { return };
        // SAFETY: the caller's promise; QEMU's function takes the clock's own lock, and the CPU is
        // the one that runs.
        unsafe { (self.symbols.icount_update)((self.symbols.qemu_get_cpu)(index)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outside_qemu_every_symbol_is_named_as_missing() {
        assert_eq!(Instrument::look_up().err().unwrap().len(), 9);
    }
}
