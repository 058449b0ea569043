// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator board without its hardware.
//!
//! A board's processor is too slow and too irregular to time anything. Small
//! machines beside it (PIO, "programmable input and output", of RP2040 and RP2350)
//! execute one instruction in every clock cycle, whatever the processor does:
//!
//! ```text
//!            words            trigger line ──┐
//! Plan ──> Player ──> PIO ─────────────────> │ target
//!                     PIO <───────────────── │
//! Engine <─ Line <─── words  response lines ─┘
//!    └─> irqscope_generator::Source ─> packets
//! ```
//!
//! One machine plays the triggers and sees when each reached the trigger's own
//! input; one machine per response line counts cycles. All count the same cycles
//! from the same instant on. The processor reads what they wrote, later, in the
//! order of time ([`Engine::poll`]).
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

extern crate alloc;

mod calibration;
mod chip;
mod engine;
mod line;
pub mod net;
mod plan;
mod player;
pub mod programs;
mod slot;
pub mod store;
mod window;

pub use chip::{Chip, RP2040, RP2040_WINDOW, RP2350};
pub use engine::{Engine, Wires};
pub use line::Line;
pub use plan::Plan;
pub use player::{HIGH_STEP, Player, SHORTEST_HIGH, SHORTEST_PERIOD};
pub use slot::{HeldSlot, HostSlot};
pub use window::Window;
