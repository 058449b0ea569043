// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A histogram in rows by cause, as text and as a drawing of one row.

use std::fmt::Write;

use irqscope_analysis::{CauseKind, CauseRow, CauseRows, Explanation};

use irqscope_quantity::{Unit, alone, grouped};

/// Of eight heights; a count of one is seen.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Formats a block for each stage: one line for each cause, on one axis.
pub fn cause_rows_table(explanations: &[Explanation]) -> String {
    let mut text = String::new();
    for one in explanations {
        let CauseRows { edges_ns, rows } = &one.rows;
        let (Some(least), Some(most)) = (edges_ns.first(), edges_ns.last()) else { continue };
        let unit = Unit::for_largest(*most);
        let [from, to] =
            [*least, *most].map(|ns| format!("{} {}", unit.figure(ns as f64), unit.name()));
        let width = edges_ns.len() - 1;
        let gap = " ".repeat(width.saturating_sub(from.chars().count() + to.chars().count()));
        let _ = writeln!(text, "{}  {}", one.case, one.stage);
        let _ = writeln!(text, "  {from}{gap}{to}    count         p50         max");
        for row in rows {
            let [p50, max] = [row.p50_ns, row.max_ns].map(alone);
            let (bars, count, name) = (bars(row), grouped(row.count as u64), row_name(row));
            let _ = writeln!(text, "  {bars}  {count:>7}  {p50:>10}  {max:>10}  {name}");
        }
        text.push('\n');
    }
    text.push_str(
        "Each response is in the row of what held it up the most, if that is more than 5 %\n",
    );
    text.push_str("of its latency; latencies and counts are logarithmic.\n");
    text
}

/// Names a row.
pub fn row_name(row: &CauseRow) -> String {
    cause_name(row.kind, &row.name)
}

/// Names a cause; without a kind there are several, or there is none.
pub(crate) fn cause_name(kind: Option<CauseKind>, name: &str) -> String {
    match (kind, name) {
        (None, "") => "no single culprit".to_owned(),
        (None, several) => several.to_owned(),
        (Some(kind), "") => kind.name().to_owned(),
        (Some(kind), name) => format!("{}: {name}", kind.name()),
    }
}

/// Draws its counts as eighths of a line; empty bins are blank.
fn bars(row: &CauseRow) -> String {
    let heights = heights(row);
    let block = |height: &Option<f64>| match height {
        None => ' ',
        Some(height) => BLOCKS[((height * 8.0) as usize).min(7)],
    };
    heights.iter().map(block).collect()
}

/// Scales its counts from 0 to 1, by the logarithm; the row's own most frequent bin is 1.
pub(crate) fn heights(row: &CauseRow) -> Vec<Option<f64>> {
    let most = row.counts.iter().copied().max().unwrap_or(1).max(1);
    let height =
        |count: &u64| (*count > 0).then(|| (1.0 + *count as f64).ln() / (1.0 + most as f64).ln());
    row.counts.iter().map(height).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_count_of_one_is_seen_and_an_empty_bin_is_not() {
        let row = CauseRow {
            kind: None,
            name: String::new(),
            count: 1_101,
            p50_ns: 1,
            max_ns: 4,
            counts: vec![1_000, 0, 1, 100],
        };
        assert_eq!(bars(&row), "█ ▁▆");
        assert_eq!(row_name(&row), "no single culprit");
    }
}
