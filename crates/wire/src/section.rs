// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sections in which a CPU takes no interrupt or no other thread, whole, with what began them: only an emulated
//! machine can see every one of them.

use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::name::named;

named! {
    /// The kind of event that a CPU puts off while a section lasts.
    SectionKind, "kind of section", {
        /// Interrupts are disabled (x86: the flag IF is 0).
        InterruptsOff = "interrupts off",
        /// Preemption is disabled: the kernel's counter of it is not 0. Softirqs and hard
        /// interrupts count, too.
        PreemptionOff = "preemption off",
        /// The scheduler was asked for and was not called yet.
        Unscheduled = "reschedule pending",
    }
}

/// Addresses of a section's way, at the most: the call of the function that began it, and the jump before.
pub const SECTION_WAY: usize = 2;

/// All sections that one place in the code began, coming the same way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The kind of event that is put off.
    pub kind: SectionKind,
    /// The instruction that began it; at an interrupt or a system call the first one of its entry.
    pub begin: u64,
    /// Where the CPU had jumped from before it, the latest first, [`SECTION_WAY`] at the most. Of a
    /// reschedule that an interrupt asks for, where that had come, and the jump before.
    pub way: Vec<u64>,
    /// How many there were.
    pub count: u64,
    /// All of them together, in instructions.
    pub total: u64,
    /// The longest, in instructions.
    pub longest: u64,
    /// Bin `b` counts those of 2^b instructions and more, below 2^(b+1); the last all above. As
    /// long as it has to be, [`crate::HOLD_BINS`] at the most.
    pub histogram: Vec<u64>,
}

/// Every section of a case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sections {
    /// In no particular order; a long list comes in several messages.
    pub sections: Vec<Section>,
    /// Sections whose place is not among them, because there were too many places.
    pub others: u64,
    /// The longest of those, in instructions.
    pub longest_other: u64,
}
