// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Triggers on their way to the player: a queue, from which the DMA takes what is
//! there as the player takes it. The player never waits for the processor's other
//! work, as long as the queue has something.

use core::cell::{RefCell, UnsafeCell};

use critical_section::Mutex;
use embassy_rp::interrupt;
use embassy_rp::pac;
use embassy_rp::pac::dma::vals::{DataSize, TreqSel};
use heapless::Deque;

use crate::machines::{PLAYER, PLAYER_PIO, PLAYER_PIO_NUMBER};
use crate::ring::RINGS;

/// Two for each trigger that the engine plans ahead, and some.
const WORDS: usize = 64;
/// The channel after the rings'.
const CHANNEL: usize = RINGS;
/// Of the DMA's interrupts, the one that the chip support crate leaves alone.
const INTERRUPT: usize = 1;

static QUEUE: Mutex<RefCell<Deque<u32, WORDS>>> = Mutex::new(RefCell::new(Deque::new()));

/// The memory that the DMA reads from.
struct Batch(UnsafeCell<[u32; WORDS]>);

// SAFETY: written in a critical section, while the DMA does not read it.
unsafe impl Sync for Batch {}

static BATCH: Batch = Batch(UnsafeCell::new([0; WORDS]));

/// Sets the DMA up; to be called once.
pub fn begin() {
    pac::DMA.inte(INTERRUPT).write_value(1 << CHANNEL);
    // SAFETY: the handler and its queue are there from the start.
    unsafe { cortex_m::peripheral::NVIC::unmask(interrupt::DMA_IRQ_1) };
}

pub fn push(triggers: &[[u32; 2]]) {
    critical_section::with(|cs| {
        let mut queue = QUEUE.borrow_ref_mut(cs);
        // There is room: the engine plans fewer triggers ahead than fit.
        for word in triggers.as_flattened() {
            let _ = queue.push_back(*word);
        }
        send(&mut queue);
    });
}

pub fn clear() {
    critical_section::with(|cs| {
        QUEUE.borrow_ref_mut(cs).clear();
        crate::ring::end(CHANNEL);
        pac::DMA.ints(INTERRUPT).write_value(1 << CHANNEL);
    });
}

/// Sends all that waits, unless the DMA is still at the batch before.
fn send(queue: &mut Deque<u32, WORDS>) {
    let channel = pac::DMA.ch(CHANNEL);
    if queue.is_empty() || channel.ctrl_trig().read().busy() {
        return;
    }
    let memory: *mut u32 = BATCH.0.get().cast();
    let count = queue.len();
    for place in 0..count {
        if let Some(word) = queue.pop_front() {
            // SAFETY: within the batch, which the DMA does not read now.
            unsafe { memory.add(place).write_volatile(word) };
        }
    }
    channel.read_addr().write_value(memory as u32);
    channel.write_addr().write_value(PLAYER_PIO.txf(PLAYER.into()).as_ptr() as u32);
    #[cfg(feature = "rp2040")]
    channel.trans_count().write_value(count as u32);
    #[cfg(feature = "rp2350")]
    channel.trans_count().write(|w| w.set_count(count as u32));
    channel.ctrl_trig().write(|w| {
        w.set_data_size(DataSize::SIZE_WORD);
        w.set_incr_read(true);
        w.set_treq_sel(TreqSel::from(PLAYER_PIO_NUMBER * 8 + PLAYER));
        w.set_chain_to(CHANNEL as u8); // to none
        w.set_en(true);
    });
}

#[interrupt]
fn DMA_IRQ_1() {
    pac::DMA.ints(INTERRUPT).write_value(1 << CHANNEL);
    critical_section::with(|cs| send(&mut QUEUE.borrow_ref_mut(cs)));
}
