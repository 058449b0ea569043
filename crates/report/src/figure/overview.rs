// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every stage of every case at a glance: from minimum to maximum, the middle
//! nine tenths, the median; logarithmic.

use irqscope_analysis::{StageSummary, Summary};

use super::axis::{Log, log_label, log_ticks};
use super::layout::Layout;
use crate::subject::stage_name;
use crate::svg::{Anchor, Ink, Pen, Svg, Type};

const GRID: Pen = Pen { ink: Ink::Grid, width: 1.0, dash: None };
const ROW: f64 = 15.0;

/// Draws the overview; `None` if nothing was answered.
pub fn draw(summary: &Summary, layout: Layout, alone: bool) -> Option<String> {
    let (from, to) = extent(summary)?;
    let mut svg = Svg::new(layout.width(), "All stages of all cases");
    let mut top = 10.0;
    if alone {
        let text = format!("{}: trigger to stage", summary.scenario);
        svg.text((12.0, 24.0), &text, Type::new(Ink::Text, layout.pick(15.0, 12.0)).bold());
        top += 30.0;
    }
    let top = legend(&mut svg, summary, layout, top) + 6.0;
    let label = label(layout);
    let names = summary.shown_stages().into_iter().map(|(stage, view)| stage_name(stage, view));
    let left = names.map(|name| label.width(&name)).fold(0.0, f64::max) + 22.0;
    let right = layout.width() - layout.pick(24.0, 16.0);
    let x = Log::new(from, to, left, right);
    let rows: usize =
        summary.shown_stages().iter().map(|stage| of_stage(summary, *stage).count()).sum();
    let height = rows as f64 * ROW + summary.shown_stages().len() as f64 * 8.0;
    grid(&mut svg, (from, to), x, (top, top + height));
    let bottom = stages(&mut svg, summary, x, (left, top), layout);
    let text = Type::new(Ink::Text, layout.pick(11.0, 9.0)).at(Anchor::Middle);
    let caption = "line: minimum to maximum; bar: 5 % to 95 %; dot: median; logarithmic";
    svg.text((layout.width() / 2.0, bottom + 36.0), caption, text);
    let bottom = if alone {
        super::layout::caveat(&mut svg, summary.caveat(), bottom + 46.0)
    } else {
        bottom + 46.0
    };
    Some(svg.finish(bottom, alone))
}

fn stages(
    svg: &mut Svg,
    summary: &Summary,
    x: Log,
    (left, top): (f64, f64),
    layout: Layout,
) -> f64 {
    let mut y = top;
    let right = layout.width() - layout.pick(24.0, 16.0);
    for (stage, view) in summary.shown_stages() {
        svg.line([12.0, y, right, y], GRID);
        svg.text((left - 8.0, y + 4.0 + ROW * 0.75), &stage_name(stage, view), label(layout));
        y += 4.0;
        for (index, figures) in of_stage(summary, (stage, view)) {
            row(svg, figures, Ink::Case(index), x, y + ROW / 2.0);
            y += ROW;
        }
        y += 4.0;
    }
    y
}

const fn label(layout: Layout) -> Type {
    Type::new(Ink::Text, layout.pick(11.5, 9.5)).bold().at(Anchor::End)
}

fn of_stage(
    summary: &Summary,
    (stage, view): (irqscope_wire::Stage, irqscope_wire::View),
) -> impl Iterator<Item = (usize, &StageSummary)> {
    let cases = summary.shown_cases().filter(move |(_, case)| case.main_view() == view);
    cases.filter_map(move |(index, case)| Some((index, case.stage(stage, view)?)))
}

fn row(svg: &mut Svg, figures: &StageSummary, ink: Ink, x: Log, y: f64) {
    let at = |ns: Option<i64>| ns.map(|ns| x.at(ns.max(1) as f64));
    let all = [figures.min_ns, figures.p5_ns, figures.p50_ns, figures.p95_ns, figures.max_ns];
    let [Some(min), p5, p50, p95, Some(max)] = all.map(at) else { return };
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

fn legend(svg: &mut Svg, summary: &Summary, layout: Layout, top: f64) -> f64 {
    let set = Type::new(Ink::Text, layout.pick(11.5, 10.0));
    let (mut x, mut y) = (12.0, top);
    for (index, case) in summary.shown_cases() {
        let width = 16.0 + set.width(&case.case) + 16.0;
        if x > 12.0 && x + width > layout.width() {
            (x, y) = (12.0, y + 16.0);
        }
        svg.dot((x + 5.0, y), 4.5, Ink::Case(index));
        svg.text((x + 15.0, y + 4.0), &case.case, set);
        x += width;
    }
    y + 6.0
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

fn extent(summary: &Summary) -> Option<(f64, f64)> {
    let stages = || summary.cases.iter().flat_map(|case| &case.stages);
    let least = stages().filter_map(|stage| stage.min_ns).min()?.max(1) as f64;
    let most = stages().filter_map(|stage| stage.max_ns).max()?.max(2) as f64;
    Some((least * 0.9, (most * 1.1).max(least * 2.0)))
}
