// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The chips that boards have, and how an image shows which one it is for.

use crc::{CRC_32_MPEG_2, Crc};
use irqscope_wire::{GeneratorHello, GeneratorKind};

use super::uf2::Flash;

/// The chips that there is firmware for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chip {
    /// Of a Pico.
    Rp2040,
    /// Of a Pico 2.
    Rp2350,
}

/// RP2040's second stage of booting: this number of bytes, of which the last four are the others'
/// checksum (RP2040 datasheet, 2.8.1.3.1).
const BOOT2: usize = 256;
/// Begins a block that says to RP2350 what the image is; within its first 4 KiB (RP2350 datasheet,
/// 5.9.5).
const BLOCK: [u8; 4] = 0xffff_ded3_u32.to_le_bytes();
const BLOCK_WITHIN: usize = 4096;

impl Chip {
    /// Both.
    pub const ALL: [Chip; 2] = [Chip::Rp2040, Chip::Rp2350];

    /// Returns the chip's name.
    pub const fn name(self) -> &'static str {
        match self {
            Chip::Rp2040 => "RP2040",
            Chip::Rp2350 => "RP2350",
        }
    }

    /// Returns the family in UF2 blocks; of RP2350 the one of secure Arm images.
    pub(super) const fn family(self) -> u32 {
        match self {
            Chip::Rp2040 => 0xe48b_ff56,
            Chip::Rp2350 => 0xe48b_ff59,
        }
    }

    /// Returns the boot drive's name.
    pub(super) const fn board_id(self) -> &'static str {
        match self {
            Chip::Rp2040 => "RPI-RP2",
            Chip::Rp2350 => "RP2350",
        }
    }

    /// Returns the name that firmware/build takes.
    pub const fn feature(self) -> &'static str {
        match self {
            Chip::Rp2040 => "rp2040",
            Chip::Rp2350 => "rp2350",
        }
    }

    /// Returns the name that probe-rs takes.
    pub(super) const fn probe_name(self) -> &'static str {
        match self {
            Chip::Rp2040 => "RP2040",
            Chip::Rp2350 => "RP235x",
        }
    }

    /// Returns the chip of a board that has said hello: they differ in their clocks, 200 MHz and
    /// 150 MHz (firmware/core/src/chip.rs).
    pub fn of_board(hello: &GeneratorHello) -> Option<Self> {
        match (hello.kind, hello.tick.femtoseconds) {
            (GeneratorKind::Board, 5_000_000) => Some(Chip::Rp2040),
            (GeneratorKind::Board, 6_666_667) => Some(Chip::Rp2350),
            _ => None,
        }
    }
}

pub(super) fn of_image(flash: &Flash) -> Option<Chip> {
    let first = flash.first(BLOCK_WITHIN)?;
    let (boot2, sum) = first.get(..BOOT2)?.split_last_chunk::<4>()?;
    if Crc::<u32>::new(&CRC_32_MPEG_2).checksum(boot2) == u32::from_le_bytes(*sum) {
        return Some(Chip::Rp2040);
    }
    let tells = first.chunks_exact(4).any(|word| word == BLOCK);
    tells.then_some(Chip::Rp2350)
}
