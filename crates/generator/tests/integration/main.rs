// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests generator from outside, in one program: each one more would be linked with all that it needs.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod accounting;
#[allow(dead_code, reason = "each crate's tests use what they need")]
#[cfg(feature = "std")]
#[path = "../common/mod.rs"]
mod common;
mod fuzz;
mod hardware_grid;
#[path = "../limits/mod.rs"]
mod limits;
#[allow(dead_code, reason = "each crate's tests use what they need")]
#[path = "../../../wire/tests/mutate/mod.rs"]
mod mutate;
mod numbered;
#[cfg(feature = "std")]
mod server;
mod turns;
#[cfg(feature = "std")]
mod words;
