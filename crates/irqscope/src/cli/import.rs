// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope import`: what, and where to.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use irqscope_report::foreign::ImportFormat;

/// Makes a run directory of what cyclictest, oslat, jitterdebugger, rtla or latmus wrote. A fact
/// that a file does not hold, such as the order of a histogram's samples, is named as a warning and
/// never made up.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  cyclictest -m -p 80 -t 2 -h 400 -q > before.txt
  irqscope import before.txt after.txt --out compared
  irqscope import timerlat.txt oslat.json jitterdebugger/samples.raw
  irqscope report compared")]
pub struct Import {
    /// Regular files; each is a case of its own.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The run directory; must not exist [default: runs/TIME-import].
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The files' format [default: as their content shows].
    #[arg(long, short)]
    pub format: Option<Format>,
    /// Values are nanoseconds where a file does not say (cyclictest -N).
    #[arg(long)]
    pub nanoseconds: bool,
    /// Print summary.json instead of the table.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Text of cyclictest -h, -H or -v.
    Cyclictest,
    /// JSON of cyclictest or oslat.
    RtTests,
    /// oslat's text.
    Oslat,
    /// jitterdebugger's results.json.
    Jitterdebugger,
    /// jitterdebugger's samples.raw.
    JitterdebuggerSamples,
    /// Text of rtla timerlat hist or rtla osnoise hist.
    Rtla,
    /// The text that latmus -g writes.
    Latmus,
    /// The benchmarks that irqscope export --format csv writes.
    Csv,
}

impl From<Format> for ImportFormat {
    fn from(format: Format) -> Self {
        match format {
            Format::Cyclictest => Self::Cyclictest,
            Format::RtTests => Self::RtTests,
            Format::Oslat => Self::Oslat,
            Format::Jitterdebugger => Self::Jitterdebugger,
            Format::JitterdebuggerSamples => Self::JitterdebuggerSamples,
            Format::Rtla => Self::Rtla,
            Format::Latmus => Self::Latmus,
            Format::Csv => Self::Csv,
        }
    }
}
