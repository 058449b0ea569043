// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope export`: what, as what, and where to.

use std::path::PathBuf;

use clap::Args;
use irqscope_report::foreign::{self, ExportFormat, Submission};

use irqscope_quantity::Frequency;

use super::candidates::runs;
use super::values::{Named, one_of};

/// Writes a run's samples or figures as other programs read them. docs/formats.md says what each
/// format keeps, and what it cannot.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  irqscope export RUN --format csv --out samples.csv
  irqscope export RUN --format openmetrics > /var/lib/node_exporter/irqscope.prom
  irqscope export RUN --format rt-tests --case 6.1/idle
  irqscope export RUN --format cyclictest --bins 400 --sum
  irqscope export RUN --format hdr --out latency.hlog
  irqscope export RUN --format vcd --out lines.vcd && gtkwave lines.vcd
  irqscope export RUN --format sigrok --case 6.1/idle --triggers 16 --out burst.sr
  irqscope export RUN --format lava > output/result.txt
  irqscope export RUN --format kcidb --case 6.1/idle --origin lab --build maestro:6700 > tests.json")]
pub struct Export {
    /// The directory of the run.
    #[arg(add = runs())]
    pub run: PathBuf,
    #[arg(long, short, value_parser = one_of(FORMATS))]
    pub format: ExportFormat,
    /// This case only [default: all; of rt-tests, cyclictest and sigrok the only one].
    #[arg(long, value_name = "KERNEL/STATE")]
    pub case: Option<String>,
    /// Into this file, which must not exist [default: standard output].
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Bins of a nanosecond, as cyclictest -N has them, instead of a microsecond
    /// (rt-tests).
    #[arg(long)]
    pub nanoseconds: bool,
    /// Count a latency longer than this number of microseconds as an overflow, as cyclictest -h N
    /// does (cyclictest) [default: as many bins as there need to be].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub bins: Option<u32>,
    /// From the trigger with this number on (vcd, sigrok).
    #[arg(long, value_name = "SEQ", default_value_t = 0)]
    pub first: u64,
    /// Write the first triggers only, as many as this (vcd, sigrok) [default: all].
    #[arg(long, value_name = "N")]
    pub triggers: Option<u64>,
    /// Sample at this rate: 10MHz (sigrok) [default: the lowest that moves no edge].
    #[arg(long, value_name = "FREQUENCY")]
    pub rate: Option<Frequency>,
    /// Submit under the name of this system (kcidb).
    #[arg(long, value_name = "NAME")]
    pub origin: Option<String>,
    /// The build that was tested (kcidb).
    #[arg(long, value_name = "ORIGIN:ID")]
    pub build: Option<String>,
    /// Add a column for all threads together, as cyclictest -H does (cyclictest).
    #[arg(long)]
    pub sum: bool,
}

/// The formats by name, each with its help.
pub const FORMATS: &[Named<ExportFormat>] = &[
    ("csv", "Every sample, with everything that is known of it", ExportFormat::Csv),
    ("openmetrics", "Exact quantiles, counts and sums, for Prometheus", ExportFormat::OpenMetrics),
    ("rt-tests", "Histograms in JSON, as cyclictest --json writes them", ExportFormat::RtTests),
    ("cyclictest", "Histograms as text, as cyclictest -h writes them", ExportFormat::Cyclictest),
    ("hdr", "HdrHistogram's interval log", ExportFormat::Hdr),
    ("vcd", "Lines over time, for GTKWave and PulseView", ExportFormat::Vcd),
    ("sigrok", "Lines over time, sampled, for PulseView and sigrok-cli", ExportFormat::Sigrok),
    ("lava", "Figures as Linaro's test definitions hand them to LAVA", ExportFormat::Lava),
    ("kcidb", "Figures for KernelCI's database", ExportFormat::Kcidb),
];

impl Export {
    pub fn what(&self) -> foreign::Export {
        foreign::Export {
            format: self.format,
            case: self.case.clone(),
            nanoseconds: self.nanoseconds,
            bins: self.bins.map(|bins| bins as usize),
            sum: self.sum,
            first: self.first,
            triggers: self.triggers,
            rate: self.rate.map(|rate| rate.0 / 1000),
            submission: Submission { origin: self.origin.clone(), build: self.build.clone() },
        }
    }
}
