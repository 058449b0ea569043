// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope explain`: of which run, and what is late.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use irqscope_analysis::Above;
use irqscope_wire::{Nanoseconds, Stage};

use irqscope_quantity::Span;

use super::candidates::runs;

/// Names what every late response waited for. Needs a run with events: `irqscope
/// run SCENARIO --explain`, or `explain = true` in the scenario.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  irqscope run demo --explain
  irqscope explain runs/20260101T120000Z-demo
  irqscope explain RUN --stage user --above 150us --worst 3
  irqscope explain RUN --stage user --rows
  irqscope explain RUN --case 6.1/load --above max --perfetto worst.json
  irqscope explain RUN --overhead        what recording the events costs")]
pub struct Explain {
    /// The run directory.
    #[arg(add = runs())]
    pub run: PathBuf,
    /// One case only.
    #[arg(long, value_name = "KERNEL/STATE")]
    pub case: Option<String>,
    /// One stage only.
    #[arg(long)]
    pub stage: Option<Stage>,
    /// The responses that count as late: beyond a quantile, beyond a latency, or the latest
    /// response alone.
    #[arg(long, value_name = "p99|150us|max", default_value = "p99")]
    pub above: Late,
    /// Print the timelines of this many of the latest responses.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub worst: usize,
    /// Print histograms of all responses, in rows by what held them up the most.
    #[arg(long)]
    pub rows: bool,
    /// Write the timelines of the latest responses for Perfetto; must not exist.
    #[arg(long, value_name = "FILE")]
    pub perfetto: Option<PathBuf>,
    /// Compare each stage's median with and without events, where the run has both
    /// (`explain-effect = true`).
    #[arg(long)]
    pub overhead: bool,
    /// Compare what is said with the truth, where the scenario asked for faults.
    #[arg(long)]
    pub truth: bool,
    /// Print the causes as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Late(pub Above);

impl FromStr for Late {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(quantile) = text.parse() {
            return Ok(Self(Above::Quantile(quantile)));
        }
        let span: Span = text.parse().map_err(|_| {
            "not a quantile and not a latency; write p99.9, 150us or max".to_owned()
        })?;
        Ok(Self(Above::Threshold(Nanoseconds(i64::try_from(span.0).unwrap_or(i64::MAX)))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_quantity::Quantile;

    #[test]
    fn late_is_a_quantile_or_a_latency() {
        assert_eq!("p99.9".parse(), Ok(Late(Above::Quantile(Quantile::P99_9))));
        assert_eq!("max".parse(), Ok(Late(Above::Quantile(Quantile::MAX))));
        assert_eq!("150us".parse(), Ok(Late(Above::Threshold(Nanoseconds(150_000)))));
        for wrong in ["p101", "pp", "late", "-5us"] {
            assert!(wrong.parse::<Late>().unwrap_err().contains("p99.9"), "{wrong}");
        }
    }
}
