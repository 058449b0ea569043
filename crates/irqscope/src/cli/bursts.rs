// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope bursts`: which bursts.

use std::path::PathBuf;

use clap::Args;

use super::candidates::runs;

/// Says for every burst how many interrupts were asserted and handled, how often each stage was
/// raised and ran, which trigger was merged into which run, and, with `explain`, when softirqs were
/// handed to ksoftirqd and which threads it waited for.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  irqscope run bursts --out figures
  irqscope bursts figures
  irqscope bursts figures --case 6.1/hog --burst 3
  irqscope bursts figures --all --json")]
pub struct Bursts {
    /// The directory of the run.
    #[arg(add = runs())]
    pub run: PathBuf,
    /// This case only [default: all that have bursts].
    #[arg(long, value_name = "KERNEL/STATE")]
    pub case: Option<String>,
    /// Show this burst, counted from 0 [default: the one with the most merged].
    #[arg(long, value_name = "N", conflicts_with = "all")]
    pub burst: Option<usize>,
    /// Show every burst.
    #[arg(long)]
    pub all: bool,
    /// Print all bursts as JSON.
    #[arg(long)]
    pub json: bool,
}
