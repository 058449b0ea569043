// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The tails of one stage, overlaid: 1 - ECDF of all latencies, those hit by
//! another interrupt included, both axes logarithmic.

use irqscope_analysis::Ascending;

use super::Figure;
use super::axis::{Log, log_label, log_ticks};
use super::layout::Layout;
use super::panel::Panel;
use crate::svg::{Anchor, Ink, Pen, Svg, Type};

const GRID: Pen = Pen { ink: Ink::Grid, width: 1.0, dash: None };
/// From one point of a line to the next.
const STEP: f64 = 0.5;
const BASE: Pen = Pen { ink: Ink::Muted, width: 1.0, dash: None };

pub fn draw(figure: &Figure<'_>, layout: Layout, alone: bool) -> String {
    let mut svg = Svg::new(layout.width(), &format!("Tails of {}", figure.subject.named()));
    let mut top = 10.0;
    if alone {
        let name = format!("{}: share of responses that came later than…", figure.title());
        svg.text((12.0, 24.0), &name, Type::new(Ink::Text, layout.pick(15.0, 12.0)).bold());
        top += 30.0;
    }
    let top = legend(&mut svg, figure, layout, top) + 8.0;
    let (left, right) = sides(layout);
    let bottom = top + layout.pick(210.0, 170.0);
    let (from, to, fewest) = extent(&figure.panels);
    let x = Log::new(from, to, left, right);
    let y = Log::new(fewest, 1.0, bottom, top);
    grid(&mut svg, (from, to, fewest), (x, y), [left, top, right, bottom]);
    for panel in &figure.panels {
        let pen = pen(figure, panel, panel.index);
        svg.polyline(&points(panel, layout, y, [left, bottom]), pen);
    }
    let text = Type::new(Ink::Text, layout.pick(11.0, 9.5)).at(Anchor::Middle);
    let caption = format!("{}; both axes logarithmic", figure.subject.quantity());
    svg.text(((left + right) / 2.0, bottom + 34.0), &caption, text);
    let bottom = bottom + 44.0;
    let bottom =
        if alone { super::layout::caveat(&mut svg, figure.caveat.clone(), bottom) } else { bottom };
    svg.finish(bottom, alone)
}

/// Returns a case's pen: a state has its colour; another kernel its dashes.
fn pen(figure: &Figure<'_>, panel: &Panel<'_>, index: usize) -> Pen {
    let dashes = [None, Some("6 3"), Some("2 3"), Some("8 3 2 3")];
    let mut kernels: Vec<&str> = figure.panels.iter().map(|panel| panel.kernel).collect();
    kernels.dedup();
    let kernel = kernels.iter().position(|kernel| *kernel == panel.kernel).unwrap_or(0);
    Pen { ink: Ink::Case(index), width: 1.8, dash: dashes[kernel % dashes.len()] }
}

fn legend(svg: &mut Svg, figure: &Figure<'_>, layout: Layout, top: f64) -> f64 {
    let set = Type::new(Ink::Text, layout.pick(11.5, 10.0));
    let start = layout.pick(58.0, 12.0);
    let (mut x, mut y) = (start, top);
    for panel in &figure.panels {
        let width = 30.0 + set.width(panel.case) + 16.0;
        if x > start && x + width > layout.width() {
            (x, y) = (start, y + 16.0);
        }
        svg.line([x, y, x + 24.0, y], pen(figure, panel, panel.index));
        svg.text((x + 30.0, y + 4.0), panel.case, set);
        x += width;
    }
    y + 6.0
}

fn sides(layout: Layout) -> (f64, f64) {
    (layout.pick(58.0, 46.0), layout.width() - layout.pick(24.0, 16.0))
}

/// Returns the latencies that the steps of a drawing stand for, ascending.
pub fn limits(panels: &[Panel<'_>], layout: Layout) -> Vec<f64> {
    let (left, right) = sides(layout);
    let (from, to, _) = extent(panels);
    let x = Log::new(from, to, left, right);
    let steps = ((right - left) / STEP) as usize;
    (0..=steps).map(|step| x.value(left + step as f64 * STEP)).collect()
}

/// Returns least and greatest latency, with a little room, and the smallest share.
fn extent(panels: &[Panel<'_>]) -> (f64, f64, f64) {
    let firsts = panels.iter().filter_map(|panel| panel.all().min());
    let lasts = panels.iter().filter_map(|panel| panel.all().max());
    let from = firsts.min().unwrap_or(1).max(1) as f64;
    let to = lasts.max().unwrap_or(10).max(2) as f64;
    let most = panels.iter().map(|panel| panel.all().count()).max().unwrap_or(1).max(10);
    (from * 0.95, (to * 1.05).max(from * 1.2), 10f64.powf(-(most as f64).log10().ceil()))
}

fn grid(
    svg: &mut Svg,
    (from, to, fewest): (f64, f64, f64),
    (x, y): (Log, Log),
    [left, top, right, bottom]: [f64; 4],
) {
    let labels = Type::new(Ink::Muted, 10.0);
    for (ns, labelled) in log_ticks(from, to, x.length()) {
        let at = x.at(ns as f64);
        svg.line([at, top, at, bottom], GRID);
        if labelled {
            svg.text((at, bottom + 15.0), &log_label(ns), labels.at(Anchor::Middle));
        }
    }
    let decades = -fewest.log10().round() as i32;
    for decade in 0..=decades {
        let share = 10f64.powi(-decade);
        svg.line([left, y.at(share), right, y.at(share)], GRID);
        svg.text((left - 5.0, y.at(share) + 3.5), &percent(decade), labels.at(Anchor::End));
    }
    svg.line([left, bottom, right, bottom], BASE);
    svg.line([left, top, left, bottom], BASE);
}

/// Formats 100 %, 10 %, 1 %, 0.1 %.
fn percent(decade: i32) -> String {
    match decade {
        0 => "100 %".into(),
        1 => "10 %".into(),
        _ => format!("{:.*} %", (decade - 2) as usize, 10f64.powi(2 - decade)),
    }
}

/// Returns one point per step of the drawing, not per value.
fn points(panel: &Panel<'_>, layout: Layout, y: Log, [left, bottom]: [f64; 2]) -> Vec<(f64, f64)> {
    let count = panel.all().count() as f64;
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (step, later) in panel.tails[layout as usize].iter().enumerate() {
        let at = left + step as f64 * STEP;
        let height = if *later == 0 { bottom } else { y.at(*later as f64 / count) };
        // Steps: first along, then down.
        if let Some(&(_, last)) = points.last() {
            if last == height {
                continue;
            }
            points.push((at, last));
        }
        points.push((at, height));
        if *later == 0 {
            break;
        }
    }
    points
}
