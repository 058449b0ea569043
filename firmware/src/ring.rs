// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rings in memory that the DMA fills with what a machine writes.
//!
//! Useful invariant: the DMA never waits. A late reader finds by its count that words were
//! overwritten.

use core::cell::UnsafeCell;

use embassy_rp::pac;
use embassy_rp::pac::dma::vals::{DataSize, TreqSel};
use embassy_rp::pac::pio::Pio;

const WORDS: usize = 512;
const BYTES_LOG2: u8 = 11;
/// Words that are about to be overwritten are not read any more.
const MARGIN: u32 = 16;
/// More than a run can have.
#[cfg(feature = "rp2040")]
const COUNT: u32 = u32::MAX;
#[cfg(feature = "rp2350")]
const COUNT: u32 = (1 << 28) - 1;

/// The DMA wraps within addresses of this alignment.
#[repr(C, align(2048))]
struct Memory(UnsafeCell<[u32; WORDS]>);

// SAFETY: the DMA alone writes, and words are read as volatile ones.
unsafe impl Sync for Memory {}

/// A ring for each line, and one for the player.
pub const RINGS: usize = crate::CHIP.lines as usize + 1;

static MEMORY: [Memory; RINGS] = [const { Memory(UnsafeCell::new([0; WORDS])) }; RINGS];

#[derive(Debug)]
pub struct Ring {
    /// The DMA's channel, and the memory.
    number: usize,
    read: u32,
    /// How many were written at the last read.
    written: u32,
}

impl Ring {
    /// Channels from 0 on are the rings'.
    pub fn new(number: usize) -> Self {
        Self { number: number.min(RINGS - 1), read: 0, written: 0 }
    }

    /// Empties the ring, and fills it from what this machine writes.
    pub fn begin(&mut self, pio: Pio, pio_number: u8, machine: u8) {
        end(self.number);
        let channel = pac::DMA.ch(self.number);
        channel.read_addr().write_value(pio.rxf(machine.into()).as_ptr() as u32);
        channel.write_addr().write_value(self.memory() as u32);
        #[cfg(feature = "rp2040")]
        channel.trans_count().write_value(COUNT);
        #[cfg(feature = "rp2350")]
        channel.trans_count().write(|w| w.set_count(COUNT));
        channel.ctrl_trig().write(|w| {
            w.set_data_size(DataSize::SIZE_WORD);
            w.set_incr_write(true);
            w.set_ring_sel(true);
            w.set_ring_size(BYTES_LOG2);
            w.set_treq_sel(TreqSel::from(pio_number * 8 + 4 + machine));
            w.set_chain_to(self.number as u8); // to none
            w.set_irq_quiet(true);
            w.set_high_priority(true);
            w.set_en(true);
        });
        (self.read, self.written) = (0, 0);
    }

    /// Returns the next word.
    pub fn next(&mut self) -> Option<u32> {
        if self.read == self.written {
            self.written = self.written();
            if self.read == self.written {
                return None;
            }
        }
        let index = self.read as usize % WORDS;
        self.read += 1;
        // SAFETY: within the ring; the DMA has written it.
        Some(unsafe { self.memory().add(index).read_volatile() })
    }

    /// Returns how many words wait.
    pub fn waiting(&self) -> u32 {
        self.written() - self.read
    }

    /// Returns whether words were overwritten, or are about to be, before they were read.
    pub fn overrun(&self) -> bool {
        self.waiting() > WORDS as u32 - MARGIN
    }

    fn written(&self) -> u32 {
        #[cfg(feature = "rp2040")]
        let left = pac::DMA.ch(self.number).trans_count().read();
        #[cfg(feature = "rp2350")]
        let left = pac::DMA.ch(self.number).trans_count().read().count();
        COUNT - left
    }

    fn memory(&self) -> *mut u32 {
        MEMORY[self.number].0.get().cast()
    }
}

/// Ends a channel: it transfers nothing more.
pub fn end(channel: usize) {
    // Not by an abort while it is enabled (erratum RP2040-E13).
    pac::DMA.ch(channel).ctrl_trig().modify(|w| w.set_en(false));
    pac::DMA.chan_abort().write(|w| w.set_chan_abort(1 << channel));
    while pac::DMA.ch(channel).ctrl_trig().read().busy() {}
}
