// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Sections in which a CPU takes no interrupt or no other thread, whole, with what began them. The twin's generator
//! sees every one of them, and their lengths are numbers of instructions; a target sees those that its kernel has
//! tracepoints of, and their lengths are nanoseconds.

use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::Message;
use crate::name::named;

/// Sections in one message at the most, far below a frame's limit.
pub const SECTION_CHUNK: usize = 1 << 9;

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

/// Addresses of a section's way in the twin, at the most: the call of the function that began it, and the jumps before.
pub const SECTION_WAY: usize = 4;

/// All sections that one place in the code began, coming the same way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The kind of event that is put off.
    pub kind: SectionKind,
    /// The instruction that began it; at an interrupt or a system call the first one of its entry. 0 where a
    /// target's kernel does not know it.
    pub begin: u64,
    /// In the twin, where the CPU had jumped from before it, the latest first, [`SECTION_WAY`] at the most. Of a
    /// reschedule that an interrupt asks for, where that had come, and the jumps before. From a target, the
    /// kernel's stack at the end, the innermost function first, where it is known.
    pub way: Vec<u64>,
    /// How many there were.
    pub count: u64,
    /// All of them together, in instructions or ns.
    pub total: u64,
    /// The longest, in instructions or ns.
    pub longest: u64,
    /// Bin `b` counts those of 2^b instructions or ns and more, below 2^(b+1); the last all above. As
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
    /// The longest of those, in instructions or ns.
    pub longest_other: u64,
}

impl Sections {
    /// Cuts a list into the messages that it comes in, one at least; the first one has the count of the others.
    pub fn messages(self) -> Vec<Message> {
        let Self { mut sections, others, longest_other } = self;
        let mut rest = sections.split_off(sections.len().min(SECTION_CHUNK));
        let mut messages = Vec::from([Message::Sections(Self { sections, others, longest_other })]);
        while !rest.is_empty() {
            let after = rest.split_off(rest.len().min(SECTION_CHUNK));
            let sections = core::mem::replace(&mut rest, after);
            messages.push(Message::Sections(Self { sections, others: 0, longest_other: 0 }));
        }
        messages
    }
}
