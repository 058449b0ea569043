// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Memory for packets. Bounded by the engine's window and the outbox's room.

use core::mem::MaybeUninit;
use core::ptr::addr_of_mut;

use embedded_alloc::LlffHeap;

const BYTES: usize = 112 * 1024;

#[global_allocator]
static HEAP: LlffHeap = LlffHeap::empty();

/// Sets the heap up; to be called once, before anything is allocated.
pub fn begin() {
    static mut MEMORY: [MaybeUninit<u8>; BYTES] = [MaybeUninit::uninit(); BYTES];
    // SAFETY: called once, and nothing else knows this memory.
    unsafe { HEAP.init(addr_of_mut!(MEMORY) as usize, BYTES) }
}
