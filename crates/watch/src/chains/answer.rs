// SPDX-License-Identifier: Apache-2.0 OR MIT
//! An arrival of a chain at a stage.

use std::fmt;

use super::origin::Origin;
use crate::event::{Comm, Event, VECTORS, text};

/// A stage, with the thread that it is a stage of. One arrives here a thousand times a second, so it has no text
/// of its own until it is shown: `handler`, `on-cpu app`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "docs/watch.md says what each is")]
pub enum StageName {
    Handler,
    Callback,
    Napi,
    Softirq(u8),
    Timer(Comm),
    Wakeup(Comm),
    Release(Comm),
    OnCpu(Comm),
    User(Comm),
}

impl fmt::Display for StageName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Handler => f.write_str("handler"),
            Self::Callback => f.write_str("callback"),
            Self::Napi => f.write_str("napi"),
            Self::Softirq(vector) => {
                write!(f, "softirq {}", VECTORS.get(usize::from(*vector)).unwrap_or(&"?"))
            }
            Self::Timer(name) => write!(f, "timer {}", text(name)),
            Self::Wakeup(name) => write!(f, "wakeup {}", text(name)),
            Self::Release(name) => write!(f, "release {}", text(name)),
            Self::OnCpu(name) => write!(f, "on-cpu {}", text(name)),
            Self::User(name) => write!(f, "user {}", text(name)),
        }
    }
}

/// One latency.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The stage.
    pub stage: StageName,
    /// When it arrived: CLOCK_MONOTONIC, in nanoseconds.
    pub at: u64,
    pub(super) origin: Origin,
}

impl Answer {
    pub(super) fn new(stage: StageName, event: &Event, origin: &Origin) -> Answer {
        Answer { stage, at: event.at, origin: origin.clone() }
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
