// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `[devices]`: hardware that a guest has besides the port of its generator, so that interrupts of other
//! devices disturb the measured one.

use serde::Deserialize;

/// The devices of the guests of rigs `twin` and `vm`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Devices {
    /// Two network cards of this model on one hub: `eth0`, and `eth1` in network namespace `peer`.
    pub network: Option<Card>,
    /// A disk of this model, which is empty and lost at the end of the case; rig `vm` only.
    pub disk: Option<Disk>,
}

/// A model of network cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
pub enum Card {
    /// Intel's 82574L: three interrupts (receive, send, link), which it spaces out by itself.
    #[serde(rename = "e1000e")]
    E1000e,
    /// The paravirtual card of QEMU and KVM; rig `vm` only.
    #[serde(rename = "virtio-net")]
    VirtioNet,
}

/// A model of disks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
pub enum Disk {
    /// The paravirtual disk of QEMU and KVM, `/dev/vda`.
    #[serde(rename = "virtio-blk")]
    VirtioBlk,
    /// A disk behind NVM Express, `/dev/nvme0n1`.
    #[serde(rename = "nvme")]
    Nvme,
    /// A disk behind a SATA controller, `/dev/sda`.
    #[serde(rename = "ahci")]
    Ahci,
}
