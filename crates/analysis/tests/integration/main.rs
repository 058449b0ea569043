// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tests analysis from outside, in one program: each one more would be linked with all that it needs.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on has failed")]

mod bench;
mod compare;
mod coverage;
mod derive;
mod explain;
mod fuzz;
mod held_off;
mod live;
mod live_and_finished;
#[allow(dead_code, reason = "each crate's tests use what they need")]
#[path = "../../../wire/tests/mutate/mod.rs"]
mod mutate;
mod other_cpus;
mod outside;
#[path = "../simulated/mod.rs"]
mod simulated;
#[path = "../story/mod.rs"]
mod story;
mod sweep;
#[path = "../../../run/tests/synthetic/mod.rs"]
mod synthetic;
mod tail;
mod threaded_softirqs;
mod triggers;
mod truth;
