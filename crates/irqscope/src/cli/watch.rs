// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options of `irqscope watch`.

use clap::Args;
use irqscope_scenario::BenchKey;

use super::How;

/// Show the latencies of a running kernel, without a module.
///
/// Probes at its own tracepoints follow an interrupt from its handler's entry to the thread that it
/// wakes, or a thread from its timer's expiry to its CPU. Nothing is changed; when a device raised
/// its line cannot be seen from inside.
#[derive(Debug, Args)]
#[command(after_help = "\
TARGET is irq:42 as in /proc/interrupts, a network device or a handler's name (eth0, ahci),
thread:PID, or timer:FUNCTION for kernel timers that call this function. docs/watch.md says what each stage is.
It may also be sections, or sections:2,4-7 of some CPUs: not latencies, but all sections with interrupts or
preemption disabled, by function, where the kernel has tracepoints of them (docs/sections.md).

Examples:
  sudo irqscope watch eth0
  sudo irqscope watch irq:42 --for 1m --above 150us
  sudo irqscope watch thread:1234 --until /usr/bin/app:control_loop
  sudo irqscope watch timer:tick_nohz_handler
  sudo irqscope watch --rt --out before
  sudo irqscope watch sections --for 1m
  irqscope watch eth0 --rig ssh --host root@board
  irqscope gate before --max 'watch rt on-cpu app<150us@max'")]
pub struct Watch {
    /// The interrupt, device or thread.
    #[arg(required_unless_present = "rt")]
    pub target: Option<String>,
    /// Watch the wakeups of all threads of a real-time policy.
    #[arg(long, conflicts_with = "target")]
    pub rt: bool,
    /// How long to watch.
    #[arg(long = "for", value_name = "SPAN", default_value = "10s")]
    pub duration: String,
    /// End earlier, once a stage has this many latencies.
    #[arg(long, value_name = "N")]
    pub count: Option<u64>,
    /// Keep the timeline of each latency from this one on, and show the worst one's.
    #[arg(long, value_name = "SPAN")]
    pub above: Option<String>,
    /// The last stage, in the thread that was woken: the first instruction of a function,
    /// FILE:FUNCTION, or a static probe (USDT), usdt:FILE:PROVIDER:NAME.
    #[arg(long, value_name = "PLACE")]
    pub until: Option<String>,
    #[command(flatten)]
    pub how: How,
    /// Print summary.json instead of the screen.
    #[arg(long)]
    pub json: bool,
}

impl Watch {
    /// Returns the word that names what is watched.
    pub fn word(&self) -> &str {
        self.target.as_deref().unwrap_or("rt")
    }

    /// Returns whether sections are watched, and no latencies.
    pub fn is_of_sections(&self) -> bool {
        let target = self.word().to_owned();
        irqscope_wire::Watch { target, ..irqscope_wire::Watch::default() }.sections().is_some()
    }

    /// Returns the settings that were given.
    pub fn settings(&self) -> Vec<(BenchKey, Vec<String>)> {
        let count = self.count.map(|count| count.to_string());
        let all = [
            (BenchKey::Target, Some(self.word().to_owned())),
            (BenchKey::Duration, Some(self.duration.clone())),
            (BenchKey::Count, count),
            (BenchKey::Above, self.above.clone()),
            (BenchKey::Until, self.until.clone()),
        ];
        all.into_iter().filter_map(|(key, value)| Some((key, vec![value?]))).collect()
    }
}
