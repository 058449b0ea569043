// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options of `irqscope threads`.

use std::path::PathBuf;

use clap::Args;

#[derive(Debug, Args)]
#[command(after_help = "\
A file of settings names threads, in which * stands for anything, and interrupts:
  [[thread]]
  name = \"irq/24-*\"
  priority = \"fifo 60\"
  cpus = \"0-1\"
  [[interrupt]]
  line = 24
  cpus = \"0\"
The way back is written before the first change: apply it in the same way.

Examples:
  irqscope threads
  irqscope threads --host root@board --json > threads.json
  sudo irqscope threads --set rt.toml
  sudo irqscope threads --set rt.undo.toml")]
pub struct Threads {
    /// Look at this machine over ssh instead of the one in hand.
    #[arg(long, value_name = "[USER@]HOST")]
    pub host: Option<String>,
    /// First apply priorities and affinities from a file; all of them or none.
    #[arg(long, value_name = "FILE")]
    pub set: Option<PathBuf>,
    /// Where the way back is written; must not exist [default: FILE.undo.toml].
    #[arg(long, value_name = "FILE", requires = "set")]
    pub undo: Option<PathBuf>,
    /// Print JSON instead of words.
    #[arg(long)]
    pub json: bool,
}
