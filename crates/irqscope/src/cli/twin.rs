// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope twin`.

use clap::Args;
use irqscope_scenario::KernelName;
use irqscope_wire::Load;

use super::candidates::kernels;

/// Boot a twin that stays up, with a generator to connect to.
///
/// The driver answers on every line until Ctrl-C. The twin's nanoseconds are virtual:
/// executed instructions, the structure of a latency and no hardware's.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  irqscope twin --port 7000
  irqscope twin --kernel 6.1-rt --load copy --load exec
Then, elsewhere:
  irqscope serve --connect 127.0.0.1:7000
  irqscope generator set --connect 127.0.0.1:7000 --frequency 2kHz")]
pub struct Twin {
    /// The kernel that is booted.
    #[arg(long, value_name = "KERNEL", default_value = "6.1", value_parser = KernelName::parse, add = kernels())]
    pub kernel: KernelName,
    /// The generator's TCP port on 127.0.0.1; 0 takes any that is free, and says so.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,
    /// Background work on the target; may be repeated.
    #[arg(long, value_name = "NAME")]
    pub load: Vec<Load>,
}
