// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every stage of every case at a glance: from minimum to maximum, the middle
//! nine tenths, the median; logarithmic.

use irqscope_analysis::{Ascending, Measured, StageSummary, Summary};
use irqscope_quantity::Quantile;

use super::axis::{Log, log_label, log_ticks};
use super::layout::Layout;
use crate::Result;
use crate::compare::Compared;
use crate::subject::{Subject, stage_name};
use crate::svg::{Anchor, Ink, Pen, Svg, Type};

const GRID: Pen = Pen { ink: Ink::Grid, width: 1.0, dash: None };
const ROW: f64 = 15.0;

/// The figures of one row: minimum, 5 %, median, 95 % and maximum, in nanoseconds.
type Figures = [Option<i64>; 5];

/// Everything that is drawn.
struct Overview {
    title: String,
    /// With the place of each, which decides its colour.
    cases: Vec<(usize, String)>,
    /// By subject: the rows of its cases.
    subjects: Vec<(String, Vec<(usize, Figures)>)>,
    caveat: Option<String>,
}

/// Draws the overview of a run; `None` if nothing was answered.
pub fn draw(summary: &Summary, layout: Layout, alone: bool) -> Option<String> {
    let figures = |one: &StageSummary| [one.min_ns, one.p5_ns, one.p50_ns, one.p95_ns, one.max_ns];
    let subject = |(stage, view)| {
        let cases = summary.shown_cases().filter(|(_, case)| case.main_view() == view);
        let row = |(index, case): (usize, &irqscope_analysis::CaseSummary)| {
            Some((index, figures(case.stage(stage, view)?)))
        };
        (stage_name(stage, view), cases.filter_map(row).collect())
    };
    let cases = summary.shown_cases().map(|(index, case)| (index, case.case.clone())).collect();
    let overview = Overview {
        title: format!("{}: trigger to stage", summary.scenario),
        cases,
        subjects: summary.shown_stages().into_iter().map(subject).collect(),
        caveat: summary.caveat(),
    };
    overview.draw(layout, alone)
}

/// Draws that of a comparison: both sides of each series that has no value below zero.
///
/// # Errors
/// The disk's, where values do not fit into memory.
pub fn compared(compared: &Compared<'_>, layout: Layout, alone: bool) -> Result<Option<String>> {
    const SHOWN: [Quantile; 5] =
        [Quantile::MIN, Quantile::P5, Quantile::P50, Quantile::P95, Quantile::MAX];
    let figures = |series: &Measured| -> Result<Figures> {
        let mut all = [None; 5];
        for (place, quantile) in all.iter_mut().zip(SHOWN) {
            *place = series.sorted.quantile(quantile)?;
        }
        Ok(all)
    };
    let comparison = compared.comparison;
    let mut subjects = Vec::new();
    for series in &comparison.series {
        let [name, named] = &series.names;
        if Subject::from(name).is_signed() {
            continue;
        }
        if let Some((base, other)) = compared.base.find(name).zip(compared.other.find(named)) {
            let rows = vec![(0, figures(base)?), (1, figures(other)?)];
            subjects.push((series.title.clone(), rows));
        }
    }
    let cases = vec![(0, "base".to_owned()), (1, "other".to_owned())];
    let (title, caveat) = ("All series, base and other".to_owned(), compared.caveat());
    Ok(Overview { title, cases, subjects, caveat }.draw(layout, alone))
}

impl Overview {
    fn draw(self, layout: Layout, alone: bool) -> Option<String> {
        let (from, to) = self.extent()?;
        let mut svg = Svg::new(layout.width(), "All stages of all cases");
        let mut top = 10.0;
        if alone {
            let set = Type::new(Ink::Text, layout.pick(15.0, 12.0)).bold();
            svg.text((12.0, 24.0), &self.title, set);
            top += 30.0;
        }
        let top = self.legend(&mut svg, layout, top) + 6.0;
        let label = label(layout);
        let names = self.subjects.iter().map(|(name, _)| label.width(name));
        let left = names.fold(0.0, f64::max).min(layout.width() / 2.0) + 22.0;
        let right = layout.width() - layout.pick(24.0, 16.0);
        let x = Log::new(from, to, left, right);
        let rows: usize = self.subjects.iter().map(|(_, rows)| rows.len()).sum();
        let height = rows as f64 * ROW + self.subjects.len() as f64 * 8.0;
        grid(&mut svg, (from, to), x, (top, top + height));
        let bottom = self.rows(&mut svg, x, (left, top), layout);
        let text = Type::new(Ink::Text, layout.pick(11.0, 9.0)).at(Anchor::Middle);
        let caption = "line: minimum to maximum; bar: 5 % to 95 %; dot: median; logarithmic";
        svg.text((layout.width() / 2.0, bottom + 36.0), caption, text);
        let bottom = bottom + 46.0;
        let bottom =
            if alone { super::layout::caveat(&mut svg, self.caveat, bottom) } else { bottom };
        Some(svg.finish(bottom, alone))
    }

    fn rows(&self, svg: &mut Svg, x: Log, (left, top): (f64, f64), layout: Layout) -> f64 {
        let mut y = top;
        let right = layout.width() - layout.pick(24.0, 16.0);
        for (name, rows) in &self.subjects {
            svg.line([12.0, y, right, y], GRID);
            svg.text((left - 8.0, y + 4.0 + ROW * 0.75), name, label(layout));
            y += 4.0;
            for (index, figures) in rows {
                row(svg, *figures, Ink::Case(*index), x, y + ROW / 2.0);
                y += ROW;
            }
            y += 4.0;
        }
        y
    }

    fn legend(&self, svg: &mut Svg, layout: Layout, top: f64) -> f64 {
        let set = Type::new(Ink::Text, layout.pick(11.5, 10.0));
        let (mut x, mut y) = (12.0, top);
        for (index, case) in &self.cases {
            let width = 16.0 + set.width(case) + 16.0;
            if x > 12.0 && x + width > layout.width() {
                (x, y) = (12.0, y + 16.0);
            }
            svg.dot((x + 5.0, y), 4.5, Ink::Case(*index));
            svg.text((x + 15.0, y + 4.0), case, set);
            x += width;
        }
        y + 6.0
    }

    fn extent(&self) -> Option<(f64, f64)> {
        let rows = || self.subjects.iter().flat_map(|(_, rows)| rows);
        let least = rows().filter_map(|(_, figures)| figures[0]).min()?.max(1) as f64;
        let most = rows().filter_map(|(_, figures)| figures[4]).max()?.max(2) as f64;
        Some((least * 0.9, (most * 1.1).max(least * 2.0)))
    }
}

const fn label(layout: Layout) -> Type {
    Type::new(Ink::Text, layout.pick(11.5, 9.5)).bold().at(Anchor::End)
}

fn row(svg: &mut Svg, figures: Figures, ink: Ink, x: Log, y: f64) {
    let at = |ns: Option<i64>| ns.map(|ns| x.at(ns.max(1) as f64));
    let [Some(min), p5, p50, p95, Some(max)] = figures.map(at) else { return };
    svg.line([min, y, max, y], Pen { ink, width: 1.3, dash: None });
    svg.line([max, y - 4.0, max, y + 4.0], Pen { ink, width: 1.3, dash: None });
    if let Some((p5, p95)) = p5.zip(p95) {
        svg.rect([p5, y - 3.0, (p95 - p5).max(1.5), 6.0], ink);
    }
    if let Some(p50) = p50 {
        svg.dot((p50, y), 4.6, Ink::Ground);
        svg.dot((p50, y), 3.2, ink);
    }
}

fn grid(svg: &mut Svg, (from, to): (f64, f64), x: Log, (top, bottom): (f64, f64)) {
    let labels = Type::new(Ink::Muted, 10.0).at(Anchor::Middle);
    for (ns, labelled) in log_ticks(from, to, x.length()) {
        let at = x.at(ns as f64);
        svg.line([at, top, at, bottom], GRID);
        if labelled {
            svg.text((at, bottom + 16.0), &log_label(ns), labels);
        }
    }
}
