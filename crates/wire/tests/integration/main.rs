// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests wire from outside, in one program: each one more would be linked with all that it needs.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod fuzz;
mod generator;
#[allow(dead_code, reason = "each crate's tests use what they need")]
#[path = "../mutate/mod.rs"]
mod mutate;
mod table;
