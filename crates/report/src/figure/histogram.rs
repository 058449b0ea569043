// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The histograms of one stage: the cases under each other on one axis. Both axes are logarithmic, so
//! that nothing is cut off: a response that took a thousand times as long as the median is a bar of its
//! own.

use irqscope_analysis::Ascending;
use irqscope_wire::Tick;

use super::Figure;
use super::axis::{Log, log_label, log_ticks};
use super::layout::Layout;
use super::panel::{Figures, Panel};
use crate::Result;
use crate::svg::{Anchor, Ink, Pen, Svg, Type};
use irqscope_quantity::{alone, grouped};

const TITLE: f64 = 30.0;
const GRID: Pen = Pen { ink: Ink::Grid, width: 1.0, dash: None };
const BASE: Pen = Pen { ink: Ink::Muted, width: 1.0, dash: None };
const MARK: Pen = Pen { ink: Ink::Text, width: 1.0, dash: Some("3 3") };
/// Bins of an axis, if the clock is fine enough.
const BINS: i32 = 160;
/// A count of one must be seen: the axis begins this much below it, in decades.
const FOOT: f64 = 0.25;

/// Bins of one axis, each a little wider than the one before, by the ratio of their ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Bins {
    /// Ends in ns: a bin has what is greater than the end before it, and not greater than its own.
    pub ends_ns: Vec<i64>,
    /// Where the first one begins.
    pub start_ns: i64,
}

impl Bins {
    /// Makes bins from the least to the greatest value of all panels, each as wide as some whole ticks:
    /// others would show a comb that is not in the data. `None` without a value.
    pub fn around(panels: &[Panel<'_>], tick: Option<Tick>) -> Option<Self> {
        let least = panels.iter().filter_map(|panel| panel.all().min()).min()?.max(1);
        let most = panels.iter().filter_map(|panel| panel.all().max()).max()?.max(least);
        let tick = tick.map_or(1, |tick| tick.femtoseconds.div_ceil(1_000_000).max(1));
        Some(Self::between(least, most, i64::try_from(tick).unwrap_or(i64::MAX)))
    }

    /// Makes bins from one value to another, both above zero.
    fn between(least: i64, most: i64, tick: i64) -> Self {
        // An axis around a single value shows it as what it is, narrow.
        let range = (most as f64 / least as f64).max(1.5);
        let ratio = range.powf(1.0 / f64::from(BINS));
        let start_ns = (least - 1).div_euclid(tick).saturating_mul(tick);
        let mut ends_ns = Vec::new();
        let mut end = start_ns;
        while end < most {
            let ticks = ((end.max(1) as f64 * (ratio - 1.0)) / tick as f64).round().max(1.0);
            end = end.saturating_add(tick.saturating_mul(ticks as i64));
            ends_ns.push(end);
        }
        Self { ends_ns, start_ns }
    }

    /// Counts a panel's values, bin by bin, and at last those of which only is known that they are
    /// greater; those below the first bin belong to it.
    pub fn count(&self, panel: &Panel<'_>) -> Result<Vec<u64>> {
        let limits: Vec<f64> = self.ends_ns.iter().map(|end| *end as f64).collect();
        let mut left = panel.all().count();
        let greater = panel.all().greater_than(&limits)?;
        let of_bin = |after| std::mem::replace(&mut left, after) - after;
        let mut counts: Vec<u64> = greater.into_iter().map(of_bin).collect();
        counts.push(left);
        Ok(counts)
    }
}

/// Where things are; one for all panels of a figure.
struct Frame<'a> {
    layout: Layout,
    bins: &'a Bins,
    left: f64,
    right: f64,
    head: f64,
    plot: f64,
    x: Log,
    decades: f64,
}

pub fn draw(figure: &Figure<'_>, bins: &Bins, layout: Layout, is_file: bool) -> String {
    let frame = Frame::new(figure, bins, layout);
    let mut svg = Svg::new(layout.width(), &format!("Histograms of {}", figure.subject.named()));
    let mut top = 6.0;
    if is_file {
        super::layout::title(&mut svg, figure, layout);
        top += TITLE;
    }
    for panel in &figure.panels {
        top = frame.panel(&mut svg, panel, &figure.limits_ns, top);
    }
    let bottom = frame.foot(&mut svg, figure.subject.quantity(), top);
    let bottom = if is_file {
        super::layout::caveat(&mut svg, figure.caveat.clone(), bottom)
    } else {
        bottom
    };
    svg.finish(bottom, is_file)
}

impl<'a> Frame<'a> {
    fn new(figure: &Figure<'_>, bins: &'a Bins, layout: Layout) -> Self {
        let (left, right) = (layout.pick(46.0, 34.0), layout.width() - layout.pick(16.0, 8.0));
        let tallest = figure.panels.iter().flat_map(|panel| &panel.bars).max();
        let ends = (bins.start_ns.max(1), bins.ends_ns.last().copied().unwrap_or(2));
        let limits = figure.limits_ns.iter().copied();
        // A limit a little beyond the last response is worth being seen.
        let farthest = limits.filter(|ns| *ns / 4 < ends.1).max().unwrap_or(0).max(ends.1);
        let [from, to] = [ends.0, farthest].map(|ns| ns as f64);
        let to = (to * 1.03).max(from * 1.5);
        Self {
            layout,
            bins,
            left,
            right,
            head: layout.pick(36.0, 48.0),
            plot: layout.pick(96.0, 84.0),
            x: Log::new(from * 0.97, to, left, right),
            decades: (tallest.copied().unwrap_or(1).max(1) as f64).log10().max(1.0) + 0.1,
        }
    }

    fn panel(&self, svg: &mut Svg, panel: &Panel<'_>, limits: &[i64], top: f64) -> f64 {
        heading(svg, panel, self.layout, [self.left, self.right], top);
        let top = top + self.head;
        let bottom = top + self.plot;
        self.ground(svg, top);
        let y = Log::new(10f64.powf(-FOOT), 10f64.powf(self.decades), bottom, top);
        let begins = std::iter::once(self.bins.start_ns).chain(self.bins.ends_ns.iter().copied());
        let counted =
            begins.zip(&self.bins.ends_ns).zip(&panel.bars).filter(|(_, count)| **count > 0);
        let bars = counted.map(|((begin, end), count)| {
            let [left, right] = [begin, *end].map(|ns| self.x.at(ns.max(1) as f64));
            let left = left.max(self.left);
            // A bin may be narrower than what a screen can show.
            let upper = y.at(*count as f64);
            [left, upper, (right - left).max(1.2), bottom - upper]
        });
        svg.bars(bars, Ink::Case(panel.index));
        if let Some(beyond) = panel.bars.get(self.bins.ends_ns.len()).filter(|count| **count > 0) {
            let set = Type::new(Ink::Text, 10.0).at(Anchor::End);
            svg.text((self.right, top + 12.0), &format!("{} beyond →", grouped(*beyond)), set);
        }
        self.marks(svg, panel, limits, top);
        svg.line([self.left, bottom, self.right, bottom], BASE);
        bottom + 8.0
    }

    /// Draws decades of counts along the left, and of latencies.
    fn ground(&self, svg: &mut Svg, top: f64) {
        let y = Log::new(10f64.powf(-FOOT), 10f64.powf(self.decades), top + self.plot, top);
        let labels = Type::new(Ink::Muted, 10.0).at(Anchor::End);
        for decade in 0..=self.decades as u32 {
            let count = 10u64.pow(decade);
            let at = y.at(count as f64);
            svg.line([self.left, at, self.right, at], GRID);
            svg.text((self.left - 5.0, at + 3.5), &super::intspect::brief(count), labels);
        }
        for (ns, _) in log_ticks(self.x.lowest(), self.x.highest(), self.x.length()) {
            let x = self.x.at(ns as f64);
            svg.line([x, top, x, top + self.plot], GRID);
        }
    }

    /// Draws quantiles, the maximum and limits, with their names above, beside each other where they
    /// would meet.
    fn marks(&self, svg: &mut Svg, panel: &Panel<'_>, limits: &[i64], top: f64) {
        let Figures { p50_ns, p99_ns, p99_9_ns, max_ns, .. } = panel.figures;
        let named = [("p50", p50_ns), ("p99", p99_ns), ("p99.9", p99_9_ns), ("max", max_ns)];
        let mut marks: Vec<(f64, &str, Ink)> = named
            .into_iter()
            .filter_map(|(name, ns)| Some((self.x.at(ns?.max(1) as f64), name, Ink::Text)))
            .collect();
        let shown = limits.iter().filter(|ns| (**ns as f64) <= self.x.highest());
        marks.extend(shown.map(|ns| (self.x.at((*ns).max(1) as f64), "limit", Ink::Quantile)));
        marks.sort_by(|one, other| one.0.total_cmp(&other.0));
        for (x, _, ink) in &marks {
            let pen = if matches!(ink, Ink::Text) {
                MARK
            } else {
                Pen { ink: *ink, width: 1.6, dash: None }
            };
            svg.line([*x, top - 3.0, *x, top + self.plot], pen);
        }
        let set = |ink| Type::new(ink, 9.5).at(Anchor::Middle);
        let widths: Vec<f64> =
            marks.iter().map(|(_, name, ink)| set(*ink).width(name) + 4.0).collect();
        let places =
            apart(&marks.iter().map(|mark| mark.0).collect::<Vec<_>>(), &widths, self.right);
        for ((_, name, ink), place) in marks.iter().zip(places) {
            svg.text((place, top - 6.0), name, set(*ink));
        }
    }

    /// Draws the axis that all panels share, below the last.
    fn foot(&self, svg: &mut Svg, quantity: &str, top: f64) -> f64 {
        let labels = Type::new(Ink::Muted, 10.5).at(Anchor::Middle);
        for (ns, is_labelled) in log_ticks(self.x.lowest(), self.x.highest(), self.x.length()) {
            let x = self.x.at(ns as f64);
            if is_labelled {
                svg.text((x, top + 10.0), &log_label(ns), labels);
            }
        }
        let text = format!("{quantity}; number of samples in each bin; both axes logarithmic");
        let set = Type::new(Ink::Text, self.layout.pick(11.0, 9.0)).at(Anchor::Middle);
        svg.text(((self.left + self.right) / 2.0, top + 28.0), &text, set);
        top + 38.0
    }
}

/// Draws the case, and its figures beside or below it.
pub fn heading(
    svg: &mut Svg,
    panel: &Panel<'_>,
    layout: Layout,
    [left, right]: [f64; 2],
    top: f64,
) {
    let summary = panel.figures;
    svg.text((left, top + 14.0), panel.case, Type::new(Ink::Text, layout.pick(13.0, 12.0)).bold());
    let mut text = format!("n {}", grouped(summary.count));
    let named = [
        ("p50", summary.p50_ns),
        ("p99", summary.p99_ns),
        ("p99.9", summary.p99_9_ns),
        ("max", summary.max_ns),
    ];
    for (name, value) in named {
        text.push_str(&value.map(|ns| format!(" · {name} {}", alone(ns))).unwrap_or_default());
    }
    let Figures { missing, coalesced, skipped, .. } = summary;
    for (name, count) in [("missing", missing), ("coalesced", coalesced), ("skipped", skipped)] {
        if count > 0 {
            text.push_str(&format!(" · {} {name}", grouped(count)));
        }
    }
    let set = Type::new(Ink::Muted, layout.pick(11.5, 9.0));
    match layout {
        Layout::Wide => svg.text((right, top + 14.0), &text, set.at(Anchor::End)),
        Layout::Narrow => svg.text((left, top + 28.0), &text, set),
    }
}

/// Moves the middles of labels, which ascend, so that none covers another and none goes beyond `right`.
fn apart(wanted: &[f64], widths: &[f64], right: f64) -> Vec<f64> {
    let mut places = wanted.to_vec();
    for one in 1..places.len() {
        let free = places[one - 1] + (widths[one - 1] + widths[one]) / 2.0;
        places[one] = places[one].max(free);
    }
    let mut room = right;
    for one in (0..places.len()).rev() {
        places[one] = places[one].min(room - widths[one] / 2.0);
        room = places[one] - widths[one] / 2.0;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_grow_by_whole_ticks_and_hold_every_value() {
        for (least, most, tick) in
            [(530, 8_000_000, 2), (530, 540, 2), (1, 1, 1), (7, 9_000, 40), (1, i64::MAX, 1)]
        {
            let Bins { ends_ns, start_ns } = Bins::between(least, most, tick);
            let begins = std::iter::once(start_ns).chain(ends_ns.iter().copied());
            let widths: Vec<i64> = begins.zip(&ends_ns).map(|(begin, end)| end - begin).collect();
            assert!(
                start_ns < least && ends_ns.last().is_some_and(|end| *end >= most),
                "{ends_ns:?}"
            );
            // The last one may end where numbers do.
            let whole = &widths[..widths.len() - 1];
            assert!(whole.iter().all(|width| width % tick == 0), "{widths:?}");
            assert!(whole.is_sorted() && widths.len() <= 4 * BINS as usize, "{}", widths.len());
        }
    }

    #[test]
    fn labels_keep_apart_and_inside() {
        assert_eq!(apart(&[10.0, 100.0], &[20.0, 20.0], 200.0), [10.0, 100.0]);
        assert_eq!(apart(&[10.0, 10.0, 12.0], &[20.0, 20.0, 20.0], 200.0), [10.0, 30.0, 50.0]);
        assert_eq!(apart(&[190.0, 195.0], &[20.0, 20.0], 200.0), [170.0, 190.0]);
        assert!(apart(&[], &[], 1.0).is_empty());
    }
}
