// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope worst`: of which stage, in which window.

use clap::Args;
use irqscope_quantity::Span;

use super::Execution;

/// Finds the instant at which an interrupt is answered latest, and proves that there is no worse one in
/// the window. In the twin only: the guest is kept when its loads have settled, and every trigger
/// comes into that same state, alone, at another instruction. The worst one is then run once more with its
/// path recorded.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  irqscope worst demo --kernel 6.1 --state exec --stage user --window 4ms
  irqscope worst mine.toml --stage softirq --window 20ms --measure 2000
Afterwards:
  irqscope path RUN --stage user         the functions of the worst response
  irqscope explain RUN")]
pub struct Worst {
    #[command(flatten)]
    pub execution: Execution,
    /// The window's length; a tick is 4 ms on Debian's kernels.
    #[arg(long, value_name = "TIME", default_value = "4ms")]
    pub window: Span,
    /// Its begin, from the start of the measurement.
    #[arg(long, value_name = "TIME", default_value = "1ms")]
    pub from: Span,
    /// Instants to measure at the most; with less than the proof needs, the bound stays above the
    /// longest latency.
    #[arg(long, value_name = "N", default_value_t = 600, value_parser = clap::value_parser!(u32).range(2..))]
    pub measure: u32,
    /// Print everything as JSON.
    #[arg(long)]
    pub json: bool,
}
