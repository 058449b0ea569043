// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope import`: what, and where to.

use std::path::PathBuf;

use clap::Args;
use irqscope_report::foreign::ImportFormat;

use super::values::{Named, one_of};

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
    #[arg(long, short, value_parser = one_of(FORMATS))]
    pub format: Option<ImportFormat>,
    /// Values are nanoseconds where a file does not say (cyclictest -N).
    #[arg(long, conflicts_with = "microseconds")]
    pub nanoseconds: bool,
    /// Values are microseconds where a file does not say, however large they are.
    #[arg(long)]
    pub microseconds: bool,
    /// Print summary.json instead of the table.
    #[arg(long)]
    pub json: bool,
}

impl Import {
    /// Returns the unit that was named, in nanoseconds.
    pub fn unit_ns(&self) -> Option<u32> {
        [(self.nanoseconds, 1), (self.microseconds, 1_000)]
            .into_iter()
            .find_map(|(named, ns)| named.then_some(ns))
    }
}

/// The formats by name, each with its help.
const FORMATS: &[Named<ImportFormat>] = &[
    ("cyclictest", "Text of cyclictest -h, -H or -v", ImportFormat::Cyclictest),
    ("rt-tests", "JSON of cyclictest or oslat", ImportFormat::RtTests),
    ("oslat", "oslat's text", ImportFormat::Oslat),
    ("jitterdebugger", "jitterdebugger's results.json", ImportFormat::Jitterdebugger),
    ("jitterdebugger-samples", "jitterdebugger's samples.raw", ImportFormat::JitterdebuggerSamples),
    ("rtla", "Text of rtla timerlat hist or rtla osnoise hist", ImportFormat::Rtla),
    ("latmus", "The text that latmus -g writes", ImportFormat::Latmus),
    ("csv", "The benchmarks that irqscope export --format csv writes", ImportFormat::Csv),
];
