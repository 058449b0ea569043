// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope fetch`.

use std::path::PathBuf;

use clap::Args;
use irqscope_scenario::KernelName;

use super::candidates;

/// Fetch all that scenarios need, or carry it to a machine without a network.
///
/// That is their kernels, the packages of their loads, and a newer QEMU for several CPUs. Without a
/// name these are the kernels that irqscope is tested on, and that QEMU.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  irqscope fetch demo --kernel 6.12-rt --offline-bundle irqscope.bundle
  irqscope fetch --from irqscope.bundle      on the machine without a network
  irqscope run demo --offline")]
pub struct Fetch {
    /// Scenarios: bundled ones by name, or paths that end in .toml.
    #[arg(value_name = "SCENARIO", add = candidates::scenarios())]
    pub scenarios: Vec<String>,
    /// A kernel besides those of the scenarios; may be repeated.
    #[arg(long, value_name = "KERNEL", value_parser = KernelName::parse, add = candidates::kernels())]
    pub kernel: Vec<KernelName>,
    /// Pack all of it into one file, which must not exist.
    #[arg(long, value_name = "FILE")]
    pub offline_bundle: Option<PathBuf>,
    /// Put what such a file has into the cache, and download nothing.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["scenarios", "kernel", "offline_bundle"])]
    pub from: Option<PathBuf>,
}
