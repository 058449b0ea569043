// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The lines of a case as an oscilloscope shows them: one sweep, or many on top of
//! each other.
//!
//! Drawn after the way of digital oscilloscopes: a lane per line, its level as a trace, and of many
//! sweeps the share of them as depth of colour. A rare level is drawn darker than its share: a
//! sweep among thousands has to be seen.

use irqscope_analysis::{Band, Density, Later, Persistence, Wave, Waves};

use super::axis::{Linear, ticks};
use super::layout::Layout;
use crate::svg::{Anchor, Ink, Pen, Svg, Type};
use irqscope_quantity::{Unit, alone, grouped};

const LANE: f64 = 34.0;
/// From a lane's upper level to its lower.
const SWING: f64 = 20.0;
const GRID: Pen = Pen { ink: Ink::Grid, width: 0.7, dash: None };
const AXIS: Pen = Pen { ink: Ink::Muted, width: 1.0, dash: None };
/// Columns of many sweeps, by layout.
const COLUMNS: [f64; 2] = [560.0, 200.0];
/// The least depth of what is there at all.
const FAINT: f64 = 0.18;

/// Returns how many columns a drawing of many sweeps has.
pub fn columns(layout: Layout) -> usize {
    layout.pick(COLUMNS[0], COLUMNS[1]) as usize
}

fn ink(line: &Wave) -> Ink {
    line.stage.map_or(Ink::Text, Ink::Stage)
}

/// The frame that both have in common.
struct Sheet<'a> {
    svg: Svg,
    x: Linear,
    top: f64,
    layout: Layout,
    file: File<'a>,
}

/// A drawing that stands by itself has its title and the twin's caveat in it.
#[derive(Clone, Copy)]
pub struct File<'a> {
    pub alone: bool,
    pub caveat: Option<&'a str>,
}

impl<'a> Sheet<'a> {
    fn new(
        title: &str,
        [from, to]: [i64; 2],
        lanes: usize,
        layout: Layout,
        file: File<'a>,
    ) -> Self {
        let mut svg = Svg::new(layout.width(), title);
        let mut top = 14.0;
        if file.alone {
            let set = Type::new(Ink::Text, layout.pick(14.0, 10.5)).bold();
            svg.text((12.0, 22.0), title, set);
            top += 22.0;
        }
        let start = layout.pick(96.0, 74.0);
        let x = Linear {
            from: from as f64,
            to: to as f64,
            start,
            end: layout.width() - layout.pick(16.0, 8.0),
        };
        let mut sheet = Self { svg, x, top, layout, file };
        sheet.grid([from, to], lanes);
        sheet
    }

    fn places(&self, [from, to]: [i64; 2]) -> (Vec<i64>, i64) {
        ticks(from, to, self.layout.pick(10.0, 5.0) as i64)
    }

    fn grid(&mut self, window: [i64; 2], lanes: usize) {
        let bottom = self.top + lanes as f64 * LANE;
        for ns in self.places(window).0 {
            let at = self.x.at(ns as f64);
            self.svg.line([at, self.top, at, bottom], GRID);
        }
    }

    fn name(&mut self, lane: usize, name: &str, ink: Ink) {
        let y = self.level(lane, false) - SWING / 2.0 + 4.0;
        let size = self.layout.pick(11.5, 9.5);
        let set = Type::new(ink, size).bold().at(Anchor::End);
        self.svg.text((self.x.start - 8.0, y), name, set);
    }

    fn level(&self, lane: usize, high: bool) -> f64 {
        let low = self.top + (lane as f64 + 1.0) * LANE - 8.0;
        if high { low - SWING } else { low }
    }

    fn finish(mut self, window: [i64; 2], lanes: usize, foot: &str) -> String {
        let bottom = self.top + lanes as f64 * LANE;
        let (places, step) = self.places(window);
        let unit = Unit::for_largest(window[0].abs().max(window[1].abs()));
        self.svg.line([self.x.start, bottom, self.x.end, bottom], AXIS);
        for ns in places {
            let at = self.x.at(ns as f64);
            self.svg.line([at, bottom, at, bottom + 4.0], AXIS);
            let set = Type::new(Ink::Muted, 10.5).at(Anchor::Middle);
            self.svg.text((at, bottom + 16.0), &unit.stepped(ns, step), set);
        }
        let text = format!("time [{}]; {foot}", unit.name());
        let set = Type::new(Ink::Text, self.layout.pick(11.0, 8.0)).at(Anchor::Middle);
        self.svg.text(((self.x.start + self.x.end) / 2.0, bottom + 34.0), &text, set);
        let File { alone, caveat } = self.file;
        let caveat = caveat.filter(|_| alone).map(str::to_owned);
        let end = super::layout::caveat(&mut self.svg, caveat, bottom + 46.0);
        self.svg.finish(end, alone)
    }
}

/// Draws one sweep: every line from an instant on. `window` counts from `zero`, which is on the
/// view's clock.
pub fn single(
    waves: &Waves,
    zero: i64,
    window: [i64; 2],
    layout: Layout,
    file: File<'_>,
) -> String {
    let mut sheet = Sheet::new(&single_title(waves), window, waves.lines.len(), layout, file);
    for (lane, line) in waves.lines.iter().enumerate() {
        sheet.name(lane, &line.name, ink(line));
        let [from, to] = window.map(|ns| zero + ns);
        let mut high = line.is_high_before(from);
        let mut points = vec![(sheet.x.start, sheet.level(lane, high))];
        for change in line.within(from, to) {
            let at = sheet.x.at((change.at - zero) as f64);
            points.push((at, sheet.level(lane, high)));
            high = change.high;
            points.push((at, sheet.level(lane, high)));
        }
        points.push((sheet.x.end, sheet.level(lane, high)));
        sheet.svg.polyline(&points, Pen { ink: ink(line), width: 1.4, dash: None });
    }
    sheet.finish(window, waves.lines.len(), &format!("seen from {}", waves.view))
}

/// Draws many sweeps. `align` is what they begin at, in words.
pub fn persistent(
    waves: &Waves,
    seen: &Persistence,
    align: &str,
    layout: Layout,
    file: File<'_>,
) -> String {
    let window = [seen.from_ns, seen.to_ns];
    let title = persistent_title(waves, seen, align);
    let mut sheet = Sheet::new(&title, window, seen.lines.len(), layout, file);
    for (lane, (line, density)) in waves.lines.iter().zip(&seen.lines).enumerate() {
        sheet.name(lane, &line.name, ink(line));
        dense(&mut sheet, lane, density, ink(line));
        words(&mut sheet, lane, density);
    }
    let foot = format!("seen from {}; the darker, the more of the sweeps", waves.view);
    sheet.finish(window, seen.lines.len(), &foot)
}

pub fn single_title(waves: &Waves) -> String {
    format!("{}, one sweep", waves.case)
}

pub fn persistent_title(waves: &Waves, seen: &Persistence, align: &str) -> String {
    format!("{}, {} sweeps, each from {align}", waves.case, grouped(seen.sweeps))
}

/// Returns how dark a share is.
fn depth(share: f64) -> f64 {
    if share <= 0.0 { 0.0 } else { FAINT + (1.0 - FAINT) * share.min(1.0).powf(0.4) }
}

/// Draws both levels by how often the line had them, and the edges between.
fn dense(sheet: &mut Sheet<'_>, lane: usize, density: &Density, ink: Ink) {
    let [high, low] = [true, false].map(|high| sheet.level(lane, high));
    let columns = density.high.len();
    let width = (sheet.x.end - sheet.x.start) / columns as f64;
    let left = sheet.x.start;
    let mut strip = |shares: &mut dyn Iterator<Item = f64>, y: f64, height: f64| {
        for (from, to, share) in runs(shares) {
            let x = left + from as f64 * width;
            let area = [x, y, (to - from) as f64 * width, height];
            sheet.svg.shade(area, ink, depth(share));
        }
    };
    strip(&mut density.high.iter().copied(), high - 1.0, 2.0);
    strip(&mut density.high.iter().map(|share| 1.0 - share), low - 1.0, 2.0);
    strip(&mut density.edges.iter().copied(), high, SWING);
}

/// Joins neighbours of one depth, which are drawn as one: from, to, share.
fn runs(shares: &mut dyn Iterator<Item = f64>) -> Vec<(usize, usize, f64)> {
    let mut runs: Vec<(usize, usize, f64)> = Vec::new();
    for (column, share) in shares.enumerate() {
        // 50 depths are more than can be distinguished.
        let share = (share * 1e4).round() / 1e4;
        match runs.last_mut() {
            Some((_, to, known)) if depth_class(*known) == depth_class(share) => *to = column + 1,
            _ => runs.push((column, column + 1, share)),
        }
    }
    runs.retain(|(_, _, share)| *share > 0.0);
    runs
}

fn depth_class(share: f64) -> i64 {
    (depth(share) * 50.0).round() as i64
}

/// Writes the jitter of the first pulse, in figures.
fn words(sheet: &mut Sheet<'_>, lane: usize, density: &Density) {
    let Some(text) = band_text(density) else { return };
    let at = (sheet.x.end - 2.0, sheet.level(lane, true) - 3.0);
    let size = sheet.layout.pick(9.0, 7.0);
    sheet.svg.text(at, &text, Type::new(Ink::Muted, size).at(Anchor::End));
}

/// Formats `begins 1.13 µs to 10.2 µs, and 9 later, up to 282.56 µs; lasts 70 µs to 75.1 µs`.
pub fn band_text(density: &Density) -> Option<String> {
    let range = |band: Band| match (alone(band.min_ns), alone(band.max_ns)) {
        (min, max) if min == max => min,
        (min, max) => format!("{min} to {max}"),
    };
    let later = density.later.map(|Later { count, max_ns }| {
        format!("{} later, up to {}", grouped(count), alone(max_ns))
    });
    let rise = match (density.rise.map(range), later) {
        (Some(rise), Some(later)) => format!("begins {rise}, and {later}"),
        (Some(rise), None) => format!("begins {rise}"),
        (None, Some(later)) => format!("begins {later}"),
        (None, None) => return None,
    };
    Some(match density.width {
        Some(width) => format!("{rise}; lasts {}", range(width)),
        None => rise,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_after_the_window_is_in_the_text() {
        let rise = Some(Band { min_ns: 526, max_ns: 133_550 });
        let later = Some(Later { count: 9, max_ns: 282_560 });
        let (name, high, edges) = ("irq".to_owned(), Vec::new(), Vec::new());
        let density = Density { name, high, edges, rise, later, width: None };
        let text = "begins 526 ns to 133.55 µs, and 9 later, up to 282.56 µs";
        assert_eq!(band_text(&density).as_deref(), Some(text));
        let all_later = Density { rise: None, ..density };
        assert_eq!(band_text(&all_later).as_deref(), Some("begins 9 later, up to 282.56 µs"));
    }

    #[test]
    fn what_is_rare_is_seen_and_what_never_was_is_not() {
        assert_eq!(depth(0.0), 0.0);
        assert!(depth(1e-5) > FAINT && depth(1e-5) < depth(0.5) && depth(0.5) < depth(1.0));
        let shares = [0.0, 0.5, 0.5, 0.0, 1.0];
        assert_eq!(runs(&mut shares.into_iter()), [(1, 3, 0.5), (4, 5, 1.0)]);
    }
}
