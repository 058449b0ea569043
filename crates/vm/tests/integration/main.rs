// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests vm from outside, in one program: each one more would be linked with all that it needs.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod doorbell;
mod header;
