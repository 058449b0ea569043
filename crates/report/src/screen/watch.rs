// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The one screen of a watch: stages with their histograms, the worst first, and for each what the
//! worst latency consists of.

use irqscope_analysis::{Ascending, CaseFigures, CaseSummary, SeriesSummary, Summary, Timeline};
use irqscope_quantity::{Column, aligned, alone, grouped};
use irqscope_wire::{BenchmarkKind, WatchedPart};

use super::Line;
use crate::Result;

/// Stages that fit on a screen of 24 lines; each has two.
const STAGES: usize = 7;
/// Columns of a histogram.
const BINS: usize = 12;
/// Parts of a timeline that are shown.
const PARTS: usize = 8;
/// Culprits that are named.
const CULPRITS: usize = 3;
/// Of eight heights; a count of one is seen.
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const LONGEST_NAME: usize = 24;

/// Formats the screen; with a limit that was asked for, in ns, also how often the worst stage reached it,
/// what held it up then, and the timeline of its worst latency.
///
/// # Errors
/// The disk's, where a file holds the values.
pub fn watch_screen(
    summary: &Summary,
    figures: &[CaseFigures],
    width: usize,
    limit_ns: Option<u64>,
) -> Result<Vec<Line>> {
    let mut lines = Vec::new();
    for (place, case) in summary.cases.iter().enumerate() {
        let figures = figures.iter().find(|figures| usize::from(figures.number) == place);
        lines.extend(of_case(case, figures, width, limit_ns)?);
    }
    let of_cases =
        summary.cases.iter().flat_map(|case| case.violations.iter().map(|one| (one, true)));
    let doubtful =
        summary.cases.iter().flat_map(|case| case.warnings.iter().map(|one| (one, false)));
    for (text, alarming) in of_cases.chain(doubtful) {
        let what = if alarming { "invalid" } else { "warning" };
        lines.extend(Line::wrapped(&format!("{what}: {text}"), width, 2, alarming));
    }
    Ok(lines)
}

fn of_case(
    case: &CaseSummary,
    figures: Option<&CaseFigures>,
    width: usize,
    limit_ns: Option<u64>,
) -> Result<Vec<Line>> {
    let watched = case.benchmarks.iter().filter(|one| one.benchmark == BenchmarkKind::Watch);
    let mut stages: Vec<&SeriesSummary> = watched.collect();
    stages.sort_by_key(|one| std::cmp::Reverse(one.max_ns));
    let Some(worst) = stages.first() else {
        return Ok(vec![Line::plain(format!("No latency was seen on {}.", case.release))]);
    };
    let mut lines = vec![Line::plain(Line::cut(
        &format!("{} on {}, the worst stage first", worst.variant, case.release),
        width,
    ))];
    let axis = Axis::of(&stages);
    let mut rows = vec![["stage", "count", "p50", "p99", "max", "histogram"].map(str::to_owned)];
    for one in stages.iter().take(STAGES) {
        rows.push(row(one, bars(one, figures, &axis)?));
    }
    let columns = [
        Column::Words,
        Column::Numbers,
        Column::Numbers,
        Column::Numbers,
        Column::Numbers,
        Column::Words,
    ];
    let table = aligned(&rows, &columns);
    for (place, line) in table.lines().enumerate() {
        lines.push(Line::plain(Line::cut(line.trim_end(), width)));
        let stage = place.checked_sub(1).and_then(|place| stages.get(place));
        let text = stage.and_then(|one| one.timelines.first()).and_then(worst_line);
        let below = text.map(|text| Line::wrapped(&text, width.saturating_sub(2), 2, false));
        let indented = |line: Line| Line::plain(format!("  {}", line.text));
        lines.extend(below.into_iter().flatten().map(indented));
    }
    if stages.len() > STAGES {
        let more = stages.len() - STAGES;
        lines.push(Line::plain(format!("{more} further stages: irqscope report RUN")));
    }
    if let Some(limit) = limit_ns {
        lines.extend(late_lines(worst, figures, limit, width)?);
        let timeline = worst.timelines.first();
        lines.extend(timeline.into_iter().flat_map(|one| timeline_lines(worst, one, width)));
    }
    lines.push(Line::plain(""));
    let [from, to] = [axis.from, axis.to].map(|ns| alone(ns as i64));
    let legend = format!(
        "Histograms are from {from} to {to}, logarithmic both ways. Not known: when a device raised \
         its line, and what let its handler wait."
    );
    lines.extend(Line::wrapped(&legend, width, 0, false));
    Ok(lines)
}

fn row(one: &SeriesSummary, bars: String) -> [String; 6] {
    let figure = |ns: Option<i64>| ns.map_or_else(|| "-".to_owned(), alone);
    let name = Line::cut(&one.series, LONGEST_NAME);
    [name, grouped(one.count), figure(one.p50_ns), figure(one.p99_ns), figure(one.max_ns), bars]
}

/// Returns a part's name without the callers of what had interrupts disabled.
fn short(what: &str) -> String {
    match what.split_once(" < ") {
        Some((function, _)) => format!("{function})"),
        None => what.to_owned(),
    }
}

/// Names the culprit of the worst latency.
fn worst_line(worst: &Timeline) -> Option<String> {
    let (part, ns) = worst.culprit()?;
    let own = if part.own { ", its own work" } else { "" };
    Some(format!("worst: {} took {} on CPU {}{own}", short(&part.what), alone(ns as i64), part.cpu))
}

/// Says how often a stage reached the limit, and what took the most of those of which it is kept.
fn late_lines(
    stage: &SeriesSummary,
    figures: Option<&CaseFigures>,
    limit_ns: u64,
    width: usize,
) -> Result<Vec<Line>> {
    let mut late = 0;
    each_value(stage, figures, &mut |ns, count| {
        late += if ns.cast_unsigned() >= limit_ns && ns >= 0 { count } else { 0 };
    })?;
    let kept: Vec<&Timeline> =
        stage.timelines.iter().filter(|one| one.ns.cast_unsigned() >= limit_ns).collect();
    let mut shares: Vec<(&str, usize)> = Vec::new();
    for (part, _) in kept.iter().filter_map(|timeline| timeline.culprit()) {
        match shares.iter_mut().find(|(what, _)| *what == part.what) {
            Some((_, count)) => *count += 1,
            None => shares.push((&part.what, 1)),
        }
    }
    shares.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let (count, limit) = (grouped(stage.count), alone(limit_ns.cast_signed()));
    let mut text = format!("{limit} or longer: {} of {count} of {}", grouped(late), stage.series);
    if !shares.is_empty() {
        let mut named: Vec<String> =
            shares.iter().take(CULPRITS).map(|(what, count)| format!("{what} {count}")).collect();
        let others: usize = shares.iter().skip(CULPRITS).map(|(_, count)| count).sum();
        named.extend((others > 0).then(|| format!("others {others}")));
        text += &format!(", held up the most by {}", named.join(", "));
        if kept.len() as u64 != late {
            text += &format!(" (of the {} whose timelines are kept)", kept.len());
        }
    }
    Ok(Line::wrapped(&text, width, 2, false))
}

fn timeline_lines(stage: &SeriesSummary, timeline: &Timeline, width: usize) -> Vec<Line> {
    let head = format!("The worst, {} of {}:", alone(timeline.ns), stage.series);
    let part = |part: &WatchedPart| {
        let own = if part.own { " (its own work)" } else { "" };
        format!("  CPU {}  {:>10}  {}{own}", part.cpu, alone(part.ns as i64), part.what)
    };
    // Where there are more, the longest ones.
    let mut lengths: Vec<u64> = timeline.parts.iter().map(|part| part.ns).collect();
    lengths.sort_unstable_by(|one, other| other.cmp(one));
    let least = lengths.get(PARTS - 1).copied().unwrap_or(0);
    let shown = timeline.parts.iter().filter(|part| part.ns >= least).take(PARTS).map(part);
    let mut lines: Vec<String> = std::iter::once(head).chain(shown).collect();
    let hidden = (timeline.parts.len() + 1).saturating_sub(lines.len());
    if hidden > 0 {
        lines.push(format!("  and {hidden} shorter parts"));
    }
    lines.iter().map(|line| Line::plain(Line::cut(line, width))).collect()
}

/// One axis for all stages, so that they can be compared.
struct Axis {
    from: u64,
    to: u64,
}

impl Axis {
    fn of(stages: &[&SeriesSummary]) -> Axis {
        let known = |ns: Option<i64>| ns.and_then(|ns| u64::try_from(ns).ok());
        let from = stages.iter().filter_map(|one| known(one.min_ns)).min().unwrap_or(1).max(1);
        let to = stages.iter().filter_map(|one| known(one.max_ns)).max().unwrap_or(1).max(from + 1);
        Axis { from, to }
    }

    fn bin(&self, ns: i64) -> usize {
        let share =
            (ns.max(1) as f64 / self.from as f64).ln() / (self.to as f64 / self.from as f64).ln();
        ((share * BINS as f64) as usize).min(BINS - 1)
    }
}

fn bars(one: &SeriesSummary, figures: Option<&CaseFigures>, axis: &Axis) -> Result<String> {
    let mut counts = [0u64; BINS];
    each_value(one, figures, &mut |ns, count| counts[axis.bin(ns)] += count)?;
    let most = counts.iter().copied().max().unwrap_or(1).max(1);
    let block = |count: &u64| match count {
        0 => ' ',
        count => {
            let height = (1.0 + *count as f64).ln() / (1.0 + most as f64).ln();
            BLOCKS[((height * 8.0) as usize).min(7)]
        }
    };
    Ok(counts.iter().map(block).collect())
}

/// Hands out a stage's values with how often each was seen.
fn each_value(
    one: &SeriesSummary,
    figures: Option<&CaseFigures>,
    take: &mut dyn FnMut(i64, u64),
) -> Result<()> {
    let found = figures.into_iter().flat_map(|figures| &figures.series);
    let mine = found.filter(|series| series.name == one.series && series.variant == one.variant);
    for series in mine {
        series.values.each(take)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(what: &str, ns: u64, own: bool) -> WatchedPart {
        WatchedPart { cpu: 1, ns, what: what.into(), own }
    }

    #[test]
    fn the_culprit_is_what_took_the_most_in_all_its_parts() {
        let parts = vec![
            part("thread a", 400, false),
            part("interrupt 7", 500, true),
            part("thread a", 300, false),
        ];
        let timeline = Timeline { at_ns: 5, ns: 1_200, parts };
        assert_eq!(worst_line(&timeline).unwrap(), "worst: thread a took 700 ns on CPU 1");
        assert_eq!(worst_line(&Timeline { at_ns: 5, ns: 0, parts: Vec::new() }), None);
        let parts = vec![part("thread a (interrupts disabled: f < g)", 300, false)];
        let held = worst_line(&Timeline { at_ns: 5, ns: 300, parts }).unwrap();
        assert_eq!(held, "worst: thread a (interrupts disabled: f) took 300 ns on CPU 1");
    }

    #[test]
    fn the_ends_of_the_axis_are_its_first_and_last_bin() {
        let axis = Axis { from: 1_000, to: 1_000_000 };
        assert_eq!(
            [0, 1_000, 1_000_000, i64::MAX].map(|ns| axis.bin(ns)),
            [0, 0, BINS - 1, BINS - 1]
        );
    }
}
