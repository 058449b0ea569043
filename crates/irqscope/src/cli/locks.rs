// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope locks`.

use std::path::PathBuf;

use clap::Args;

use irqscope_quantity::Span;

use super::candidates::runs;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  irqscope kernel build delayed-locking
  irqscope run delayed-locking --out locks
  irqscope locks locks --period 4ms
  irqscope locks locks --case delayed-locking/tcp/on --json
  irqscope run demo --sections --out RUN then locks RUN: every section of the twin, whole
  irqscope watch sections --out RUN then locks RUN: on a kernel with CONFIG_PREEMPT_TRACER
  irqscope locks RUN --period 1ms        a run with --explain, on any kernel")]
pub struct Locks {
    /// The run directory.
    #[arg(add = runs())]
    pub run: PathBuf,
    /// One case of it only.
    #[arg(long, value_name = "KERNEL/STATE/MODE")]
    pub case: Option<String>,
    /// Which sections a real-time process of this period would let wait, and how often.
    #[arg(long, value_name = "TIME")]
    pub period: Option<Span>,
    /// Sections in the table, the longest first.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// Sections whose distribution is drawn.
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub draw: usize,
    /// Print everything as JSON.
    #[arg(long)]
    pub json: bool,
}
