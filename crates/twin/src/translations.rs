// SPDX-License-Identifier: GPL-2.0-or-later
//! The code that QEMU has translated, with the calls of each instruction that were wanted then.

use std::ffi::{c_int, c_void};
use std::sync::LazyLock;

use crate::qemu::{address, symbols};

/// `run_on_cpu_func`, with its union as a word.
type Work = unsafe extern "C" fn(*mut c_void, u64);

/// QEMU's `tb_flush`, until 10.0.
pub type Flush = unsafe extern "C" fn(*mut c_void);

symbols! { Symbols:
    qemu_get_cpu: unsafe extern "C" fn(c_int) -> *mut c_void,
    async_run_on_cpu: unsafe extern "C" fn(*mut c_void, Work, u64),
}

/// Looked up once: each block that is translated asks for it.
static FLUSH: LazyLock<Option<Flush>> = LazyLock::new(|| {
    let address = address("tb_flush");
    // SAFETY: the address is that of QEMU's function of this name, whose type is the one declared.
    (!address.is_null()).then(|| unsafe { std::mem::transmute::<*mut c_void, Flush>(address) })
});

/// Returns QEMU's function, if this version has it.
pub fn flush() -> Option<Flush> {
    *FLUSH
}

/// Lets the first CPU throw away what was translated for all, as soon as it executes nothing. A QEMU that
/// cannot do so goes on with what it has, whose calls only cost time.
pub fn throw_away() {
    let (Ok(symbols), true) = (Symbols::look_up(), flush().is_some()) else { return };
    // SAFETY: QEMU's functions, with a CPU that is there and a function that is never unloaded.
    unsafe { (symbols.async_run_on_cpu)((symbols.qemu_get_cpu)(0), translate_anew, 0) }
}

unsafe extern "C" fn translate_anew(cpu: *mut c_void, _word: u64) {
    if let Some(flush) = flush() {
        // SAFETY: QEMU does work for a CPU in its thread, between two blocks.
        unsafe { flush(cpu) }
    }
}
