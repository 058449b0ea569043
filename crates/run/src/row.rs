// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One row of samples.parquet: a trigger and one stage's answer in one view.

use irqscope_wire::{Nanoseconds, Outcome, Response, Sample, Stage, Tick, View};

/// Another interrupt came between trigger and response.
pub const FLAG_HIT: u32 = 1;
/// The stage was asked and never answered; latency and CPU are null.
pub const FLAG_MISSING: u32 = 2;
/// One run of the stage answered an earlier trigger and this one; latency and
/// CPU are null.
pub const FLAG_COALESCED: u32 = 4;

/// Outside: a younger trigger was out already when the response came.
pub const FLAG_LATE: u32 = 8;
/// Outside: late, and the record does not say whose answer it was; the latency is
/// an upper bound.
pub const FLAG_UNSURE: u32 = 16;
/// Outside: between this trigger and the next the line showed an edge that
/// answered nothing.
pub const FLAG_EXTRA: u32 = 32;
/// Outside: the line was looked at in every cycle of the generator's clock when the
/// response came; without it, by a counter that looks every other cycle, or by a
/// generator that knows one way.
pub const FLAG_WINDOW: u32 = 64;

/// One stage of one sample in one view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleRow {
    /// The trigger's number.
    pub seq: u64,
    /// The trigger's instant.
    pub trigger: Nanoseconds,
    /// None when the stage did not answer.
    pub latency: Option<Nanoseconds>,
    /// The stage.
    pub stage: Stage,
    /// The view.
    pub view: View,
    /// None when the stage did not answer, or only the generator saw it.
    pub cpu: Option<u16>,
    /// Of `FLAG_…`.
    pub flags: u32,
    /// Other interrupts between trigger and response.
    pub interrupts: u16,
    /// From the response to the end of what the stage executed; none where stages
    /// have no execution times, or the end was not seen.
    pub execution: Option<Nanoseconds>,
}

impl SampleRow {
    /// Makes the row of a response.
    pub fn new(sample: &Sample, response: &Response, view: View, tick: Tick) -> Self {
        let none = Self {
            seq: sample.seq.0,
            trigger: sample.trigger_ns,
            latency: None,
            stage: response.stage,
            view,
            cpu: None,
            flags: 0,
            interrupts: 0,
            execution: None,
        };
        match response.outcome {
            Outcome::Answered { latency, cpu, interrupts, executed } => Self {
                latency: Some(tick.nanoseconds(latency)),
                cpu: Some(cpu),
                flags: if interrupts > 0 { FLAG_HIT } else { 0 },
                interrupts,
                execution: executed.map(|cycles| tick.nanoseconds(cycles.0.cast_signed())),
                ..none
            },
            Outcome::Coalesced => Self { flags: FLAG_COALESCED, ..none },
            Outcome::Missing => Self { flags: FLAG_MISSING, ..none },
        }
    }

    /// Returns the key of the order of rows within a case.
    pub fn key(&self) -> (u64, Stage, View) {
        (self.seq, self.stage, self.view)
    }

    /// Returns whether another interrupt came in between.
    pub fn is_hit(&self) -> bool {
        self.flags & FLAG_HIT != 0
    }

    /// Returns whether the stage did not answer.
    pub fn is_missing(&self) -> bool {
        self.flags & FLAG_MISSING != 0
    }

    /// Returns whether its trigger is uncertain.
    pub fn is_unsure(&self) -> bool {
        self.flags & FLAG_UNSURE != 0
    }

    /// Returns whether it was answered together with another one.
    pub fn is_coalesced(&self) -> bool {
        self.flags & FLAG_COALESCED != 0
    }
}
