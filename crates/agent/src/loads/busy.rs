// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Processes that never sleep and never enter the kernel by themselves.

use irqscope_wire::Scheduling;
use nix::sys::prctl;

use super::Worker;
use crate::scheduling;

pub fn workers(count: usize) -> Vec<Worker> {
    (0..count).map(|_| -> Worker { Box::new(|| spin()) }).collect()
}

/// Makes a process from which no other of lower priority gets the CPU, but for what the kernel's
/// throttling of real-time threads leaves them.
pub fn hog(scheduling: Scheduling) -> Worker {
    Box::new(move || {
        let _ = prctl::set_name(c"irqscope-hog"); // as interference shows it
        scheduling::schedule("the hog", scheduling).map_err(|error| error.to_string())?;
        spin()
    })
}

/// Keeps the CPU busy with one page of instructions that do nothing.
///
/// A CPU takes as long for them as for others. The twin counts each of them but
/// translates the lot to next to nothing, so 256 busy processes cost the host
/// little: the fair share of a thread among them is minutes of virtual time.
/// No `pause`: a hypervisor may take the CPU away for it.
fn spin() -> ! {
    loop {
        // SAFETY: `nop` reads and writes nothing.
        unsafe {
            std::arch::asm!(".rept {}", "nop", ".endr", const NOPS,
                options(nomem, nostack, preserves_flags));
        }
    }
}

/// Instructions of a round. A 32-bit Arm reaches 4 KiB of what lies around an instruction.
const NOPS: usize = if cfg!(target_pointer_width = "64") { 4_000 } else { 900 };
