// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Machines that QEMU plays: what they boot from, the process, and its console.

pub(crate) mod console;
mod control;
pub(crate) mod devices;
pub(crate) mod emulator;
pub(crate) mod image;
pub(crate) mod initramfs;
pub(crate) mod kvm;
mod launch;
mod monitor;
pub(crate) mod qemu;
pub(crate) mod riscv;
pub(crate) mod snapshot;
mod stand_in;

pub use qemu::check_programs;
pub use stand_in::Guest;
