// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope top`.

use std::path::PathBuf;

use clap::{ArgGroup, Args};

use super::candidates::{RUNS, kernels, scenarios};

/// Show live figures as a table with small histograms in the terminal.
///
/// Measures a scenario, or with a generator as it is set, and leaves a run directory
/// behind, as `irqscope run` does. Keys: q quit, p or space pause the picture, up and
/// down choose a stage, tab the next case, v the view, s stop measuring.
#[derive(Debug, Args)]
#[group(skip)]
#[command(group = ArgGroup::new("source").args(["scenario", "connect"]).required(true))]
#[command(after_help = "\
Examples:
  irqscope top demo --kernel 6.1-rt
  irqscope top --connect board:7000 --stages irq,user")]
pub struct Top {
    /// A bundled scenario's name, or a path that ends in .toml.
    #[arg(add = scenarios())]
    pub scenario: Option<String>,
    /// Where a generator listens; it is started as it is set.
    #[arg(long, value_name = "ADDRESS")]
    pub connect: Option<String>,
    /// A kernel for the guest instead of the scenario's; may be repeated.
    #[arg(long, value_name = "NAME", requires = "scenario", add = kernels())]
    pub kernel: Vec<String>,
    /// The stages of the generator's lines, in their order.
    #[arg(long, value_name = "STAGE,...", value_delimiter = ',', requires = "connect")]
    pub stages: Vec<irqscope_wire::Stage>,
    /// Where the run directory is made.
    #[arg(long, value_name = "DIR", default_value = RUNS)]
    pub runs: PathBuf,
}
