// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a response was late: each latency split into disjoint segments, whose sum
//! it is.
//!
//! * [`timeline`]: the driver's events become intervals, each with what the CPU
//!   did in it;
//! * [`baseline`]: what the steps of an undisturbed path take, by the case's own
//!   samples;
//! * [`blocked`]: when a stage's thread slept although it was called;
//! * [`attribute`]: the intervals between a trigger and a stage's answer, seen
//!   from that stage;
//! * [`interrupts`]: the same, in a hard interrupt, which may be the trigger's own;
//! * [`threads`]: the same, while a thread runs;
//! * [`explanation`]: causes by how much they account for;
//! * [`rows`]: latencies by their main culprit.

mod attribute;
mod baseline;
mod blocked;
mod cause;
mod culprit;
mod explanation;
mod interrupts;
mod names;
mod parts;
mod rows;
mod threads;
mod timeline;
mod truth;

pub use attribute::explain;
pub use cause::{Cause, CauseKind};
pub use culprit::culprit;
pub use explanation::{Above, Explanation, Share};
pub use parts::{Explained, Segment};
pub use rows::{Row as CauseRow, Rows as CauseRows};
pub use truth::{Truth, TruthRow, Wrong};
