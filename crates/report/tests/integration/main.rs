// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests report from outside, in one program: each one more would be linked with all that it needs.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod foreign;
mod fuzz;
mod report;
mod round_trips;
mod screen;
mod sweep;
#[path = "../../../run/tests/synthetic/mod.rs"]
mod synthetic;
