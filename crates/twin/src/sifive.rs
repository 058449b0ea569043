// SPDX-License-Identifier: GPL-2.0-or-later
//! The GPIO controller of the twin's RISC-V machine, a SiFive one with sixteen lines: one of
//! the first eight is the interrupt input, the other eight are response lines while they are outputs.
//! The input's bits of the interrupt enable registers are the gate.
//!
//! QEMU's machine `virt` has no GPIO controller, so the plugin adds one when all other devices are
//! there; the host gives the guest a device tree that says so (crates/rig/src/guest/riscv.rs).
//! Registers: SiFive FU540-C000 Manual, chapter 17.

use std::ffi::{CStr, c_char, c_int, c_void};

use crate::port::Seen;
use crate::qemu::symbols;

/// Its type, and that of the interrupt controller that it is wired to.
pub const TYPE: &CStr = c"sifive_soc.gpio";
pub const CONTROLLER: &CStr = c"riscv.sifive.plic";
/// Where it is put, and the interrupt of its first line; the other lines' follow.
const BASE: u64 = 0x1006_0000;
pub const INTERRUPT: u32 = 36;
const LINES: u32 = 16;
/// The lines of which one is the input; the others are response lines.
pub const INPUTS: u32 = 8;
pub const OUTPUT_ENABLE: u64 = BASE + 0x08;
pub const OUTPUT: u64 = BASE + 0x0c;
/// Interrupts at the rising and the falling edge, and while the input is high or low.
pub const INTERRUPT_ENABLES: [u64; 4] = [BASE + 0x18, BASE + 0x20, BASE + 0x28, BASE + 0x30];

/// Converts the registers; `input`: the interrupt's line.
pub fn seen(output: u32, output_enable: u32, enables: [u32; 4], input: u32) -> Seen {
    let high = (output & output_enable) >> INPUTS & 0xff;
    let enabled = enables.into_iter().any(|enable| enable >> input & 1 != 0);
    Seen { lines: u16::try_from(high).unwrap_or(0), enabled }
}

/// QEMU's `Notifier`: a function, and the two links of a list.
#[repr(C)]
struct Notifier {
    notify: unsafe extern "C" fn(*mut Notifier, *mut c_void),
    links: [*mut c_void; 2],
}

symbols! { Symbols:
    qemu_add_machine_init_done_notifier: unsafe extern "C" fn(*mut Notifier),
    qdev_new: unsafe extern "C" fn(*const c_char) -> *mut c_void,
    sysbus_realize_and_unref: unsafe extern "C" fn(*mut c_void, *mut *mut c_void) -> bool,
    sysbus_mmio_map: unsafe extern "C" fn(*mut c_void, c_int, u64),
    sysbus_connect_irq: unsafe extern "C" fn(*mut c_void, c_int, *mut c_void),
    object_resolve_path_type:
        unsafe extern "C" fn(*const c_char, *const c_char, *mut bool) -> *mut c_void,
    qdev_get_gpio_in: unsafe extern "C" fn(*mut c_void, c_int) -> *mut c_void,
}

/// Has the controller added once the machine is complete, and before its CPUs run or a kept state
/// is read.
///
/// # Errors
/// The names of what this QEMU does not export.
pub fn add() -> Result<(), Vec<&'static str>> {
    let symbols = Symbols::look_up()?;
    let notifier =
        Box::leak(Box::new(Notifier { notify: complete, links: [std::ptr::null_mut(); 2] }));
    // SAFETY: the notifier is never freed, and its function never unloaded.
    unsafe { (symbols.qemu_add_machine_init_done_notifier)(notifier) }
    Ok(())
}

/// Runs in QEMU's main thread, under its big lock.
unsafe extern "C" fn complete(_notifier: *mut Notifier, _data: *mut c_void) {
    let Ok(symbols) = Symbols::look_up() else { return };
    let null = std::ptr::null_mut;
    // SAFETY: terminated names of types that every qemu-system-riscv64 has; the device has one region
    // and an interrupt for each line, and the interrupt controller at least 53 inputs
    // (hw/riscv/virt.c), in each version from 7.2 on.
    unsafe {
        let plic = (symbols.object_resolve_path_type)(
            c"".as_ptr(),
            CONTROLLER.as_ptr(),
            std::ptr::null_mut(),
        );
        if plic.is_null() {
            return; // The wiring will say so.
        }
        let device = (symbols.qdev_new)(TYPE.as_ptr());
        if !(symbols.sysbus_realize_and_unref)(device, null()) {
            return;
        }
        (symbols.sysbus_mmio_map)(device, 0, BASE);
        for (line, input) in (0..LINES).zip(INTERRUPT..) {
            let pin = (symbols.qdev_get_gpio_in)(plic, input as c_int);
            (symbols.sysbus_connect_irq)(device, line as c_int, pin);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_upper_eight_outputs_are_lines() {
        let lines = |output, enable| seen(output, enable, [0; 4], 7).lines;
        assert_eq!(lines(0xffff, 0xff00), 0xff);
        assert_eq!(lines(0xa5ff, 0xff7f), 0xa5);
        assert_eq!(lines(0xffff, 0x00ff), 0, "inputs show nothing");
    }

    #[test]
    fn any_enabled_interrupt_of_the_input_opens_the_gate() {
        for which in 0..4 {
            let mut enables = [0xff7f; 4];
            assert!(!seen(0, 0, enables, 7).enabled);
            enables[which] |= 1 << 7;
            assert!(seen(0, 0, enables, 7).enabled);
        }
    }

    #[test]
    fn outside_qemu_its_symbols_are_named_as_missing() {
        assert!(add().unwrap_err().contains(&"sysbus_mmio_map"));
    }
}
