// SPDX-License-Identifier: Apache-2.0 OR MIT
//! By how much each quantile is shifted: from the first percentile to the 99.9th,
//! with the tails spread out, and the intervals as a band of lines.

use irqscope_analysis::Shift;
use irqscope_quantity::Quantile;

use super::Figure;
use super::axis::{Linear, ticks};
use super::layout::{Layout, caveat};
use crate::svg::{Anchor, Ink, Pen, Svg, Type};
use irqscope_quantity::Unit;

const GRID: Pen = Pen { ink: Ink::Grid, width: 1.0, dash: None };
const ZERO: Pen = Pen { ink: Ink::Muted, width: 1.2, dash: None };
const LABELLED: [u32; 8] = [10, 50, 250, 500, 750, 900, 990, 999];

/// Draws the shifts; `None` without a single quantile. Where there are intervals, a shift without
/// one is left out: it would be chance that is drawn, and largest.
pub fn draw(figure: &Figure<'_>, shifts: &[Shift], layout: Layout, alone: bool) -> Option<String> {
    let known: Vec<&Shift> = shifts.iter().filter(|one| one.difference_ns.is_some()).collect();
    let sure: Vec<&Shift> = known.iter().copied().filter(|one| one.interval.is_some()).collect();
    let shifts = if sure.is_empty() { known } else { sure };
    let mut svg = Svg::new(layout.width(), &format!("Shifts of {}", figure.subject.named()));
    let mut top = 14.0;
    if alone {
        let name = format!("{}: other minus base, quantile by quantile", figure.title());
        svg.text((12.0, 24.0), &name, Type::new(Ink::Text, layout.pick(15.0, 12.0)).bold());
        top += 30.0;
    }
    let (left, right) = (layout.pick(72.0, 58.0), layout.width() - layout.pick(24.0, 16.0));
    let bottom = top + layout.pick(210.0, 170.0);
    let (lowest, highest) = extent(&shifts)?;
    let x = Linear {
        from: stretched(Quantile::per_mille(10)),
        to: stretched(Quantile::P99_9),
        start: left,
        end: right,
    };
    let y = Linear { from: lowest as f64, to: highest as f64, start: bottom, end: top };
    let unit = grid(&mut svg, (lowest, highest), (x, y), [left, top, right, bottom]);
    for shift in &shifts {
        let Some(limits) = shift.interval else { continue };
        let at = x.at(stretched(shift.quantile));
        let pen = Pen { ink: Ink::Case(4), width: layout.pick(9.0, 5.0), dash: None };
        svg.line([at, y.at(limits.low_ns), at, y.at(limits.high_ns)], pen);
    }
    let place =
        |shift: &&Shift| Some((x.at(stretched(shift.quantile)), y.at(shift.difference_ns? as f64)));
    let line: Vec<(f64, f64)> = shifts.iter().filter_map(place).collect();
    svg.polyline(&line, Pen { ink: Ink::Case(0), width: 1.8, dash: None });
    line.iter().for_each(|at| svg.dot(*at, 2.6, Ink::Case(0)));
    let text = Type::new(Ink::Text, layout.pick(11.0, 9.0)).at(Anchor::Middle);
    let has_limits = shifts.iter().any(|shift| shift.interval.is_some());
    let caption = format!(
        "quantile; difference in {}{}",
        unit.name(),
        if has_limits { "; bars: 95 % intervals, where there are samples enough" } else { "" }
    );
    svg.text(((left + right) / 2.0, bottom + 34.0), &caption, text);
    let bottom = bottom + 44.0;
    let bottom = if alone { caveat(&mut svg, figure.caveat.clone(), bottom) } else { bottom };
    Some(svg.finish(bottom, alone))
}

/// Stretches by the logit: as much room from 90 to 99 % as from 99 to 99.9 %.
fn stretched(quantile: Quantile) -> f64 {
    let share = quantile.share();
    (share / (1.0 - share)).ln()
}

/// Returns the range to draw; zero is always seen.
fn extent(shifts: &[&Shift]) -> Option<(i64, i64)> {
    let limits = |shift: &&Shift| {
        let of =
            shift.interval.map_or([0, 0], |limits| [limits.low_ns as i64, limits.high_ns as i64]);
        [shift.difference_ns.unwrap_or(0), of[0], of[1], 0]
    };
    let all = || shifts.iter().flat_map(limits);
    let (lowest, highest) = (all().min()?, all().max()?);
    let room = (highest.saturating_sub(lowest) / 12).max(1);
    Some((lowest.saturating_sub(room), highest.saturating_add(room)))
}

fn grid(
    svg: &mut Svg,
    (lowest, highest): (i64, i64),
    (x, y): (Linear, Linear),
    [left, top, right, bottom]: [f64; 4],
) -> Unit {
    let unit = Unit::for_largest(lowest.saturating_abs().max(highest.saturating_abs()));
    let labels = Type::new(Ink::Muted, 10.0);
    for level in LABELLED {
        let level = Quantile::per_mille(level);
        let at = x.at(stretched(level));
        svg.line([at, top, at, bottom], GRID);
        svg.text((at, bottom + 15.0), &level.to_string(), labels.at(Anchor::Middle));
    }
    let (places, step) = ticks(lowest, highest, 6);
    for ns in places {
        let at = y.at(ns as f64);
        svg.line([left, at, right, at], if ns == 0 { ZERO } else { GRID });
        let sign = if ns > 0 { "+" } else { "" };
        svg.text(
            (left - 5.0, at + 3.5),
            &format!("{sign}{}", unit.stepped(ns, step)),
            labels.at(Anchor::End),
        );
    }
    unit
}
