// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values in the course of time, the cases under each other, as the authors of
//! the RT patch show them: a gap or a period shows here and in no histogram.

use std::collections::BTreeSet;

use super::axis::{Linear, Log, log_label, log_ticks, ticks};
use super::{Figure, Layout, Panel};
use crate::svg::{Anchor, Ink, Pen, Svg, Type};
use crate::units::Unit;

const GRID: Pen = Pen { ink: Ink::Grid, width: 1.0, dash: None };
const BASE: Pen = Pen { ink: Ink::Muted, width: 1.0, dash: None };
/// A dot, and the least distance at which two are told apart.
const DOT: f64 = 1.6;

/// One for all panels of a figure.
struct Frame {
    layout: Layout,
    left: f64,
    right: f64,
    plot: f64,
    /// Seconds since the first value.
    x: Linear,
    low: i64,
    high: i64,
}

pub fn draw(figure: &Figure<'_>, layout: Layout, alone: bool) -> String {
    let frame = Frame::new(figure, layout);
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
        if alone { super::caveat(&mut svg, figure.caveat.clone(), bottom) } else { bottom };
    svg.finish(bottom, alone)
}

impl Frame {
    fn new(figure: &Figure<'_>, layout: Layout) -> Self {
        let (left, right) = (layout.pick(64.0, 52.0), layout.width() - layout.pick(16.0, 8.0));
        let values = || figure.panels.iter().flat_map(|panel| &panel.course);
        let low = values().map(|(_, value)| *value).min().unwrap_or(0);
        let high = values().map(|(_, value)| *value).max().unwrap_or(1);
        let longest = figure.panels.iter().map(length).max().unwrap_or(0).max(1);
        let x = Linear { from: 0.0, to: longest as f64 / 1e9, start: left, end: right };
        Self { layout, left, right, plot: layout.pick(112.0, 96.0), x, low, high }
    }

    fn panel(&self, svg: &mut Svg, panel: &Panel<'_>, figure: &Figure<'_>, top: f64) -> f64 {
        let name = Type::new(Ink::Text, self.layout.pick(13.0, 12.0)).bold();
        svg.text((self.left, top + 14.0), panel.case, name);
        let top = top + 22.0;
        let bottom = top + self.plot;
        let y = self.scale(svg, top);
        let first = panel.course.first().map_or(0, |(at, _)| *at);
        let cell = |(at, value): &(i64, i64)| {
            let x = self.x.at((*at as f64 - first as f64) / 1e9);
            ((x / DOT) as i64, (y(*value) / DOT) as i64)
        };
        let cells: BTreeSet<(i64, i64)> = panel.course.iter().map(cell).collect();
        svg.bars(strokes(&cells), figure.subject.ink());
        svg.line([self.left, bottom, self.right, bottom], BASE);
        bottom + 8.0
    }

    /// Logarithmic, unless values lie at zero or below.
    fn scale(&self, svg: &mut Svg, top: f64) -> Box<dyn Fn(i64) -> f64> {
        let bottom = top + self.plot;
        let labels = Type::new(Ink::Muted, 10.0).at(Anchor::End);
        let mut tick = |at: f64, label: &str| {
            svg.line([self.left, at, self.right, at], GRID);
            svg.text((self.left - 5.0, at + 3.5), label, labels);
        };
        if self.low > 0 {
            let (from, to) = (self.low as f64 * 0.9, self.high as f64 * 1.1);
            let log = Log::new(from, to, bottom, top);
            let shown = log_ticks(from, to, self.plot).into_iter().filter(|(_, shown)| *shown);
            shown.for_each(|(ns, _)| tick(log.at(ns as f64), &log_label(ns)));
            return Box::new(move |value| log.at(value as f64));
        }
        let (from, to) = (self.low as f64, self.high.max(self.low + 1) as f64);
        let linear = Linear { from, to, start: bottom, end: top };
        let unit = Unit::for_largest(self.low.unsigned_abs().max(self.high.unsigned_abs()) as i64);
        let (places, step) = ticks(self.low, self.high, 4);
        for ns in places {
            let label = format!("{} {}", unit.stepped(ns, step), unit.name());
            tick(linear.at(ns as f64), &label);
        }
        Box::new(move |value| linear.at(value as f64))
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

/// Nanoseconds from the first to the last value.
fn length(panel: &Panel<'_>) -> i64 {
    let ends = panel.course.first().zip(panel.course.last());
    ends.map_or(0, |((first, _), (last, _))| last.saturating_sub(*first))
}

/// Cells above each other are one stroke, so that a cloud costs few bytes.
fn strokes(cells: &BTreeSet<(i64, i64)>) -> impl Iterator<Item = [f64; 4]> {
    let mut strokes: Vec<(i64, i64, i64)> = Vec::new();
    for (x, y) in cells {
        match strokes.last_mut() {
            Some((column, _, end)) if column == x && *end == *y => *end += 1,
            _ => strokes.push((*x, *y, y + 1)),
        }
    }
    strokes
        .into_iter()
        .map(|(x, from, end)| [x as f64 * DOT, from as f64 * DOT, DOT, (end - from) as f64 * DOT])
}

/// With as many decimals as the step needs.
fn seconds(us: i64, step: i64) -> String {
    let decimals = (0..6).find(|power| step % 10i64.pow(6 - power) == 0).unwrap_or(6);
    format!("{:.*}", decimals as usize, us as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_above_each_other_become_one_stroke() {
        let cells = BTreeSet::from([(0, 0), (0, 1), (0, 3), (1, 1)]);
        let strokes: Vec<[f64; 4]> = strokes(&cells).collect();
        let heights: Vec<f64> = strokes.iter().map(|stroke| stroke[3] / DOT).collect();
        assert_eq!(heights, [2.0, 1.0, 1.0]);
    }

    #[test]
    fn seconds_have_the_decimals_of_their_step() {
        assert_eq!(seconds(1_000_000, 500_000), "1.0");
        assert_eq!(seconds(2_000_000, 1_000_000), "2");
        assert_eq!(seconds(150, 50), "0.00015");
    }
}
