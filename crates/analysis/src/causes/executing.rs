// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The work that stages of execution times do: a trigger that comes meanwhile waits for it, if it asks
//! the same stage.

use std::collections::BTreeMap;

use irqscope_run::{CaseData, Span};
use irqscope_wire::{Outcome, Stage};

/// One response with its work, on the counter.
#[derive(Clone, Copy, Debug)]
struct Work {
    from: u64,
    to: u64,
    seq: u64,
    cpu: u16,
}

/// The work of all responses: by stage, in the order of its beginning.
#[derive(Debug, Default)]
pub(super) struct Executing(BTreeMap<Stage, Vec<Work>>);

impl Executing {
    pub fn of(data: &CaseData) -> Self {
        let mut all = Self::default();
        for sample in &data.raw {
            for response in &sample.responses {
                let Outcome::Answered { latency, cpu, executed: Some(executed), .. } =
                    response.outcome
                else {
                    continue;
                };
                let from = sample.trigger_cycles.0.saturating_add_signed(latency);
                let to = from.saturating_add(executed.0);
                let work = Work { from, to, seq: sample.seq.0, cpu };
                all.0.entry(response.stage).or_default().push(work);
            }
        }
        all.0.values_mut().for_each(|works| works.sort_unstable_by_key(|work| work.from));
        all
    }

    /// Returns when, between two instants, a span's stage worked on this CPU for other triggers, in
    /// the order of time.
    pub fn for_others(&self, span: &Span, cpu: u16, from: u64, to: u64) -> Vec<(u64, u64)> {
        let works = self.0.get(&span.stage).map_or(&[][..], Vec::as_slice);
        // One stage works for one trigger at a time on a CPU: no work that began before the last one
        // of this CPU reaches into the span.
        let begun = works.partition_point(|work| work.from <= from);
        let first = works[..begun].iter().rposition(|work| work.cpu == cpu).unwrap_or(begun);
        let within = works[first..].iter().take_while(|work| work.from < to);
        let of_others = within.filter(|work| work.seq != span.seq && work.cpu == cpu);
        let cut = of_others.map(|work| (work.from.max(from), work.to.min(to)));
        cut.filter(|(from, to)| from < to).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_for_another_trigger_is_found_on_the_same_cpu_only() {
        let work = |seq, from, to, cpu| Work { from, to, seq, cpu };
        let works = vec![work(0, 100, 300, 0), work(1, 120, 900, 1), work(2, 310, 500, 0)];
        let executing = Executing(BTreeMap::from([(Stage::Softirq, works)]));
        let span = |seq, stage| Span { seq, stage, from: 0, to: 600 };
        let softirq = span(2, Stage::Softirq);
        assert_eq!(executing.for_others(&softirq, 0, 150, 200), [(150, 200)]);
        assert_eq!(executing.for_others(&softirq, 0, 150, 600), [(150, 300)]);
        assert_eq!(executing.for_others(&softirq, 1, 0, 600), [(120, 600)]);
        let third = span(3, Stage::Softirq);
        assert_eq!(executing.for_others(&third, 0, 0, 600), [(100, 300), (310, 500)]);
        assert!(executing.for_others(&third, 0, 300, 310).is_empty());
        assert!(executing.for_others(&span(3, Stage::Work), 0, 0, 600).is_empty());
    }
}
