// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The numbers of events, by which missing ones are noticed.

use irqscope_wire::{Event, What};

/// The numbers of all events, in their order. It is not that of time: a handler is stamped before, and
/// written after what it wakes.
pub(super) struct Numbers(Vec<u32>);

impl Numbers {
    pub fn of(events: &[Event]) -> Self {
        let mut numbers: Vec<u32> = events.iter().map(|event| event.order).collect();
        numbers.sort_unstable();
        Self(numbers)
    }

    /// Returns whether events are missing before this one. Between samples the driver keeps only the
    /// latest: what a thread was in when the last sample ended it may have left since.
    pub fn jumps(&self, event: &Event) -> bool {
        // A name takes two numbers, and has the second one.
        let step = 1 + u32::from(matches!(event.what, What::Named(_)));
        self.0.binary_search(&event.order.wrapping_sub(step)).is_err()
    }
}
