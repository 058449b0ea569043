// SPDX-License-Identifier: Apache-2.0 OR MIT
//! On kernels without the monitor: sections that delayed samples, as their events report them. A
//! section is seen from the trigger on that found it, so its length here is what was left of it,
//! and sections that delayed no thread are not seen.

use std::collections::BTreeMap;

use irqscope_run::CaseData;
use irqscope_wire::HOLD_BINS;

use super::HoldTimes;
use crate::causes::{CauseKind, explain};

/// Contexts that keep a CPU from a real-time thread.
const SECTIONS: [CauseKind; 4] = [
    CauseKind::IrqsDisabled,
    CauseKind::NotPreempted,
    CauseKind::SoftirqsDisabled,
    CauseKind::Softirq,
];

/// Finds sections; one that was hit by a trigger delays several of its stages and is one hold.
pub(super) fn of_events(data: &CaseData) -> Vec<HoldTimes> {
    let (_, explained) = explain(data);
    let mut longest: BTreeMap<(CauseKind, String, u64), u64> = BTreeMap::new();
    for one in &explained {
        for segment in one.segments.iter().filter(|one| SECTIONS.contains(&one.cause.kind)) {
            let key = (segment.cause.kind, segment.cause.name.clone(), one.seq);
            let length = u64::try_from(segment.length.0).unwrap_or(0);
            let known = longest.entry(key).or_default();
            *known = length.max(*known);
        }
    }
    let mut sites: BTreeMap<(CauseKind, String), HoldTimes> = BTreeMap::new();
    for ((kind, name, _), length) in longest {
        let key = (kind, name.clone());
        sites.entry(key).or_insert_with(|| HoldTimes::empty(kind.name(), name)).hold(length);
    }
    sites.into_values().collect()
}

impl HoldTimes {
    fn hold(&mut self, length: u64) {
        self.count += 1;
        self.total_ns = self.total_ns.saturating_add(length);
        self.max_ns = self.max_ns.max(length);
        self.histogram[(length.max(1).ilog2() as usize).min(HOLD_BINS - 1)] += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_counted_in_the_monitors_bins() {
        let mut site = HoldTimes::empty("interrupts disabled", "exit_mmap".into());
        [0, 1, 2, 1_024, u64::MAX].into_iter().for_each(|length| site.hold(length));
        let counted = [0, 1, 10, 31].map(|bin| site.histogram[bin]);
        assert_eq!((counted, site.count, site.max_ns), ([2, 1, 1, 1], 5, u64::MAX));
    }
}
