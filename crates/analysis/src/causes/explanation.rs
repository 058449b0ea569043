// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Causes by how much of the late responses they account for.

use irqscope_quantity::Quantile;
use std::collections::BTreeMap;

use irqscope_run::CaseData;
use irqscope_wire::{Nanoseconds, Stage, View};
use serde::Serialize;

use super::attribute::explain;
use super::by_cause::Group;
use super::cause::{Cause, CauseKind};
use super::left_out::{LeftOut, unrecorded};
use super::parts::Explained;
use super::ranking::HeldUp;
use super::response::PartFigures;
use super::rows::Rows;
use crate::{LATEST, quantile};

/// Which latencies are late.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Above {
    /// From this quantile on.
    Quantile(Quantile),
    /// A latency.
    Threshold(Nanoseconds),
}

/// The share of one cause in the late responses of one stage.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Share {
    /// The cause.
    pub cause: Cause,
    /// Its time.
    pub nanoseconds: i64,
    /// Of all late responses' latencies.
    pub per_cent: f64,
    /// Late responses that have it.
    pub samples: usize,
    /// The longest segment, and whose it is.
    pub longest_ns: i64,
    /// The trigger whose share was the longest.
    pub longest_seq: u64,
}

/// One stage of one case.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The case.
    pub case: String,
    /// The stage.
    pub stage: Stage,
    /// The view.
    pub view: View,
    /// Latencies that were explained.
    pub count: usize,
    /// The answers that could not be explained.
    pub left_out: LeftOut,
    /// From here on a latency is late.
    pub late_from_ns: i64,
    /// How many of them were late.
    pub late: usize,
    /// The causes, that with the longest segment first.
    pub shares: Vec<Share>,
    /// The parts of the responses, in the order of time.
    pub parts: Vec<PartFigures>,
    /// Of all responses.
    pub rows: Rows,
    /// The culprits of all responses, that of the greatest latency first.
    pub held_up: Vec<HeldUp>,
    /// Late responses, the latest first.
    pub worst: Vec<u64>,
    /// The latest of all responses with their segments; at most [`LATEST`](crate::LATEST).
    #[serde(skip)]
    pub latest: Vec<Explained>,
    /// Median share of a latency that has no cause, over all samples.
    pub unexplained_median_per_cent: f64,
    /// The longest segment without a cause.
    pub unexplained_longest_ns: i64,
    /// Latencies that are not the sum of their segments.
    pub violations: usize,
    /// Tracepoints and functions that this kernel does not have: what they would report is missing.
    pub lacking: Vec<String>,
}

impl Explanation {
    /// Explains every stage of a case, in the order of the stages.
    pub fn of_case(data: &CaseData, above: Above) -> (Vec<Explanation>, Vec<Explained>) {
        let (view, explained) = explain(data);
        let mut stages: BTreeMap<Stage, Vec<&Explained>> = BTreeMap::new();
        for row in data.rows.iter().filter(|row| row.view == view) {
            stages.entry(row.stage).or_default();
        }
        for one in &explained {
            stages.entry(one.stage).or_default().push(one);
        }
        let unrecorded = unrecorded(data, view);
        let all = stages.iter().map(|(stage, samples)| {
            let rows = data.rows.iter().filter(|row| row.view == view && row.stage == *stage);
            let left_out = LeftOut::of(rows, samples.len(), unrecorded);
            Self { left_out, ..Self::of(data, view, *stage, samples, above) }
        });
        (all.collect(), explained)
    }

    fn of(data: &CaseData, view: View, stage: Stage, samples: &[&Explained], above: Above) -> Self {
        let late_from = late_from(samples, above);
        let mut late: Vec<&Explained> =
            samples.iter().copied().filter(|one| one.latency.0 >= late_from).collect();
        late.sort_by_key(|one| (std::cmp::Reverse(one.latency), one.seq));
        let mut without: Vec<f64> = samples.iter().map(|one| unexplained(one)).collect();
        without.sort_by(f64::total_cmp);
        let unknown = |one: &&Explained| longest(one, CauseKind::Unexplained);
        Self {
            case: data.case.clone(),
            stage,
            view,
            count: samples.len(),
            left_out: LeftOut::default(),
            late_from_ns: late_from,
            late: late.len(),
            shares: shares(&late),
            parts: PartFigures::all(samples, &late),
            rows: Rows::of(samples),
            held_up: Group::all(samples)
                .iter()
                .filter_map(|group| HeldUp::of(group, data))
                .collect(),
            worst: late.iter().map(|one| one.seq).collect(),
            latest: latest(samples),
            unexplained_median_per_cent: without.get(without.len() / 2).copied().unwrap_or(0.0),
            unexplained_longest_ns: samples.iter().map(unknown).max().unwrap_or(0),
            violations: samples.iter().filter(|one| !sums_up(one)).count(),
            lacking: data.explained.as_ref().map(|it| it.lacking.clone()).unwrap_or_default(),
        }
    }
}

fn latest(samples: &[&Explained]) -> Vec<Explained> {
    let mut all = samples.to_vec();
    all.sort_by_key(|one| (std::cmp::Reverse(one.latency), one.seq));
    all.into_iter().take(LATEST).cloned().collect()
}

fn late_from(samples: &[&Explained], above: Above) -> i64 {
    match above {
        Above::Threshold(threshold) => threshold.0,
        Above::Quantile(share) => {
            let mut latencies: Vec<i64> = samples.iter().map(|one| one.latency.0).collect();
            latencies.sort_unstable();
            quantile(&latencies, share).unwrap_or(0)
        }
    }
}

fn shares(late: &[&Explained]) -> Vec<Share> {
    let total: i64 = late.iter().map(|one| one.latency.0).sum();
    let mut found: BTreeMap<&Cause, Share> = BTreeMap::new();
    for one in late {
        let mut met: Vec<&Cause> = Vec::new();
        for segment in &one.segments {
            let share = found.entry(&segment.cause).or_insert_with(|| Share {
                cause: segment.cause.clone(),
                nanoseconds: 0,
                per_cent: 0.0,
                samples: 0,
                longest_ns: 0,
                longest_seq: one.seq,
            });
            share.nanoseconds += segment.length.0;
            if segment.length.0 > share.longest_ns {
                (share.longest_ns, share.longest_seq) = (segment.length.0, one.seq);
            }
            if !met.contains(&&segment.cause) {
                met.push(&segment.cause);
                share.samples += 1;
            }
        }
    }
    let mut shares: Vec<Share> = found.into_values().collect();
    for share in &mut shares {
        share.per_cent = 100.0 * share.nanoseconds as f64 / total.max(1) as f64;
    }
    let cost = |share: &Share| (share.longest_ns, share.nanoseconds);
    shares.sort_by(|a, b| cost(b).cmp(&cost(a)).then_with(|| a.cause.cmp(&b.cause)));
    shares
}

fn unexplained(one: &Explained) -> f64 {
    let of = |segment: &super::Segment| match segment.cause.kind {
        CauseKind::Unexplained => segment.length.0,
        _ => 0,
    };
    100.0 * one.segments.iter().map(of).sum::<i64>() as f64 / one.latency.0.max(1) as f64
}

fn longest(one: &Explained, kind: CauseKind) -> i64 {
    let segments = one.segments.iter().filter(|segment| segment.cause.kind == kind);
    segments.map(|segment| segment.length.0).max().unwrap_or(0)
}

fn sums_up(one: &Explained) -> bool {
    let mut at = 0;
    for segment in &one.segments {
        if segment.start.0 != at || segment.length.0 < 0 {
            return false;
        }
        at += segment.length.0;
    }
    at == one.latency.0
}
