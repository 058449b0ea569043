// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope path`: whose path, and what of it.

use std::path::PathBuf;

use clap::Args;
use irqscope_analysis::At;
use irqscope_wire::Stage;

use super::candidates::runs;
use super::values::named;

/// Shows what the twin's CPU executed from a trigger to a stage's response: the
/// functions by instructions, and as a flame graph. Needs a run that was traced:
/// irqscope run … --trace N.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  irqscope run demo --trace 200 --out traced
  irqscope path traced --stage softirq --svg softirq.svg
  irqscope path traced --case 6.1/load --stage irq --at max
  irqscope path traced --case 6.1/idle --against-case 6.1-rt/idle --stage softirq
  irqscope path traced --stage softirq --from p50 --to p99.9
  irqscope path before --against after --json")]
pub struct Path {
    /// The directory that `irqscope run … --trace N` left behind.
    #[arg(add = runs())]
    pub run: PathBuf,
    /// Which case [default: the first that was traced].
    #[arg(long, value_name = "KERNEL/STATE")]
    pub case: Option<String>,
    /// The path to this stage's response.
    #[arg(long, default_value = "softirq", value_parser = named::<Stage>(Stage::NAMES))]
    pub stage: Stage,
    /// The traced sample nearest to a quantile of all samples (p50, p99.9, min,
    /// max), or the trigger with this number.
    #[arg(long, value_name = "WHICH", default_value = "p50")]
    pub at: At,
    /// Compare with this run, and print what that one executes more.
    #[arg(long, value_name = "RUN", add = runs())]
    pub against: Option<PathBuf>,
    /// Compare with this case [default: the same case of the other run].
    #[arg(long, value_name = "KERNEL/STATE")]
    pub against_case: Option<String>,
    /// Compare two samples of one case: from this one …
    #[arg(long, value_name = "WHICH", requires = "to", conflicts_with_all = ["at", "against", "against_case"])]
    pub from: Option<At>,
    /// … to this one.
    #[arg(long, value_name = "WHICH", requires = "from")]
    pub to: Option<At>,
    /// Write a flame graph into a new file; of two paths, the second one's.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write the call stacks as text into a new file, a line each, as flame graph tools take them.
    #[arg(long, value_name = "FILE")]
    pub folded: Option<PathBuf>,
    /// Print all functions as JSON instead of a table.
    #[arg(long)]
    pub json: bool,
}
