// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A run as other programs read it.

mod csv;
pub(super) use csv::BENCHMARKS;
mod cyclictest;
mod hdr;
mod kcidb;
mod lava;
mod openmetrics;
mod rt_tests;
mod sigrok;
mod subject;
mod vcd;
mod wires;

pub use kcidb::Submission;

use std::io::Write;

use irqscope_run::RunDir;

use super::ForeignError;
use subject::{Case, cases};

/// The formats that other programs read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportFormat {
    /// Every sample with everything that is known of it.
    Csv,
    /// Quantiles, counts and sums as text for Prometheus.
    OpenMetrics,
    /// Histograms in JSON, as `cyclictest --json` writes them.
    RtTests,
    /// Histograms as text, as `cyclictest -h` or `-H` writes them.
    Cyclictest,
    /// HdrHistogram's interval log.
    Hdr,
    /// Lines over time, as a value change dump.
    Vcd,
    /// Lines over time, sampled, as a sigrok session.
    Sigrok,
    /// Results for LAVA, as Linaro's test definitions write them.
    Lava,
    /// Results for KernelCI's database.
    Kcidb,
}

/// The data to export, and the format.
#[derive(Clone, Debug)]
pub struct Export {
    /// The format.
    pub format: ExportFormat,
    /// None: all cases, or the only one.
    pub case: Option<String>,
    /// Bins of one nanosecond instead of one microsecond (rt-tests).
    pub nanoseconds: bool,
    /// Bins beyond which values are only counted, as overflows (cyclictest). None:
    /// as many as there need to be, up to cyclictest's own limit.
    pub bins: Option<usize>,
    /// A last column for all threads together, as of `-H` (cyclictest).
    pub sum: bool,
    /// The first trigger, and how many from there on: None: all (vcd, sigrok).
    pub first: u64,
    /// How many triggers from the first one on. None: all (vcd, sigrok).
    pub triggers: Option<u64>,
    /// In hertz. None: one that moves no change (sigrok).
    pub rate: Option<u64>,
    /// Under which names results are submitted (kcidb).
    pub submission: Submission,
}

impl Export {
    /// Makes an export without any option.
    pub fn plain(format: ExportFormat) -> Self {
        Self {
            format,
            case: None,
            nanoseconds: false,
            bins: None,
            sum: false,
            first: 0,
            triggers: None,
            rate: None,
            submission: Submission::default(),
        }
    }
}

/// Writes a run in a foreign format.
///
/// # Errors
/// There is no such case, nothing to export, or a format cannot hold it; and the
/// disk's.
pub fn export(run: &RunDir, what: &Export, output: &mut dyn Write) -> Result<(), ForeignError> {
    let cases = cases(run, what.case.as_deref())?;
    match what.format {
        ExportFormat::Csv => csv::write(run, &cases, output),
        ExportFormat::OpenMetrics => openmetrics::write(run, &cases, output),
        ExportFormat::Lava => lava::write(run, &cases, output),
        ExportFormat::Kcidb => kcidb::write(run, &cases, what, output),
        ExportFormat::Hdr => hdr::write(run, &cases, output),
        ExportFormat::Vcd => vcd::write(run, &cases, what, output),
        ExportFormat::Sigrok => sigrok::write(run, only(cases, "a sigrok session")?, what, output),
        ExportFormat::RtTests => {
            rt_tests::write(run, only(cases, "rt-tests' JSON")?, what.nanoseconds, output)
        }
        ExportFormat::Cyclictest => {
            cyclictest::write(run, only(cases, "cyclictest's histogram")?, what, output)
        }
    }
}

fn only(mut cases: Vec<Case>, format: &'static str) -> Result<Case, ForeignError> {
    match (cases.len(), cases.pop()) {
        (1, Some(case)) => Ok(case),
        (_, last) => {
            let cases = cases.into_iter().chain(last).map(|case| case.name).collect();
            Err(ForeignError::SeveralCases { format, cases })
        }
    }
}
