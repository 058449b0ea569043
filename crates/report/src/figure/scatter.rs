// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values in the course of time, the cases under each other, as the authors of
//! the RT patch show them: a gap or a period shows here and in no histogram.

use irqscope_analysis::{self as analysis, Ascending};

use super::Figure;
use super::axis::{Linear, Log, log_label, log_ticks, ticks};
use super::layout::Layout;
use super::panel::Panel;
use crate::svg::{Anchor, Ink, Pen, Svg, Type};
use irqscope_quantity::Unit;

const GRID: Pen = Pen { ink: Ink::Grid, width: 1.0, dash: None };
const BASE: Pen = Pen { ink: Ink::Muted, width: 1.0, dash: None };
/// A dot, and the least distance at which two are distinguished.
const DOT: f64 = 1.6;

/// Where values of one panel are to be drawn, by layout.
#[derive(Clone, Debug)]
pub struct Course {
    pub ends: analysis::Course,
    cells: [Cells; 2],
}

impl Course {
    pub fn new(ends: analysis::Course) -> Self {
        Self { ends, cells: [Layout::Wide, Layout::Narrow].map(Cells::new) }
    }

    /// Marks where values are, each with its instant; frames by layout.
    pub fn mark(&mut self, frames: &[Frame; 2], values: impl Iterator<Item = (i64, i64)>) {
        for (at, value) in values {
            let since = (at as f64 - self.ends.first_ns as f64) / 1e9;
            for (frame, cells) in frames.iter().zip(&mut self.cells) {
                cells.mark(frame.x.at(since) - frame.left, frame.y(value));
            }
        }
    }
}

/// Of a panel's plot: whether there is a value.
#[derive(Clone, Debug)]
struct Cells {
    rows: usize,
    /// Column by column.
    marked: Vec<bool>,
}

impl Cells {
    fn new(layout: Layout) -> Self {
        let count = |length: f64| (length / DOT) as usize + 1;
        let (left, right) = sides(layout);
        let (columns, rows) = (count(right - left), count(height(layout)));
        Self { rows, marked: vec![false; columns * rows] }
    }

    /// Marks a value; one beyond the plot, by a rounding or a clock that went back, is drawn at its
    /// edge.
    fn mark(&mut self, x: f64, y: f64) {
        let columns = self.marked.len() / self.rows;
        let [column, row] =
            [(x, columns), (y, self.rows)].map(|(at, most)| ((at / DOT) as usize).min(most - 1));
        self.marked[column * self.rows + row] = true;
    }

    /// Cells above each other are one stroke, so that a cloud costs few bytes.
    fn strokes(&self) -> Vec<[f64; 4]> {
        let mut strokes = Vec::new();
        for (column, marked) in self.marked.chunks(self.rows).enumerate() {
            let mut row = 0;
            for run in marked.chunk_by(|a, b| a == b) {
                if run[0] {
                    let [x, y, height] = [column, row, run.len()].map(|cells| cells as f64 * DOT);
                    strokes.push([x, y, DOT, height]);
                }
                row += run.len();
            }
        }
        strokes
    }
}

fn sides(layout: Layout) -> (f64, f64) {
    (layout.pick(64.0, 52.0), layout.width() - layout.pick(16.0, 8.0))
}

const fn height(layout: Layout) -> f64 {
    layout.pick(112.0, 96.0)
}

/// One for all panels of a figure.
pub struct Frame {
    layout: Layout,
    left: f64,
    right: f64,
    plot: f64,
    /// Seconds since the first value.
    x: Linear,
    low: i64,
    high: i64,
}

/// Returns both layouts' frames of a figure.
pub fn frames(panels: &[Panel<'_>]) -> [Frame; 2] {
    [Layout::Wide, Layout::Narrow].map(|layout| Frame::new(panels, layout))
}

pub fn draw(figure: &Figure<'_>, layout: Layout, alone: bool) -> String {
    let frame = Frame::new(&figure.panels, layout);
    let name = format!("Course of {}", figure.subject.named());
    let mut svg = Svg::new(layout.width(), &name);
    let mut top = 6.0;
    if alone {
        let size = layout.pick(16.0, 13.0);
        svg.text((12.0, 24.0), &figure.title(), Type::new(Ink::Text, size).bold());
        top += 30.0;
    }
    for panel in &figure.panels {
        top = frame.panel(&mut svg, panel, figure, top);
    }
    let bottom = frame.foot(&mut svg, figure, top);
    let bottom =
        if alone { super::layout::caveat(&mut svg, figure.caveat.clone(), bottom) } else { bottom };
    svg.finish(bottom, alone)
}

impl Frame {
    fn new(panels: &[Panel<'_>], layout: Layout) -> Self {
        let (left, right) = sides(layout);
        let timed = || panels.iter().filter(|panel| panel.course.is_some());
        let low = timed().filter_map(|panel| panel.all().min()).min().unwrap_or(0);
        let high = timed().filter_map(|panel| panel.all().max()).max().unwrap_or(1);
        let longest = panels.iter().map(length).max().unwrap_or(0).max(1);
        let x = Linear { from: 0.0, to: longest as f64 / 1e9, start: left, end: right };
        Self { layout, left, right, plot: height(layout), x, low, high }
    }

    fn panel(&self, svg: &mut Svg, panel: &Panel<'_>, figure: &Figure<'_>, top: f64) -> f64 {
        let name = Type::new(Ink::Text, self.layout.pick(13.0, 12.0)).bold();
        svg.text((self.left, top + 14.0), panel.case, name);
        let top = top + 22.0;
        let bottom = top + self.plot;
        self.scale(svg, top);
        let cells = panel.course.iter().map(|course| &course.cells[self.layout as usize]);
        let placed = |[x, y, width, height]: [f64; 4]| [self.left + x, top + y, width, height];
        svg.bars(cells.flat_map(Cells::strokes).map(placed), figure.subject.ink());
        svg.line([self.left, bottom, self.right, bottom], BASE);
        bottom + 8.0
    }

    /// Returns how far below the upper edge of its plot a value lies. Logarithmic, unless values
    /// lie at zero or below.
    fn y(&self, value: i64) -> f64 {
        match self.scales() {
            Scale::Log(log, _) => log.at(value as f64),
            Scale::Linear(linear) => linear.at(value as f64),
        }
    }

    fn scales(&self) -> Scale {
        if self.low > 0 {
            let ends = (self.low as f64 * 0.9, self.high as f64 * 1.1);
            return Scale::Log(Log::new(ends.0, ends.1, self.plot, 0.0), ends);
        }
        let (from, to) = (self.low as f64, self.high.max(self.low.saturating_add(1)) as f64);
        Scale::Linear(Linear { from, to, start: self.plot, end: 0.0 })
    }

    /// Draws lines and labels along the left.
    fn scale(&self, svg: &mut Svg, top: f64) {
        let labels = Type::new(Ink::Muted, 10.0).at(Anchor::End);
        let mut tick = |at: f64, label: &str| {
            svg.line([self.left, top + at, self.right, top + at], GRID);
            svg.text((self.left - 5.0, top + at + 3.5), label, labels);
        };
        match self.scales() {
            Scale::Log(log, (from, to)) => {
                let shown = log_ticks(from, to, self.plot).into_iter().filter(|(_, shown)| *shown);
                shown.for_each(|(ns, _)| tick(log.at(ns as f64), &log_label(ns)));
            }
            Scale::Linear(linear) => {
                let largest = self.low.unsigned_abs().max(self.high.unsigned_abs());
                let unit = Unit::for_largest(largest as i64);
                let (places, step) = ticks(self.low, self.high, 4);
                for ns in places {
                    let label = format!("{} {}", unit.stepped(ns, step), unit.name());
                    tick(linear.at(ns as f64), &label);
                }
            }
        }
    }

    fn foot(&self, svg: &mut Svg, figure: &Figure<'_>, top: f64) -> f64 {
        let labels = Type::new(Ink::Muted, 10.5).at(Anchor::Middle);
        svg.line([self.left, top, self.right, top], BASE);
        // In microseconds: whole numbers for what lasts a blink as well.
        let wanted = self.layout.pick(8.0, 4.0) as i64;
        let (places, step) = ticks(0, (self.x.to * 1e6) as i64, wanted);
        for us in places {
            let x = self.x.at(us as f64 / 1e6);
            svg.line([x, top, x, top + 4.0], BASE);
            svg.text((x, top + 16.0), &seconds(us, step), labels);
        }
        let log = if self.low > 0 { ", logarithmic" } else { "" };
        let text = format!("time [s]; {}{log}", figure.subject.quantity());
        let set = Type::new(Ink::Text, self.layout.pick(11.0, 9.5)).at(Anchor::Middle);
        svg.text(((self.left + self.right) / 2.0, top + 34.0), &text, set);
        top + 44.0
    }
}

enum Scale {
    /// With its ends.
    Log(Log, (f64, f64)),
    Linear(Linear),
}

/// Returns the nanoseconds from the first to the last value.
fn length(panel: &Panel<'_>) -> i64 {
    let ends = panel.course.as_ref().map(|course| course.ends);
    ends.map_or(0, |ends| ends.last_ns.saturating_sub(ends.first_ns))
}

/// Formats seconds with as many decimals as the step needs.
fn seconds(us: i64, step: i64) -> String {
    let decimals = (0..6).find(|power| step % 10i64.pow(6 - power) == 0).unwrap_or(6);
    format!("{:.*}", decimals as usize, us as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_above_each_other_become_one_stroke() {
        let mut cells = Cells::new(Layout::Wide);
        for (x, y) in [(0, 0), (0, 1), (0, 3), (1, 1)] {
            cells.mark((f64::from(x) + 0.5) * DOT, (f64::from(y) + 0.5) * DOT);
        }
        cells.mark(-1e300, 1e300);
        let strokes = cells.strokes();
        let heights: Vec<f64> = strokes.iter().map(|stroke| stroke[3] / DOT).collect();
        assert_eq!(heights, [2.0, 1.0, 1.0, 1.0], "the last one at the edge");
    }

    #[test]
    fn seconds_have_the_decimals_of_their_step() {
        assert_eq!(seconds(1_000_000, 500_000), "1.0");
        assert_eq!(seconds(2_000_000, 1_000_000), "2");
        assert_eq!(seconds(150, 50), "0.00015");
    }
}
