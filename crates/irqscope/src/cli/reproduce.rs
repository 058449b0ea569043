// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope reproduce`: which of the references' results.

use std::path::PathBuf;

use clap::Args;

/// Repeats the experiments of the five references, and shows their figures beside ours: whether
/// sign and order agree, how large the effect is in both, and why it differs where it does.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  irqscope reproduce --list
  irqscope reproduce                          all of them: 6 min 7 s on two CPUs
  irqscope reproduce lost-softirqs hog-handlers
  irqscope reproduce --out again --markdown reproduction.md

Exit status:
  0  each entry agrees, or says why not
  1  an entry differs, and no reason is known
  else of the first experiment that could not be run; the others were")]
pub struct Reproduce {
    /// The entries, by the names that --list shows [default: all].
    #[arg(value_name = "ENTRY")]
    pub entries: Vec<String>,
    /// List the entries and run nothing.
    #[arg(long)]
    pub list: bool,
    /// The directory of the runs, one for each experiment; those that are complete there are taken
    /// as they are [default: runs/TIME-reproduce].
    #[arg(long, short, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Guests at the same time; the results do not depend on it [default: one per CPU].
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Write a Markdown page, too, into a file that is not there yet.
    #[arg(long, value_name = "FILE")]
    pub markdown: Option<PathBuf>,
    /// Print everything as JSON.
    #[arg(long)]
    pub json: bool,
}
