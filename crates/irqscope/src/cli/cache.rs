// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope cache`.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub enum Cache {
    /// List kernels, drivers, sources and snapshots with their sizes and last uses.
    #[command(after_help = "Example:\n  irqscope cache list")]
    List,
    /// Remove what is not needed; all of it is fetched or made again when it is.
    ///
    /// A program that uses an entry at this moment may fail.
    #[command(after_help = "\
Examples:
  irqscope cache clean --unused 30
  irqscope cache clean drivers kernels/6.1
  irqscope cache clean --all")]
    Clean {
        /// Entries, or whole kinds, as `irqscope cache list` names them.
        #[arg(value_name = "NAME", required_unless_present_any = ["all", "unused"])]
        names: Vec<String>,
        /// Those that have not been used for N days.
        #[arg(long, value_name = "N", conflicts_with = "names")]
        unused: Option<u64>,
        /// All of it.
        #[arg(long, conflicts_with_all = ["names", "unused"])]
        all: bool,
    },
}
