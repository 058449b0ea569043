// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One round of `inversion`: what the three threads do, one lane each, in the
//! round whose wait is the median.

use irqscope_analysis::Summary;
use irqscope_run::{BenchSeries, BenchmarkData};
use irqscope_wire::{BenchmarkKind, Instant};

use super::axis::{Linear, ticks};
use super::layout::Layout;
use crate::svg::{Anchor, Ink, Pen, Svg, Type};
use irqscope_quantity::{Unit, alone};

const BASE: Pen = Pen { ink: Ink::Muted, width: 1.0, dash: None };
const LANE: f64 = 22.0;
const BAR: f64 = 13.0;

/// The instants of one round, in nanoseconds since C had the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Round([i64; Instant::ALL.len()]);

impl Round {
    /// Returns its round whose wait is the median; none if an instant is missing.
    fn median(data: &BenchmarkData) -> Option<Round> {
        let series = |name: &str| data.series.iter().find(|series| series.name == name);
        let mut waits: Vec<(i64, u64)> =
            series(Instant::WAIT)?.rows.iter().map(|row| (row.value.0, row.seq)).collect();
        waits.sort_unstable();
        let (_, seq) = *waits.get(waits.len().checked_sub(1)? / 2)?;
        let value = |series: &BenchSeries| {
            series.rows.iter().find(|row| row.seq == seq).map(|row| row.value.0)
        };
        let mut round = [0; Instant::ALL.len()];
        for (instant, place) in Instant::ALL.iter().zip(&mut round) {
            *place = value(series(instant.name())?)?;
        }
        Some(Round(round))
    }

    fn at(&self, instant: Instant) -> i64 {
        self.0[instant as usize]
    }

    fn end(&self) -> i64 {
        self.0.iter().copied().max().unwrap_or(0)
    }

    /// Returns when C runs with the lock: until A asks, and on until it lets go, except while B has
    /// the CPU.
    fn c_runs(&self) -> Vec<(i64, i64)> {
        let (from, to) = (self.at(Instant::CLocks), self.at(Instant::CUnlocks));
        let (b_from, b_to) = (self.at(Instant::BStarts), self.at(Instant::BEnds));
        if b_from < to && b_to > from { vec![(from, b_from), (b_to, to)] } else { vec![(from, to)] }
    }
}

/// One variant with all its cases.
pub struct Timeline<'a> {
    pub variant: String,
    caveat: Option<String>,
    cases: Vec<(&'a str, Round)>,
}

/// Makes the timelines of every variant of `inversion` that a run has.
pub fn timelines<'a>(summary: &'a Summary, data: &[(u16, BenchmarkData)]) -> Vec<Timeline<'a>> {
    let mut all: Vec<Timeline<'a>> = Vec::new();
    for (number, one) in data.iter().filter(|(_, one)| one.kind == BenchmarkKind::Inversion) {
        let case = summary.cases.get(usize::from(*number));
        let Some((case, round)) = case.zip(Round::median(one)) else { continue };
        let known = all.iter().position(|timeline| timeline.variant == one.variant);
        let place = known.unwrap_or_else(|| {
            let (variant, caveat) = (one.variant.clone(), summary.caveat());
            all.push(Timeline { variant, caveat, cases: Vec::new() });
            all.len() - 1
        });
        all[place].cases.push((&case.case, round));
    }
    all
}

impl Timeline<'_> {
    pub fn draw(&self, layout: Layout, alone: bool) -> String {
        let title = format!("One round of inversion {}", self.variant);
        let mut svg = Svg::new(layout.width(), &title);
        let mut top = 6.0;
        if alone {
            let size = layout.pick(15.0, 12.0);
            svg.text((12.0, 24.0), &title, Type::new(Ink::Text, size).bold());
            top += 30.0;
        }
        let end = self.cases.iter().map(|(_, round)| round.end()).max().unwrap_or(1).max(1);
        let (left, right) = (34.0, layout.width() - layout.pick(24.0, 12.0));
        let x = Linear { from: 0.0, to: end as f64, start: left, end: right };
        for (case, round) in &self.cases {
            top = panel(&mut svg, case, round, x, top);
        }
        let bottom = foot(&mut svg, end, x, top, layout);
        let bottom = if alone {
            super::layout::caveat(&mut svg, self.caveat.clone(), bottom)
        } else {
            bottom
        };
        svg.finish(bottom, alone)
    }
}

fn panel(svg: &mut Svg, case: &str, round: &Round, x: Linear, top: f64) -> f64 {
    let wait = round.at(Instant::AHas).saturating_sub(round.at(Instant::AAsks));
    svg.text((x.start, top + 13.0), case, Type::new(Ink::Text, 12.5).bold());
    let text = format!("A waits {}", alone(wait));
    svg.text((x.end, top + 13.0), &text, Type::new(Ink::Muted, 11.0).at(Anchor::End));
    let lanes = [
        ("A", vec![], vec![(round.at(Instant::AAsks), round.at(Instant::AHas))]),
        ("B", vec![(round.at(Instant::BStarts), round.at(Instant::BEnds))], vec![]),
        ("C", round.c_runs(), vec![(round.at(Instant::CLocks), round.at(Instant::CUnlocks))]),
    ];
    let mut y = top + 20.0;
    for (name, runs, spans) in lanes {
        svg.text(
            (x.start - 8.0, y + 11.0),
            name,
            Type::new(Ink::Text, 11.5).bold().at(Anchor::End),
        );
        // A's span is a wait, C's the lock that it holds.
        let bar = |(from, to): &(i64, i64), inset: f64| {
            let [left, right] = [*from, *to].map(|ns| x.at(ns as f64));
            [left, y + inset, (right - left).max(1.0), BAR - 2.0 * inset]
        };
        let light = if name == "A" { Ink::Quantile } else { Ink::Grid };
        spans.iter().for_each(|span| svg.rect(bar(span, 0.0), light));
        runs.iter()
            .for_each(|run| svg.rect(bar(run, 3.0), Ink::Benchmark(BenchmarkKind::Inversion)));
        y += LANE;
    }
    y + 4.0
}

fn foot(svg: &mut Svg, end: i64, x: Linear, top: f64, layout: Layout) -> f64 {
    let unit = Unit::for_largest(end);
    svg.line([x.start, top, x.end, top], BASE);
    let (places, step) = ticks(0, end, layout.pick(10.0, 5.0) as i64);
    for ns in places {
        let at = x.at(ns as f64);
        svg.line([at, top, at, top + 4.0], BASE);
        let set = Type::new(Ink::Muted, 10.5).at(Anchor::Middle);
        svg.text((at, top + 16.0), &unit.stepped(ns, step), set);
    }
    let text =
        format!("time [{}]; red: A waits; grey: C holds the lock; orange: runs", unit.name());
    let set = Type::new(Ink::Text, layout.pick(11.0, 8.5)).at(Anchor::Middle);
    svg.text(((x.start + x.end) / 2.0, top + 34.0), &text, set);
    top + 44.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c_runs_around_b_only_if_b_comes_before_it_lets_go() {
        // c-locks, a-asks, b-starts, b-ends, c-unlocks, a-has
        let inverted = Round([0, 1, 2, 12, 20, 21]);
        assert_eq!(inverted.c_runs(), [(0, 2), (12, 20)]);
        let inherited = Round([0, 1, 12, 22, 10, 11]);
        assert_eq!(inherited.c_runs(), [(0, 10)]);
        assert_eq!((inverted.end(), inherited.end()), (21, 22));
    }
}
