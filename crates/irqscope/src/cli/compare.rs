// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope compare`: what against what.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use irqscope_quantity::Quantile;
use irqscope_wire::View;

use super::candidates::runs;

/// Compares runs or cases: by how much each quantile and the maximum differ, how
/// sure that is, and what else differs between them.
///
/// The first is the base of all others. Where both sides have several cases, those
/// of the same name are compared.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  irqscope compare runs/before runs/after
  irqscope compare RUN#6.1/idle RUN#6.1-rt/idle
  irqscope compare RUN                         its first case against the others
  irqscope compare before after --stage user --at p50,p99.9,max
  irqscope compare before after --out comparison   with pictures, in comparison/compare.html")]
pub struct Compare {
    /// Run directories, or one case of each.
    #[arg(value_name = "RUN[#CASE]", required = true, add = runs())]
    pub runs: Vec<Chosen>,
    /// One stage, or a benchmark, its variant, its series; may be repeated.
    #[arg(long = "stage", value_name = "NAME")]
    pub stages: Vec<String>,
    /// Of stages [default: outside, where there is a generator].
    #[arg(long)]
    pub view: Option<View>,
    /// Which quantiles.
    #[arg(
        long,
        value_name = "QUANTILES",
        value_delimiter = ',',
        default_value = "p50,p90,p99,p99.9,max"
    )]
    pub at: Vec<Quantile>,
    /// Write a page with pictures into a directory; must not exist.
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print everything as JSON.
    #[arg(long)]
    pub json: bool,
}

/// A run, or one case of it: `RUN`, `RUN#CASE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    pub run: PathBuf,
    pub case: Option<String>,
}

impl FromStr for Chosen {
    type Err = std::convert::Infallible;

    /// Parses a choice; a directory's own name may hold a `#`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let whole = PathBuf::from(text);
        Ok(match text.rsplit_once('#') {
            Some((run, case)) if !whole.exists() => {
                Self { run: run.into(), case: Some(case.into()) }
            }
            _ => Self { run: whole, case: None },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_case_is_chosen_behind_a_hash() {
        let chosen = "runs/a#6.1/idle".parse::<Chosen>().unwrap();
        assert_eq!(
            (chosen.run.to_str(), chosen.case.as_deref()),
            (Some("runs/a"), Some("6.1/idle"))
        );
        assert_eq!("runs/a".parse::<Chosen>().unwrap().case, None);
    }
}
