// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope sweep`: which frequencies.

use clap::Args;

use super::Execution;
use irqscope_quantity::Frequency;

/// Runs every case of a scenario at one trigger frequency after the other. The
/// knee of a stage is the highest one at which, and at all steps below which,
/// every trigger had a response of its own: none merged, none missing, no
/// interrupt lost. Jitter keeps its share of the period.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  irqscope sweep knee
  irqscope sweep knee --kernel 6.12 --kernel 6.12-rt --to 50kHz
  irqscope sweep knee --from 16kHz --to 23kHz --steps-per-octave 12   a closer look
  irqscope sweep scenarios/mine.toml --count 10000 --json > sweep.json")]
pub struct Sweep {
    #[command(flatten)]
    pub execution: Execution,
    /// The lowest frequency.
    #[arg(long, value_name = "FREQUENCY", default_value = "1.03kHz")]
    pub from: Frequency,
    /// The highest frequency.
    #[arg(long, value_name = "FREQUENCY", default_value = "100kHz")]
    pub to: Frequency,
    /// Take at least this many steps for each doubling.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..=24))]
    pub steps_per_octave: u16,
    /// Print sweep.json instead of the table.
    #[arg(long)]
    pub json: bool,
}
