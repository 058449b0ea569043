// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope isolate`.

use std::path::PathBuf;

use clap::Args;

use super::candidates::runs;

/// Shows everything that took a CPU away from a loop that should have it alone: how often, for how
/// long, the function, the code of another CPU that asked for it, and the setting that keeps it away.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  irqscope run isolate --out RUN then isolate RUN: before and after each setting
  irqscope bench isolate --rig local --cpus 3 --out RUN
  irqscope isolate RUN --case 6.12/idle --json")]
pub struct Isolate {
    /// The run directory.
    #[arg(add = runs())]
    pub run: PathBuf,
    /// One case of it only.
    #[arg(long, value_name = "KERNEL/STATE")]
    pub case: Option<String>,
    /// Kinds of disturbances, those that took the most time first.
    #[arg(long, value_name = "N", default_value_t = 12)]
    pub top: usize,
    /// Print everything as JSON.
    #[arg(long)]
    pub json: bool,
}
