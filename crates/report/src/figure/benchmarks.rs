// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Figures of benchmarks: one for each series that is a latency or a length.

use irqscope_analysis::{Counted, SeriesFigures, SeriesSummary, Summary};
use irqscope_run::{RunDir, RunError, SeriesRows};

use super::Figure;
use super::panel::Panel;
use super::scatter::{self, Course};
use crate::Result;
use crate::subject::Subject;

/// A panel, and where the log has its rows.
struct Placed<'a> {
    panel: Panel<'a>,
    rows: SeriesRows,
}

/// Makes all series of a run, each with its common axis, in the order in which they were run;
/// `series` beside its case's position in the manifest.
pub fn benchmarks<'a>(
    summary: &'a Summary,
    run: &RunDir,
    series: Vec<(u16, SeriesFigures)>,
) -> Result<Vec<Figure<'a>>> {
    let mut all: Vec<(Subject, Vec<Placed<'a>>)> = Vec::new();
    for (number, one) in series {
        let subject = subject(&one);
        let Some(placed) = placed(summary, number, one) else { continue };
        match all.iter_mut().find(|(known, _)| *known == subject) {
            Some((_, panels)) => panels.push(placed),
            None => all.push((subject, vec![placed])),
        }
    }
    all.sort_by_key(|(subject, _)| order(subject));
    let mut figures = Vec::new();
    for (subject, placed) in all {
        let (panels, rows): (Vec<_>, Vec<_>) =
            placed.into_iter().map(|one| (one.panel, one.rows)).unzip();
        let mut figure = Figure::new(summary, subject, panels)?;
        mark_courses(run, &mut figure, &rows)?;
        figures.push(figure);
    }
    Ok(figures)
}

/// Reads the rows once more, now that it is known how far they reach.
fn mark_courses(run: &RunDir, figure: &mut Figure<'_>, rows: &[SeriesRows]) -> Result<()> {
    let frames = scatter::frames(&figure.panels);
    for (panel, rows) in figure.panels.iter_mut().zip(rows) {
        let Some(course) = &mut panel.course else { continue };
        rows.each(run, |rows| {
            let timed = rows.iter().filter_map(|row| Some((row.at?.0, row.value.0)));
            course.mark(&frames, timed);
            Ok::<(), RunError>(())
        })?;
    }
    Ok(())
}

fn subject(one: &SeriesFigures) -> Subject {
    let (variant, series) = (one.variant.clone(), one.name.clone());
    Subject::Series { kind: one.kind, variant, series }
}

/// Orders by kind only: variants and series keep their order.
fn order(subject: &Subject) -> usize {
    match subject {
        Subject::Series { kind, .. } => kind.index(),
        Subject::Stage(..) => 0,
    }
}

fn placed(summary: &Summary, number: u16, one: SeriesFigures) -> Option<Placed<'_>> {
    let index = usize::from(number);
    let case = summary.cases.get(index)?;
    let is_mine = |of: &&SeriesSummary| {
        of.benchmark == one.kind && of.variant == one.variant && of.series == one.name
    };
    let figures = case.benchmarks.iter().find(is_mine).filter(|of| of.is_figure())?;
    let panel = Panel {
        index,
        case: &case.case,
        kernel: &case.kernel,
        figures: figures.into(),
        clean: one.values,
        hit: Counted::default(),
        histogram: None,
        bars: Vec::new(),
        tails: Default::default(),
        course: one.course.map(Course::new),
    };
    Some(Placed { panel, rows: one.rows })
}
