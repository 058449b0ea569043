// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Frames: the interrupts, softirqs and functions that a thread is in.

use irqscope_wire::{Called, Softirq, Vector};

/// Contexts that were entered and not left yet. They nest within the thread that they run on: a
/// hard interrupt or a softirq is never switched away from, but on RT kernels, where softirqs are a
/// thread's and go with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    Irq { number: u32, handler: u64 },
    Vector(Vector),
    Softirq(Softirq),
    Tasklet(u64),
    Hrtimer(u64),
    Timer(u64),
    Work(u64),
    Callback { by: Called, function: u64 },
    PageFault,
}

impl Frame {
    /// Returns whether it is a hard interrupt.
    pub fn is_interrupt(&self) -> bool {
        matches!(self, Self::Irq { .. } | Self::Vector(_))
    }

    /// Returns the function that it is in, where its event says so.
    pub fn function(&self) -> Option<u64> {
        match self {
            Self::Irq { handler: function, .. }
            | Self::Tasklet(function)
            | Self::Hrtimer(function)
            | Self::Timer(function)
            | Self::Work(function)
            | Self::Callback { function, .. } => Some(*function),
            Self::Vector(_) | Self::Softirq(_) | Self::PageFault => None,
        }
    }

    pub fn is_called_by(&self, caller: Called) -> bool {
        matches!(self, Self::Callback { by, .. } if *by == caller)
    }

    /// Returns whether a thread may have entered it by itself.
    pub fn is_threads(&self) -> bool {
        matches!(self, Self::Work(_) | Self::Callback { .. } | Self::PageFault)
    }
}
