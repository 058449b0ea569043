// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The table on the terminal.

use std::fmt::Write;

use irqscope_analysis::{CaseSummary, StageSummary, Summary};
use irqscope_wire::{Stage, View};

use crate::units::{Unit, grouped};

/// Stage by case, the accounting identity, the cost of the instrumentation and
/// all warnings.
pub fn table(summary: &Summary) -> String {
    let mut text = String::new();
    if let Some(caveat) = summary.caveat() {
        let _ = writeln!(text, "{caveat}\n");
    }
    let unit = table_unit(summary);
    text.push_str(&aligned(&rows(summary, unit)));
    let _ = writeln!(
        text,
        "\nlatency in {}; irq: answers that another interrupt hit; {}\n",
        unit.name(),
        cost_text(summary)
    );
    identity(summary, &mut text);
    warnings(summary, &mut text);
    text
}

/// One unit for all: that of the largest figure, but not so coarse that the
/// smallest median loses its digits.
pub(crate) fn table_unit(summary: &Summary) -> Unit {
    let stages = || summary.cases.iter().flat_map(|case| &case.stages);
    let largest = stages().filter_map(|stage| stage.max_ns).max().unwrap_or(0);
    let smallest = stages().filter_map(|stage| stage.p50_ns).min().unwrap_or(0);
    match Unit::for_largest(largest) {
        Unit::Ms if smallest < Unit::Ms.ns() => Unit::Us,
        unit => unit,
    }
}

/// What the column `cost` counts.
pub(crate) fn cost_text(summary: &Summary) -> &'static str {
    if summary.caveat().is_some() {
        "cost: instructions that a stage's stamp takes"
    } else {
        "cost: cycles that a stage's stamp takes"
    }
}

pub(crate) const COLUMNS: [&str; 10] =
    ["stage", "case", "count", "min", "p50", "p99", "max", "mean", "missing", "irq"];

/// The figures of one row, in the order of [`COLUMNS`] from `count` on, and
/// the cost.
pub(crate) fn figures(stage: &StageSummary, unit: Unit) -> [String; 9] {
    let figure = |ns: Option<f64>| ns.map_or_else(|| "-".into(), |ns| unit.figure(ns));
    let whole = |ns: Option<i64>| figure(ns.map(|ns| ns as f64));
    [
        grouped(stage.count),
        whole(stage.min_ns),
        whole(stage.p50_ns),
        whole(stage.p99_ns),
        whole(stage.max_ns),
        figure(stage.mean_ns),
        grouped(stage.missing),
        grouped(stage.hit),
        stage.cost_instructions.or(stage.cost_cycles).map_or_else(|| "-".into(), grouped),
    ]
}

/// The stage's name, with its view where it is not the usual one.
pub(crate) fn stage_name(stage: Stage, view: View) -> String {
    match view {
        View::Inside => stage.name().into(),
        View::Outside => format!("{stage} (outside)"),
    }
}

fn rows(summary: &Summary, unit: Unit) -> Vec<Vec<String>> {
    let mut rows = vec![COLUMNS.iter().chain(["cost"].iter()).map(|c| (*c).to_owned()).collect()];
    for (stage, view) in summary.stages() {
        let mut name = stage_name(stage, view);
        for case in &summary.cases {
            let Some(figures) = case.stage(stage, view).map(|s| figures(s, unit)) else { continue };
            let mut row = vec![std::mem::take(&mut name), case.case.clone()];
            row.extend(figures);
            rows.push(row);
        }
    }
    rows
}

/// Two columns of text to the left, figures to the right.
fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row: &Vec<String>| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            let _ = match column {
                0 | 1 => write!(line, "{cell:<width$}  "),
                _ => write!(line, "{cell:>width$}  "),
            };
        }
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// `2,000 = 2,000 complete + 0 missing + 0 coalesced + 0 overrun`, or what is
/// known of an unfinished case.
pub(crate) fn identity_text(case: &CaseSummary) -> String {
    let CaseSummary { triggers, complete, missing_triggers, coalesced, overrun, .. } = *case;
    let [triggers, complete, missing, coalesced, overrun] =
        [triggers, complete, missing_triggers, coalesced, overrun].map(grouped);
    format!(
        "{triggers} = {complete} complete + {missing} missing + {coalesced} coalesced + {overrun} overrun"
    )
}

pub(crate) fn identity_mark(case: &CaseSummary) -> &'static str {
    match (case.identity_holds, case.finished) {
        (true, _) => "✓",
        (false, true) => "✗ INVALID",
        (false, false) => "unfinished",
    }
}

fn identity(summary: &Summary, text: &mut String) {
    let width = summary.cases.iter().map(|case| case.case.chars().count()).max().unwrap_or(0);
    for case in &summary.cases {
        let (name, sum, mark) = (&case.case, identity_text(case), identity_mark(case));
        let _ = writeln!(text, "{name:<width$}  triggers {sum}  {mark}");
    }
}

fn warnings(summary: &Summary, text: &mut String) {
    for warning in &summary.warnings {
        let _ = writeln!(text, "warning: {warning}");
    }
    for (cases, violation) in summary.told(|case| &case.violations) {
        let _ = writeln!(text, "invalid: {cases}: {violation}");
    }
    for (cases, warning) in summary.told(|case| &case.warnings) {
        let _ = writeln!(text, "warning: {cases}: {warning}");
    }
}
