// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Generators: the host's end of their protocol (docs/protocol.md), whatever they
//! are made of, and the four kinds that a rig starts or finds.
//!
//! Every frame that comes is handed out by [`Client::next`], encoded as it was
//! received, for the run log: also the hello, and the replies that
//! [`Client::ask`] has already understood.

mod address;
pub mod board;
mod browse;
mod client;
pub(crate) mod doorbell;
mod error;
pub mod find;
pub mod flash;
mod incoming;
pub(crate) mod outside;
pub(crate) mod plugin;
mod secret;
mod serial;
pub(crate) mod settings;
pub(crate) mod spare_cpu;
mod stream;

pub use address::{Address, BAUD};
pub use client::{Client, look};
pub use error::GeneratorError;
pub use incoming::Received;
