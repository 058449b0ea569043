// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Bursts of triggers, and what stages execute when they are triggered.

use alloc::vec::Vec;
use serde::{Deserialize, Serialize};

use crate::Stage;
use crate::name::named;

named! {
    /// How a response line shows a response.
    Shape, "shape", {
        /// It changes once.
        Toggle = "toggle",
        /// It is high while the stage executes.
        Pulse = "pulse",
    }
}

named! {
    /// A stage's way with triggers that come while it is pending.
    Compensate, "compensation", {
        /// One run answers them together.
        None = "none",
        /// They are counted, and it raises itself until all are answered.
        Counter = "counter",
    }
}

/// A number of triggers in a row, `interval_ns` apart, in every period.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Burst {
    /// The number of triggers in a row.
    pub triggers: u32,
    /// From one to the next.
    pub interval_ns: u64,
}

/// How long a stage executes after its first act.
#[allow(missing_docs, reason = "the names say it")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExecutionTime {
    Fixed { ns: u64 },
    Uniform { lowest_ns: u64, highest_ns: u64 },
    Exponential { mean_ns: u64 },
}

/// The execution time of one stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageExecution {
    /// The stage.
    pub stage: Stage,
    /// Its time.
    pub time: ExecutionTime,
}

/// The stages that execute for a while; all others end with their first act.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Execution {
    /// One for every stage that has a time.
    pub stages: Vec<StageExecution>,
}

impl Execution {
    /// Returns the time of a stage that is asked.
    pub fn time(&self, stage: Stage) -> ExecutionTime {
        let own = self.stages.iter().find(|one| one.stage == stage);
        own.map_or(ExecutionTime::Fixed { ns: 0 }, |one| one.time)
    }
}
