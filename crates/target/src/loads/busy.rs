// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Processes that never sleep and never enter the kernel by themselves.

use super::Worker;

pub fn workers(count: usize) -> Vec<Worker> {
    (0..count).map(|_| -> Worker { Box::new(|| spin()) }).collect()
}

/// No `pause`: a hypervisor may take the CPU away for it.
fn spin() -> ! {
    let mut turns = 0u64;
    loop {
        turns = std::hint::black_box(turns.wrapping_add(1));
    }
}
