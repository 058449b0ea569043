// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The answers of python/irqscope/lake_answers.py, and of the server.

use serde::{Deserialize, Serialize};

/// The choices that a lake has.
#[derive(Debug, Deserialize, Serialize)]
pub struct LakeContents {
    pub url: String,
    pub runs: u64,
    /// The first run's begin, in milliseconds since 1970.
    pub first_ms: i64,
    /// The last run's begin, likewise.
    pub last_ms: i64,
    /// The figures whose level can be followed.
    pub figures: Vec<String>,
    pub place: Vec<String>,
    pub scenario: Vec<String>,
    pub stage: Vec<String>,
    pub view: Vec<String>,
}

/// One figure of every run of a scenario over time.
#[derive(Debug, Deserialize, Serialize)]
pub struct LakeTrend {
    pub figure: String,
    /// The probability that any change is shown where nothing has changed.
    pub chance: f64,
    /// In order of place and case.
    pub series: Vec<LakeSeries>,
}

/// Runs that can be compared with each other, and the changes among them.
#[derive(Debug, Deserialize, Serialize)]
pub struct LakeSeries {
    pub place: String,
    pub scenario: String,
    /// Its kernel, its state and the levels of its axes.
    pub case: String,
    /// Nanoseconds are the twin's.
    pub is_virtual: bool,
    pub stage: String,
    pub view: String,
    /// In the order in which they began.
    pub runs: Vec<LakeRun>,
    /// Likewise.
    pub changes: Vec<LakeChange>,
}

/// A run's figure.
#[derive(Debug, Deserialize, Serialize)]
pub struct LakeRun {
    /// Its identity in the lake.
    pub run: String,
    pub started_ms: i64,
    /// The kernel's release.
    pub release: Option<String>,
    pub tool_version: String,
    pub count: u64,
    pub lost: u64,
    /// Nanoseconds, or a number of triggers; none of too few samples.
    pub value: Option<f64>,
}

/// A place at which the level of a figure moved.
#[derive(Debug, Deserialize, Serialize)]
pub struct LakeChange {
    /// The last run of the level before.
    pub before_run: String,
    /// The first run of the new level.
    pub run: String,
    /// With 95 % confidence the new level began no earlier,
    pub earliest_ms: i64,
    /// and no later.
    pub latest_ms: i64,
    pub runs_before: u64,
    pub runs_after: u64,
    /// The median of the level before.
    pub before: f64,
    /// The median of the new level.
    pub after: f64,
    pub difference: f64,
    /// The difference's interval with 95 % confidence, from here.
    pub low: f64,
    pub high: f64,
    /// The probability of such a place if nothing had changed.
    pub chance: f64,
}

/// Latencies of a series' runs against time.
#[derive(Debug, Deserialize, Serialize)]
pub struct LakeHistograms {
    pub runs: Vec<LakeHistogram>,
}

/// A run's digest.
#[derive(Debug, Deserialize, Serialize)]
pub struct LakeHistogram {
    pub run: String,
    pub started_ms: i64,
    /// Where each bucket begins.
    pub low_ns: Vec<i64>,
    /// How many samples it has.
    pub count: Vec<u64>,
}

/// Maxima of one run over intervals of five minutes.
#[derive(Debug, Deserialize, Serialize)]
pub struct LakeMaxima {
    pub intervals: Vec<LakeInterval>,
}

/// An interval in which a trigger was answered.
#[derive(Debug, Deserialize, Serialize)]
pub struct LakeInterval {
    pub case: String,
    /// Its begin since the case's first trigger.
    pub since_ns: i64,
    pub count: u64,
    pub max_ns: i64,
}
