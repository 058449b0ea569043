// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The contents of a scenario file: keys, types and defaults, nothing else.

use std::collections::BTreeMap;

use irqscope_wire::{Compensate, FaultKind, Stage, View};
use serde::Deserialize;

use irqscope_quantity::{Frequency, Limit, Span};

use crate::devices::Devices;
use crate::kind::RigKind;

mod axes;
mod bench;
mod board;
mod execution;
mod locks;
mod own;
mod trigger;
mod value;

pub(crate) use axes::{AxesText, LevelText};
pub(crate) use bench::*;
pub use board::{Board, Gpio};
pub(crate) use execution::{ExecutionText, TimeText};
pub(crate) use locks::LocksText;
pub(crate) use own::{LoadText, SysctlText};
pub(crate) use trigger::TriggerText;
pub(crate) use value::{Named, Priority};

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Text {
    pub version: u32,
    pub about: String,
    #[serde(default = "twin")]
    pub rig: RigKind,
    /// For rigs that boot them; elsewhere the target's own kernel is the only one.
    #[serde(default)]
    pub kernels: Vec<String>,
    /// Kernel parameters of all cases, after the rig's own; for rigs that boot kernels.
    pub boot: Option<String>,
    /// Axes besides kernels and states: each case once for each level of each.
    #[serde(default)]
    pub axes: AxesText,
    pub states: Vec<String>,
    /// Latencies that stages or benchmarks must stay below, each at a quantile.
    #[serde(default)]
    pub limits: Vec<Limit>,
    /// All of them when left out.
    pub stages: Option<Vec<Named<Stage>>>,
    /// Both where there is a generator, else `inside`.
    pub views: Option<Vec<Named<View>>>,
    /// Each case once more without the view from inside.
    #[serde(default, rename = "observer-effect")]
    pub observer_effect: bool,
    /// The target records what else the CPU under test does.
    #[serde(default)]
    pub explain: bool,
    /// Each case once more with `explain`.
    #[serde(default, rename = "explain-effect")]
    pub explain_effect: bool,
    /// This or benchmarks.
    #[serde(default, deserialize_with = "trigger::with_settings")]
    pub trigger: Option<TriggerText>,
    #[serde(default)]
    pub bench: Option<BenchText>,
    /// Deep idle states are not held off.
    #[serde(default, rename = "idle-states")]
    pub idle_states: bool,
    #[serde(default)]
    pub priority: PriorityText,
    #[serde(default)]
    pub state: BTreeMap<String, StateText>,
    /// Loads of one's own, which states name as they name others.
    #[serde(default)]
    pub load: BTreeMap<String, LoadText>,
    /// Modules that are loaded before the driver, each with its parameters: the kernel's own by name,
    /// files, or directories that are built.
    #[serde(default)]
    pub modules: Vec<String>,
    /// Settings of the target's kernel while a case runs.
    #[serde(default)]
    pub sysctl: SysctlText,
    /// Every case at one trigger frequency after the other.
    pub sweep: Option<SweepText>,
    /// Hardware of guests, besides the port of their generator.
    #[serde(default)]
    pub devices: Devices,
    #[serde(default)]
    pub twin: Twin,
    #[serde(default)]
    pub vm: Vm,
    #[serde(default)]
    pub ssh: Ssh,
    #[serde(default)]
    pub board: Board,
    #[serde(default)]
    pub test: Option<TestText>,
    #[serde(default)]
    pub faults: Option<FaultsText>,
    #[serde(default, rename = "delayed-locking")]
    pub locks: Option<LocksText>,
    /// Stages end with their first act when left out.
    #[serde(default)]
    #[schemars(schema_with = "crate::schema::by_stage")]
    pub execution: Option<ExecutionText>,
    /// A stage's way with triggers that come while it is pending.
    #[serde(default = "merged")]
    pub compensate: Named<Compensate>,
}

#[derive(Debug, Default, PartialEq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PriorityText {
    pub user: Option<Priority>,
    pub kthread: Option<Priority>,
    pub thread: Option<Priority>,
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct StateText {
    /// Background work, all at the same time.
    pub loads: Vec<String>,
    /// Policy and priority of load `hog`.
    pub hog: Option<Priority>,
}

/// Frequencies in equal factors, both ends included.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct SweepText {
    pub from: Frequency,
    pub to: Frequency,
    /// In each doubling of the frequency.
    #[serde(default = "two")]
    pub steps_per_octave: u16,
}

fn two() -> u16 {
    2
}

/// The virtual machine of rig `twin`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Twin {
    /// Guest memory in MiB.
    pub memory: u32,
    /// CPUs of the guest, which take turns: all their instructions together are the virtual time.
    pub cpus: u32,
    /// The longest time for which a CPU executes while others wait for their turn, from the moment
    /// that the driver can take triggers. Without effect with one CPU.
    pub quantum: Span,
    /// From the start of the measurement, which the guest's tick decides, to the first trigger.
    pub first: Span,
    /// The guest's state is kept once more when its loads have settled, and cases with the same plan go
    /// on from there.
    pub settled: bool,
    /// One instruction takes 2^shift virtual nanoseconds.
    pub shift: u32,
    /// Host seconds after which a silent guest is called hung.
    pub limit: u64,
    /// Triggers of each case, from the first, whose path is recorded. Only the
    /// generator knows of it: the guest executes the same with and without.
    pub trace: u64,
    /// Records every section in which the CPU takes no interrupt, is not preempted, or owes a call
    /// of the scheduler. The guest executes the same with and without.
    pub sections: bool,
}

impl Default for Twin {
    fn default() -> Self {
        Twin {
            memory: 512,
            cpus: 1,
            quantum: Span(2_000),
            first: Span(1_000_000),
            settled: false,
            shift: 1,
            limit: 900,
            trace: 0,
            sections: false,
        }
    }
}

/// The virtual machine of rig `vm`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Vm {
    /// Guest memory in MiB.
    pub memory: u32,
    /// Seconds after which a guest is called hung.
    pub limit: u64,
    /// The host's CPU on which the generator spins; any if left out.
    #[serde(rename = "generator-cpu")]
    pub generator_cpu: Option<u32>,
}

impl Default for Vm {
    fn default() -> Self {
        Vm { memory: 512, limit: 900, generator_cpu: None }
    }
}

/// The target of rig `ssh`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Ssh {
    /// `[user@]host`, as ssh takes it.
    pub host: String,
    /// The port; none: as ssh has it.
    pub port: Option<u16>,
    /// Further options for ssh, one word each.
    pub options: Vec<String>,
}

/// Settings that only a test build of the driver has.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TestText {
    pub stage: Named<Stage>,
    pub instructions: u32,
}

/// Culprits of known kind and length; the twin only.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FaultsText {
    /// All of them when left out.
    pub kinds: Option<Vec<Named<FaultKind>>>,
    pub length: Span,
    /// Mean distance.
    pub interval: Span,
    #[serde(default)]
    pub seed: u64,
}

fn twin() -> RigKind {
    RigKind::Twin
}
fn merged() -> Named<Compensate> {
    Named(Compensate::None)
}
