// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The firmware and the device tree of a RISC-V guest: files of QEMU's command line that the other
//! machines do without.
//!
//! OpenSBI is a package of its own, because QEMU's does not bring it along. The device tree is QEMU's
//! own for the same arguments, changed in two ways: without the seed of randomness, which is the
//! host's and differs from run to run, and with the GPIO controller that the twin's generator adds to
//! the machine (crates/twin/src/sifive.rs; Linux' Documentation/devicetree/bindings/gpio/sifive,gpio.yaml).

use std::path::Path;
use std::process::Command;

use dtoolkit::error::ModelError;
use dtoolkit::fdt::Fdt;
use dtoolkit::model::{DeviceTree, DeviceTreeNode, DeviceTreeProperty};
use dtoolkit::{Node, Property, ToPropertyValue};
use sha2::{Digest, Sha256};

use crate::cache::{self, hex};
use crate::error::{Result, RigError, Trying};
use crate::guest::emulator::Emulator;

/// The firmware, and Debian's package with it.
const FIRMWARE: &str = "/usr/lib/riscv64-linux-gnu/opensbi/generic/fw_dynamic.bin";
const PACKAGE: &str = "opensbi";

/// The names of both in the cache.
const KEPT_FIRMWARE: &str = "opensbi.bin";
const KEPT_TREE: &str = "tree.dtb";

/// The controller of the generator's wires: where it is, and the interrupts of its lines.
const CONTROLLER: &str = "gpio@10060000";
const REGISTERS: [u32; 4] = [0, 0x1006_0000, 0, 0x1000];
const INTERRUPTS: std::ops::Range<u32> = 36..52;

/// Returns QEMU's arguments for both. `args`: the machine's others, which decide the tree;
/// `wires`: whether the generator's controller is in it.
///
/// # Errors
/// OpenSBI is not installed, or QEMU does not write a tree that can be read.
pub(crate) fn args(emulator: &Emulator, args: &[String], wires: bool) -> Result<Vec<String>> {
    let firmware = std::fs::read(FIRMWARE).map_err(|error| {
        RigError::unready(
            format!("cannot read OpenSBI, the firmware of RISC-V guests: {FIRMWARE}: {error}"),
            format!("apt-get install {PACKAGE}"),
        )
    })?;
    let mut hash = Sha256::new();
    for part in args.iter().map(String::as_bytes).chain([emulator.identity()?.as_bytes()]) {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.update([u8::from(wires)]);
    hash.update(&firmware);
    let dir = cache::root()?.join("firmware").join(hex(&hash.finalize()[..16]));
    let _alone = cache::only_one(&dir)?;
    if !cache::is_whole(&dir, &|_| {})? {
        cache::make_dir(&dir, |made| {
            let tree = tree(&dumped(emulator, args, &made.join("dumped"))?, wires)?;
            for (name, bytes) in [(KEPT_FIRMWARE, &firmware), (KEPT_TREE, &tree)] {
                let path = made.join(name);
                std::fs::write(&path, bytes)
                    .trying(|| format!("cannot write {}", path.display()))?;
            }
            Ok(())
        })?;
    }
    let file = |name: &str| dir.join(name).display().to_string();
    Ok(["-bios".into(), file(KEPT_FIRMWARE), "-dtb".into(), file(KEPT_TREE)].into())
}

/// Returns the tree that QEMU makes for these arguments.
fn dumped(emulator: &Emulator, args: &[String], file: &Path) -> Result<Vec<u8>> {
    let mut words = emulator.words();
    let mut command = Command::new(words.next().unwrap_or_default());
    command.args(words).args(args).args(["-nodefaults", "-display", "none", "-machine"]);
    command.arg(format!("dumpdtb={}", file.display().to_string().replace(',', ",,")));
    crate::command::output(&mut command, emulator.package())?;
    let read = std::fs::read(file).trying(|| format!("cannot read {}", file.display()))?;
    let _ = std::fs::remove_file(file);
    Ok(read)
}

/// Changes a tree.
fn tree(dumped: &[u8], wires: bool) -> Result<Vec<u8>> {
    let strange = |what: String| {
        RigError::unready(
            format!("QEMU's device tree for RISC-V is not as expected: {what}"),
            "use QEMU 10",
        )
    };
    let parsed = Fdt::new(whole(dumped)).map_err(|error| strange(error.to_string()))?;
    let mut tree = DeviceTree::from_fdt(&parsed);
    if let Some(chosen) = tree.root.child_mut("chosen") {
        chosen.remove_property("rng-seed");
    }
    if wires {
        let soc = tree.root.child_mut("soc").ok_or_else(|| strange("there is no /soc".into()))?;
        let plic = soc.children().find(|node| node.name().starts_with("plic@"));
        let phandle = plic.and_then(|plic| plic.property("phandle")?.value_as::<u32>().ok());
        let phandle = phandle.ok_or_else(|| strange("there is no PLIC".into()))?;
        soc.add_child(controller(phandle).map_err(|error| strange(error.to_string()))?);
    }
    Ok(tree.to_dtb())
}

/// Returns a tree without what lies behind it: QEMU writes all of its buffer. The second word of a tree is
/// its length (Devicetree Specification, 5.2).
fn whole(dumped: &[u8]) -> &[u8] {
    let length = dumped.get(4..8).and_then(|word| word.try_into().ok()).map(u32::from_be_bytes);
    length.and_then(|length| dumped.get(..length as usize)).unwrap_or(dumped)
}

/// Returns the node of the generator's controller; its interrupts go to the controller `parent`.
fn controller(parent: u32) -> std::result::Result<DeviceTreeNode, ModelError> {
    let cells =
        |cells: &[u32]| cells.iter().flat_map(|cell| cell.to_be_bytes()).collect::<Vec<_>>();
    let interrupts = cells(&INTERRUPTS.collect::<Vec<_>>());
    let mut node = DeviceTreeNode::new(CONTROLLER)?;
    let mut add = |name: &str, value: &[u8]| -> std::result::Result<(), ModelError> {
        node.add_property(property(name, value)?);
        Ok(())
    };
    add("compatible", b"sifive,gpio0\0")?;
    add("reg", &cells(&REGISTERS))?;
    add("interrupt-parent", &cells(&[parent]))?;
    add("interrupts", &interrupts)?;
    add("gpio-controller", b"")?;
    add("#gpio-cells", &cells(&[2]))?;
    add("interrupt-controller", b"")?;
    add("#interrupt-cells", &cells(&[2]))?;
    Ok(node)
}

fn property<T: ToPropertyValue>(
    name: &str,
    value: T,
) -> std::result::Result<DeviceTreeProperty, ModelError> {
    DeviceTreeProperty::new(name, value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes a tree as `virt` has it, of what is looked at.
    fn dumped() -> Vec<u8> {
        let mut tree = DeviceTree::new();
        let mut chosen = DeviceTreeNode::new("chosen").unwrap();
        chosen.add_property(property("rng-seed", &b"\x01\x02"[..]).unwrap());
        chosen.add_property(property("stdout-path", &b"/soc/serial\0"[..]).unwrap());
        let mut plic = DeviceTreeNode::new("plic@c000000").unwrap();
        plic.add_property(property("phandle", &3_u32.to_be_bytes()[..]).unwrap());
        let mut soc = DeviceTreeNode::new("soc").unwrap();
        soc.add_child(plic);
        tree.root.add_child(chosen);
        tree.root.add_child(soc);
        let mut dumped = tree.to_dtb();
        dumped.resize(1 << 20, 0);
        dumped
    }

    #[test]
    fn the_seed_goes_and_the_rest_stays() {
        let changed = tree(&dumped(), false).unwrap();
        let read = Fdt::new(&changed).unwrap();
        let chosen = read.find_node("/chosen").unwrap();
        assert!(chosen.property("rng-seed").is_none());
        assert!(chosen.property("stdout-path").is_some());
        assert!(read.find_node("/soc/gpio@10060000").is_none());
    }

    #[test]
    fn the_controllers_interrupts_go_to_the_machines_own() {
        let changed = tree(&dumped(), true).unwrap();
        let read = Fdt::new(&changed).unwrap();
        let node = read.find_node("/soc/gpio@10060000").unwrap();
        assert_eq!(node.property("interrupt-parent").unwrap().value_as::<u32>(), Ok(3));
        let interrupts = node.property("interrupts").unwrap().value().to_vec();
        assert_eq!((interrupts.len(), interrupts[3], interrupts[63]), (64, 36, 51));
    }

    #[test]
    fn what_is_no_tree_or_has_no_plic_is_refused() {
        let refused = |bytes: &[u8]| tree(bytes, true).unwrap_err().to_string();
        assert!(refused(b"nothing").contains("not as expected"));
        assert!(refused(&DeviceTree::new().to_dtb()).contains("/soc"));
    }
}
