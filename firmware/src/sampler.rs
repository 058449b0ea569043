// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The machine that writes down all lines in every cycle after a trigger, and the
//! memory that the DMA puts it into.

use core::cell::UnsafeCell;

use embassy_rp::pac;
use embassy_rp::pac::dma::vals::{DataSize, TreqSel};
use embassy_rp::pac::pio::Pio;
use irqscope_board::programs;

use crate::ring::{self, RINGS};
use crate::{machines, pins};

/// Where it is: beside the player, or where there is no room beside it, beside lines.
#[cfg(feature = "rp2350")]
const PLACE: (Pio, u8, u8, u8) = (pac::PIO2, 2, 1, 0);
#[cfg(feature = "rp2040")]
const PLACE: (Pio, u8, u8, u8) = (pac::PIO0, 0, 3, 15);
const PIO: Pio = PLACE.0;
const PIO_NUMBER: u8 = PLACE.1;
const MACHINE: u8 = PLACE.2;
/// Where its program begins, in place of one that no machine there executes.
const ORIGIN: u8 = PLACE.3;

/// After the rings' and the player's.
const CHANNEL: usize = RINGS + 1;
/// A sample is a byte: eight lines in one cycle.
const SAMPLES: usize = 4;
#[cfg(feature = "rp2350")]
const WORDS: usize = irqscope_board::RP2350.window as usize / SAMPLES;
#[cfg(feature = "rp2040")]
const WORDS: usize = irqscope_board::RP2040_WINDOW.window as usize / SAMPLES;

struct Memory(UnsafeCell<[u32; WORDS]>);

// SAFETY: the DMA alone writes, and words are read as volatile ones.
unsafe impl Sync for Memory {}

static MEMORY: Memory = Memory(UnsafeCell::new([0; WORDS]));

/// Only there where the machine is not a line's.
pub struct Sampler;

impl Sampler {
    pub fn new() -> Self {
        let program = programs::sampler();
        machines::load(PIO, &program, ORIGIN);
        let sm = PIO.sm(MACHINE.into());
        sm.clkdiv().write(|w| w.set_int(1));
        sm.execctrl().write(|w| {
            w.set_wrap_bottom(program.wrap.target + ORIGIN);
            w.set_wrap_top(program.wrap.source + ORIGIN);
        });
        sm.shiftctrl().write(|w| {
            w.set_autopush(true);
            w.set_in_shiftdir(true); // the first of four is the lowest byte
            w.set_fjoin_rx(true);
        });
        sm.pinctrl().write(|w| w.set_in_base(pins::FIRST_LINE));
        Self
    }

    /// Waits for the next trigger, with nothing written.
    pub fn arm(&mut self) {
        self.stop();
        let channel = pac::DMA.ch(CHANNEL);
        channel.read_addr().write_value(PIO.rxf(MACHINE.into()).as_ptr() as u32);
        channel.write_addr().write_value(MEMORY.0.get() as u32);
        #[cfg(feature = "rp2040")]
        channel.trans_count().write_value(WORDS as u32);
        #[cfg(feature = "rp2350")]
        channel.trans_count().write(|w| w.set_count(WORDS as u32));
        channel.ctrl_trig().write(|w| {
            w.set_data_size(DataSize::SIZE_WORD);
            w.set_incr_write(true);
            w.set_treq_sel(TreqSel::from(PIO_NUMBER * 8 + 4 + MACHINE));
            w.set_chain_to(CHANNEL as u8); // to none
            w.set_irq_quiet(true);
            w.set_high_priority(true);
            w.set_en(true);
        });
        PIO.fdebug().write(|w| w.set_rxstall(1 << MACHINE));
        // JMP is opcode 0.
        PIO.sm(MACHINE.into()).instr().write(|w| w.set_instr(ORIGIN.into()));
        let enabled = PIO.ctrl().read().sm_enable();
        PIO.ctrl().write(|w| w.set_sm_enable(enabled | 1 << MACHINE));
    }

    pub fn stop(&mut self) {
        let enabled = PIO.ctrl().read().sm_enable();
        PIO.ctrl().write(|w| {
            w.set_sm_enable(enabled & !(1 << MACHINE));
            w.set_sm_restart(1 << MACHINE); // forgets a word that was begun
        });
        ring::end(CHANNEL);
        // Nor what had nowhere to go.
        while PIO.fstat().read().rxempty() & (1 << MACHINE) == 0 {
            PIO.rxf(MACHINE.into()).read();
        }
    }

    /// Returns all lines in a cycle. None: not written yet, or not every cycle was.
    pub fn sample(&mut self, index: u64) -> Option<u8> {
        let (word, byte) = (index as usize / SAMPLES, index as usize % SAMPLES);
        let written = self.written();
        let stalled = PIO.fdebug().read().rxstall() & (1 << MACHINE) != 0;
        // With its memory full it has nowhere to write to, and only then.
        if word >= written || (stalled && written < WORDS) {
            return None;
        }
        // SAFETY: within the memory; the DMA has written it.
        let samples = unsafe { MEMORY.0.get().cast::<u32>().add(word).read_volatile() };
        Some(samples.to_le_bytes()[byte])
    }

    fn written(&self) -> usize {
        #[cfg(feature = "rp2040")]
        let left = pac::DMA.ch(CHANNEL).trans_count().read();
        #[cfg(feature = "rp2350")]
        let left = pac::DMA.ch(CHANNEL).trans_count().read().count();
        WORDS - (left as usize).min(WORDS)
    }
}
