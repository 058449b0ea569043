// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Figures of a measurement under way, for the dashboard and `irqscope top`, made of
//! the same rows as the finished run's.
//!
//! Counts, minimum, mean, maximum and the longest latencies are exact. Quantiles
//! come from an HdrHistogram of three significant digits; the finished run's are
//! exact order statistics. Histogram and course have the same form for both, so
//! that one page draws them.
//!
//! `case` takes frames, `series` holds one stage in one view, `course` its latency
//! over time, `bins` its histogram, `worst` its longest latencies, `lines` its newest triggers, `account` what
//! became of every trigger.

mod account;
mod bins;
mod case;
mod course;
mod finished;
mod lines;
mod series;
mod worst;

pub use account::{Counter as CountedBy, Frames, LiveAccount};
pub use bins::{BINS, Bins};
pub use case::{LiveCase, LiveFigures, Wanted};
pub use course::{Course as LatencyCourse, INTERVALS, Points};
pub use finished::{Drawn, Other, WorstSample, drawn, worst_samples};
pub use lines::{Capture, LiveLines, RECENT, Reason, Thresholds};
pub use series::LiveSeries;
pub use worst::{Flag, WORST, Worst, flags};

/// How live quantiles are made.
pub const LIVE_QUANTILE_METHOD: &str = "HdrHistogram, 3 significant digits";
