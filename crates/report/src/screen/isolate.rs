// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The disturbances of isolated CPUs, on a screen of 80 columns.

use irqscope_analysis::{DisturbanceCause, Isolation};
use irqscope_quantity::{alone, grouped};

use super::Line;

/// Where the words begin, behind three columns of figures.
const INDENT: usize = 34;

/// Formats every CPU with the `most` causes that took the most of its time.
pub fn isolation_screen(all: &[Isolation], most: usize, width: usize) -> Vec<Line> {
    let mut lines = if all.len() > 1 { overview(all) } else { Vec::new() };
    for one in all {
        if !lines.is_empty() {
            lines.push(Line::plain(""));
        }
        lines.extend(of_cpu(one, most, width));
    }
    lines
}

fn overview(all: &[Isolation]) -> Vec<Line> {
    let widest = all.iter().map(|one| one.case.len()).max().unwrap_or(0).clamp(4, 36);
    let mut lines = vec![Line::plain(format!(
        "{:widest$}  CPU  {:>10}  {:>10}  {:>11}  {:>5}",
        "case", "per second", "of time", "longest", "kinds"
    ))];
    for one in all {
        lines.push(Line::plain(format!(
            "{:widest$}  {:>3}  {:>10}  {:>10}  {:>11}  {:>5}",
            Line::cut(&one.case, widest),
            one.cpu,
            disturbance_rate(one.per_second(one.count)),
            disturbed_share(one.share()),
            alone(signed(one.longest_ns)),
            one.causes.len(),
        )));
    }
    lines
}

fn of_cpu(one: &Isolation, most: usize, width: usize) -> Vec<Line> {
    let head = format!(
        "{}, CPU {} on {}: {} disturbances in {} took {} of its time, the longest {}.",
        one.case,
        one.cpu,
        one.release,
        grouped(one.count),
        alone(signed(one.elapsed_ns)),
        disturbed_share(one.share()),
        alone(signed(one.longest_ns)),
    );
    let mut lines = Line::wrapped(&head, width, 0, false);
    if !one.causes.is_empty() {
        let titles = format!("{:>10}  {:>9}  {:>9}  what", "per second", "mean", "longest");
        lines.push(Line::plain(titles));
    }
    for cause in one.causes.iter().take(most) {
        lines.extend(of_cause(one, cause, width));
    }
    let left = &one.causes[one.causes.len().min(most)..];
    if !left.is_empty() {
        let count = left.iter().map(|cause| cause.count).sum();
        let longest = left.iter().map(|cause| cause.longest_ns).max().unwrap_or(0);
        lines.push(Line::plain(format!(
            "{:>10}  {:>9}  {:>9}  {} further kinds: --top",
            disturbance_rate(one.per_second(count)),
            "",
            alone(signed(longest)),
            left.len(),
        )));
    }
    if one.unexplained > 0 {
        lines.push(Line {
            text: format!(
                "Of {} disturbances it is not known what they were.",
                grouped(one.unexplained)
            ),
            alarming: true,
        });
    }
    if one.cut > 0 {
        let text = format!("The code of {} was too long to be kept whole.", grouped(one.cut));
        lines.extend(Line::wrapped(&text, width, 0, false));
    }
    if !one.ended {
        lines.push(Line { text: "The loop did not come to its end.".into(), alarming: true });
    }
    lines
}

fn of_cause(one: &Isolation, cause: &DisturbanceCause, width: usize) -> Vec<Line> {
    let figures = format!(
        "{:>10}  {:>9}  {:>9}  ",
        disturbance_rate(one.per_second(cause.count)),
        alone(signed(cause.total_ns / cause.count.max(1))),
        alone(signed(cause.longest_ns)),
    );
    let what = match cause.acts.is_empty() {
        true => format!("{}: not known", cause.entry),
        false => format!("{}: {}", cause.entry, cause.acts.join(", ")),
    };
    let mut texts = vec![what];
    texts.extend(cause.from.as_ref().map(|from| {
        let thread = if from.thread.is_empty() { "" } else { ", " };
        let callers = from.callers.join(" < ");
        format!("from CPU {}{thread}{}: {callers}", from.cpu, from.thread)
    }));
    if !cause.remedies.is_empty() {
        texts.push(format!("to keep away: {}", cause.remedies.join("; ")));
    }
    let room = width.saturating_sub(INDENT).max(20);
    let mut lines = Vec::new();
    for text in texts {
        for line in Line::wrapped(&text, room, 2, false) {
            let begin = if lines.is_empty() { figures.clone() } else { " ".repeat(INDENT) };
            lines.push(Line::plain(begin + &line.text));
        }
    }
    lines
}

pub(crate) fn disturbance_rate(per_second: f64) -> String {
    match per_second {
        rate if rate >= 1_000.0 => grouped(rate.round() as u64),
        rate if rate >= 10.0 => format!("{rate:.1}"),
        rate => format!("{rate:.3}"),
    }
}

pub(crate) fn disturbed_share(share: f64) -> String {
    format!("{:.4} %", share * 100.0)
}

fn signed(ns: u64) -> i64 {
    i64::try_from(ns).unwrap_or(i64::MAX)
}
