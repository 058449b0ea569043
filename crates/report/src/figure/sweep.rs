// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One stage as triggers come faster: median, p99 and maximum against frequency,
//! both axes logarithmic, with the knee of every case.

use irqscope_analysis::{Point, Series, Sweep};
use irqscope_wire::Stage;

use super::axis::{Log, log_label, log_ticks};
use super::layout::Layout;
use crate::svg::{Anchor, Ink, Pen, Svg, Type};
use crate::sweep::knee_text;
use irqscope_quantity::hertz;

const GRID: Pen = Pen { ink: Ink::Grid, width: 1.0, dash: None };
const BASE: Pen = Pen { ink: Ink::Muted, width: 1.0, dash: None };
/// An answer above it comes when the next trigger is out already.
const PERIOD: Pen = Pen { ink: Ink::Muted, width: 1.2, dash: None };

/// A figure's lines of one case, from the lowest to the highest.
type Line = (&'static str, fn(&Point) -> Option<i64>, Option<&'static str>);
const LINES: [Line; 3] = [
    ("p50", |point| point.p50_ns, None),
    ("p99", |point| point.p99_ns, Some("7 3")),
    ("max", |point| point.max_ns, Some("1.5 3")),
];

/// One stage of all cases, ready to be drawn.
pub struct StageSweep<'a> {
    pub stage: Stage,
    /// With the case's position, which decides its colour.
    series: Vec<(usize, &'a Series)>,
    caveat: Option<String>,
}

/// Where things are.
struct Frame {
    layout: Layout,
    x: Log,
    y: Log,
    /// Hertz and nanoseconds at the ends of both axes.
    hertz: (f64, f64),
    ns: (f64, f64),
    left: f64,
    top: f64,
    right: f64,
    bottom: f64,
}

/// Makes all stages of a sweep.
pub fn stages<'a>(sweep: &'a Sweep, caveat: Option<String>) -> Vec<StageSweep<'a>> {
    let cases = sweep.cases();
    let index = |series: &Series| cases.iter().position(|case| *case == series.case).unwrap_or(0);
    let one = |stage| StageSweep {
        stage,
        series: sweep.of_stage(stage).map(|series| (index(series), series)).collect(),
        caveat: caveat.clone(),
    };
    sweep.stages().into_iter().map(one).collect()
}

impl StageSweep<'_> {
    pub fn series(&self) -> impl Iterator<Item = &Series> {
        self.series.iter().map(|(_, series)| *series)
    }

    /// Names its file: `sweep-softirq`.
    pub fn file_name(&self) -> String {
        format!("sweep-{}", self.stage)
    }

    /// Draws the stage; `None` if nothing was answered at any frequency.
    pub fn draw(&self, layout: Layout, alone: bool) -> Option<String> {
        let mut svg =
            Svg::new(layout.width(), &format!("Stage {} against trigger frequency", self.stage));
        let mut top = 10.0;
        if alone {
            let text = format!("{}: latency against trigger frequency", self.stage);
            svg.text((12.0, 24.0), &text, Type::new(Ink::Text, layout.pick(15.0, 12.0)).bold());
            top += 30.0;
        }
        let top = self.legend(&mut svg, layout, top) + 6.0;
        let frame = Frame::new(self, layout, top)?;
        frame.grid(&mut svg);
        for (index, series) in &self.series {
            frame.knee(&mut svg, series, Ink::Case(*index));
        }
        for (index, series) in &self.series {
            frame.lines(&mut svg, series, Ink::Case(*index));
        }
        let bottom = frame.caption(&mut svg);
        let bottom = if alone {
            super::layout::caveat(&mut svg, self.caveat.clone(), bottom)
        } else {
            bottom
        };
        Some(svg.finish(bottom, alone))
    }

    /// Draws each case with its knee, then what the strokes mean.
    fn legend(&self, svg: &mut Svg, layout: Layout, top: f64) -> f64 {
        let set = Type::new(Ink::Text, layout.pick(11.5, 10.0));
        let start = layout.pick(58.0, 12.0);
        let mut flow = Flow { x: start, y: top, start, end: layout.width() };
        for (index, series) in &self.series {
            let text = format!("{}: knee {}", series.case, knee_text(series.knee));
            let (x, y) = flow.place(15.0 + set.width(&text) + 18.0);
            svg.dot((x + 5.0, y), 4.5, Ink::Case(*index));
            svg.text((x + 15.0, y + 4.0), &text, set);
        }
        flow.wrap();
        let set = Type { ink: Ink::Muted, ..set };
        for (name, _, dash) in LINES {
            let (x, y) = flow.place(30.0 + set.width(name) + 14.0);
            svg.line([x, y, x + 24.0, y], Pen { ink: Ink::Muted, width: 1.8, dash });
            svg.text((x + 30.0, y + 4.0), name, set);
        }
        let hollow = "not every trigger answered";
        let (x, y) = flow.place(14.0 + set.width(hollow) + 14.0);
        ring(svg, (x + 5.0, y), Ink::Muted);
        svg.text((x + 14.0, y + 4.0), hollow, set);
        flow.y + 6.0
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.series.iter().flat_map(|(_, series)| &series.points)
    }

    /// Returns the hertz and nanoseconds that must have room.
    fn extent(&self) -> Option<[(f64, f64); 2]> {
        let frequencies = || self.points().map(|point| point.frequency_hz);
        let lowest = frequencies().min_by(f64::total_cmp)?;
        let highest = frequencies().max_by(f64::total_cmp)?;
        let least = self.points().filter_map(|point| point.p50_ns).min()?.max(1) as f64;
        let most = self.points().filter_map(|point| point.max_ns).max()?.max(1) as f64;
        // The period's line shows where it ends.
        let most = most.max(1.5e9 / highest);
        Some([(lowest * 0.94, highest * 1.06), (least * 0.7, (most * 1.4).max(least * 5.0))])
    }
}

/// Places things from left to right, line by line.
struct Flow {
    x: f64,
    y: f64,
    start: f64,
    end: f64,
}

impl Flow {
    fn place(&mut self, width: f64) -> (f64, f64) {
        if self.x > self.start && self.x + width > self.end {
            self.wrap();
        }
        let place = (self.x, self.y);
        self.x += width;
        place
    }

    fn wrap(&mut self) {
        if self.x > self.start {
            (self.x, self.y) = (self.start, self.y + 17.0);
        }
    }
}

impl Frame {
    fn new(figure: &StageSweep<'_>, layout: Layout, top: f64) -> Option<Self> {
        let [hertz, ns] = figure.extent()?;
        let (left, right) = (layout.pick(58.0, 46.0), layout.width() - layout.pick(24.0, 26.0));
        let bottom = top + layout.pick(270.0, 220.0);
        let x = Log::new(hertz.0, hertz.1, left, right);
        let y = Log::new(ns.0, ns.1, bottom, top);
        Some(Self { layout, x, y, hertz, ns, left, top, right, bottom })
    }

    fn grid(&self, svg: &mut Svg) {
        let labels = Type::new(Ink::Muted, 10.0);
        for (tick, labelled) in log_ticks(self.hertz.0, self.hertz.1, self.x.length()) {
            let at = self.x.at(tick as f64);
            svg.line([at, self.top, at, self.bottom], GRID);
            if labelled {
                let text = hertz(tick as f64);
                svg.text((at, self.bottom + 15.0), &text, labels.at(Anchor::Middle));
            }
        }
        for (tick, labelled) in log_ticks(self.ns.0, self.ns.1, self.y.length()) {
            let at = self.y.at(tick as f64);
            svg.line([self.left, at, self.right, at], GRID);
            if labelled {
                svg.text((self.left - 5.0, at + 3.5), &log_label(tick), labels.at(Anchor::End));
            }
        }
        self.period(svg);
        svg.line([self.left, self.bottom, self.right, self.bottom], BASE);
        svg.line([self.left, self.top, self.left, self.bottom], BASE);
    }

    /// Draws latency = one period, as far as the axes show it.
    fn period(&self, svg: &mut Svg) {
        let from = self.hertz.0.max(1e9 / self.ns.1);
        let to = self.hertz.1.min(1e9 / self.ns.0);
        if from >= to {
            return;
        }
        let end = |hertz: f64| (self.x.at(hertz), self.y.at(1e9 / hertz));
        let ((x1, y1), (x2, y2)) = (end(from), end(to));
        svg.line([x1, y1, x2, y2], PERIOD);
        // It falls to the right: what stands above its beginning stands above it.
        let set = Type::new(Ink::Muted, self.layout.pick(10.5, 9.0));
        let down = (self.top + 16.0 - y1).max(6.0);
        let along = down * (x2 - x1) / (y2 - y1).max(1.0);
        svg.text((x1 + along, y1 + down - 4.0), "one period", set);
    }

    fn knee(&self, svg: &mut Svg, series: &Series, ink: Ink) {
        let Some(at) = series.knee.frequency_hz().map(|hertz| self.x.at(hertz)) else { return };
        svg.line([at, self.top, at, self.bottom], Pen { ink, width: 1.2, dash: Some("4 3") });
        svg.bars([[at - 3.0, self.bottom - 5.0, 6.0, 10.0]].into_iter(), ink);
    }

    /// Draws a series, strong up to the knee; beyond it figures are of those triggers alone that
    /// were answered.
    fn lines(&self, svg: &mut Svg, series: &Series, ink: Ink) {
        let good = series.points.iter().take_while(|point| point.keeps_up).count();
        for (_, value, dash) in LINES {
            let place = |point: &Point| {
                let ns = value(point)?.max(1) as f64;
                Some((self.x.at(point.frequency_hz), self.y.at(ns)))
            };
            let places = |points: &[Point]| points.iter().filter_map(place).collect::<Vec<_>>();
            let from = good.saturating_sub(1);
            svg.polyline(&places(&series.points[from..]), Pen { ink, width: 0.8, dash });
            svg.polyline(&places(&series.points[..good]), Pen { ink, width: 2.0, dash });
            for point in series.points.iter().filter(|point| !point.invalid) {
                match (place(point), point.keeps_up) {
                    (Some(at), true) => svg.dot(at, 2.6, ink),
                    (Some(at), false) => ring(svg, at, ink),
                    (None, _) => {}
                }
            }
        }
    }

    fn caption(&self, svg: &mut Svg) -> f64 {
        let text = Type::new(Ink::Text, self.layout.pick(11.0, 9.0)).at(Anchor::Middle);
        let caption = match self.layout {
            Layout::Wide => {
                "trigger frequency; latency of answered triggers; both axes logarithmic"
            }
            Layout::Narrow => "trigger frequency; latency; both logarithmic",
        };
        svg.text(((self.left + self.right) / 2.0, self.bottom + 36.0), caption, text);
        self.bottom + 46.0
    }
}

fn ring(svg: &mut Svg, at: (f64, f64), ink: Ink) {
    svg.dot(at, 3.0, ink);
    svg.dot(at, 1.8, Ink::Ground);
}
