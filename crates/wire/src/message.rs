// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Messages, in the order in which a case sends them.

use alloc::{boxed::Box, string::String, vec::Vec};
use serde::{Deserialize, Serialize};

use crate::{
    Account, BenchEnd, BenchSamples, BenchValues, Calibration, Command, Cycles, Disturbances,
    Event, Explained, Fault, GeneratorHello, LoadWork, LockSite, LockTotals, Nanoseconds,
    OtherEvents, Packet, Path, Picture, Plan, Reply, Sections, Seq, Setting, Stage, Status, Symbol,
    Tick, Turns, WatchedLatency,
};

/// Raised by whatever changes the meaning or the encoding of a message: by each setting in their
/// table, and by [`OTHERS`].
pub const PROTOCOL: u16 = OTHERS + Setting::ALL.len() as u16;

/// Raised by hand whenever the meaning or the encoding of a message changes otherwise.
///
/// 1: first. 2: a plan may have benchmarks instead of stages. 3: a generator may
/// know which trigger an edge answers, and a plan which CPU it is on. 4: bursts,
/// execution times. 5: delayed locking, and the work of loads. 6: polarity,
/// lines in use, calibration, a generator's own time, how a response was measured, and
/// the target's word that it answers. 7: a plan has stages or benchmarks, each with what
/// they alone need. 8: a generator's settings in one command, and a range for each of
/// them in its limits. 9: a plan has the settings that a generator alone has as the table does.
/// 10: events of the scheduler's call. 11: sections. 12: events of what is called back, and of page
/// faults. 13: a generator may ask its hosts for a proof that they know its secret. 14: loads of
/// one's own, and settings of the kernel. 15: watching by the kernel's tracepoints.
/// 16: isolation of a CPU. 17: the target's preemption model.
const OTHERS: u16 = 17;

/// One message with its number within its stream, from 0 without gaps: a lost
/// or replayed frame is always seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Its number in its stream, from 0 without gaps.
    pub number: u64,
    /// The message.
    pub message: Message,
}

/// All that is sent, in either direction. Variants are only ever added at the end.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Message {
    /// The sender. Always the first.
    Hello(Hello),
    /// The case as it was asked for.
    Plan(Box<Plan>),
    /// The case as it was really set up.
    Started(Started),
    /// The cost of stamping, by stage.
    Cost(Vec<StageCost>),
    /// Samples of the inside view.
    Samples(Vec<Sample>),
    /// A note for the reader of the results.
    Note(Note),
    /// All samples were sent; these are the driver's own counts.
    Finished(Counters),
    /// The case ended without a result.
    Failed(Failure),
    /// The generator's [`Message::Hello`].
    GeneratorHello(GeneratorHello),
    /// Host to generator.
    Command(Command),
    /// The answer to a command.
    Reply(Reply),
    /// Samples of a generator.
    Packet(Packet),
    /// A generator's status.
    Status(Status),
    /// Names for the addresses that other messages have; a long list comes in
    /// several.
    Symbols(Vec<Symbol>),
    /// The instructions of the CPU; only where they were asked for.
    Path(Path),
    /// Other activity of the CPU under test, in order.
    Events(Vec<Event>),
    /// The facts that are needed to read the events; the last of their messages.
    Explained(Explained),
    /// The culprits that were asked for, as they acted.
    Truth(Vec<Fault>),
    /// Samples of a benchmark.
    BenchSamples(BenchSamples),
    /// The end of a benchmark.
    BenchEnd(BenchEnd),
    /// The answer to `irqscope-agent threads`, by itself.
    Picture(Picture),
    /// In imported runs only.
    BenchValues(BenchValues),
    /// Of a kernel with delayed locking: what its monitor and its manager counted.
    LockSites(Vec<LockSite>),
    /// The last word about locks.
    Locks(LockTotals),
    /// The work of the loads while a benchmark ran.
    Work(Vec<LoadWork>),
    /// A generator's own offsets.
    Calibration(Calibration),
    /// The target answers triggers from now on: for generators that cannot see it.
    Armed,
    /// Sections with interrupts or preemption disabled; only where they were asked for.
    Sections(Sections),
    /// Of a watch: the worst latency of each series, and those above the limit.
    Watched(Vec<WatchedLatency>),
    /// The doing of another CPU while a sample was open, in order.
    OtherEvents(OtherEvents),
    /// Everything that took a CPU away from a loop; the twin's generator only.
    Disturbances(Disturbances),
    /// The turns of several CPUs, where they were asked for; the twin's generator only.
    Turns(Turns),
}

/// A host's proof that it knows a generator's secret, for the challenge of one connection.
pub type Proof = [u8; 32];

/// The first message of an agent or a host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    /// The protocol's version.
    pub protocol: u16,
    /// `target` or the kind of generator.
    pub kind: String,
    /// The program's version.
    pub tool_version: String,
    /// A host's, where the generator's hello has a challenge.
    pub proof: Option<Proof>,
}

/// The target as it is while the case runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Started {
    /// `uname -r`.
    pub kernel: String,
    /// The preemption model, as the kernel names it: `PREEMPT_RT`, `PREEMPT_DYNAMIC (full)`; empty where a
    /// log does not say it.
    #[serde(default)]
    pub preemption: String,
    /// `uname -m`.
    pub machine: String,
    /// The kernel's command line.
    pub cmdline: String,
    /// The clocksource.
    pub clocksource: String,
    /// The CPU's model.
    pub cpu_model: String,
    /// The number of CPUs online.
    pub cpus: u32,
    /// The frequency governor of the CPU under test.
    pub governor: String,
    /// The stages that this kernel has.
    pub stages: Vec<Stage>,
    /// Asked for but not offered by this kernel.
    pub unavailable: Vec<Stage>,
    /// The length of the counter's tick.
    pub tick: Tick,
    /// How often a second the kernel's tick comes, `CONFIG_HZ`.
    #[serde(default)]
    pub timer_hz: Option<u32>,
    /// The trigger's really used injecting CPU, where one injects.
    pub inject_cpu: Option<u32>,
    /// Loads that were asked for but are not installed.
    pub absent_loads: Vec<String>,
}

/// Cycles that one call of a stage's stamping function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageCost {
    /// The stage.
    pub stage: Stage,
    /// The cost of one stamp.
    pub cycles: Cycles,
}

/// One trigger and what answered it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The trigger's number.
    pub seq: Seq,
    /// The trigger's instant by the counter.
    pub trigger_cycles: Cycles,
    /// The trigger's instant by CLOCK_MONOTONIC.
    pub trigger_ns: Nanoseconds,
    /// One for each stage that was asked.
    pub responses: Vec<Response>,
}

/// The response of one stage to one trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Response {
    /// The stage.
    pub stage: Stage,
    /// Its outcome.
    pub outcome: Outcome,
}

/// The outcome of one request to a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// Latency in cycles; negative only if the counter is not to be trusted.
    Answered {
        /// From the trigger's instant.
        latency: i64,
        /// The CPU on which it answered.
        cpu: u16,
        /// Other interrupts on this CPU since stage `irq`.
        interrupts: u16,
        /// Cycles from the stage's first act to the end of what it executed.
        executed: Option<Cycles>,
    },
    /// One run of the stage answered an earlier trigger and this one.
    Coalesced,
    /// It did not answer in time.
    Missing,
}

/// The accounting identity's terms, as the driver counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    /// Triggers that were sent.
    pub triggers: u64,
    /// Samples in which every stage answered.
    pub complete: u64,
    /// Samples with a missing stage.
    pub missing: u64,
    /// Triggers without a sample of their own.
    pub coalesced: u64,
    /// Samples for which the ring had no room.
    #[serde(alias = "overrun")]
    pub dropped: u64,
    /// Points of the time grid without a trigger (closed pacing).
    pub skipped: u64,
    /// A stage ran with nothing pending.
    pub spurious: u64,
}

impl Counters {
    /// Returns whether every trigger is counted exactly once.
    pub fn identity_holds(&self) -> bool {
        Account::from(*self).holds()
    }
}

/// A fact that the reader of a result should know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// How much it matters.
    pub severity: Severity,
    /// The fact, and what to do.
    pub text: String,
}

/// How much a note matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Severity {
    /// Good to know.
    Info,
    /// Figures may mean something else because of it.
    Warning,
}

/// Why a case has no result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The attempt, and its result.
    pub what: String,
    /// How to mend it.
    pub remedy: String,
    /// The measurement ran but cannot be trusted.
    pub invalid: bool,
}
