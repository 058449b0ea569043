// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The VM's generator: a process on the host that raises a virtual machine's
//! interrupt through QEMU's ivshmem-doorbell and watches the machine's response
//! words in the memory that both share.
//!
//! ```text
//!   host ── TCP ── generator's core ── eventfd ──> QEMU or KVM ──> MSI-X ──> driver
//!                        ^                                                     │
//!                        └────────────── response words in BAR 2 <── stores ───┘
//! ```
//!
//! # What the instants are
//!
//! All are the host's `CLOCK_MONOTONIC_RAW`, in nanoseconds. A **trigger's** instant is read right
//! before the eventfd is signalled. With KVM that signal injects the interrupt from within the
//! kernel; without it QEMU's main loop reads the eventfd first, and its scheduling is part of every
//! latency. An **edge's** instant is that of the first look that sees the word changed: late by the
//! time between two looks at most, which is counted and reported.
//!
//! The doorbell is a message and not a level: there is nothing to lower, and the
//! duty cycle has no meaning here.
#![warn(missing_docs, clippy::missing_errors_doc)]

pub mod args;
pub mod doorbell;
pub mod error;
pub mod memory;
pub mod serve;
pub mod wires;
