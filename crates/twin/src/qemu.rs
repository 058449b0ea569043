// SPDX-License-Identifier: GPL-2.0-or-later
//! QEMU's functions, looked up by name when the plugin is loaded.
//!
//! Those of the plugin API are always there; the others are what QEMU exports
//! to its own loadable modules, and no promise. So all are checked before
//! anything is done, and what is missing is named.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};

use qemu_plugin_sys::{qemu_plugin_id_t, qemu_plugin_udata_cb_t, qemu_plugin_vcpu_tb_trans_cb_t};

/// `QEMU_CLOCK_VIRTUAL`.
pub const VIRTUAL: c_int = 1;
const SCALE_NS: c_int = 1;
/// More than any version's `QEMUTimer`, which has 48 to 64 bytes.
const TIMER_WORDS: usize = 32;

pub type TimerFn = unsafe extern "C" fn(*mut c_void);
/// `qemu_irq_handler`: opaque, line, level.
pub type IrqFn = unsafe extern "C" fn(*mut c_void, c_int, c_int);

/// The functions by their C types: one list to declare and to look up.
macro_rules! symbols {
    ($symbols:ident: $($name:ident: $type:ty,)*) => {
        #[derive(Clone, Copy)]
        #[allow(clippy::struct_field_names, reason = "they have QEMU's names")]
        struct $symbols { $($name: $type,)* }

        impl $symbols {
            /// Looks all of them up, or returns the names of those that are missing.
            fn look_up() -> Result<Self, Vec<&'static str>> {
                let missing: Vec<&str> = [$(stringify!($name)),*]
                    .into_iter()
                    .filter(|name| $crate::qemu::address(name).is_null())
                    .collect();
                if !missing.is_empty() {
                    return Err(missing);
                }
                Ok(Self {
                    // SAFETY: the address is not null and that of QEMU's function (or variable) of
                    // this name, whose type is the one declared, in versions 7.2 to 11.1.
                    $($name: unsafe {
                        std::mem::transmute::<*mut std::ffi::c_void, $type>(
                            $crate::qemu::address(stringify!($name)),
                        )
                    },)*
                })
            }
        }
    };
}

pub(crate) use symbols;

symbols! { Symbols:
    qemu_plugin_register_vcpu_tb_trans_cb:
        unsafe extern "C" fn(qemu_plugin_id_t, qemu_plugin_vcpu_tb_trans_cb_t),
    qemu_plugin_register_atexit_cb:
        unsafe extern "C" fn(qemu_plugin_id_t, qemu_plugin_udata_cb_t, *mut c_void),
    qemu_clock_get_ns: unsafe extern "C" fn(c_int) -> i64,
    timer_init_full: unsafe extern "C" fn(
        *mut c_void, *mut c_void, c_int, c_int, c_int, TimerFn, *mut c_void),
    timer_mod: unsafe extern "C" fn(*mut c_void, i64),
    object_resolve_path_type:
        unsafe extern "C" fn(*const c_char, *const c_char, *mut bool) -> *mut c_void,
    qdev_get_gpio_in_named:
        unsafe extern "C" fn(*mut c_void, *const c_char, c_int) -> *mut c_void,
    qemu_set_irq: unsafe extern "C" fn(*mut c_void, c_int),
    qemu_irq_intercept_in: unsafe extern "C" fn(*mut *mut c_void, IrqFn, c_int),
}

symbols! { IsaSymbols:
    isa_get_irq: unsafe extern "C" fn(*mut c_void, c_uint) -> *mut c_void,
    cpu_inb: unsafe extern "C" fn(u32) -> u8,
}

/// `MemTxAttrs` by value: a word of flags, 4 or 8 bytes of it by version.
type Attributes = u64;

/// A variable of QEMU's, `struct AddressSpace`.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(crate) struct Space(*mut c_void);

symbols! { MemorySymbols:
    address_space_memory: Space,
    address_space_rw:
        unsafe extern "C" fn(Space, u64, Attributes, *mut c_void, u64, bool) -> c_uint,
}

/// Returns a symbol's address; null if this process has no such symbol.
pub fn address(name: &str) -> *mut c_void {
    let mut terminated = name.as_bytes().to_vec();
    terminated.push(0);
    // SAFETY: the name ends with a zero; dlsym only reads it.
    unsafe { libc::dlsym(libc::RTLD_DEFAULT, terminated.as_ptr().cast()) }
}

/// Returns whether the virtual clock is one of counted instructions; `None` if QEMU does not say.
pub fn counts_instructions() -> Option<bool> {
    let address = address("use_icount").cast::<c_int>();
    // SAFETY: `use_icount` is an int or an enum of its size, never freed.
    (!address.is_null()).then(|| unsafe { address.read() != 0 })
}

/// QEMU as the plugin sees it.
///
/// Useful invariant: methods but the two that register are called only from
/// QEMU's callbacks, under its big lock, and not from within a device's
/// register access, except `now`.
#[derive(Clone, Copy)]
pub struct Qemu {
    symbols: Symbols,
}

/// A timer on the virtual clock; lives as long as QEMU.
#[derive(Clone, Copy)]
pub struct Timer(*mut c_void);

/// An input of a device: an interrupt controller's, or a GPIO line.
#[derive(Clone, Copy)]
pub struct Pin(*mut c_void);

// SAFETY: both point to objects that QEMU never frees and that are only handed
// back to it, under its big lock, whichever thread holds that.
unsafe impl Send for Timer {}
// SAFETY: as above.
unsafe impl Send for Pin {}

impl Qemu {
    pub fn look_up() -> Result<Self, Vec<&'static str>> {
        Ok(Self { symbols: Symbols::look_up()? })
    }

    pub fn register(
        &self,
        id: qemu_plugin_id_t,
        translated: qemu_plugin_vcpu_tb_trans_cb_t,
        exits: qemu_plugin_udata_cb_t,
    ) {
        // SAFETY: the id is the one that QEMU gave; both callbacks are functions of
        // this library, which is never unloaded.
        unsafe {
            (self.symbols.qemu_plugin_register_vcpu_tb_trans_cb)(id, translated);
            (self.symbols.qemu_plugin_register_atexit_cb)(id, exits, std::ptr::null_mut());
        }
    }

    /// Returns virtual nanoseconds.
    pub fn now(&self) -> u64 {
        // SAFETY: reads a clock; callers are where it can be read (see Qemu).
        let now = unsafe { (self.symbols.qemu_clock_get_ns)(VIRTUAL) };
        u64::try_from(now).unwrap_or(0)
    }

    pub fn timer(&self, function: TimerFn) -> Timer {
        let memory: &'static mut [u64; TIMER_WORDS] = Box::leak(Box::new([0; TIMER_WORDS]));
        let timer = memory.as_mut_ptr().cast();
        let null = std::ptr::null_mut;
        // SAFETY: zeroed memory that is large enough, aligned and never freed; no
        // timer list group means that of the main loop.
        unsafe {
            (self.symbols.timer_init_full)(timer, null(), VIRTUAL, SCALE_NS, 0, function, null());
        }
        Timer(timer)
    }

    /// Lets it fire once, at this time or as soon as possible.
    pub fn fire_at(&self, timer: Timer, at: u64) {
        let at = i64::try_from(at).unwrap_or(i64::MAX);
        // SAFETY: the timer was initialised by `timer`; timer_mod is thread-safe.
        unsafe { (self.symbols.timer_mod)(timer.0, at) }
    }

    /// Returns an input of the machine's only device of this type; `None` if there is none.
    pub fn pin(&self, kind: &CStr, number: u32) -> Option<Pin> {
        // SAFETY: terminated names, and whether the type is ambiguous is not asked.
        let device = unsafe {
            (self.symbols.object_resolve_path_type)(
                c"".as_ptr(),
                kind.as_ptr(),
                std::ptr::null_mut(),
            )
        };
        if device.is_null() {
            return None;
        }
        let number = c_int::try_from(number).ok()?;
        // SAFETY: the object is a device (all of these types are), and the number is
        // one of its unnamed inputs: the callers' types have that many.
        let pin =
            unsafe { (self.symbols.qdev_get_gpio_in_named)(device, std::ptr::null(), number) };
        (!pin.is_null()).then_some(Pin(pin))
    }

    pub fn set(&self, pin: Pin, up: bool) {
        // SAFETY: the pin is one that QEMU gave, and never goes.
        unsafe { (self.symbols.qemu_set_irq)(pin.0, c_int::from(up)) }
    }

    /// Hands all that this pin's source says to `function` alone, which may pass it on with
    /// [`Self::pass_on`].
    pub fn intercept(&self, pin: Pin, function: IrqFn) {
        let mut pin = pin.0;
        // SAFETY: one pin, whose handler is exchanged in place under the big lock;
        // the function is never unloaded.
        unsafe { (self.symbols.qemu_irq_intercept_in)(&raw mut pin, function, 1) }
    }

    /// Passes what its source has said on to the pin that was intercepted.
    ///
    /// # Safety
    /// `opaque` is what the intercepting function was called with.
    pub unsafe fn pass_on(&self, opaque: *mut c_void, level: c_int) {
        // SAFETY: QEMU keeps the old pin where `opaque` points, for ever.
        unsafe { (self.symbols.qemu_set_irq)(opaque.cast::<*mut c_void>().read(), level) }
    }
}

/// Of a PC alone.
#[derive(Clone, Copy)]
pub struct Isa {
    symbols: IsaSymbols,
}

impl Isa {
    pub fn look_up() -> Result<Self, Vec<&'static str>> {
        Ok(Self { symbols: IsaSymbols::look_up()? })
    }

    /// Returns an ISA interrupt's line; `None` if this machine has no ISA bus.
    pub fn pin(&self, number: u32) -> Option<Pin> {
        // SAFETY: no device means the machine's only ISA bus; the number is below 16.
        let pin = unsafe { (self.symbols.isa_get_irq)(std::ptr::null_mut(), number) };
        (!pin.is_null()).then_some(Pin(pin))
    }

    /// Reads an I/O port as the CPU would.
    pub fn inb(&self, port: u32) -> u8 {
        // SAFETY: a register read of the parallel port, which has no side effect for
        // data and control; not from within an access to it (see Qemu).
        unsafe { (self.symbols.cpu_inb)(port) }
    }
}

/// The machine's memory, as the CPU and its devices see it.
#[derive(Clone, Copy)]
pub struct Memory {
    symbols: MemorySymbols,
}

// SAFETY: its only pointer is to a variable of QEMU, handed back under the big lock.
unsafe impl Send for Memory {}

impl Memory {
    pub fn look_up() -> Result<Self, Vec<&'static str>> {
        Ok(Self { symbols: MemorySymbols::look_up()? })
    }

    /// Reads a device's register; 0 where there is none.
    pub fn read(&self, address: u64) -> u32 {
        let mut data = [0; 4];
        self.access(address, &mut data, false);
        u32::from_le_bytes(data)
    }

    /// Writes a device's register.
    pub fn write(&self, address: u64, value: u32) {
        self.access(address, &mut value.to_le_bytes(), true);
    }

    /// Raises a system management interrupt in the first CPU, by a message to its
    /// local APIC.
    pub fn smi(&self) {
        /// Of CPU 0, as physical destination.
        const APIC: u64 = 0xfee0_0000;
        const DELIVER_SMI: u32 = 2 << 8;
        self.write(APIC, DELIVER_SMI);
    }

    fn access(&self, address: u64, data: &mut [u8; 4], is_write: bool) {
        // SAFETY: an access of 4 bytes to a device's register, as the CPU or a device
        // does it; under the big lock (see Qemu), outside of any device.
        unsafe {
            (self.symbols.address_space_rw)(
                self.symbols.address_space_memory,
                address,
                0,
                data.as_mut_ptr().cast(),
                data.len() as u64,
                is_write,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outside_qemu_every_symbol_is_named_as_missing() {
        let missing = Qemu::look_up().err().unwrap();
        assert_eq!(missing.len(), 9);
        assert!(missing.contains(&"timer_init_full"));
        assert_eq!(Isa::look_up().err().unwrap().len(), 2);
        assert_eq!(Memory::look_up().err().unwrap().len(), 2);
        assert_eq!(counts_instructions(), None);
    }
}
