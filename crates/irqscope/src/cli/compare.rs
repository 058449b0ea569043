// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope compare`: what against what.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use irqscope_wire::View;

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
    #[arg(value_name = "RUN[#CASE]", required = true)]
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

/// In thousandths; 1000 is the maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quantile(pub u32);

impl FromStr for Quantile {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "max" {
            return Ok(Self(1000));
        }
        let percent = text.strip_prefix('p').and_then(|number| number.parse::<f64>().ok());
        let thousandths = percent.map(|percent| percent * 10.0);
        let whole = thousandths.filter(|one| (one - one.round()).abs() < 1e-9);
        match whole.map(f64::round) {
            Some(one) if (1.0..1000.0).contains(&one) => Ok(Self(one as u32)),
            _ => {
                Err("not a quantile; write p50, p99.9 or max (tenths of a per cent, p0.1 to p99.9)"
                    .into())
            }
        }
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

    #[test]
    fn quantiles_are_tenths_of_a_per_cent() {
        assert_eq!("p99.9".parse(), Ok(Quantile(999)));
        assert_eq!("p50".parse(), Ok(Quantile(500)));
        assert_eq!("max".parse(), Ok(Quantile(1000)));
        for wrong in ["p100", "p99.99", "p0", "99", "median", "pNaN", "p-5"] {
            assert!(wrong.parse::<Quantile>().unwrap_err().contains("p99.9"), "{wrong}");
        }
    }
}
