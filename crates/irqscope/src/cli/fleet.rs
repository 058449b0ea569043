// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope fleet`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Measure in many places: scenarios, kernels and places of a plan, each combination once.
///
/// docs/fleet.md says how a plan is written.
#[derive(Debug, Subcommand)]
pub enum Fleet {
    Run(FleetRun),
    /// List the jobs of a plan and the command of each; nothing is measured.
    #[command(after_help = "Example:\n  irqscope fleet show nightly.toml")]
    Show {
        /// The plan.
        plan: PathBuf,
    },
    /// Say what became of each job.
    #[command(after_help = "Example:\n  irqscope fleet status nightly")]
    Status {
        /// The fleet's directory.
        directory: PathBuf,
        /// Print it as JSON.
        #[arg(long)]
        json: bool,
    },
}

/// Measures all jobs of a plan that have no result yet. The same command goes on where an earlier one
/// ended, however it ended; jobs that failed are tried again. One that fails does not stop the others.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  irqscope fleet run nightly.toml --out nightly
  irqscope fleet run nightly.toml --out tuesday --known monday --lake /srv/latency
Exit status: 0 all jobs have a result, which is in the lake that was named; 3 some have none or are not
there; 130 interrupted")]
pub struct FleetRun {
    /// The plan.
    pub plan: PathBuf,
    /// The fleet's directory: a new one, or the same plan's.
    #[arg(long, short, value_name = "DIR")]
    pub out: PathBuf,
    /// Jobs at the same time in a place that has no number of its own [default: one per CPU].
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Another fleet's directory whose results count, too; may be repeated. A measurement in the twin is
    /// known by its scenario, its kernels' packages and the program.
    #[arg(long, value_name = "DIR")]
    pub known: Vec<PathBuf>,
    /// Put each run into this lake, a directory or s3://BUCKET/PATH, by the Python package; those of
    /// earlier calls that are not there as well. docs/lake.md says more.
    #[arg(long, value_name = "URL")]
    pub lake: Option<String>,
    /// Pass all ssh.options of the scenarios to ssh, also those by which programs of this machine can be
    /// run: for files that you trust as much as programs.
    #[arg(long)]
    pub allow_ssh_options: bool,
    /// Trust the scenarios' files as much as programs, as `irqscope run --allow-commands` does.
    #[arg(long)]
    pub allow_commands: bool,
    /// Measure what is known as well.
    #[arg(long, conflicts_with = "known")]
    pub anew: bool,
    /// Print what became of each job as JSON.
    #[arg(long)]
    pub json: bool,
}
