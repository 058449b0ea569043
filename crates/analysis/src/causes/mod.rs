// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Why a response was late: each latency split into disjoint segments, whose sum
//! it is.
//!
//! * [`timeline`]: the driver's events become [`interval`]s, each with what the [`cpu`]
//!   did in it, by the [`frame`]s that it has entered; of missing events by their [`numbers`];
//! * [`stopped`]: of these, those in which a function ran for which the machine was stopped;
//! * [`baseline`]: what the steps of an undisturbed path take, by the case's own
//!   samples;
//! * [`runs`]: when the scheduler chose a thread although another one was ready;
//! * [`blocked`]: when a stage's thread slept although it was called;
//! * [`elsewhere`]: what other CPUs did, where the one under test waited for them;
//! * [`turns`]: when another CPU of a twin had its turn, and this one stood still;
//! * [`sight`]: a sample from one stage's point of view, on the CPU that answers;
//! * [`attribute`]: the intervals between a trigger and a stage's answer, seen
//!   from that stage;
//! * [`interrupts`]: the same, in a hard interrupt, which may be the trigger's own;
//! * [`threads`]: the same, while a thread runs;
//! * [`explanation`]: causes by how much they account for;
//! * [`response`]: interrupt and scheduler latency and duration of a response;
//! * [`left_out`]: what could not be explained, and why;
//! * [`by_cause`]: latencies by their main culprit;
//! * [`rows`]: these as histograms;
//! * [`ranking`]: culprits over all cases;
//! * [`settings`]: what can be set against a culprit, by the kernel's version;
//! * [`truth`]: culprits compared with faults that acted, each by the cause that is [`expected`].

mod attribute;
mod baseline;
mod blocked;
mod by_cause;
mod cause;
mod cpu;
mod culprit;
mod elsewhere;
mod executing;
mod expected;
mod explanation;
mod frame;
mod interrupts;
mod interval;
mod left_out;
mod names;
mod numbers;
mod parts;
mod ranking;
mod response;
mod rows;
mod runs;
mod settings;
mod sight;
mod softirqs;
mod stopped;
mod threads;
mod timeline;
mod truth;
mod turns;

pub use attribute::explain;
pub use cause::{Cause, CauseKind};
pub use culprit::{culprit, culprits};
pub use explanation::{Above, Explanation, Share};
pub use left_out::LeftOut;
pub(crate) use names::Names;
pub use parts::{Explained, Segment};
pub use ranking::{HeldUp, Ranked, ranking};
pub use response::{PartFigures, ResponsePart, ResponseParts};
pub use rows::{Row as CauseRow, Rows as CauseRows};
pub use truth::{Truth, TruthRow, Wrong};
pub(crate) use turns::Turns;
