// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Latencies by what held them up the most. Each is in one group.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::cause::{Cause, CauseKind};
use super::culprit::{NAMED, culprit};
use super::parts::Explained;

/// The latencies that one cause held up the most.
#[derive(Debug, Default)]
pub(super) struct Group {
    /// None: no single culprit held them up.
    pub kind: Option<CauseKind>,
    /// Empty: several, or the kind says it all.
    pub name: String,
    pub latencies: Vec<i64>,
    /// The time that the cause took of them, all together.
    pub stolen_ns: i64,
    /// The most that it took of one, and which trigger's that is.
    pub longest: (i64, Reverse<u64>),
}

impl Group {
    /// Returns the groups: the one without a culprit first, then by the greatest latency.
    pub fn all(samples: &[&Explained]) -> Vec<Group> {
        let mut found: BTreeMap<(Option<CauseKind>, String), Group> = BTreeMap::new();
        for one in samples {
            let culprit = culprit(one, NAMED);
            let key =
                culprit.map_or((None, String::new()), |(cause, _)| (Some(cause.kind), name(cause)));
            let group = found.entry(key).or_default();
            let taken = culprit.map_or(0, |(_, length)| length.0);
            group.latencies.push(one.latency.0);
            group.stolen_ns += taken;
            group.longest = group.longest.max((taken, Reverse(one.seq)));
        }
        let named = |((kind, name), group)| Group { kind, name, ..group };
        let mut groups: Vec<Group> = found.into_iter().map(named).collect();
        groups.sort_by_key(|group| (group.kind.is_some(), Reverse(group.greatest())));
        groups
    }

    /// Makes one of several.
    pub fn folded(several: Vec<Group>) -> Group {
        let name = format!("{} more causes", several.len());
        let latencies = several.into_iter().flat_map(|group| group.latencies).collect();
        Group { name, latencies, ..Group::default() }
    }

    fn greatest(&self) -> i64 {
        self.latencies.iter().copied().max().unwrap_or(0)
    }
}

/// Names a group: of interrupts and softirqs the function is the culprit; of others the details
/// differ from time to time.
fn name(cause: &Cause) -> String {
    match cause.kind {
        CauseKind::Interrupt | CauseKind::Softirq if !cause.detail.is_empty() => {
            format!("{}, {}", cause.name, cause.detail)
        }
        _ => cause.name.clone(),
    }
}
