// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Samples of benchmarks, and how each benchmark ended.

use alloc::{string::String, vec::Vec};
use serde::{Deserialize, Serialize};

use crate::{Class, Nanoseconds, Seq};

/// One value of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenchSample {
    /// When it was due or, where nothing is due, when it began: CLOCK_MONOTONIC
    /// of the target.
    pub at: Nanoseconds,
    /// The value.
    pub value: Nanoseconds,
}

/// Consecutive samples of one series; complete in itself, so that a lost frame
/// costs its own samples and no others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenchSamples {
    /// Position in the plan's list.
    pub benchmark: u16,
    /// The series' name.
    pub series: String,
    /// Where its thread was pinned.
    pub cpu: Option<u16>,
    /// The number of the first one within its series.
    pub first: Seq,
    /// The samples, in the order of time.
    pub samples: Vec<BenchSample>,
}

/// Values of one series whose instants are unknown: those that other programs kept, in the log of a
/// run that was imported. No target sends it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenchValues {
    /// Position in the plan's list.
    pub benchmark: u16,
    /// The series' name.
    pub series: String,
    /// The CPU, if it was measured on one.
    pub cpu: Option<u16>,
    /// The values.
    pub values: Values,
}

/// The values of an imported series.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Values {
    /// Consecutive ones, from this number within the series.
    #[allow(missing_docs, reason = "its comment names them")]
    InOrder { first: Seq, values: Vec<Nanoseconds> },
    /// How often each came; their order is not known either.
    Counted(Vec<ValueCount>),
    /// Those that lay beyond a histogram.
    Beyond(Beyond),
}

/// Values of which no more is known than where they begin: they lay beyond the last bin of another
/// program's histogram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beyond {
    /// None of them is less.
    pub from: Nanoseconds,
    /// The greatest of them, if the program kept it.
    pub greatest: Option<Nanoseconds>,
    /// How many there are. They are among the series' dropped samples.
    pub count: u64,
}

/// A value with how often it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ValueCount {
    /// Of a histogram, where its bin begins.
    pub value: Nanoseconds,
    /// How often it came.
    pub count: u64,
}

/// A benchmark has ended, well or not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BenchEnd {
    /// Position in the plan's list.
    pub benchmark: u16,
    /// How its threads were really scheduled.
    pub class: Class,
    /// The account of each series.
    pub series: Vec<SeriesCount>,
    /// Why it could not be run here.
    pub unavailable: Option<String>,
}

/// The account of everything that a series was to have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeriesCount {
    /// The series' name.
    pub series: String,
    /// Sent as samples.
    pub taken: u64,
    /// Periods that had passed before their thread could see to them.
    pub skipped: u64,
    /// Measured, but there was no room to keep them.
    pub dropped: u64,
}
