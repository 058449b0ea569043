// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The histograms of one stage as INTSPECT (Herzog et al.) shows them: the cases under each other on one
//! linear axis, the 5 % and 95 % quantiles, and columns for responses that another interrupt hit (IRQ)
//! and for those beyond the axis (OOB).

use irqscope_analysis::{Axis, Histogram};

use super::Figure;
use super::axis::{Linear, Log, ticks};
use super::histogram::heading;
use super::layout::Layout;
use super::panel::Panel;
use crate::svg::{Anchor, Ink, Pen, Svg, Type};
use irqscope_quantity::{Unit, grouped};

/// Where things are; one for all panels of a figure.
struct Frame {
    layout: Layout,
    left: f64,
    right: f64,
    /// Left edges of the columns IRQ and OOB.
    irq: f64,
    oob: f64,
    column: f64,
    head: f64,
    plot: f64,
    x: Linear,
    decades: f64,
}

const TITLE: f64 = 30.0;
const GRID: Pen = Pen { ink: Ink::Grid, width: 1.0, dash: None };
const BASE: Pen = Pen { ink: Ink::Muted, width: 1.0, dash: None };
const QUANTILE: Pen = Pen { ink: Ink::Quantile, width: 1.4, dash: Some("5 3") };
/// A count of one must be seen: the axis begins this much below it, in decades.
const FOOT: f64 = 0.25;

pub fn draw(figure: &Figure<'_>, axis: Axis, layout: Layout, alone: bool) -> String {
    let frame = Frame::new(figure, axis, layout);
    let unit = Unit::for_largest(axis.end_ns());
    let mut svg = Svg::new(layout.width(), &format!("Histograms of {}", figure.subject.named()));
    let mut top = 6.0;
    if alone {
        super::layout::title(&mut svg, figure, layout);
        top += TITLE;
    }
    for panel in &figure.panels {
        top = frame.panel(&mut svg, panel, unit, top);
    }
    let bottom = frame.foot(&mut svg, figure, axis, unit, top);
    let bottom =
        if alone { super::layout::caveat(&mut svg, figure.caveat.clone(), bottom) } else { bottom };
    svg.finish(bottom, alone)
}

impl Frame {
    fn new(figure: &Figure<'_>, axis: Axis, layout: Layout) -> Self {
        let (left, margin) = (layout.pick(46.0, 34.0), layout.pick(12.0, 4.0));
        let (column, gap) = (layout.pick(46.0, 36.0), layout.pick(14.0, 8.0));
        let oob = layout.width() - margin - column;
        let irq = oob - gap / 2.0 - column;
        let right = irq - gap;
        let (from, to) = (axis.start_ns as f64, axis.end_ns() as f64);
        let histograms = figure.panels.iter().filter_map(|panel| panel.histogram.as_ref());
        let tallest = histograms.map(Histogram::tallest).max().unwrap_or(1).max(1);
        Self {
            layout,
            left,
            right,
            irq,
            oob,
            column,
            head: layout.pick(36.0, 48.0),
            plot: layout.pick(112.0, 96.0),
            x: Linear { from, to, start: left, end: right },
            decades: (tallest as f64).log10().max(1.0) + 0.1,
        }
    }

    fn y(&self, top: f64) -> Log {
        Log::new(10f64.powf(-FOOT), 10f64.powf(self.decades), top + self.plot, top)
    }

    fn panel(&self, svg: &mut Svg, panel: &Panel<'_>, unit: Unit, top: f64) -> f64 {
        heading(svg, panel, self.layout, [self.left, self.oob + self.column], top);
        let top = top + self.head;
        let Some(histogram) = &panel.histogram else { return top + self.plot };
        self.ground(svg, top);
        self.bars(svg, histogram, Ink::Case(panel.index), top);
        self.quantiles(svg, panel, unit, top);
        let columns = [(self.irq, histogram.irq.count), (self.oob, histogram.oob.count)];
        for (left, count) in columns {
            self.column(svg, left, count, Ink::Case(panel.index), top);
        }
        let bottom = top + self.plot;
        svg.line([self.left, bottom, self.right, bottom], BASE);
        self.listed(svg, histogram, unit, bottom)
    }

    /// Draws grid, counts along the left, and the bands of the two columns.
    fn ground(&self, svg: &mut Svg, top: f64) {
        let y = self.y(top);
        for left in [self.irq, self.oob] {
            svg.rect([left, top, self.column, self.plot], Ink::Band);
        }
        let labels = Type::new(Ink::Muted, 10.0).at(Anchor::End);
        for decade in 0..=self.decades as u32 {
            let count = 10u64.pow(decade);
            let at = y.at(count as f64);
            svg.line([self.left, at, self.right, at], GRID);
            svg.text((self.left - 5.0, at + 3.5), &brief(count), labels);
        }
    }

    fn bars(&self, svg: &mut Svg, histogram: &Histogram, ink: Ink, top: f64) {
        let y = self.y(top);
        let Axis { start_ns, bin_ns, .. } = histogram.axis;
        let counts = histogram.counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let bars = counts.map(|(bin, count)| {
            let from = start_ns + bin_ns * bin as i64;
            let [left, right] = [from, from + bin_ns].map(|ns| self.x.at(ns as f64));
            // A hairline between bars, as long as they are wide enough for it.
            let width = if right - left > 4.0 { right - left - 0.7 } else { right - left };
            let upper = y.at(*count as f64);
            [left, upper, width, top + self.plot - upper]
        });
        svg.bars(bars, ink);
    }

    fn quantiles(&self, svg: &mut Svg, panel: &Panel<'_>, unit: Unit, top: f64) {
        let Some((low, high)) = panel.figures.p5_ns.zip(panel.figures.p95_ns) else { return };
        let set = Type::new(Ink::Quantile, 10.0);
        let place = |ns: i64| self.x.at(ns as f64);
        for ns in [low, high] {
            if (self.left..=self.right).contains(&place(ns)) {
                svg.line([place(ns), top - 4.0, place(ns), top + self.plot], QUANTILE);
            }
        }
        let baseline = top - 6.0;
        let [low_text, mut high_text] = ["5 %", "95 %"].map(str::to_owned);
        let low_anchor = if place(low) - set.width(&low_text) > self.left - 20.0 {
            Anchor::End
        } else {
            Anchor::Middle
        };
        let low_at = place(low).clamp(self.left, self.right);
        let taken = if low_anchor == Anchor::Middle { low_at + 14.0 } else { low_at + 4.0 };
        let beyond = place(high) > self.right;
        let fits = !beyond && place(high) + set.width(&high_text) < self.irq;
        if beyond {
            high_text = format!("{high_text} {} {} →", unit.figure(high as f64), unit.name());
        }
        // At the right edge the one ends before the other.
        let (mut low_at, mut high_at) = (low_at - 1.0, (place(high) + 1.0).max(taken));
        let high_anchor = if fits { Anchor::Start } else { Anchor::End };
        if !fits {
            high_at = self.right;
            low_at = low_at.min(self.right - set.width(&high_text) - 4.0);
        }
        svg.text((low_at, baseline), &low_text, set.at(low_anchor));
        svg.text((high_at, baseline), &high_text, set.at(high_anchor));
    }

    fn column(&self, svg: &mut Svg, left: f64, count: u64, ink: Ink, top: f64) {
        let y = self.y(top);
        let bottom = top + self.plot;
        let middle = left + self.column / 2.0;
        svg.line([left, bottom, left + self.column, bottom], BASE);
        let upper = if count > 0 { y.at(count as f64) } else { bottom };
        let inset = self.column * 0.25;
        let bar = [left + inset, upper, self.column - 2.0 * inset, bottom - upper];
        svg.bars((count > 0).then_some(bar).into_iter(), ink);
        let ink = if count > 0 { Ink::Text } else { Ink::Muted };
        let text = Type::new(ink, 10.0).at(Anchor::Middle);
        svg.text((middle, upper - 3.0), &grouped(count), text);
    }

    /// Lists the values out of bounds, as many as fit in a line; the page lists all.
    fn listed(&self, svg: &mut Svg, histogram: &Histogram, unit: Unit, bottom: f64) -> f64 {
        if histogram.oob.is_empty() {
            return bottom + 8.0;
        }
        let most = self.layout.pick(7.0, 3.0) as usize;
        let joined = |values: &[i64]| {
            values.iter().map(|ns| unit.figure(*ns as f64)).collect::<Vec<_>>().join(", ")
        };
        let (first, last) = (&histogram.oob.least, histogram.oob.last(most - most / 2));
        let text = match histogram.oob.count {
            few if few <= most as u64 => joined(first),
            _ => format!("{} … {}", joined(&first[..most / 2]), joined(&last)),
        };
        let text = format!("OOB: {text} {}", unit.name());
        let set = Type::new(Ink::Muted, self.layout.pick(10.5, 9.5)).at(Anchor::End);
        svg.text((self.oob + self.column, bottom + 14.0), &text, set);
        bottom + 20.0
    }

    /// Draws the axis that all panels share, below the last.
    fn foot(&self, svg: &mut Svg, figure: &Figure<'_>, axis: Axis, unit: Unit, top: f64) -> f64 {
        let line = top + 2.0;
        let labels = Type::new(Ink::Muted, 10.5).at(Anchor::Middle);
        svg.line([self.left, line, self.right, line], BASE);
        let wanted = self.layout.pick(10.0, 5.0) as i64;
        let (places, step) = ticks(axis.start_ns, axis.end_ns(), wanted);
        for ns in places {
            let x = self.x.at(ns as f64);
            svg.line([x, line, x, line + 4.0], BASE);
            svg.text((x, line + 16.0), &unit.stepped(ns, step), labels);
        }
        for (left, name) in [(self.irq, "IRQ"), (self.oob, "OOB")] {
            svg.text(
                (left + self.column / 2.0, line + 14.0),
                name,
                Type { ink: Ink::Text, ..labels },
            );
        }
        let bin = unit_of_bin(axis.bin_ns);
        let (quantity, unit) = (figure.subject.quantity(), unit.name());
        let text = format!("{quantity} [{unit}], bins of {bin}; number of samples, logarithmic");
        let middle = (self.left + self.right) / 2.0;
        let set = Type::new(Ink::Text, self.layout.pick(11.0, 9.5)).at(Anchor::Middle);
        svg.text((middle, line + 34.0), &text, set);
        line + 44.0
    }
}

/// Formats 1, 10, 100, 1k, 10k, 100k, 1M.
pub fn brief(count: u64) -> String {
    match count {
        0..1_000 => count.to_string(),
        1_000..1_000_000 => format!("{}k", count / 1_000),
        _ => format!("{}M", count / 1_000_000),
    }
}

/// Formats a bin's width; the series 1-2-5 needs no decimals: `20 ns`, `1 µs`.
fn unit_of_bin(ns: i64) -> String {
    match ns {
        ..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{} µs", ns / 1_000),
        _ => format!("{} ms", ns / 1_000_000),
    }
}
