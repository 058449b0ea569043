// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The latest responses of a run: the worst of all.

use std::cmp::Reverse;

use irqscope_run::SampleRow;
use irqscope_wire::{Stage, View};

use crate::Distribution;

/// How many are kept of each series, and listed of a run.
pub const LATEST: usize = 10;

/// A response that came late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LateResponse {
    /// Position of its case in the manifest.
    pub case: u16,
    /// The stage that was asked.
    pub stage: Stage,
    /// The clock behind the latency.
    pub view: View,
    /// The trigger's number.
    pub seq: u64,
    /// From the trigger to the response.
    pub latency_ns: i64,
}

/// The latest responses of one series in the making, the latest first; of equal ones the older first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latest(Vec<LateResponse>);

impl Latest {
    pub fn add(&mut self, case: u16, row: &SampleRow) {
        let SampleRow { seq, stage, view, latency: Some(latency), .. } = *row else { return };
        let least = self.0.get(LATEST - 1).map(|one| one.latency_ns);
        if least.is_none_or(|least| latency.0 > least) {
            let latency_ns = latency.0;
            let place = self.0.partition_point(|one| one.latency_ns >= latency_ns);
            self.0.insert(place, LateResponse { case, stage, view, seq, latency_ns });
            self.0.truncate(LATEST);
        }
    }

    pub fn finish(self) -> Vec<LateResponse> {
        self.0
    }
}

/// Returns the latest responses of several series, the latest first; of each trigger the last one.
pub fn latest<'a>(series: impl IntoIterator<Item = &'a Distribution>) -> Vec<LateResponse> {
    let mut all: Vec<LateResponse> =
        series.into_iter().flat_map(|one| &one.latest).copied().collect();
    all.sort_by_key(|one| (Reverse(one.latency_ns), one.case, one.seq));
    let mut shown: Vec<LateResponse> = Vec::new();
    for one in all {
        if shown.len() < LATEST && !shown.iter().any(|it| (it.case, it.seq) == (one.case, one.seq))
        {
            shown.push(one);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::Nanoseconds;

    fn row(seq: u64, stage: Stage, latency: Option<i64>) -> SampleRow {
        SampleRow {
            seq,
            trigger: Nanoseconds(0),
            latency: latency.map(Nanoseconds),
            stage,
            view: View::Inside,
            cpu: None,
            flags: 0,
            interrupts: 0,
            execution: None,
        }
    }

    #[test]
    fn ten_are_kept_the_latest_first_and_of_equal_ones_the_older() {
        let mut latest = Latest::default();
        latest.add(0, &row(99, Stage::Irq, None));
        for seq in 0..40 {
            latest.add(0, &row(seq, Stage::Irq, Some((seq % 20) as i64)));
        }
        let kept: Vec<_> = latest.finish().iter().map(|one| (one.latency_ns, one.seq)).collect();
        assert_eq!(kept[..4], [(19, 19), (19, 39), (18, 18), (18, 38)]);
        assert_eq!((kept.len(), kept[9]), (LATEST, (15, 35)));
    }
}
