// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A guest's devices besides the port of its generator: two network cards on a hub, and a disk.
//!
//! On a counted clock nothing of a device may be done by QEMU's main loop or by a thread of the host,
//! for the guest would see it at an instant of the host's. QEMU's e1000e sends in the guest's own
//! thread, as soon as the guest writes the tail of its ring (hw/net/e1000e_core.c), a hub hands frames
//! over in the thread that brings them (net/hub.c), and what the card puts off it puts off on the
//! virtual clock. virtio-net sends in a bottom half of the main loop (hw/net/virtio-net.c); its timer
//! for that (`tx=timer`) would be one of the virtual clock, but QEMU 7.2 crashes when the guest resets
//! such a card. A disk's answer comes from a thread or a coroutine of the main loop. The rules of
//! scenarios refuse both for the twin.

use std::fs::File;

use irqscope_scenario::{Card, Devices, Disk};
use tempfile::NamedTempFile;

use crate::error::{Result, Trying};
use crate::text::words;

/// The size of a disk. Its file has only the blocks that were written.
const DISK_BYTES: u64 = 4 << 30;

/// Returns QEMU's arguments for two network cards.
pub(crate) fn cards(devices: Devices) -> Vec<String> {
    let Some(card) = devices.network else { return Vec::new() };
    let model = match card {
        Card::E1000e => "e1000e",
        Card::VirtioNet => "virtio-net-pci",
    };
    let one = |number: u8| {
        words(&format!(
            "-netdev hubport,id=hub{number},hubid=0 \
             -device {model},netdev=hub{number},mac=52:54:00:00:00:0{number},romfile="
        ))
    };
    [1, 2].into_iter().flat_map(one).collect()
}

/// Returns the kernel's modules for the devices.
pub(crate) fn modules(devices: Devices) -> Vec<&'static str> {
    let card = devices.network.map(|card| match card {
        Card::E1000e => &["e1000e"][..],
        Card::VirtioNet => &["virtio_pci", "virtio_net"],
    });
    let disk = devices.disk.map(|disk| match disk {
        Disk::VirtioBlk => &["virtio_pci", "virtio_blk"][..],
        Disk::Nvme => &["nvme"],
        Disk::Ahci => &["ahci", "sd_mod"],
    });
    // A file system to put onto it.
    let file_system = devices.disk.map(|_| &["ext4"][..]);
    [card, disk, file_system].into_iter().flatten().flatten().copied().collect()
}

/// A disk of one guest, which is lost with it.
pub(crate) struct Blank {
    file: NamedTempFile,
    model: Disk,
}

impl Blank {
    /// Makes the file of a guest's disk, if it has one.
    pub fn of(devices: Devices) -> Result<Option<Self>> {
        let Some(model) = devices.disk else { return Ok(None) };
        let write = || "cannot create the guest's disk".into();
        let file = NamedTempFile::new().trying(write)?;
        File::options()
            .write(true)
            .open(file.path())
            .and_then(|file| file.set_len(DISK_BYTES))
            .trying(write)?;
        Ok(Some(Self { file, model }))
    }

    /// Returns QEMU's arguments for it.
    pub fn args(&self) -> Vec<String> {
        let device = match self.model {
            Disk::VirtioBlk => "virtio-blk-pci,drive=disk",
            Disk::Nvme => "nvme,serial=irqscope,drive=disk",
            Disk::Ahci => "ide-hd,drive=disk,bus=ahci.0",
        };
        let path = self.file.path().display().to_string().replace(',', ",,");
        let mut args: Vec<String> =
            vec!["-drive".into(), format!("if=none,id=disk,format=raw,file={path}")];
        if self.model == Disk::Ahci {
            args.extend(words("-device ahci,id=ahci"));
        }
        args.extend(words(&format!("-device {device}")));
        args
    }
}
