// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The options of `irqscope bench`.

use clap::Args;
use irqscope_quantity::CpuList;
use irqscope_report::foreign::ExportFormat;
use irqscope_scenario::BenchKey;
use irqscope_wire::{BenchmarkKind, Load};

use super::How;
use super::export::FORMATS;
use super::values::{named, one_of};

#[derive(Debug, Args)]
#[command(after_help = "\
Spans of time have their unit: 250us, 5ms. A bare priority is SCHED_FIFO's. A setting of one benchmark is refused for another.
docs/benchmarks.md says what each benchmark measures.

Examples:
  irqscope bench sched                      a period of 5,083 us at SCHED_FIFO 80, CPU 0
  irqscope bench sched -p 95 -i 1ms -l 60000 -a 0,1
  irqscope bench sched --variant deadline --runtime 200us
  irqscope bench sleep --load tcp           reference delays under a TCP stream
  irqscope bench gtod async --rig ssh --host root@board
  irqscope bench sched --format rt-tests    JSON as cyclictest --json writes it
  irqscope bench inversion --rig twin --kernel 6.1-rt")]
pub struct Bench {
    /// gtod, sched, async, sleep, inversion, realfeel, jitter or spin; several are
    /// run one after the other.
    #[arg(required = true, value_name = "NAME", value_parser = named::<BenchmarkKind>(BenchmarkKind::NAMES))]
    pub names: Vec<BenchmarkKind>,
    /// How many samples.
    #[arg(long, short = 'l', value_name = "N")]
    count: Option<u64>,
    /// From one sample to the next (sched, async, sleep, jitter).
    #[arg(long, short = 'i', value_name = "SPAN")]
    period: Option<String>,
    /// How long to spin.
    #[arg(long, short = 'D', value_name = "SPAN")]
    duration: Option<String>,
    /// 80, `fifo 80`, `rr 5` or `other` [default: fifo 80].
    #[arg(long, short = 'p', value_name = "PRIORITY")]
    priority: Option<String>,
    /// One of a benchmark's variants: a clock of gtod, a policy of sched (`fifo
    /// 80`, `deadline`), a way to wake of async, `none`, `inherit`, `bounded` or
    /// `unbounded` of inversion; may be repeated.
    #[arg(long, value_name = "NAME")]
    variant: Vec<String>,
    /// Threads on each CPU (sched).
    #[arg(long, short = 't', value_name = "N")]
    threads: Option<u16>,
    /// The CPU under test.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub cpu: u32,
    /// CPUs to measure at the same time (sched, spin): 0,1 or 0-3.
    #[arg(long, short = 'a', value_name = "LIST")]
    cpus: Option<CpuList>,
    /// Where the waking thread of async runs, if on another CPU.
    #[arg(long, value_name = "N")]
    from_cpu: Option<u32>,
    /// Budget of SCHED_DEADLINE in each period.
    #[arg(long, value_name = "SPAN")]
    runtime: Option<String>,
    /// The shortest gap that spin keeps.
    #[arg(long, value_name = "SPAN")]
    threshold: Option<String>,
    /// How long the work of one period takes (jitter).
    #[arg(long, value_name = "SPAN")]
    work: Option<String>,
    /// Of the real-time clock's interrupts (realfeel): a power of two, 2048Hz.
    #[arg(long, value_name = "HZ")]
    frequency: Option<String>,
    /// How long the lowest thread works with the lock held (inversion).
    #[arg(long, value_name = "SPAN")]
    hold: Option<String>,
    /// How long the middle thread works (inversion).
    #[arg(long, value_name = "SPAN")]
    middle: Option<String>,
    /// When a middle thread that never yields is ended (inversion).
    #[arg(long, value_name = "SPAN")]
    limit: Option<String>,
    /// Background work: busy, busy256, tcp, copy, exec, memory, hackbench or
    /// stress-ng; may be repeated.
    #[arg(long, value_name = "NAME", value_parser = named::<Load>(Load::NAMES))]
    pub load: Vec<Load>,
    /// Leave deep idle states as they are, instead of holding
    /// /dev/cpu_dma_latency at 0.
    #[arg(long)]
    pub idle_states: bool,
    #[command(flatten)]
    pub how: How,
    /// Print summary.json instead of the table.
    #[arg(long)]
    pub json: bool,
    /// Print the samples or figures in a foreign format instead; see irqscope
    /// export.
    #[arg(long, conflicts_with = "json", value_parser = one_of(FORMATS))]
    pub format: Option<ExportFormat>,
}

impl Bench {
    /// Returns the settings that were given.
    pub fn settings(&self) -> Vec<(BenchKey, Vec<String>)> {
        let number = |value: Option<u64>| value.map(|value| value.to_string());
        let variants = self.variant.clone();
        let one = |value: &Option<String>| value.iter().cloned().collect::<Vec<_>>();
        let listed = self.cpus.iter().flat_map(|list| &list.0);
        let cpus = listed.map(u32::to_string).collect();
        let all = [
            (BenchKey::Count, one(&number(self.count))),
            (BenchKey::Period, one(&self.period)),
            (BenchKey::Duration, one(&self.duration)),
            (BenchKey::Priority, one(&self.priority)),
            (BenchKey::Variant, variants),
            (BenchKey::Threads, one(&number(self.threads.map(u64::from)))),
            (BenchKey::Cpus, cpus),
            (BenchKey::FromCpu, one(&number(self.from_cpu.map(u64::from)))),
            (BenchKey::Runtime, one(&self.runtime)),
            (BenchKey::Threshold, one(&self.threshold)),
            (BenchKey::Work, one(&self.work)),
            (BenchKey::Frequency, one(&self.frequency)),
            (BenchKey::Hold, one(&self.hold)),
            (BenchKey::Middle, one(&self.middle)),
            (BenchKey::Limit, one(&self.limit)),
        ];
        all.into_iter().filter(|(_, values)| !values.is_empty()).collect()
    }
}
