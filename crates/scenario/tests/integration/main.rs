// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests scenario from outside, in one program: each one more would be linked with all that it needs.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod axes;
mod board;
#[path = "../common/mod.rs"]
mod common;
mod execution;
mod fuzz;
mod locks;
mod outside;
mod resolve;
mod scenarios;
mod schema;
mod seeds;
mod ssh;
