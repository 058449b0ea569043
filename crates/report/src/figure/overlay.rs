// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Two series over each other: cumulated, their tails, and by how much each quantile
//! is shifted.

use irqscope_analysis::{Ascending, Axis, Counted, Measured, Shift};
use irqscope_wire::Tick;

use super::axis::{Linear, ticks};
use super::layout::{Layout, caveat};
use super::panel::{Figures, Panel};
use super::{Figure, shift};
use crate::Result;
use crate::compare::Compared;
use crate::subject::Subject;
use crate::svg::{Anchor, Ink, Pen, Svg, Type};
use irqscope_quantity::{Quantile, Unit};

const GRID: Pen = Pen { ink: Ink::Grid, width: 1.0, dash: None };
const BASE: Pen = Pen { ink: Ink::Muted, width: 1.0, dash: None };

/// Where the curve of shifts has its points, in thousandths of all values.
const LEVELS: [u32; 23] = [
    10, 25, 50, 100, 150, 200, 250, 300, 400, 500, 600, 700, 750, 800, 850, 900, 950, 970, 980,
    990, 995, 998, 999,
];

/// One series of a comparison, ready to be drawn.
pub struct Overlay<'a> {
    /// `panels` are base and other.
    figure: Figure<'a>,
    /// Of each layout, and in that of both: the share of values up to each step of
    /// the drawing.
    shares: [Vec<Vec<f64>>; 2],
    shifts: Vec<Shift>,
}

/// Shortens `runs/before#6.1/idle` to what is behind the directories, if both sides differ in that.
fn short(names: [&str; 2]) -> [&str; 2] {
    let behind = |name: &'_ str| {
        let run = name.find('#').unwrap_or(name.len());
        name[..run].rfind('/').map_or(0, |slash| slash + 1)
    };
    let [base, other] = names;
    let [one, two] = [&base[behind(base)..], &other[behind(other)..]];
    if one == two { names } else { [one, two] }
}

impl<'a> Overlay<'a> {
    /// Makes every series of a comparison, in its order.
    ///
    /// # Errors
    /// The disk's, where values do not fit into memory.
    pub fn all(compared: &'a Compared<'a>) -> Result<Vec<Self>> {
        let of = |one: &irqscope_analysis::SeriesComparison| {
            let [name, named] = &one.names;
            let (base, other) = (compared.base.find(name)?, compared.other.find(named)?);
            Some(Self::new(compared, name.into(), base, other))
        };
        compared.comparison.series.iter().filter_map(of).collect()
    }

    fn new(
        compared: &'a Compared<'a>,
        subject: Subject,
        base: &'a Measured,
        other: &'a Measured,
    ) -> Result<Self> {
        let names = short([&compared.comparison.base, &compared.comparison.other]);
        let panel = |(index, series): (usize, &Measured)| Panel {
            index,
            case: names[index],
            kernel: "",
            figures: Figures { count: series.sorted.count(), ..Figures::default() },
            clean: series.sorted.clone(),
            hit: Counted::default(),
            histogram: None,
            bars: Vec::new(),
            tails: Default::default(),
            course: None,
        };
        let panels: Vec<Panel<'a>> = (0..).zip([base, other]).map(panel).collect();
        let tick = compared.base.summary.instruction_femtoseconds;
        let tick = tick.map(|femtoseconds| Tick { femtoseconds });
        let figure = Figure::of(subject, panels, tick, compared.caveat())?;
        let shift = |level: &u32| match compared.comparison.exact {
            true => Shift::exact(base, other, Quantile::per_mille(*level)).transpose(),
            false => Shift::estimated(
                base,
                other,
                Quantile::per_mille(*level),
                compared.comparison.level,
            )
            .transpose(),
        };
        let shifts = LEVELS.iter().filter_map(shift).collect::<Result<_, _>>()?;
        let shares = Layout::ALL.map(|layout| shares(&figure, layout));
        let [wide, narrow] = shares;
        Ok(Self { shares: [wide?, narrow?], figure, shifts })
    }

    pub fn title(&self) -> String {
        self.figure.title()
    }

    pub fn file_name(&self) -> String {
        self.figure.file_name()
    }

    /// Returns what each shows, and its drawing.
    pub fn drawings(&self, layout: Layout, alone: bool) -> Vec<(&'static str, String)> {
        let drawn = [
            ("cumulative", self.cumulative(layout, alone)),
            ("tail", self.figure.tail(layout, alone)),
            ("shift", shift::draw(&self.figure, &self.shifts, layout, alone)),
        ];
        drawn.into_iter().filter_map(|(what, svg)| Some((what, svg?))).collect()
    }

    /// Draws empirical distribution functions. The axis is that of histograms, where a thin tail
    /// does not squeeze the body.
    fn cumulative(&self, layout: Layout, alone: bool) -> Option<String> {
        let figure = &self.figure;
        let axis = figure.axis?;
        let mut svg =
            Svg::new(layout.width(), &format!("Distributions of {}", figure.subject.named()));
        let mut top = 10.0;
        if alone {
            let name = format!("{}: share of values up to…", figure.title());
            svg.text((12.0, 24.0), &name, Type::new(Ink::Text, layout.pick(15.0, 12.0)).bold());
            top += 30.0;
        }
        let top = legend(&mut svg, figure, layout, top) + 8.0;
        let x = across(axis, layout);
        let (left, right) = (x.start, x.end);
        let bottom = top + layout.pick(210.0, 170.0);
        let y = Linear { from: 0.0, to: 1.0, start: bottom, end: top };
        let unit = grid(&mut svg, axis, (x, y), [left, top, right, bottom], layout);
        for (panel, shares) in figure.panels.iter().zip(&self.shares[layout as usize]) {
            svg.polyline(&points(shares, x, y), pen(panel.index));
        }
        let text = Type::new(Ink::Text, layout.pick(11.0, 9.5)).at(Anchor::Middle);
        let caption = format!("{} in {}", figure.subject.quantity(), unit.name());
        svg.text(((left + right) / 2.0, bottom + 34.0), &caption, text);
        let bottom = bottom + 44.0;
        let bottom = if alone { caveat(&mut svg, figure.caveat.clone(), bottom) } else { bottom };
        Some(svg.finish(bottom, alone))
    }
}

fn pen(index: usize) -> Pen {
    Pen { ink: Ink::Case(index), width: 1.8, dash: None }
}

/// Draws one line for each side: names of runs are long.
fn legend(svg: &mut Svg, figure: &Figure<'_>, layout: Layout, top: f64) -> f64 {
    let set = Type::new(Ink::Text, layout.pick(11.5, 9.0));
    let mut y = top;
    for panel in &figure.panels {
        svg.line([12.0, y, 36.0, y], pen(panel.index));
        svg.text((42.0, y + 4.0), panel.case, set);
        y += 16.0;
    }
    y - 6.0
}

fn grid(
    svg: &mut Svg,
    axis: Axis,
    (x, y): (Linear, Linear),
    [left, top, right, bottom]: [f64; 4],
    layout: Layout,
) -> Unit {
    let unit = Unit::for_largest(axis.end_ns());
    let labels = Type::new(Ink::Muted, 10.0);
    let (places, step) = ticks(axis.start_ns, axis.end_ns(), layout.pick(8.0, 4.0) as i64);
    for ns in places {
        let at = x.at(ns as f64);
        svg.line([at, top, at, bottom], GRID);
        svg.text((at, bottom + 15.0), &unit.stepped(ns, step), labels.at(Anchor::Middle));
    }
    for quarter in 0..=4 {
        let at = y.at(f64::from(quarter) / 4.0);
        svg.line([left, at, right, at], GRID);
        svg.text((left - 5.0, at + 3.5), &format!("{} %", quarter * 25), labels.at(Anchor::End));
    }
    svg.line([left, bottom, right, bottom], BASE);
    unit
}

fn across(axis: Axis, layout: Layout) -> Linear {
    let (start, end) = (layout.pick(58.0, 46.0), layout.width() - layout.pick(24.0, 16.0));
    Linear { from: axis.start_ns as f64, to: axis.end_ns() as f64, start, end }
}

/// Returns the number of steps of a drawing of this width.
fn steps(x: Linear) -> usize {
    ((x.end - x.start) * 2.0) as usize
}

/// Returns the share of values up to every step, for each panel.
fn shares(figure: &Figure<'_>, layout: Layout) -> Result<Vec<Vec<f64>>> {
    let Some(axis) = figure.axis else { return Ok(Vec::new()) };
    let x = across(axis, layout);
    let limit = |step: usize| x.from + step as f64 / steps(x) as f64 * (x.to - x.from);
    let limits: Vec<f64> = (0..=steps(x)).map(limit).collect();
    let of = |panel: &Panel<'_>| {
        let all = panel.all();
        let greater = all.greater_than(&limits)?;
        let count = all.count().max(1) as f64;
        Ok(greater.into_iter().map(|greater| (all.count() - greater) as f64 / count).collect())
    };
    figure.panels.iter().map(of).collect()
}

/// Returns one point per step of the drawing, not per value.
fn points(shares: &[f64], x: Linear, y: Linear) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (step, share) in shares.iter().enumerate() {
        let along = step as f64 / steps(x) as f64;
        let (at, height) = (x.at(x.from + along * (x.to - x.from)), y.at(*share));
        match points.last() {
            Some((_, last)) if *last == height && step != steps(x) => continue,
            Some((_, last)) => points.push((at, *last)),
            None => {}
        }
        points.push((at, height));
    }
    points
}
