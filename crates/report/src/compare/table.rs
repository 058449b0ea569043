// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A comparison on the terminal.

use std::fmt::Write;

use irqscope_analysis::{Comparison, Limits, ManifestDifference, SeriesComparison, Shift};

use super::{Compared, verdicts};
use irqscope_quantity::{Column, Quantile, Unit, aligned, alone, change, grouped};

/// Formats what differs besides the figures, the figures, and how they were made.
pub fn comparison_table(compared: &Compared<'_>) -> String {
    let one = compared.comparison;
    let mut text = format!("base   {}\nother  {}\n", one.base, one.other);
    if let Some(caveat) = compared.caveat() {
        let _ = writeln!(
            text,
            "repeatable: the twin gives these samples again, so nothing here is chance; but each line\nis of one seed on either side, and another draws other samples: maxima and far quantiles would differ. {caveat}"
        );
    }
    for violation in &one.violations {
        let _ = writeln!(text, "invalid: {violation}");
    }
    for difference in &one.differences {
        let _ = writeln!(text, "{}", difference_text(difference));
    }
    for (side, names) in [("base", &one.base_only), ("other", &one.other_only)] {
        if !names.is_empty() {
            let _ = writeln!(text, "warning: only {side} has {}", names.join(", "));
        }
    }
    text.push('\n');
    for sentence in verdicts(one) {
        let _ = writeln!(text, "{sentence}");
    }
    text.push('\n');
    text.push_str(&aligned(&rows(one), Column::FIGURES));
    let _ = writeln!(text, "\ndifference: other minus base{}", what_limits(one));
    for series in &one.series {
        for line in notes(series, one.exact) {
            let _ = writeln!(text, "{}: {line}", series.title);
        }
    }
    text
}

/// Formats `warning: load differs: none | copy, exec`.
pub(crate) fn difference_text(one: &ManifestDifference) -> String {
    let ManifestDifference { what, base, other, matters } = one;
    let said = |text: &str| if text.is_empty() { "-".to_owned() } else { text.to_owned() };
    let sides = format!("{} | {}", said(base), said(other));
    if *matters { format!("warning: {what} differs: {sides}") } else { format!("{what}: {sides}") }
}

pub(crate) fn what_limits(one: &Comparison) -> &'static str {
    if one.exact { "" } else { "; [..]: where the true difference lies with 95 %" }
}

/// Returns the unit of the largest figure, if it leaves the smallest its digits.
pub(crate) fn unit(series: &SeriesComparison) -> Unit {
    let sides = |shift: &Shift| [shift.base_ns, shift.other_ns];
    let figures = || series.shifts.iter().flat_map(sides).flatten();
    let largest = figures().map(i64::abs).max().unwrap_or(0);
    let smallest = figures().map(i64::abs).min().unwrap_or(0);
    match Unit::for_largest(largest) {
        Unit::Ms if smallest < Unit::Ms.ns() => Unit::Us,
        Unit::Us if smallest < 1_000 => Unit::Ns,
        unit => unit,
    }
}

pub(crate) const HEAD: [&str; 8] =
    ["", "", "base", "other", "difference", "[95 %]", "per cent", "[95 %]"];

fn rows(one: &Comparison) -> Vec<Vec<String>> {
    let mut rows = vec![head(one.exact)];
    for series in &one.series {
        let unit = unit(series);
        let mut title = format!("{}, {}", series.title, unit.name());
        for shift in &series.shifts {
            let mut row = vec![std::mem::take(&mut title)];
            row.extend(cells(shift, unit, one.exact));
            rows.push(row);
        }
    }
    rows
}

pub(crate) fn head(exact: bool) -> Vec<String> {
    let shown = HEAD.iter().filter(|name| !exact || **name != "[95 %]");
    shown.map(|name| (*name).to_owned()).collect()
}

/// Formats one quantile, from its name on.
pub(crate) fn cells(shift: &Shift, unit: Unit, exact: bool) -> Vec<String> {
    let signed = |ns: f64| format!("{}{}", if ns > 0.0 { "+" } else { "" }, unit.figure(ns));
    let figure = |ns: Option<i64>| ns.map_or_else(|| "-".into(), |ns| unit.figure(ns as f64));
    // The interval of the maximum is of something else: the notes have it.
    let interval = shift.interval.filter(|_| shift.quantile < Quantile::MAX);
    let limits = interval.map_or_else(
        || "-".into(),
        |Limits { low_ns, high_ns, .. }| format!("[{}, {}]", signed(low_ns), signed(high_ns)),
    );
    let shares = interval.and_then(|limits| limits.percent);
    let shares =
        shares.map_or_else(|| "-".into(), |[low, high]| format!("[{low:+.1}, {high:+.1}]"));
    let mut cells = vec![shift.quantile.to_string(), figure(shift.base_ns), figure(shift.other_ns)];
    let difference = shift.difference_ns.map(|ns| signed(ns as f64));
    cells.push(difference.unwrap_or_else(|| "-".into()));
    if !exact {
        cells.push(limits);
    }
    cells.push(shift.percent.map_or_else(|| "-".into(), change));
    if !exact {
        cells.push(shares);
    }
    cells
}

/// Returns what figures alone do not say.
pub(crate) fn notes(series: &SeriesComparison, exact: bool) -> Vec<String> {
    let counts = [series.base_count, series.other_count].map(grouped);
    let mut notes = Vec::new();
    let verdict = match (&series.test, series.test_needs, exact) {
        (Some(test), ..) => format!(
            "{} (p = {:.4}; {} and {} windows of {}, correlated over {})",
            if test.p <= 0.05 { "the distributions differ" } else { "no difference shown" },
            test.p,
            test.windows[0],
            test.windows[1],
            grouped(test.window),
            grouped(test.correlation),
        ),
        (None, Some(needed), _) => format!(
            "too few samples to say whether the distributions differ; it takes about {}",
            grouped(needed)
        ),
        (None, None, _) if !series.in_order => {
            "in which order they came is not known, so there is no interval and no test".into()
        }
        (None, None, _) if series.identical => "identical, sample by sample".into(),
        (None, None, _) => "not identical".into(),
    };
    notes.push(format!("{} | {} samples; {verdict}", counts[0], counts[1]));
    if series.lacks_responses() {
        let [base, other] = [series.base_without, series.other_without].map(grouped);
        notes.push(format!("warning: no figure of {base} | {other} triggers, which were not answered, answered together with another, or lost; quantiles leave them out"));
    }
    for shift in &series.shifts {
        if shift.needed.is_none() && shift.difference_ns.is_none() {
            let quantile = shift.quantile;
            notes.push(format!("{quantile}: an imported histogram ends before it"));
        }
        if let Some(needed) = shift.needed {
            let (quantile, needed) = (shift.quantile, grouped(needed));
            notes.push(match shift.difference_ns {
                None => format!("{quantile}: too few samples; it takes {needed}"),
                Some(_) => {
                    format!("{quantile}: too few samples for an interval; it takes about {needed}")
                }
            });
        }
    }
    let maximum = series.shifts.iter().find(|shift| shift.quantile == Quantile::MAX);
    if let Some((window, limits)) = maximum.and_then(|max| max.window.zip(max.interval)) {
        let Limits { estimate_ns, low_ns, high_ns, percent } = limits;
        let signed =
            |ns: f64| format!("{}{}", if ns > 0.0 { "+" } else { "" }, alone(ns.round() as i64));
        let [estimate, low, high] = [estimate_ns, low_ns, high_ns].map(signed);
        let share =
            percent.map_or_else(String::new, |[low, high]| format!(", [{low:+.1}, {high:+.1}] %"));
        let window = grouped(window);
        notes.push(format!(
            "the maximum of {window} samples differs by {estimate} [{low}, {high}]{share}"
        ));
    }
    notes
}
