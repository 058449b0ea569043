// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An arrival of a chain at a stage.

use super::origin::Origin;
use crate::event::Event;

/// One latency.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The stage, with the thread that it is a stage of: `handler`, `on-cpu app`.
    pub series: String,
    /// When it arrived: CLOCK_MONOTONIC, in nanoseconds.
    pub at: u64,
    pub(super) origin: Origin,
}

impl Answer {
    pub(super) fn new(series: impl Into<String>, event: &Event, origin: &Origin) -> Answer {
        Answer { series: series.into(), at: event.at, origin: origin.clone() }
    }

    /// Returns the instant that the latency counts from.
    pub fn since(&self) -> u64 {
        self.origin.at()
    }

    /// Returns the latency in nanoseconds.
    pub fn value(&self) -> u64 {
        self.at.saturating_sub(self.origin.at())
    }
}
