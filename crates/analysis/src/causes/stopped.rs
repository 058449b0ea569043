// SPDX-License-Identifier: Apache-2.0 OR MIT
//! When the function ran for which the machine was stopped.
//!
//! `stop_machine()` has interrupts disabled while it calls a function, and enabled before and after
//! that, when it waits for other CPUs, or is on its way back. No event distinguishes these, but
//! between the call of its thread and the return interrupts come in at both ends of the function,
//! and not in it: it ran in the longest interval in between.

use irqscope_wire::Called;

use super::interval::Interval;

/// Marks the intervals in which a function ran that is called back: of a machine that is stopped
/// one of each time, of all else every one.
pub fn mark(intervals: &mut [Interval]) {
    let mut longest: Option<usize> = None;
    for at in 0..intervals.len() {
        let one = &intervals[at];
        if !matches!(one.called_back(), Some((Called::StopMachine, _))) {
            intervals[at].runs_callback = one.called_back().is_some();
            continue;
        }
        if !one.is_threads() {
            continue; // an interrupt's, on top of it
        }
        if one.called {
            longest.take().into_iter().for_each(|at| intervals[at].runs_callback = true);
        }
        let length = |at: usize| intervals[at].to - intervals[at].from;
        if longest.is_none_or(|other| length(at) > length(other)) {
            longest = Some(at);
        }
    }
    longest.into_iter().for_each(|at| intervals[at].runs_callback = true);
}
