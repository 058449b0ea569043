// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope tail`: of what, and how far beyond.

use clap::Args;
use irqscope_wire::View;

use super::Chosen;
use super::candidates::runs;
use irqscope_quantity::Span;

/// Says what is to be expected beyond the samples: which latency is exceeded once in
/// ten times as many, in an hour, in a day; and how sure that is.
///
/// Where the data do not support it, it refuses and says why.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  irqscope tail RUN
  irqscope tail RUN#6.1-rt/load --stage user --every 1h --every 1d
  irqscope tail RUN --stage sched --json

Exit status:
  0  at least one tail was estimated
  4  the measurement is invalid, or supports no tail: the reasons were printed")]
pub struct Tail {
    /// The run, or one case of it.
    #[arg(value_name = "RUN[#CASE]", add = runs())]
    pub run: Chosen,
    /// One stage, or a benchmark, its variant, its series; may be repeated.
    #[arg(long = "stage", value_name = "NAME")]
    pub stages: Vec<String>,
    /// Of stages [default: outside, where there is a generator].
    #[arg(long)]
    pub view: Option<View>,
    /// The time in which the level is exceeded once, where samples have a period; may be repeated
    /// [default: once in as many samples, 10 and 100 times as many].
    #[arg(long, value_name = "SPAN")]
    pub every: Vec<Span>,
    /// Print everything as JSON.
    #[arg(long)]
    pub json: bool,
}
