// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs of threads, from one switch to the next, and when the scheduler chose each although it might
//! have chosen another thread.
//!
//! A real-time thread that is ready is chosen before every ordinary one, at the next call of the
//! scheduler. Where that chooses an ordinary thread, or the idle one, it keeps real-time threads off:
//! by real-time throttling (`sched_rt_runtime_exceeded()` in kernel/sched/rt.c), or, since Linux
//! 6.12, by the fair server (`fair_server_init()` in kernel/sched/fair.c).

use irqscope_wire::{Event, What};

/// A thread's run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Run {
    from: u64,
    /// The last time that the scheduler chose it, by a switch to it or by none to another thread;
    /// `None` where that was not seen.
    chosen: Option<u64>,
}

/// The runs of a CPU, in order of time.
#[derive(Debug, Default)]
pub struct Runs {
    all: Vec<Run>,
    /// The scheduler was called then, and what it chose is not known yet.
    asked: Option<u64>,
}

impl Runs {
    /// Takes an event; events come in order of time. Before one that `jumps` others are missing.
    pub fn take(&mut self, event: &Event, jumps: bool) {
        let at = event.at.0;
        if jumps || self.all.is_empty() {
            self.all.push(Run { from: at, chosen: None });
            self.asked = None;
        }
        match event.what {
            What::Switch { .. } => {
                self.all.push(Run { from: at, chosen: Some(at) });
                self.asked = None;
            }
            What::Schedule => {
                self.choose_again();
                self.asked = Some(at);
            }
            // Between the scheduler's call and its switch no interrupt comes in: it chose the same.
            What::IrqEntry { .. } | What::VectorEntry { .. } => self.choose_again(),
            _ => {}
        }
    }

    fn choose_again(&mut self) {
        if let Some((run, asked)) = self.all.last_mut().zip(self.asked.take()) {
            run.chosen = Some(asked);
        }
    }

    /// Returns whether the scheduler chose the thread that runs at an instant, after another one.
    pub fn chosen_after(&self, at: u64, after: u64) -> bool {
        let next = self.all.partition_point(|run| run.from <= at);
        self.all[..next].last().is_some_and(|run| run.chosen > Some(after))
    }
}

#[cfg(test)]
mod tests {
    use irqscope_wire::{Context, Cycles, Priority, Vector};

    use super::*;

    fn runs(events: &[(u64, What)]) -> Runs {
        let mut runs = Runs::default();
        for (at, what) in events {
            let event = Event {
                at: Cycles(*at),
                order: 0,
                pid: 1,
                priority: Priority(121),
                context: Context(0),
                what: what.clone(),
            };
            runs.take(&event, false);
        }
        runs
    }

    fn switch(next: u32) -> What {
        What::Switch { next, priority: Priority(121), preempted: true }
    }

    const TICK: What = What::VectorEntry { vector: Vector::LocalTimer, interrupted: 0 };

    #[test]
    fn a_switch_is_a_choice() {
        let runs = runs(&[(10, switch(1)), (50, switch(2))]);
        assert!(runs.chosen_after(30, 5) && !runs.chosen_after(30, 20));
        assert!(runs.chosen_after(60, 20));
        assert!(!runs.chosen_after(5, 0), "nothing is known of what was before");
    }

    #[test]
    fn a_call_of_the_scheduler_is_one_if_the_run_goes_on() {
        let went_on = [(10, switch(1)), (30, What::Schedule), (90, TICK), (95, What::Schedule)];
        assert!(runs(&went_on).chosen_after(40, 20));
        // Seen from any instant of the run, also one before the call.
        assert!(runs(&went_on).chosen_after(25, 20));
        let twice = [(10, switch(1)), (30, What::Schedule), (95, What::Schedule)];
        assert!(runs(&twice).chosen_after(40, 20));
        let switched = [(10, switch(1)), (30, What::Schedule), (31, switch(2))];
        assert!(!runs(&switched).chosen_after(25, 20));
    }

    #[test]
    fn nothing_is_concluded_across_missing_events() {
        let mut runs = runs(&[(10, switch(1)), (30, What::Schedule)]);
        let tick = Event {
            at: Cycles(90),
            order: 9,
            pid: 1,
            priority: Priority(121),
            context: Context(0),
            what: TICK,
        };
        runs.take(&tick, true);
        assert!(!runs.chosen_after(95, 20) && !runs.chosen_after(40, 20));
    }
}
