// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One case of a figure, with the numbers that stand beside it.

use irqscope_analysis::{Both, Counted, Histogram, Parts, SeriesSummary, StageSummary};

use super::scatter::Course;

/// One case of a figure, ready to be drawn.
pub struct Panel<'a> {
    /// Position of the case in the summary: decides its colour.
    pub index: usize,
    pub case: &'a str,
    pub kernel: &'a str,
    pub figures: Figures,
    /// Those that another interrupt hit are apart.
    pub clean: Counted,
    pub hit: Counted,
    /// In INTSPECT's form.
    pub histogram: Option<Histogram>,
    /// How many values each bin of the figure has.
    pub bars: Vec<u64>,
    /// How many values are greater than each step of the tail's drawing, by
    /// layout.
    pub tails: [Vec<u64>; 2],
    /// Of benchmarks whose instants are known.
    pub course: Option<Course>,
}

impl Panel<'_> {
    /// Returns every value.
    pub fn all(&self) -> Both<'_> {
        Both(&self.clean, &self.hit)
    }

    pub fn parts(&self) -> Parts<'_> {
        Parts { clean: &self.clean, hit: &self.hit }
    }
}

/// The figures that stand at a panel.
#[derive(Clone, Copy, Debug, Default)]
pub struct Figures {
    pub count: u64,
    pub p5_ns: Option<i64>,
    pub p50_ns: Option<i64>,
    pub p95_ns: Option<i64>,
    pub p99_ns: Option<i64>,
    pub p99_9_ns: Option<i64>,
    pub max_ns: Option<i64>,
    pub missing: u64,
    pub coalesced: u64,
    pub skipped: u64,
}

impl From<&StageSummary> for Figures {
    fn from(one: &StageSummary) -> Self {
        Self {
            count: one.count,
            p5_ns: one.p5_ns,
            p50_ns: one.p50_ns,
            p95_ns: one.p95_ns,
            p99_ns: one.p99_ns,
            p99_9_ns: one.p99_9_ns,
            max_ns: one.max_ns,
            missing: one.missing,
            coalesced: one.coalesced,
            skipped: 0,
        }
    }
}

impl From<&SeriesSummary> for Figures {
    fn from(one: &SeriesSummary) -> Self {
        Self {
            count: one.count,
            p5_ns: one.p5_ns,
            p50_ns: one.p50_ns,
            p95_ns: one.p95_ns,
            p99_ns: one.p99_ns,
            p99_9_ns: one.p99_9_ns,
            max_ns: one.max_ns,
            skipped: one.skipped,
            ..Self::default()
        }
    }
}
