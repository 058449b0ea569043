// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope hunt`: over which loads, and for how long.

use clap::Args;
use irqscope_quantity::Span;

use super::Execution;

/// Find the load under which a response is latest, in the twin.
///
/// Mixtures of the tool's loads, the scenario's own and stress-ng's stressors are bred, from those that
/// are latest and from those in which something else held responses up. The last quarter of the time is
/// without a record of that, which makes responses later. The find is reduced to
/// the least that is still 90 % as late. It is written as a scenario, and run
/// once more with its path recorded. stress-ng runs as an ordinary user. The states of the scenario
/// are not used.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  irqscope hunt demo --kernel 6.1 --stage user --budget 30m
  irqscope hunt demo --kernel 6.1 --nth 3         without what comes once or twice in a run
  irqscope hunt mine.toml --stage softirq --source exec --source stress-ng:fork
Afterwards:
  irqscope run RUN.toml                    the found load once more, to the nanosecond
  irqscope worst RUN.toml --stage user     the worst instant under it
  irqscope path RUN --stage user --at 49   the functions of that response; the hunt prints its number")]
pub struct Hunt {
    #[command(flatten)]
    pub execution: Execution,
    /// The time for the search; what is under way then is finished, and the reduction comes after it.
    #[arg(long, value_name = "TIME", default_value = "30m")]
    pub budget: Span,
    /// Mixtures to measure at the most, and a third as many without a record. With it alone deciding, a search is the same
    /// each time.
    #[arg(long, value_name = "N", default_value_t = u32::MAX, hide_default_value = true, value_parser = clap::value_parser!(u32).range(1..))]
    pub candidates: u32,
    /// The seed of the search's choices.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub search_seed: u64,
    /// A load to mix instead of all; may be repeated. A stressor is `stress-ng:NAME`, system calls are `call:NAME`.
    #[arg(long, value_name = "LOAD")]
    pub source: Vec<String>,
    /// Compare mixtures by their Nth latest response instead of the latest: what delays fewer responses than that in a run,
    /// such as a table that the kernel fills once, does not count.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    pub nth: u32,
    /// Search by the latencies alone: nothing records what responses wait for, so that no culprit guides the search, and none
    /// is listed. More mixtures are measured in the same time.
    #[arg(long)]
    pub unguided: bool,
    /// Print the result as JSON.
    #[arg(long)]
    pub json: bool,
}
