// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `[bench.NAME]`: what a scenario says of benchmarks. A list of variants
//! becomes one benchmark for each; what is left out has the defaults here.

use irqscope_quantity::{Frequency, Span};
use irqscope_wire::{Clock, LockProtocol, Middle, Scheduling, Wake};
use serde::de::{Deserialize, Deserializer, Error};

use super::{Named, Priority};

/// Runs in this order, whatever the order of the file.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BenchText {
    /// The CPU under test.
    #[serde(default)]
    pub cpu: u32,
    /// How long the loads run before the first benchmark.
    #[serde(default = "settle")]
    pub settle: Span,
    pub gtod: Option<GtodText>,
    pub sched: Option<SchedText>,
    #[serde(rename = "async")]
    pub wake: Option<AsyncText>,
    pub sleep: Option<SleepText>,
    pub inversion: Option<InversionText>,
    pub realfeel: Option<RealfeelText>,
    pub jitter: Option<JitterText>,
    pub spin: Option<SpinText>,
    pub watch: Option<WatchText>,
    pub isolate: Option<IsolateText>,
}

fn settle() -> Span {
    Span(100_000_000)
}

/// A policy with its priority, or `deadline`.
#[derive(Clone, Copy, Debug, schemars::JsonSchema)]
#[schemars(with = "String")]
pub(crate) enum PolicyText {
    Fixed(Scheduling),
    Deadline,
}

impl<'de> Deserialize<'de> for PolicyText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        match text.as_str() {
            "deadline" => Ok(PolicyText::Deadline),
            _ => Priority::parse(&text)
                .map(|priority| PolicyText::Fixed(priority.0))
                .map_err(|why| D::Error::custom(format!("{why}; or \"deadline\""))),
        }
    }
}

/// Keys that are left out keep what the benchmark has by itself.
#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GtodText {
    pub clocks: Option<Vec<Named<Clock>>>,
    pub count: Option<u64>,
    pub priority: Option<Priority>,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SchedText {
    pub policies: Option<Vec<PolicyText>>,
    pub period: Option<Span>,
    pub count: Option<u64>,
    pub threads: Option<u16>,
    pub cpus: Option<Vec<u32>>,
    /// Budget of SCHED_DEADLINE; a tenth of the period if left out.
    pub runtime: Option<Span>,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct AsyncText {
    pub wakes: Option<Vec<Named<Wake>>>,
    pub period: Option<Span>,
    pub count: Option<u64>,
    pub priority: Option<Priority>,
    pub from_cpu: Option<u32>,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SleepText {
    pub period: Option<Span>,
    pub count: Option<u64>,
    pub priority: Option<Priority>,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct InversionText {
    pub protocols: Option<Vec<Named<LockProtocol>>>,
    pub middles: Option<Vec<Named<Middle>>>,
    /// SCHED_FIFO priority of the lowest thread.
    pub priority: Option<u8>,
    pub hold: Option<Span>,
    pub middle: Option<Span>,
    pub limit: Option<Span>,
    pub count: Option<u64>,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RealfeelText {
    pub frequency: Option<Frequency>,
    pub count: Option<u64>,
    pub priority: Option<Priority>,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct JitterText {
    pub period: Option<Span>,
    pub work: Option<Span>,
    pub count: Option<u64>,
    pub priority: Option<Priority>,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpinText {
    pub duration: Option<Span>,
    pub threshold: Option<Span>,
    pub cpus: Option<Vec<u32>>,
    pub priority: Option<Priority>,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct IsolateText {
    pub duration: Option<Span>,
    /// The shortest gap that is kept; the twin keeps every disturbance.
    pub threshold: Option<Span>,
    pub cpus: Option<Vec<u32>>,
    pub priority: Option<Priority>,
}

#[derive(Debug, serde::Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WatchText {
    /// `irq:42`, a device or handler as in `eth0`, `thread:1234`, or `rt`.
    pub target: Option<String>,
    pub duration: Option<Span>,
    /// The samples of one series after which it ends earlier.
    pub count: Option<u64>,
    /// The latency from which on its timeline is kept.
    pub above: Option<Span>,
    /// A function in user space that is the last stage: `/usr/bin/app:on_packet`.
    pub until: Option<String>,
}
