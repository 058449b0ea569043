// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests run from outside, in one program: each one more would be linked with all that it needs.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod directory;
mod fuzz;
mod log;
#[allow(dead_code, reason = "each crate's tests use what they need")]
#[path = "../../../wire/tests/mutate/mod.rs"]
mod mutate;
#[path = "../synthetic/mod.rs"]
mod synthetic;
mod views;
