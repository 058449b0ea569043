// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A sweep in words: stage by case, the knee, the figures there, and what ends it.

use std::fmt::Write;

use irqscope_analysis::{Knee, Point, Series, Summary, Sweep};
use irqscope_wire::Account;

use crate::account::{identity_of, warnings};
use irqscope_quantity::Column::{Numbers, Words};
use irqscope_quantity::{Column, Unit, aligned, grouped, hertz};

/// The heads of the figures of [`row`].
pub const COLUMNS: [&str; 6] = ["knee", "p50", "p99", "max", "next step", "there"];

const ALIGNED: &[Column] = &[Words, Words, Numbers, Numbers, Numbers, Numbers, Numbers, Words];

/// Makes the table on the terminal.
pub fn table(summary: &Summary, sweep: &Sweep) -> String {
    let mut text = String::new();
    if let Some(caveat) = summary.caveat() {
        let _ = writeln!(text, "{caveat}\n");
    }
    let unit = unit(sweep);
    let head = ["stage", "case"].into_iter().chain(COLUMNS).map(str::to_owned).collect();
    let mut rows: Vec<Vec<String>> = vec![head];
    for stage in sweep.stages() {
        let mut name = stage.name().to_owned();
        for series in sweep.of_stage(stage) {
            let mut line = vec![std::mem::take(&mut name), series.case.clone()];
            line.extend(row(series, unit));
            rows.push(line);
        }
    }
    text.push_str(&aligned(&rows, ALIGNED));
    let _ = writeln!(text, "\n{}\n", legend(sweep, unit));
    for (case, sum) in sums(summary, sweep) {
        let _ = writeln!(text, "{case}  {sum}");
    }
    warnings(summary, &mut text);
    text
}

/// Returns one unit for the figures of all knees.
pub fn unit(sweep: &Sweep) -> Unit {
    let knees = sweep.series.iter().filter_map(Series::at_knee);
    Unit::for_largest(knees.filter_map(|point| point.max_ns).max().unwrap_or(0))
}

/// Formats the knee, the figures there, the next step and what went wrong there.
pub fn row(series: &Series, unit: Unit) -> [String; 6] {
    let none = || "-".to_owned();
    let (at, beyond) = (series.at_knee(), series.beyond_knee());
    let figure = |ns: fn(&Point) -> Option<i64>| {
        at.and_then(ns).map_or_else(none, |ns| unit.figure(ns as f64))
    };
    [
        knee_text(series.knee),
        figure(|point| point.p50_ns),
        figure(|point| point.p99_ns),
        figure(|point| point.max_ns),
        beyond.map_or_else(none, |point| hertz(point.frequency_hz)),
        beyond.map_or_else(none, why),
    ]
}

/// The heads of the figures of [`point_row`].
pub const POINT_COLUMNS: [&str; 6] = ["triggers", "count", "p50", "p99", "max", "in want"];

/// Formats one stage at one frequency.
pub fn point_row(point: &Point, unit: Unit) -> [String; 6] {
    let figure = |ns: Option<i64>| ns.map_or_else(|| "-".to_owned(), |ns| unit.figure(ns as f64));
    [
        grouped(point.triggers),
        grouped(point.count),
        figure(point.p50_ns),
        figure(point.p99_ns),
        figure(point.max_ns),
        if point.keeps_up { String::new() } else { why(point) },
    ]
}

/// Formats `22.6 kHz`, `≥ 100 kHz`, `< 1 kHz`.
pub fn knee_text(knee: Knee) -> String {
    match knee {
        Knee::Below { next_hz } => format!("< {}", hertz(next_hz)),
        Knee::At { frequency_hz, .. } => hertz(frequency_hz),
        Knee::Beyond { frequency_hz } => format!("≥ {}", hertz(frequency_hz)),
    }
}

/// Formats `593 of 2,000 merged`.
fn why(point: &Point) -> String {
    if point.invalid {
        return "no valid result".to_owned();
    }
    let failings = point.failings().into_iter().filter(|(count, _)| *count > 0);
    let told: Vec<String> =
        failings.map(|(count, what)| format!("{} {what}", grouped(count))).collect();
    format!("{} of {}", told.join(", "), grouped(point.triggers))
}

/// Explains the columns.
pub fn legend(sweep: &Sweep, unit: Unit) -> String {
    let ratio = sweep
        .ratio()
        .map_or_else(String::new, |ratio| format!("; steps are a factor of {ratio:.2} apart"));
    format!(
        "knee: the highest frequency at which, and at all steps below which, every trigger had a \
         response of its own; p50, p99 and max there, in {}{ratio}",
        unit.name()
    )
}

/// Formats the accounting identity over all steps of each case.
pub fn sums(summary: &Summary, sweep: &Sweep) -> Vec<(String, String)> {
    let sum = |name: &str| {
        let steps = || summary.cases.iter().filter(|case| case.step_of.as_deref() == Some(name));
        let account = steps().fold(Account::default(), |sum, case| sum.with(&case.account()));
        let mark = if steps().all(|case| case.identity_holds) { "✓" } else { "✗" };
        let text = format!("{} steps, triggers {}  {mark}", steps().count(), identity_of(&account));
        (name.to_owned(), text)
    };
    sweep.cases().into_iter().map(sum).collect()
}
