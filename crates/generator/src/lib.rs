// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The work of any generator, whatever it is made of and without its hardware.
//!
//! A generator owns a clock, an interrupt line to raise and lower, and response lines to watch.
//! This crate is given what the clock says and which edges came, and says what to do with the line
//! and what to send:
//!
//! ```text
//! command ─> Settings ─> Grid ─> tick() ─> raise, lower
//!                                  │
//!                edge() ────────> Pairing ─> samples ─> Packer ─> Outbox ─> host
//! ```
//!
//! The core neither reads a clock, nor waits, nor knows a socket. Without the
//! feature `alloc` nothing allocates: the caller brings the memory for open
//! samples. With `std` there is [`server`], which lets a host in over TCP, and
//! [`words`], a whole generator whose response lines are words in memory.
#![cfg_attr(not(any(test, feature = "std")), no_std)]
#![forbid(unsafe_code)]
#![warn(missing_docs, clippy::missing_errors_doc)]

#[cfg(feature = "alloc")]
extern crate alloc;

mod generator;
mod grid;
#[cfg(feature = "alloc")]
mod outbox;
#[cfg(feature = "alloc")]
mod packer;
mod pairing;
#[cfg(feature = "std")]
pub mod server;
#[cfg(feature = "alloc")]
mod session;
mod settings;
mod slot;
#[cfg(feature = "alloc")]
mod source;
mod turns;
#[cfg(feature = "std")]
pub mod words;

pub use generator::{Act, Generator};
pub use grid::Grid;
#[cfg(feature = "alloc")]
pub use outbox::Outbox;
#[cfg(feature = "alloc")]
pub use packer::Packer;
pub use pairing::{Match, Pairing};
#[cfg(feature = "alloc")]
pub use session::{Request, Session};
pub use settings::{change, initial};
pub use slot::{LINES, Outcome, Slot};
#[cfg(feature = "alloc")]
pub use source::Source;
