// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The table on the terminal.

use std::fmt::Write;

use irqscope_analysis::{CaseSummary, EdgeOffset, ObserverEffect, StageSummary, Summary, Sweep};
use irqscope_wire::{Mode, Stage, View};

use crate::account::{identity, warnings};
use crate::{bench, seeds};
use irqscope_quantity::{Column, Unit, aligned, alone, change, grouped};

/// Formats stage by case, the accounting identity, the cost of the instrumentation and all
/// warnings; of a sweep the knees.
pub fn table(summary: &Summary) -> String {
    if let Some(sweep) = Sweep::of(summary) {
        return crate::sweep::table(summary, &sweep);
    }
    let mut text = String::new();
    if let Some(caveat) = summary.caveat() {
        let _ = writeln!(text, "{caveat}\n");
    }
    if has_stages(summary) {
        let unit = table_unit(summary);
        let (rows, legend) = match summary.seeds.is_empty() {
            true => (rows(summary, unit), legend(summary)),
            false => (seed_rows(summary, unit), seeds::legend(summary)),
        };
        text.push_str(&aligned(&rows, Column::FIGURES));
        let _ = writeln!(text, "\nlatency in {}; {legend}\n", unit.name());
        observer(summary, unit, &mut text);
        executions(summary, &mut text);
    }
    benchmarks(summary, &mut text);
    identity(summary, &mut text);
    warnings(summary, &mut text);
    text
}

/// Returns whether there are stages: a run of benchmarks has none, and asks for none.
pub(crate) fn has_stages(summary: &Summary) -> bool {
    let asks = |case: &CaseSummary| case.benchmarks.is_empty() && case.unavailable.is_empty();
    summary.cases.is_empty() || summary.cases.iter().any(asks)
}

/// Returns whether anything was asked of which there are samples.
pub(crate) fn has_rows(summary: &Summary) -> bool {
    summary.cases.iter().any(|case| !case.stages.is_empty() || !case.benchmarks.is_empty())
}

fn benchmarks(summary: &Summary, text: &mut String) {
    for table in bench::tables(summary) {
        let kind = table.kind;
        let _ = writeln!(text, "{kind}: {}\n", bench::benchmark_text(kind));
        let head = [kind.name(), "case"].into_iter().chain(bench::COLUMNS);
        let mut rows = vec![head.map(str::to_owned).collect::<Vec<_>>()];
        for bench::Row { name, case, one, unit } in &table.rows {
            let mut row = vec![name.clone(), case.case.clone()];
            row.extend(bench::figures(one, *unit));
            rows.push(row);
        }
        let _ = writeln!(text, "{}", aligned(&rows, Column::FIGURES));
    }
}

/// Chooses one unit for all: that of the largest figure, but not so coarse that the smallest median
/// loses its digits.
pub(crate) fn table_unit(summary: &Summary) -> Unit {
    let stages = || summary.cases.iter().flat_map(|case| &case.stages);
    let largest = stages().filter_map(|stage| stage.max_ns).max().unwrap_or(0);
    let smallest = stages().filter_map(|stage| stage.p50_ns).min().unwrap_or(0);
    match Unit::for_largest(largest) {
        Unit::Ms if smallest < Unit::Ms.ns() => Unit::Us,
        unit => unit,
    }
}

/// Explains the columns that do not say it themselves.
pub(crate) fn legend(summary: &Summary) -> String {
    let cost = if summary.caveat().is_some() { "instructions" } else { "cycles" };
    let views = if has_outside(summary) {
        "min to mean are the generator's, in: the target's own; edge: ns from a stage's stamp to its edge (their difference, with the share of samples in which it is the same); "
    } else {
        ""
    };
    let beside = if is_together(summary) {
        "; mode together: a trigger asks all stages, and each waits for those before it (trigger.mode = \"isolated\" asks one at a time, irqscope explain says how much is another stage's)"
    } else {
        ""
    };
    format!(
        "{views}irq: answers that another interrupt hit; cost: {cost} that a stage's stamp takes{beside}"
    )
}

/// Returns whether some case's triggers asked several stages that wait for each other.
pub(crate) fn is_together(summary: &Summary) -> bool {
    let seen =
        |case: &CaseSummary| case.stages.iter().filter(|it| it.view == case.main_view()).count();
    summary.cases.iter().any(|case| case.mode == Mode::Together && seen(case) > 2)
}

const COLUMNS: [&str; 8] = ["count", "min", "p50", "p99", "max", "mean", "missing", "irq"];
const INSIDE: [&str; 5] = ["in min", "in p50", "in p99", "in max", "edge"];

pub(crate) fn has_outside(summary: &Summary) -> bool {
    summary.cases.iter().any(|case| case.outside.is_some())
}

/// Returns the heads of [`figures`].
pub(crate) fn columns(summary: &Summary) -> Vec<&'static str> {
    let inside = if has_outside(summary) { &INSIDE[..] } else { &[] };
    COLUMNS.iter().chain(inside).chain(&["cost"]).copied().collect()
}

/// Formats the figures of one stage of one case, in its main view and, beside them, from inside.
pub(crate) fn figures(
    summary: &Summary,
    case: &CaseSummary,
    stage: Stage,
    unit: Unit,
) -> Option<Vec<String>> {
    let main = case.stage(stage, case.main_view())?;
    let figure = |ns: Option<f64>| ns.map_or_else(|| "-".into(), |ns| unit.figure(ns));
    let whole = |ns: Option<i64>| figure(ns.map(|ns| ns as f64));
    let mut all = vec![grouped(main.count)];
    all.extend([main.min_ns, main.p50_ns, main.p99_ns, main.max_ns].map(whole));
    all.extend([figure(main.mean_ns), grouped(main.missing), grouped(main.hit)]);
    if has_outside(summary) {
        let beside = case.outside.as_ref().and_then(|_| case.stage(stage, View::Inside));
        let inside = |ns: fn(&StageSummary) -> Option<i64>| whole(beside.and_then(ns));
        all.extend([
            inside(|one| one.min_ns),
            inside(|one| one.p50_ns),
            inside(|one| one.p99_ns),
            inside(|one| one.max_ns),
            edge(case, stage),
        ]);
    }
    all.push(main.cost_instructions.or(main.cost_cycles).map_or_else(|| "-".into(), grouped));
    Some(all)
}

/// Formats `54`, or `54 (1,999/2,000)` where it is not the same in all samples.
fn edge(case: &CaseSummary, stage: Stage) -> String {
    match case.edge_offsets.iter().find(|offset| offset.stage == stage) {
        None => "-".into(),
        Some(offset) if offset.min_ns == offset.max_ns => offset.p50_ns.to_string(),
        Some(EdgeOffset { p50_ns, at_p50, count, .. }) => {
            format!("{p50_ns} ({}/{})", grouped(*at_p50), grouped(*count))
        }
    }
}

fn rows(summary: &Summary, unit: Unit) -> Vec<Vec<String>> {
    let head = ["stage", "case"].into_iter().chain(columns(summary));
    let mut rows = vec![head.map(str::to_owned).collect::<Vec<_>>()];
    for stage in Stage::ALL {
        let mut name = stage.name().to_owned();
        for (_, case) in summary.shown_cases() {
            let Some(figures) = figures(summary, case, *stage, unit) else { continue };
            let mut row = vec![std::mem::take(&mut name), case.case.clone()];
            row.extend(figures);
            rows.push(row);
        }
    }
    rows
}

fn seed_rows(summary: &Summary, unit: Unit) -> Vec<Vec<String>> {
    let head = ["stage", "case"].into_iter().chain(seeds::COLUMNS);
    let mut rows = vec![head.map(str::to_owned).collect::<Vec<_>>()];
    for stage in Stage::ALL {
        let mut name = stage.name().to_owned();
        for seeds::Row { case, cells } in seeds::rows(summary, *stage, unit) {
            let mut row = vec![std::mem::take(&mut name), case.to_owned()];
            row.extend(cells);
            rows.push(row);
        }
    }
    rows
}

/// Formats the cost of the view from inside for the one from outside, where it was measured.
fn observer(summary: &Summary, unit: Unit, text: &mut String) {
    if summary.observer_effects.is_empty() {
        return;
    }
    let head = ["stage", "case", "inside off", "inside on", "effect"].map(str::to_owned).to_vec();
    let mut rows = vec![head];
    for effect in observer_by_stage(summary) {
        let figures = [effect.off_ns, effect.on_ns].map(|ns| unit.figure(ns as f64));
        let mut row = vec![effect.stage.to_string(), effect.case.clone()];
        row.extend(figures);
        row.push(change(effect.percent));
        rows.push(row);
    }
    let _ = writeln!(text, "observer effect: medians from outside, in {}\n", unit.name());
    let _ = writeln!(text, "{}", aligned(&rows, Column::FIGURES));
}

const EXECUTION: [&str; 7] = ["stage", "case", "executed", "min", "p50", "p99", "max"];

/// Formats how long stages executed, in their main views; nothing where they have no execution
/// times.
pub(crate) fn execution_rows(summary: &Summary) -> Vec<Vec<String>> {
    let mut rows = vec![EXECUTION.map(str::to_owned).to_vec()];
    for stage in Stage::ALL {
        let mut name = stage.name().to_owned();
        for (_, case) in summary.shown_cases() {
            let of_stage = case.stage(*stage, case.main_view());
            let Some(one) = of_stage.and_then(|one| one.execution) else { continue };
            let mut row = vec![std::mem::take(&mut name), case.case.clone(), grouped(one.count)];
            let figures = [Some(one.min_ns), one.p50_ns, one.p99_ns, Some(one.max_ns)];
            row.extend(figures.map(|ns| ns.map_or_else(|| "-".into(), alone)));
            rows.push(row);
        }
    }
    if rows.len() > 1 { rows } else { Vec::new() }
}

fn executions(summary: &Summary, text: &mut String) {
    let rows = execution_rows(summary);
    if !rows.is_empty() {
        let _ = writeln!(text, "execution times: from a stage's response to its end\n");
        let _ = writeln!(text, "{}", aligned(&rows, Column::FIGURES));
    }
}

pub(crate) fn observer_by_stage(summary: &Summary) -> Vec<&ObserverEffect> {
    let mut effects: Vec<_> = summary.observer_effects.iter().collect();
    effects.sort_by_key(|effect| effect.stage);
    effects
}
