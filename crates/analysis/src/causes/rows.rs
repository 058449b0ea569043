// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A histogram in rows, one for each cause that held responses up the most, as
//! INTSPECT (Herzog et al.) sets the entropy pool and the scheduler's statistics
//! apart. Each response is in one row.

use irqscope_quantity::Quantile;
use serde::Serialize;

use super::by_cause::Group;
use super::cause::CauseKind;
use super::parts::Explained;
use crate::quantile;

/// Bins of a row; they are as wide as each other in the logarithm.
pub const BINS: usize = 40;
/// Rows by cause; what is left is one row.
const ROWS: usize = 7;

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
    /// Undisturbed ones first, then by the greatest latency, so that the greatest of all has a row
    /// of its own; those without one last.
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
        let mut groups = Group::all(samples);
        let calm = groups.iter().take_while(|group| group.kind.is_none()).count();
        let rest = groups.split_off(groups.len().min(calm + ROWS));
        if !rest.is_empty() {
            groups.push(Group::folded(rest));
        }
        let rows = groups.into_iter().map(|group| Row::new(group, &edges)).collect();
        Self { edges_ns: edges, rows }
    }
}

impl Row {
    fn new(group: Group, edges: &[i64]) -> Self {
        let Group { kind, name, mut latencies, .. } = group;
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

    use super::super::cause::Cause;
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
        Explained { seq, stage: Stage::User, latency: Nanoseconds(latency), segments, parts: None }
    }

    #[test]
    fn each_response_is_in_one_row_and_one_bin() {
        let mut samples: Vec<Explained> = (0..50).map(|seq| one(seq, 1_000, None)).collect();
        samples.push(one(50, 1_000, Some(("tick", 30))));
        samples.extend((0..9).map(|seq| one(60 + seq, 1_000, Some(("tick", 9_000)))));
        for cause in 0..9 {
            samples.push(one(80, 1_000, Some((&format!("irq {cause}"), 99_000 - cause))));
        }
        let rows = Rows::of(&samples.iter().collect::<Vec<_>>()).rows;
        let told: Vec<_> =
            rows.iter().map(|row| (row.name.as_str(), row.count, row.max_ns)).collect();
        assert_eq!(told[0], ("", 51, 1_030), "3 % is not worth a name");
        assert_eq!(told[1], ("irq 0", 1, 100_000), "once, and the worst of all");
        assert_eq!(told[7], ("irq 6", 1, 99_994));
        assert_eq!(told[8], ("3 more causes", 11, 99_993));
        for row in &rows {
            assert_eq!(row.counts.iter().sum::<u64>(), row.count as u64);
        }
        assert_eq!(rows[1].counts[BINS - 1], 1, "the largest is in the last bin");
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
