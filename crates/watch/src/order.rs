// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Events of all CPUs in the order of their stamps. A probe stamps before it gets its place in the
//! ring, and another one may come between: neighbours can be exchanged, by far less than [`SLACK`].

use std::vec::Drain;

use crate::Event;

/// How much younger an event has to be before an older one is let go.
const SLACK: u64 = 10_000_000;

/// Events that wait for those that were stamped before them.
#[derive(Debug, Default)]
pub struct Order {
    waiting: Vec<Event>,
}

impl Order {
    /// Takes an event.
    pub fn push(&mut self, event: Event) {
        self.waiting.push(event);
    }

    /// Hands out what nothing can come before any more.
    pub fn settled(&mut self) -> Drain<'_, Event> {
        self.sort();
        let end = self.waiting.last().map_or(0, |last| last.at.saturating_sub(SLACK));
        let settled = self.waiting.partition_point(|event| event.at < end);
        self.waiting.drain(..settled)
    }

    /// Hands out all that is left.
    pub fn rest(&mut self) -> Drain<'_, Event> {
        self.sort();
        self.waiting.drain(..)
    }

    fn sort(&mut self) {
        if !self.waiting.is_sorted_by_key(|event| event.at) {
            self.waiting.sort_by_key(|event| event.at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::What;

    #[test]
    fn exchanged_neighbours_come_out_in_order_and_the_youngest_wait() {
        let event = |at| Event { at, cpu: 0, what: What::TimerExit };
        let mut order = Order::default();
        [5, 3, SLACK + 4, 9].into_iter().for_each(|at| order.push(event(at)));
        assert_eq!(order.settled().as_slice(), [event(3)]);
        order.push(event(4));
        assert_eq!(order.rest().as_slice(), [4, 5, 9, SLACK + 4].map(event));
    }
}
