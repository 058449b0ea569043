// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A guest that is booted once and used often: it stops its machine when it is up, the host keeps
//! the machine's state, and every guest that goes on from there reads its work from files that the
//! host gives that machine alone.
//!
//! The stop is a write to QEMU's pvpanic device, whose CPU stops right after the instruction: an
//! act of the guest and no instant of the host's. The files are those of QEMU's firmware
//! configuration device, read register by register: nothing arrives at an instant that the host
//! decides. QEMU's docs/specs/pvpanic.rst and docs/specs/fw_cfg.rst describe both devices.

#[cfg(not(any(target_arch = "aarch64", target_arch = "riscv64", target_arch = "x86_64")))]
#[path = "snapshot/other.rs"]
mod machine;
#[cfg(any(target_arch = "aarch64", target_arch = "riscv64"))]
#[path = "snapshot/virt.rs"]
mod machine;
#[cfg(target_arch = "x86_64")]
#[path = "snapshot/x86_64.rs"]
mod machine;

use crate::error::Result;

/// The event of a guest that has panicked. QEMU is started so that it pauses then.
const PANICKED: u8 = 1;
/// The selector of the list of files.
const DIRECTORY: u16 = 0x19;
/// Bytes of one entry: size and selector, big-endian, two reserved bytes, the name.
const ENTRY_BYTES: usize = 64;
const NAME_AT: usize = 8;
/// More than any plan has: a longer file is none of ours.
const MOST_BYTES: usize = 16 << 20;

/// Registers of the firmware configuration device.
trait Registers {
    /// Selects an item, from its first byte on.
    fn select(&mut self, item: u16);
    /// Returns the next byte of the selected item.
    fn byte(&mut self) -> u8;
}

/// Stops the machine. It returns when the host lets the machine go on, perhaps in another process
/// and on another day.
///
/// # Errors
/// The machine has no such device, or the kernel does not let this process reach it.
pub fn stop() -> Result<()> {
    machine::stop(PANICKED)
}

/// Returns the contents of a file that the host gives this machine; `None` if it gives none of this
/// name.
///
/// # Errors
/// The kernel does not let this process reach the device.
pub fn file(name: &str) -> Result<Option<Vec<u8>>> {
    Ok(read(&mut machine::registers()?, &format!("opt/irqscope/{name}")))
}

fn read(registers: &mut impl Registers, name: &str) -> Option<Vec<u8>> {
    registers.select(DIRECTORY);
    let entries = u32::from_be_bytes(array(registers));
    for _ in 0..entries.min(u16::MAX.into()) {
        let entry: [u8; ENTRY_BYTES] = array(registers);
        let [a, b, c, d, high, low, ..] = entry;
        let its_name = entry[NAME_AT..].split(|byte| *byte == 0).next().unwrap_or_default();
        if its_name == name.as_bytes() {
            let length = u32::from_be_bytes([a, b, c, d]) as usize;
            registers.select(u16::from_be_bytes([high, low]));
            return Some((0..length.min(MOST_BYTES)).map(|_| registers.byte()).collect());
        }
    }
    None
}

fn array<const N: usize>(registers: &mut impl Registers) -> [u8; N] {
    std::array::from_fn(|_| registers.byte())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The device with two files, as docs/specs/fw_cfg.rst has it.
    struct Device {
        items: Vec<(u16, Vec<u8>)>,
        at: std::vec::IntoIter<u8>,
    }

    impl Device {
        fn with(files: &[(&str, &[u8])]) -> Self {
            let mut directory = (files.len() as u32).to_be_bytes().to_vec();
            let mut items = Vec::new();
            for ((name, contents), selector) in files.iter().zip(0x20_u16..) {
                directory.extend((contents.len() as u32).to_be_bytes());
                directory.extend(selector.to_be_bytes());
                let mut padded = name.as_bytes().to_vec();
                padded.resize(56, 0);
                directory.extend([0, 0]);
                directory.extend(padded);
                items.push((selector, contents.to_vec()));
            }
            items.push((DIRECTORY, directory));
            Self { items, at: Vec::new().into_iter() }
        }
    }

    impl Registers for Device {
        fn select(&mut self, item: u16) {
            let found = self.items.iter().find(|(selector, _)| *selector == item);
            self.at = found.map(|(_, bytes)| bytes.clone()).unwrap_or_default().into_iter();
        }

        fn byte(&mut self) -> u8 {
            self.at.next().unwrap_or(0)
        }
    }

    #[test]
    fn a_file_is_found_by_its_whole_name() {
        let files: [(&str, &[u8]); 2] =
            [("opt/irqscope/planet", b"x"), ("opt/irqscope/plan", b"ab")];
        let mut device = Device::with(&files);
        assert_eq!(read(&mut device, "opt/irqscope/plan").as_deref(), Some(&b"ab"[..]));
        assert_eq!(read(&mut device, "opt/irqscope/pla"), None);
    }

    #[test]
    fn a_machine_without_the_device_has_no_files() {
        // A port that is not there reads as all ones.
        struct Absent;
        impl Registers for Absent {
            fn select(&mut self, _: u16) {}
            fn byte(&mut self) -> u8 {
                0xff
            }
        }
        assert_eq!(read(&mut Absent, "opt/irqscope/plan"), None);
    }
}
