// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A histogram in rows, one for each cause that held responses up the most, as
//! INTSPECT (Herzog et al.) sets the entropy pool and the scheduler's statistics
//! apart. Each response is in one row.

use irqscope_quantity::Quantile;
use std::collections::BTreeMap;

use serde::Serialize;

use super::cause::{Cause, CauseKind};
use super::culprit::culprit;
use super::parts::Explained;
use crate::quantile;

/// Bins of a row; they are as wide as each other in the logarithm.
pub const BINS: usize = 40;
/// Rows by cause; what is left is one row.
const ROWS: usize = 7;
/// A cause of no more than this part of a latency holds nothing up.
const NAMED: f64 = 0.05;

/// The responses that one cause held up the most.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// None: no single culprit held them up.
    pub kind: Option<CauseKind>,
    /// Empty: several, or the kind says it all.
    pub name: String,
    /// Latencies in the row.
    pub count: usize,
    /// The median.
    pub p50_ns: i64,
    /// The greatest value.
    pub max_ns: i64,
    /// Responses by latency; bin n is from `edges_ns[n]` on.
    pub counts: Vec<u64>,
}

/// One stage of one case.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Rows {
    /// Lower edges of the bins, and the upper one of the last.
    pub edges_ns: Vec<i64>,
    /// Undisturbed ones first, then by count; those without a row of their own last.
    pub rows: Vec<Row>,
}

impl Rows {
    /// Makes the row of these samples.
    pub fn of(samples: &[&Explained]) -> Self {
        let (least, most) = samples.iter().fold((i64::MAX, 1), |(least, most), one| {
            (least.min(one.latency.0.max(1)), most.max(one.latency.0))
        });
        if samples.is_empty() {
            return Self::default();
        }
        let edges = edges(least, most);
        let mut found: BTreeMap<(Option<CauseKind>, String), Vec<i64>> = BTreeMap::new();
        for one in samples {
            let cause = culprit(one, NAMED).map(|(cause, _)| cause);
            let key = cause.map_or((None, String::new()), |cause| (Some(cause.kind), name(cause)));
            found.entry(key).or_default().push(one.latency.0);
        }
        let calm = found.remove(&(None, String::new()));
        let mut causes: Vec<_> = found.into_iter().collect();
        causes.sort_by_key(|(_, latencies)| std::cmp::Reverse(latencies.len()));
        let rest = causes.split_off(causes.len().min(ROWS));
        let row = |((kind, name), latencies)| Row::new(kind, name, latencies, &edges);
        let mut rows: Vec<Row> =
            calm.map(|all| row(((None, String::new()), all))).into_iter().collect();
        rows.extend(causes.into_iter().map(row));
        if !rest.is_empty() {
            let name = format!("{} more causes", rest.len());
            let all = rest.into_iter().flat_map(|(_, latencies)| latencies).collect();
            rows.push(Row::new(None, name, all, &edges));
        }
        Self { edges_ns: edges, rows }
    }
}

/// Names a row: of interrupts and softirqs the function is the culprit; of others the details
/// differ from time to time.
fn name(cause: &Cause) -> String {
    match cause.kind {
        CauseKind::Interrupt | CauseKind::Softirq if !cause.detail.is_empty() => {
            format!("{}, {}", cause.name, cause.detail)
        }
        _ => cause.name.clone(),
    }
}

impl Row {
    fn new(kind: Option<CauseKind>, name: String, mut latencies: Vec<i64>, edges: &[i64]) -> Self {
        latencies.sort_unstable();
        let mut counts = vec![0; BINS];
        for latency in &latencies {
            let bin = edges.partition_point(|edge| edge <= latency);
            counts[bin.saturating_sub(1).min(BINS - 1)] += 1;
        }
        Self {
            kind,
            name,
            count: latencies.len(),
            p50_ns: quantile(&latencies, Quantile::P50).unwrap_or(0),
            max_ns: latencies.last().copied().unwrap_or(0),
            counts,
        }
    }
}

/// Returns `BINS + 1` edges; strictly rising, if the range is wide enough for that.
fn edges(least: i64, most: i64) -> Vec<i64> {
    let (from, to) = ((least as f64).ln(), (most as f64 + 1.0).ln());
    let edge = |bin: usize| (from + (to - from) * bin as f64 / BINS as f64).exp().round() as i64;
    let mut edges: Vec<i64> = (0..=BINS).map(edge).collect();
    (edges[0], edges[BINS]) = (least, most.saturating_add(1));
    edges
}

#[cfg(test)]
mod tests {
    use irqscope_wire::{Nanoseconds, Stage};

    use super::super::parts::Segment;
    use super::*;

    fn one(seq: u64, own: i64, cause: Option<(&str, i64)>) -> Explained {
        let segment = |start, length, cause| Segment {
            start: Nanoseconds(start),
            length: Nanoseconds(length),
            cause,
        };
        let mut segments = vec![segment(0, own, Cause::plain(CauseKind::Own))];
        if let Some((name, length)) = cause {
            segments.push(segment(own, length, Cause::named(CauseKind::Interrupt, name)));
        }
        let latency = segments.iter().map(|segment| segment.length.0).sum();
        Explained { seq, stage: Stage::User, latency: Nanoseconds(latency), segments }
    }

    #[test]
    fn each_response_is_in_one_row_and_one_bin() {
        let mut samples: Vec<Explained> = (0..50).map(|seq| one(seq, 1_000, None)).collect();
        samples.push(one(50, 1_000, Some(("tick", 30))));
        samples.extend((0..9).map(|seq| one(60 + seq, 1_000, Some(("tick", 9_000)))));
        for cause in 0..9 {
            samples.push(one(80, 1_000, Some((&format!("irq {cause}"), 99_000))));
        }
        let rows = Rows::of(&samples.iter().collect::<Vec<_>>()).rows;
        let told: Vec<_> =
            rows.iter().map(|row| (row.name.as_str(), row.count, row.max_ns)).collect();
        assert_eq!(told[0], ("", 51, 1_030), "3 % is not worth a name");
        assert_eq!(told[1], ("tick", 9, 10_000));
        assert_eq!(told[8], ("3 more causes", 3, 100_000));
        for row in &rows {
            assert_eq!(row.counts.iter().sum::<u64>(), row.count as u64);
        }
        assert_eq!(rows[8].counts[BINS - 1], 3, "the largest is in the last bin");
    }

    #[test]
    fn one_latency_alone_has_a_histogram() {
        let sample = one(0, 7, None);
        let rows = Rows::of(&[&sample]);
        assert_eq!((rows.edges_ns[0], rows.edges_ns[BINS]), (7, 8));
        assert_eq!(rows.rows[0].counts.iter().sum::<u64>(), 1);
        assert_eq!(Rows::of(&[]), Rows::default());
    }
}
