// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope bisect`: in what, by what, and between which kernels.

use std::path::PathBuf;

use clap::Args;
use irqscope_quantity::{Quantile, Span};
use irqscope_wire::Stage;

use super::Changes;
use super::candidates::scenarios;
use super::values::named;

/// Finds the commit, patch or release that made a latency longer, or where the bad kernel is the
/// earlier one that made it shorter. In the twin a step is exact: one boot and one run decide it.
/// Steps are planned by the functions whose instructions differ, and the same command with the same
/// --out goes on where it was stopped.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  irqscope bisect --git ~/src/linux --good v6.11 --bad v6.12 --decides user --out found
  irqscope bisect --git ~/src/linux-rt --good v6.1 --bad v6.1-rt --part rt --decides softirq --out found
  irqscope bisect --good 6.12.94 --bad 6.12.117 --decides user --any --out found
  irqscope bisect --git . --good HEAD~64 --bad HEAD --decides irq --limit 2us --state load --out found
  irqscope bisect --git . --bad v6.12 --good v6.13 --decides softirq --quantile p99 --out fixed
Afterwards:
  git bisect replay found/git-bisect.log    in the repository
  irqscope compare found/steps/GOOD found/steps/BAD")]
pub struct Bisect {
    /// A bundled scenario's name, or a path that ends in .toml; the first of its cases decides.
    #[arg(default_value = "demo", add = scenarios())]
    pub scenario: String,
    /// A repository of Linux; without it, good and bad are Debian's kernels.
    #[arg(long, value_name = "DIR")]
    pub git: Option<PathBuf>,
    /// A commit, or a kernel, that is as it should be.
    #[arg(long, value_name = "REVISION")]
    pub good: String,
    /// A later one that is not; with an earlier one the commit is sought that mended it.
    #[arg(long, value_name = "REVISION")]
    pub bad: String,
    /// A part of each build, as in irqscope kernel build: a fragment's name or path, a patch, a
    /// series; may be repeated.
    #[arg(long, value_name = "PART", requires = "git")]
    pub part: Vec<String>,
    /// The stage whose latency decides.
    #[arg(long, default_value = "user", value_parser = named::<Stage>(Stage::NAMES))]
    pub decides: Stage,
    /// The quantile that decides.
    #[arg(long, value_name = "QUANTILE", default_value = "p50")]
    pub quantile: Quantile,
    /// A latency beyond which a commit is bad [default: in the middle between good and bad].
    #[arg(long, value_name = "TIME", conflicts_with = "any")]
    pub limit: Option<Span>,
    /// Find the first commit that changes any latency of the stage, if only by an instruction.
    #[arg(long)]
    pub any: bool,
    /// Halve the range at each step, whatever the functions say.
    #[arg(long)]
    pub unplanned: bool,
    /// The directory of the search; the same one goes on with it.
    #[arg(long, short, value_name = "DIR")]
    pub out: PathBuf,
    #[command(flatten)]
    pub changes: Changes,
}
