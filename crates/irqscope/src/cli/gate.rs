// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope gate`: which limits, and how the verdict is reported.

use std::path::PathBuf;

use clap::Args;
use irqscope_analysis::Allow;
use irqscope_quantity::{Limit, Quantile};

use super::Chosen;
use super::candidates::runs;

/// Holds a run against limits, for continuous integration.
///
/// One line for each limit that was exceeded, and status 1. A response that never
/// came is later than every limit, and what was not measured has not passed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  irqscope gate RUN
  irqscope gate RUN --max 'user<150us@p99.9' --max 'irq<20us@max'
  irqscope gate RUN#6.1-rt/load --max 'sched<100us@p99' --junit verdicts.xml
  irqscope gate RUN --against BASELINE --allow 5%
  irqscope gate RUN --against BASELINE --allow 5% --stage user --at p50,p99 --strict

Exit status:
  0  every limit was met
  1  a limit was exceeded
  4  the measurement is invalid: there is no verdict")]
pub struct Gate {
    /// The run, or one case of it.
    #[arg(value_name = "RUN[#CASE]", add = runs())]
    pub run: Chosen,
    /// A stage or benchmark, below a latency, at a quantile; may be repeated. Without one, the limits
    /// that the run's scenario sets.
    #[arg(long, value_name = "NAME<LATENCY@QUANTILE")]
    pub max: Vec<Limit>,
    /// A run that this one must not be later than.
    #[arg(long, value_name = "BASELINE[#CASE]")]
    pub against: Option<Chosen>,
    /// How much later it may be.
    #[arg(long, value_name = "PER CENT", default_value = "5%", requires = "against")]
    pub allow: Allow,
    /// Compared with the baseline: one stage or benchmark only; may be repeated.
    #[arg(long = "stage", value_name = "NAME", requires = "against")]
    pub stages: Vec<String>,
    /// Compared with the baseline: which quantiles.
    #[arg(
        long,
        value_name = "QUANTILES",
        value_delimiter = ',',
        default_value = "p50,p99",
        requires = "against"
    )]
    pub at: Vec<Quantile>,
    /// A difference that is not shown to be within the allowance has not passed. (Else one that is
    /// not shown to be beyond it has.)
    #[arg(long, requires = "against")]
    pub strict: bool,
    /// Print every verdict in the Test Anything Protocol.
    #[arg(long)]
    pub tap: bool,
    /// Print every verdict as JSON.
    #[arg(long, conflicts_with = "tap")]
    pub json: bool,
    /// Write every verdict as JUnit XML; must not exist.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
}
