// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every stage of every case of a sweep at a glance: up to which frequency it
//! kept up, and from which on it did not.

use irqscope_analysis::{Knee, Summary, Sweep};

use super::axis::{Log, log_ticks};
use super::layout::Layout;
use crate::svg::{Anchor, Ink, Pen, Svg, Type};
use crate::sweep::knee_text;
use irqscope_quantity::hertz;

const GRID: Pen = Pen { ink: Ink::Grid, width: 1.0, dash: None };
const ROW: f64 = 17.0;
/// Between stages.
const GAP: f64 = 8.0;

/// Where things are.
struct Frame {
    layout: Layout,
    x: Log,
    left: f64,
    right: f64,
}

/// Draws the knees; `None` without a single step.
pub fn draw(summary: &Summary, sweep: &Sweep, layout: Layout, alone: bool) -> Option<String> {
    let mut svg = Svg::new(layout.width(), "Knees of all stages");
    let mut top = 10.0;
    if alone {
        let text = format!("{}: the highest trigger frequency kept up with", sweep.scenario);
        svg.text((12.0, 24.0), &text, Type::new(Ink::Text, layout.pick(15.0, 11.0)).bold());
        top += 30.0;
    }
    let top = legend(&mut svg, sweep, layout, top) + 6.0;
    let names = sweep.stages().into_iter().map(|stage| label(layout).width(stage.name()));
    let left = names.fold(0.0, f64::max) + 22.0;
    // Beyond the last step there is room for what is written there.
    let right = layout.width() - layout.pick(150.0, 92.0);
    let (lowest, highest) = extent(sweep)?;
    let x = Log::new(lowest, highest, left + 10.0, right);
    let frame = Frame { layout, x, left, right };
    let height = sweep.series.len() as f64 * ROW + sweep.stages().len() as f64 * GAP;
    frame.grid(&mut svg, (lowest, highest), (top, top + height));
    let bottom = frame.rows(&mut svg, sweep, top);
    let text = Type::new(Ink::Text, layout.pick(11.0, 8.5)).at(Anchor::Middle);
    let caption = match layout {
        Layout::Wide => {
            "dot: the last step at which every trigger had a response of its own; \
             ring: the next step, at which not; logarithmic"
        }
        Layout::Narrow => "dot: last step with a response to every trigger; ring: next step",
    };
    svg.text((layout.width() / 2.0, bottom + 36.0), caption, text);
    let bottom = bottom + 46.0;
    let bottom =
        if alone { super::layout::caveat(&mut svg, summary.caveat(), bottom) } else { bottom };
    Some(svg.finish(bottom, alone))
}

impl Frame {
    fn grid(&self, svg: &mut Svg, (from, to): (f64, f64), (top, bottom): (f64, f64)) {
        let labels = Type::new(Ink::Muted, 10.0).at(Anchor::Middle);
        for (tick, labelled) in log_ticks(from * 0.999, to * 1.001, self.x.length()) {
            let at = self.x.at(tick as f64);
            svg.line([at, top, at, bottom], GRID);
            if labelled {
                svg.text((at, bottom + 16.0), &hertz(tick as f64), labels);
            }
        }
    }

    fn rows(&self, svg: &mut Svg, sweep: &Sweep, top: f64) -> f64 {
        let cases = sweep.cases();
        let mut y = top;
        for stage in sweep.stages() {
            svg.line([12.0, y, self.right, y], GRID);
            let baseline = y + GAP / 2.0 + ROW * 0.75;
            svg.text((self.left - 8.0, baseline), stage.name(), label(self.layout));
            y += GAP / 2.0;
            for series in sweep.of_stage(stage) {
                let index = cases.iter().position(|case| *case == series.case).unwrap_or(0);
                self.row(svg, series.knee, Ink::Case(index), y + ROW / 2.0);
                y += ROW;
            }
            y += GAP / 2.0;
        }
        y
    }

    fn row(&self, svg: &mut Svg, knee: Knee, ink: Ink, y: f64) {
        let start = self.x.at(self.x.lowest());
        let good = Pen { ink, width: 5.0, dash: None };
        let open = Pen { ink, width: 1.4, dash: None };
        let end = match knee {
            Knee::Below { .. } => {
                ring(svg, (start, y), ink);
                start
            }
            Knee::At { frequency_hz, next_hz, .. } => {
                let (at, next) = (self.x.at(frequency_hz), self.x.at(next_hz));
                svg.line([start, y, at, y], good);
                svg.line([at, y, next, y], open);
                svg.dot((at, y), 4.6, ink);
                ring(svg, (next, y), ink);
                next
            }
            Knee::Beyond { frequency_hz } => {
                let at = self.x.at(frequency_hz);
                svg.line([start, y, at, y], good);
                svg.dot((at, y), 4.6, ink);
                arrow(svg, at + 6.0, y, open);
                at + 12.0
            }
        };
        let set = Type::new(Ink::Text, self.layout.pick(11.0, 9.5)).bold();
        let text = knee_text(knee);
        svg.text((end + 9.0, y + 4.0), &text, set);
        if let (Knee::At { next_hz, .. }, Layout::Wide) = (knee, self.layout) {
            let beside = Type { ink: Ink::Muted, bold: false, ..set };
            let place = (end + 9.0 + set.width(&text), y + 4.0);
            svg.text(place, &format!("not {}", hertz(next_hz)), beside);
        }
    }
}

fn legend(svg: &mut Svg, sweep: &Sweep, layout: Layout, top: f64) -> f64 {
    let set = Type::new(Ink::Text, layout.pick(11.5, 10.0));
    let (mut x, mut y) = (12.0, top);
    for (index, case) in sweep.cases().into_iter().enumerate() {
        let width = 16.0 + set.width(case) + 16.0;
        if x > 12.0 && x + width > layout.width() {
            (x, y) = (12.0, y + 16.0);
        }
        svg.dot((x + 5.0, y), 4.5, Ink::Case(index));
        svg.text((x + 15.0, y + 4.0), case, set);
        x += width;
    }
    y + 6.0
}

const fn label(layout: Layout) -> Type {
    Type::new(Ink::Text, layout.pick(11.5, 9.5)).bold().at(Anchor::End)
}

fn ring(svg: &mut Svg, at: (f64, f64), ink: Ink) {
    svg.dot(at, 4.0, ink);
    svg.dot(at, 2.4, Ink::Ground);
}

fn arrow(svg: &mut Svg, x: f64, y: f64, pen: Pen) {
    svg.line([x - 2.0, y, x + 5.0, y], pen);
    svg.polyline(&[(x + 1.5, y - 3.5), (x + 5.0, y), (x + 1.5, y + 3.5)], pen);
}

fn extent(sweep: &Sweep) -> Option<(f64, f64)> {
    let points = || sweep.series.iter().flat_map(|one| &one.points).map(|one| one.frequency_hz);
    Some((points().min_by(f64::total_cmp)?, points().max_by(f64::total_cmp)?))
}
