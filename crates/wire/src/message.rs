// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Messages, in the order in which a case sends them.

use alloc::{string::String, vec::Vec};
use serde::{Deserialize, Serialize};

use crate::{
    BenchEnd, BenchSamples, BenchValues, Calibration, Command, Cycles, Event, Explained, Fault,
    GeneratorHello, LoadWork, LockSite, LockTotals, Nanoseconds, Packet, Path, Picture, Plan,
    Reply, Seq, Stage, Status, Symbol, Tick,
};

/// Raised whenever the meaning or the encoding of a message changes.
///
/// 1: first. 2: a plan may have benchmarks instead of stages. 3: a generator may
/// know which trigger an edge answers, and a plan which CPU it is on. 4: bursts,
/// execution times. 5: delayed locking, and the work of loads. 6: polarity,
/// lines in use, calibration, a generator's own time, how a response was measured, and
/// the target's word that it answers. 7: a plan has stages or benchmarks, each with what
/// they alone need.
pub const PROTOCOL: u16 = 7;

/// One message with its number within its stream, from 0 without gaps: a lost
/// or replayed frame is always seen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    pub number: u64,
    pub message: Message,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Message {
    /// The sender. Always the first.
    Hello(Hello),
    /// The case as it was asked for.
    Plan(Plan),
    /// The case as it was really set up.
    Started(Started),
    Cost(Vec<StageCost>),
    Samples(Vec<Sample>),
    Note(Note),
    /// All samples were sent; these are the driver's own counts.
    Finished(Counters),
    /// The case ended without a result.
    Failed(Failure),
    /// The generator's [`Message::Hello`].
    GeneratorHello(GeneratorHello),
    /// Host to generator.
    Command(Command),
    Reply(Reply),
    Packet(Packet),
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
    BenchSamples(BenchSamples),
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
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    pub protocol: u16,
    /// `target` or the kind of generator.
    pub kind: String,
    pub tool_version: String,
}

/// The target as it is while the case runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Started {
    pub kernel: String,
    pub machine: String,
    pub cmdline: String,
    pub clocksource: String,
    pub cpu_model: String,
    pub cpus: u32,
    pub governor: String,
    pub stages: Vec<Stage>,
    /// Asked for but not offered by this kernel.
    pub unavailable: Vec<Stage>,
    pub tick: Tick,
    /// The trigger's really used injecting CPU, where one injects.
    pub inject_cpu: Option<u32>,
    /// Loads that were asked for but are not installed.
    pub absent_loads: Vec<String>,
}

/// Cycles that one call of a stage's stamping function takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageCost {
    pub stage: Stage,
    pub cycles: Cycles,
}

/// One trigger and what answered it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    pub seq: Seq,
    pub trigger_cycles: Cycles,
    pub trigger_ns: Nanoseconds,
    pub responses: Vec<Response>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Response {
    pub stage: Stage,
    pub outcome: Outcome,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Outcome {
    /// Latency in cycles; negative only if the counter is not to be trusted.
    Answered {
        latency: i64,
        cpu: u16,
        /// Other interrupts on this CPU since stage `irq`.
        interrupts: u16,
        /// Cycles from the stage's first act to the end of what it executed.
        executed: Option<Cycles>,
    },
    /// One run of the stage answered an earlier trigger and this one.
    Merged,
    Missing,
}

/// The accounting identity's terms, as the driver counted them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counters {
    pub triggers: u64,
    pub complete: u64,
    pub missing: u64,
    pub coalesced: u64,
    pub overrun: u64,
    /// Points of the time grid without a trigger (closed pacing).
    pub skipped: u64,
    /// A stage ran with nothing pending.
    pub spurious: u64,
}

impl Counters {
    /// Returns whether every trigger is counted exactly once.
    pub fn identity_holds(&self) -> bool {
        [self.complete, self.missing, self.coalesced, self.overrun]
            .iter()
            .try_fold(0u64, |sum, term| sum.checked_add(*term))
            == Some(self.triggers)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    pub severity: Severity,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Severity {
    Info,
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
