// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The columns that a narrow table can have.

use std::str::FromStr;

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// The stage, or the series of a benchmark.
    Stage,
    /// The case.
    Case,
    /// How many responses there are.
    Count,
    /// The shortest latency.
    Min,
    /// The 5th percentile.
    P5,
    /// The median.
    P50,
    /// The 95th percentile.
    P95,
    /// The 99th percentile.
    P99,
    /// The 99.9th percentile.
    P99_9,
    /// The 99.99th percentile.
    P99_99,
    /// The 99.999th percentile.
    P99_999,
    /// The longest latency.
    Max,
    /// The arithmetic mean.
    Mean,
    /// The standard deviation.
    Stddev,
    /// Triggers without a response of their own, or samples that were not taken or kept.
    Lost,
    /// Responses that another interrupt hit.
    Hit,
}

impl Field {
    /// All of them, in the order in which they stand beside each other.
    pub const ALL: [Self; 16] = [
        Self::Stage,
        Self::Case,
        Self::Count,
        Self::Min,
        Self::P5,
        Self::P50,
        Self::P95,
        Self::P99,
        Self::P99_9,
        Self::P99_99,
        Self::P99_999,
        Self::Max,
        Self::Mean,
        Self::Stddev,
        Self::Lost,
        Self::Hit,
    ];

    /// The columns of a table where none were chosen.
    pub const DEFAULT: [Self; 6] =
        [Self::Stage, Self::Case, Self::P50, Self::P99, Self::Max, Self::Lost];

    /// Returns its name, which is the head of its column.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Stage => "stage",
            Self::Case => "case",
            Self::Count => "count",
            Self::Min => "min",
            Self::P5 => "p5",
            Self::P50 => "p50",
            Self::P95 => "p95",
            Self::P99 => "p99",
            Self::P99_9 => "p99.9",
            Self::P99_99 => "p99.99",
            Self::P99_999 => "p99.999",
            Self::Max => "max",
            Self::Mean => "mean",
            Self::Stddev => "stddev",
            Self::Lost => "lost",
            Self::Hit => "irq",
        }
    }

    /// Returns what it is.
    pub const fn about(self) -> &'static str {
        match self {
            Self::Stage => "The stage, or the series of a benchmark",
            Self::Case => "Kernel and state",
            Self::Count => "Responses",
            Self::Min => "The shortest latency",
            Self::P50 => "The median",
            Self::P5 | Self::P95 | Self::P99 | Self::P99_9 | Self::P99_99 | Self::P99_999 => {
                "A percentile, where there are ten latencies beyond it"
            }
            Self::Max => "The longest latency",
            Self::Mean => "The arithmetic mean",
            Self::Stddev => "The standard deviation",
            Self::Lost => "Triggers without a response of their own",
            Self::Hit => "Responses that another interrupt hit",
        }
    }

    pub(super) const fn is_word(self) -> bool {
        matches!(self, Self::Stage | Self::Case)
    }

    pub(super) const fn is_count(self) -> bool {
        matches!(self, Self::Count | Self::Lost | Self::Hit)
    }

    pub(super) const fn place(self) -> usize {
        self as usize
    }
}

impl FromStr for Field {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.into_iter().find(|field| field.name() == text);
        let names = || Self::ALL.map(Self::name).join(", ");
        found.ok_or_else(|| format!("there is no column `{text}`; there are: {}", names()))
    }
}
