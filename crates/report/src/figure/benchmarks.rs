// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Figures of benchmarks: one for each series that is a latency or a length.

use irqscope_analysis::{SeriesSummary, Summary};
use irqscope_run::{BenchSeries, BenchmarkData};

use super::{Figure, Panel, Subject};

/// All series of a run, each with its common axis, in the order in which they
/// were run.
pub fn benchmarks<'a>(summary: &'a Summary, data: &[(u16, BenchmarkData)]) -> Vec<Figure<'a>> {
    let mut all: Vec<(Subject, Vec<Panel<'a>>)> = Vec::new();
    for (number, one) in data {
        for series in &one.series {
            let Some((summary, panel)) = panel(summary, *number, one, series) else { continue };
            let subject = subject(summary);
            match all.iter_mut().find(|(known, _)| *known == subject) {
                Some((_, panels)) => panels.push(panel),
                None => all.push((subject, vec![panel])),
            }
        }
    }
    all.sort_by_key(|(subject, _)| order(subject));
    all.into_iter().map(|(subject, panels)| Figure::new(summary, subject, panels)).collect()
}

fn subject(summary: &SeriesSummary) -> Subject {
    let (variant, series) = (summary.variant.clone(), summary.series.clone());
    Subject::Series { kind: summary.benchmark, variant, series }
}

/// By kind only: variants and series keep their order.
fn order(subject: &Subject) -> usize {
    match subject {
        Subject::Series { kind, .. } => kind.index(),
        Subject::Stage(..) => 0,
    }
}

fn panel<'a>(
    summary: &'a Summary,
    number: u16,
    one: &BenchmarkData,
    series: &BenchSeries,
) -> Option<(&'a SeriesSummary, Panel<'a>)> {
    let index = usize::from(number);
    let case = summary.cases.get(index)?;
    let is_mine = |of: &&SeriesSummary| {
        of.benchmark == one.kind && of.variant == one.variant && of.series == series.name
    };
    let figures = case.benchmarks.iter().find(is_mine).filter(|of| of.is_figure())?;
    let mut clean: Vec<i64> = series.rows.iter().map(|row| row.value.0).collect();
    clean.sort_unstable();
    let panel = Panel {
        index,
        case: &case.case,
        kernel: &case.kernel,
        figures: figures.into(),
        clean,
        hit: Vec::new(),
        histogram: None,
        course: series.rows.iter().map(|row| (row.at.0, row.value.0)).collect(),
    };
    Some((figures, panel))
}
