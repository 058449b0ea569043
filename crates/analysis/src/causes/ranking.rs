// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The causes that held responses up the most, over all cases and stages.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use irqscope_run::CaseData;
use irqscope_wire::Stage;
use serde::Serialize;

use super::by_cause::Group;
use super::cause::CauseKind;
use super::explanation::Explanation;
use super::settings::settings;

/// A cause that held responses of one stage up, each more than any other did.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeldUp {
    /// Its kind.
    pub kind: CauseKind,
    /// Empty: the kind says it all.
    pub name: String,
    /// Responses.
    pub count: usize,
    /// The time that it took of them, all together.
    pub stolen_ns: i64,
    /// The most that it took of one.
    pub longest_ns: i64,
    /// The trigger of that one.
    pub longest_seq: u64,
    /// Settings of this kernel that are against it, without those that are made already.
    pub settings: Vec<String>,
}

impl HeldUp {
    pub(super) fn of(group: &Group, data: &CaseData) -> Option<Self> {
        let kind = group.kind?;
        Some(Self {
            settings: settings(data, kind, &group.name),
            kind,
            name: group.name.clone(),
            count: group.latencies.len(),
            stolen_ns: group.stolen_ns,
            longest_ns: group.longest.0,
            longest_seq: group.longest.1.0,
        })
    }
}

/// One cause, over all cases and stages.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ranked {
    /// The sum over all stages and cases; the longest is the longest of them.
    pub all: HeldUp,
    /// The case of the longest one.
    pub case: String,
    /// The stage of the longest one.
    pub stage: Stage,
    /// The stages that it held up, in their order.
    pub stages: Vec<Stage>,
    /// How many cases it was met in.
    pub cases: usize,
}

/// Ranks causes by the most that each took of one response.
pub fn ranking(explanations: &[Explanation]) -> Vec<Ranked> {
    let mut found: BTreeMap<(CauseKind, &str), Vec<(&Explanation, &HeldUp)>> = BTreeMap::new();
    for one in explanations {
        for held in &one.held_up {
            found.entry((held.kind, &held.name)).or_default().push((one, held));
        }
    }
    let mut ranked: Vec<Ranked> = found.into_values().filter_map(|met| together(&met)).collect();
    ranked.sort_by_key(|one| Reverse((one.all.longest_ns, one.all.stolen_ns)));
    ranked
}

fn together(met: &[(&Explanation, &HeldUp)]) -> Option<Ranked> {
    let (one, longest) = met.iter().rev().max_by_key(|(_, held)| held.longest_ns)?;
    let count = met.iter().map(|(_, held)| held.count).sum();
    let stolen_ns = met.iter().map(|(_, held)| held.stolen_ns).sum();
    let mut stages: Vec<Stage> = met.iter().map(|(one, _)| one.stage).collect();
    stages.sort_unstable();
    stages.dedup();
    let mut cases: Vec<&str> = met.iter().map(|(one, _)| one.case.as_str()).collect();
    cases.sort_unstable();
    cases.dedup();
    Some(Ranked {
        all: HeldUp { count, stolen_ns, ..(*longest).clone() },
        case: one.case.clone(),
        stage: one.stage,
        stages,
        cases: cases.len(),
    })
}
