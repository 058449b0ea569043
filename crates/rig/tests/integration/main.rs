// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests rig from outside, in one program: each one more would be linked with all that it needs.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod board;
#[allow(dead_code, reason = "each crate's tests use what they need")]
#[path = "../../../generator/tests/common/mod.rs"]
mod common;
mod generator;
#[path = "../../../generator/tests/limits/mod.rs"]
mod limits;
#[allow(dead_code, reason = "each crate's tests use what they need")]
#[path = "../../../wire/tests/mutate/mod.rs"]
mod mutate;
mod serial;
