// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The host's end of a generator's protocol (docs/protocol.md), whatever the
//! generator is made of.
//!
//! Every frame that comes is handed out by [`Client::next`], encoded as it was
//! received, for the run log: also the hello, and the replies that
//! [`Client::ask`] has already understood.

mod address;
mod client;
mod error;
mod incoming;
mod serial;
mod stream;

pub use address::{Address, BAUD};
pub use client::{Client, look};
pub use error::GeneratorError;
pub use incoming::Received;
