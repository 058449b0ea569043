// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Many sweeps on top of each other, each aligned on an edge of one line.

use irqscope_wire::Shape;
use serde::Serialize;

use super::waves::{Wave, Waves};

/// The direction of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slope {
    /// Upwards.
    Rising,
    /// Downwards.
    Falling,
}

/// The beginning of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Align {
    /// The line.
    pub line: String,
    /// The slope.
    pub slope: Slope,
}

/// The least and the greatest of a span, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Band {
    /// The earliest.
    pub min_ns: i64,
    /// The latest.
    pub max_ns: i64,
}

impl Band {
    fn extend(band: &mut Option<Self>, ns: i64) {
        let old = band.unwrap_or(Self { min_ns: ns, max_ns: ns });
        *band = Some(Self { min_ns: old.min_ns.min(ns), max_ns: old.max_ns.max(ns) });
    }
}

/// One line in all sweeps.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Density {
    /// The line's name.
    pub name: String,
    /// For each column, the share of its time in which the line was high, over all
    /// sweeps.
    pub high: Vec<f64>,
    /// For each column, the share of sweeps with an edge in it.
    pub edges: Vec<f64>,
    /// Of the first rising edge of each sweep that has one, since the alignment.
    pub rise: Option<Band>,
    /// Of sweeps in which the line began after the window's end, and before the next sweep.
    pub later: Option<Later>,
    /// From that edge to the falling one.
    pub width: Option<Band>,
}

/// Rising edges after the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Later {
    /// In how many sweeps.
    pub count: u64,
    /// The latest, since the alignment.
    pub max_ns: i64,
}

/// Many sweeps on top of each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Persistence {
    /// The window, in nanoseconds since the alignment.
    pub from_ns: i64,
    /// Its end.
    pub to_ns: i64,
    /// How many sweeps there are.
    pub sweeps: u64,
    /// The lines.
    pub lines: Vec<Density>,
}

impl Persistence {
    /// Sweeps do not overlap: an edge within the window of the one before begins
    /// none, as with an oscilloscope's hold-off. None if there is no such line or
    /// no such edge, or the window is empty.
    pub fn of(waves: &Waves, align: &Align, [from, to]: [i64; 2], columns: usize) -> Option<Self> {
        if to <= from || columns == 0 {
            return None;
        }
        let sweeps = sweeps(waves.line(&align.line)?, align.slope, waves.shape, from, to);
        if sweeps.is_empty() {
            return None;
        }
        let window = Window { from, to, columns };
        let lines = waves.lines.iter().map(|line| density(line, &sweeps, window, waves.shape));
        Some(Self { from_ns: from, to_ns: to, sweeps: sweeps.len() as u64, lines: lines.collect() })
    }
}

/// Returns where sweeps begin; where a line toggles every change is a response.
fn sweeps(line: &Wave, slope: Slope, shape: Shape, from: i64, to: i64) -> Vec<i64> {
    let toggles = shape == Shape::Toggle && line.stage.is_some();
    let wanted = |high: bool| toggles || high == (slope == Slope::Rising);
    let mut sweeps: Vec<i64> = Vec::new();
    for change in line.changes.iter().filter(|change| wanted(change.high)) {
        if sweeps.last().is_none_or(|last| change.at + from.min(0) >= last + to) {
            sweeps.push(change.at);
        }
    }
    sweeps
}

#[derive(Clone, Copy)]
struct Window {
    from: i64,
    to: i64,
    columns: usize,
}

impl Window {
    /// Returns the column of an instant since the alignment; the last column has the end.
    fn column(self, at: i64) -> usize {
        let share = (at - self.from) as f64 / (self.to - self.from) as f64;
        ((share * self.columns as f64) as usize).min(self.columns - 1)
    }

    fn width(self) -> f64 {
        (self.to - self.from) as f64 / self.columns as f64
    }

    /// Adds the time of a span to the columns that it meets.
    fn add(self, high: &mut [f64], from: i64, to: i64) {
        let (from, to) = (from.max(self.from), to.min(self.to));
        if to <= from {
            return;
        }
        let width = self.width();
        for (column, high) in
            high.iter_mut().enumerate().take(self.column(to) + 1).skip(self.column(from))
        {
            let begins = self.from as f64 + column as f64 * width;
            let within = (to as f64).min(begins + width) - (from as f64).max(begins);
            *high += within.max(0.0) / width;
        }
    }
}

fn density(line: &Wave, sweeps: &[i64], window: Window, shape: Shape) -> Density {
    let mut high = vec![0.0; window.columns];
    let mut edges = vec![0.0; window.columns];
    let (mut rise, mut width) = (None, None);
    let toggles = shape == Shape::Toggle && line.stage.is_some();
    let mut later: Option<Later> = None;
    for (number, sweep) in sweeps.iter().enumerate() {
        let changes = line.within(sweep + window.from, sweep + window.to);
        let mut began =
            line.is_high_before(sweep + window.from).then_some(window.from).filter(|_| !toggles);
        let (mut first, mut last_column) = (None, None);
        for change in changes {
            let at = change.at - sweep;
            let column = window.column(at);
            if last_column.replace(column) != Some(column) {
                edges[column] += 1.0;
            }
            if first.is_none() && (change.high || toggles) {
                first = Some(at);
                Band::extend(&mut rise, at);
            }
            match (change.high, began.take()) {
                (true, _) if !toggles => began = Some(at),
                (false, Some(from)) => {
                    window.add(&mut high, from, at);
                    if first == Some(from) {
                        Band::extend(&mut width, at - from);
                        first = Some(i64::MIN); // its width counts once
                    }
                }
                _ => {}
            }
        }
        if let Some(from) = began {
            window.add(&mut high, from, window.to);
        }
        if first.is_none() {
            let next = sweeps.get(number + 1).map_or(i64::MAX, |next| next - 1);
            let mut beyond = line.within(sweep + window.to + 1, next).iter();
            let edge = beyond.find(|change| change.high || toggles);
            if let Some(edge) = edge {
                let seen = later.unwrap_or(Later { count: 0, max_ns: 0 });
                let max_ns = seen.max_ns.max(edge.at - sweep);
                later = Some(Later { count: seen.count + 1, max_ns });
            }
        }
    }
    let share = |values: Vec<f64>| values.iter().map(|value| value / sweeps.len() as f64).collect();
    Density { name: line.name.clone(), high: share(high), edges: share(edges), rise, later, width }
}

#[cfg(test)]
mod tests {
    use super::super::waves::tests::waves;
    use super::*;

    fn align(line: &str, slope: Slope) -> Align {
        Align { line: line.into(), slope }
    }

    #[test]
    fn what_is_always_high_is_dense_and_what_varies_is_a_band() {
        let waves =
            waves(&[("irq", &[(0, 10), (1_000, 1_010)]), ("softirq", &[(20, 60), (1_040, 1_090)])]);
        let seen = Persistence::of(&waves, &align("irq", Slope::Rising), [0, 100], 10).unwrap();
        assert_eq!(seen.sweeps, 2);
        assert_eq!(seen.lines[0].high, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(seen.lines[1].high, [0.0, 0.0, 0.5, 0.5, 1.0, 1.0, 0.5, 0.5, 0.5, 0.0]);
        assert_eq!(seen.lines[1].rise, Some(Band { min_ns: 20, max_ns: 40 }));
        assert_eq!(seen.lines[1].width, Some(Band { min_ns: 40, max_ns: 50 }));
    }

    #[test]
    fn what_begins_after_the_window_is_counted() {
        let waves = waves(&[
            ("irq", &[(0, 10), (1_000, 1_010), (2_000, 2_010)]),
            ("softirq", &[(20, 60), (1_240, 1_290), (2_700, 2_790)]),
        ]);
        let seen = Persistence::of(&waves, &align("irq", Slope::Rising), [0, 100], 10).unwrap();
        assert_eq!(seen.lines[1].rise, Some(Band { min_ns: 20, max_ns: 20 }));
        assert_eq!(seen.lines[1].later, Some(Later { count: 2, max_ns: 700 }));
        assert_eq!(seen.lines[0].later, None);
    }

    #[test]
    fn a_falling_edge_aligns_what_was_before_it() {
        let waves =
            waves(&[("irq", &[(0, 10), (1_000, 1_010)]), ("softirq", &[(20, 60), (1_040, 1_090)])]);
        let align = align("softirq", Slope::Falling);
        let seen = Persistence::of(&waves, &align, [-100, 10], 11).unwrap();
        assert_eq!(seen.lines[0].rise, Some(Band { min_ns: -90, max_ns: -60 }));
        assert_eq!(seen.lines[1].rise, Some(Band { min_ns: -50, max_ns: -40 }));
    }

    #[test]
    fn edges_within_a_sweep_begin_no_other() {
        let waves = waves(&[("irq", &[(0, 1), (20, 21), (40, 41), (200, 201)])]);
        let align = align("irq", Slope::Rising);
        assert_eq!(Persistence::of(&waves, &align, [0, 100], 4).unwrap().sweeps, 2);
        assert_eq!(Persistence::of(&waves, &align, [0, 20], 4).unwrap().sweeps, 4);
        assert!(Persistence::of(&waves, &align, [100, 100], 4).is_none());
    }
}
