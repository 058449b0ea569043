// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The part of a plan that asks stages: the triggers, and what answers them.

use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::name::named;
use crate::{
    Burst, Compensate, Execution, Faults, Outside, Plan, Policy, Scheduling, Shape, Stage, Trigger,
    View,
};

named! {
    /// Where responses are shown.
    Line, "line", {
        /// Nowhere but in the record.
        Record = "record",
        /// One pin of the parallel port per stage.
        Parport = "parport",
        /// One word per stage in memory that a virtual machine shares.
        Ivshmem = "ivshmem",
        /// One word per stage in memory that another CPU watches.
        Memory = "memory",
        /// One GPIO line per stage.
        Gpio = "gpio",
    }
}

named! {
    /// Which stages one trigger asks.
    Mode, "mode", {
        /// All of them.
        Together = "together",
        /// Stage `irq` and one other, each in turn.
        Isolated = "isolated",
    }
}

named! {
    /// Whether a trigger waits for the answers to the one before.
    Pacing, "pacing", {
        /// Never: a slow answer is merged with the next, and counted.
        Open = "open",
        /// A point of the time grid is skipped while a sample is open.
        Closed = "closed",
    }
}

named! {
    JitterKind, "jitter", {
        None = "none",
        Uniform = "uniform",
        Exponential = "exponential",
    }
}

/// The random part of the period. `ns` is the width (uniform) or the mean (exponential).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Jitter {
    /// The distribution.
    pub kind: JitterKind,
    /// Its amount.
    pub ns: u64,
}

/// A delay of known length in front of one stage's stamp; test builds of the
/// driver only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Delay {
    /// The stage.
    pub stage: Stage,
    /// Even, because the loop has two instructions.
    pub instructions: u32,
}

/// The target's record of each trigger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inside {
    /// It records what else the CPU under test does, too.
    pub explain: bool,
    /// A stage's way with triggers that come while it is pending: only a record shows which run
    /// answered which trigger.
    pub compensate: Compensate,
}

impl Default for Inside {
    fn default() -> Self {
        Self { explain: false, compensate: Compensate::None }
    }
}

/// The triggers of one case, and the stages that answer them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StagePlan {
    /// The stages to ask.
    pub stages: Vec<Stage>,
    /// The source of the interrupt.
    pub trigger: Trigger,
    /// Where responses are shown.
    pub line: Line,
    /// The interrupt line of `inject` and `line`.
    pub irq: u32,
    /// Together, or one at a time.
    pub mode: Mode,
    /// The triggers in a row that ask the same stage, in mode `isolated`.
    #[serde(default = "one")]
    pub turn_length: u32,
    /// Whether a trigger waits for the responses to the one before.
    pub pacing: Pacing,
    /// The distance of two points of the grid.
    pub period_ns: u64,
    /// Triggers to send.
    pub count: u64,
    /// Random time that is added to the period.
    pub jitter: Jitter,
    /// None: one trigger in a period.
    pub burst: Option<Burst>,
    /// The seed of everything random.
    pub seed: u64,
    /// How long a stage is waited for before it is called missing.
    pub timeout_ms: u32,
    /// Of stage `user`.
    pub user: Scheduling,
    /// Of stage `kthread`.
    pub kthread: Scheduling,
    /// Of stage `thread`.
    pub thread: Scheduling,
    /// A delay that is caused on purpose, for tests.
    pub delay: Option<Delay>,
    /// None: stages end with their first act, and lines toggle.
    pub execution: Option<Execution>,
    /// None: no generator watches from outside.
    pub outside: Option<Outside>,
    /// None: the target keeps no record of its own.
    pub inside: Option<Inside>,
    /// Culprits that a test asks for.
    pub faults: Option<Faults>,
}

/// Returns the length of turns in runs of programs that knew no other.
fn one() -> u32 {
    1
}

impl StagePlan {
    /// Returns whether samples of this view are taken.
    pub fn has_view(&self, view: View) -> bool {
        match view {
            View::Outside => self.outside.is_some(),
            View::Inside => self.inside.is_some(),
        }
    }

    /// Returns whether the target records what else the CPU under test does.
    pub fn explains(&self) -> bool {
        self.inside.is_some_and(|inside| inside.explain)
    }

    /// Returns a stage's way with triggers that come while it is pending.
    pub fn compensate(&self) -> Compensate {
        self.inside.unwrap_or_default().compensate
    }

    /// Returns whether it has no end of its own: a generator may be silent for as long as it likes.
    pub fn is_open_ended(&self) -> bool {
        self.count == Plan::OPEN_END && self.is_triggered_outside()
    }

    /// Returns whether a generator decides when triggers come; the target only counts them.
    pub fn is_triggered_outside(&self) -> bool {
        self.trigger == Trigger::Line || self.line == Line::Memory
    }

    /// Returns whether a spare CPU of the target is its generator.
    pub fn uses_spare_cpu(&self) -> bool {
        self.outside.is_some() && self.line == Line::Memory
    }

    /// Returns how its lines show responses: words in memory have no falling edge.
    pub fn shape(&self) -> Shape {
        let wires = !matches!(self.line, Line::Ivshmem | Line::Memory);
        if wires && self.execution.is_some() { Shape::Pulse } else { Shape::Toggle }
    }

    /// Leaves the driver's own timer, which triggers or injects, and the target's
    /// own record.
    pub fn remove_generator(&mut self) {
        if self.trigger == Trigger::Line {
            self.trigger = Trigger::Timer;
        }
        self.line = Line::Record;
        self.outside = None;
        self.inside.get_or_insert_default();
    }
}

/// The stages where nothing else is said: every stage at once, by the driver's timer at 1 kHz.
impl Default for StagePlan {
    fn default() -> Self {
        let fifo = |priority| Scheduling { policy: Policy::Fifo, priority };
        Self {
            stages: Stage::ALL.to_vec(),
            trigger: Trigger::Timer,
            line: Line::Record,
            irq: 7, // a parallel port's ACK on a PC
            mode: Mode::Together,
            turn_length: 1,
            pacing: Pacing::Open,
            period_ns: 1_000_000,
            count: 1_000,
            jitter: Jitter { kind: JitterKind::None, ns: 0 },
            burst: None,
            seed: 0,
            timeout_ms: 10_000,
            user: fifo(80),
            kthread: fifo(50),
            thread: fifo(50),
            delay: None,
            execution: None,
            outside: None,
            inside: Some(Inside::default()),
            faults: None,
        }
    }
}
