// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Causes and timelines as text.

use std::fmt::Write;

use irqscope_analysis::{
    CauseKind, Explained, Explanation, HeldUp, LeftOut, ObserverEffect, Ranked, Segment, Share,
    Truth, TruthRow, Wrong, ranking,
};

use crate::cause_rows::cause_name;
use crate::response::response_table;
use irqscope_quantity::{Column, Unit, aligned, alone, change, grouped};
use irqscope_wire::Stage;

/// Causes of one stage that are listed; the rest is one line.
const LISTED: usize = 8;
/// Causes over all cases that are listed.
pub(crate) const RANKED: usize = 10;
/// Stages of one of them that are named.
const STAGES: usize = 3;

/// Formats the causes of late responses, a block for each stage.
pub fn explanation_table(explanations: &[Explanation]) -> String {
    let mut text = ranking_table(explanations);
    for one in explanations {
        block(&mut text, one);
    }
    text.push_str(&response_table(explanations));
    if let Some(line) = accounts(explanations) {
        text.push_str(&line);
    }
    text.push_str(&lacking(explanations));
    text
}

/// Says which events each kernel cannot report; kernels that lack the same ones are one line.
fn lacking(explanations: &[Explanation]) -> String {
    let mut lists: Vec<(&[String], Vec<&str>)> = Vec::new();
    for one in explanations.iter().filter(|one| !one.lacking.is_empty()) {
        let at = lists.iter().position(|(lacking, _)| *lacking == one.lacking);
        let at = at.unwrap_or_else(|| {
            lists.push((&one.lacking, Vec::new()));
            lists.len() - 1
        });
        if !lists[at].1.contains(&one.case.as_str()) {
            lists[at].1.push(&one.case);
        }
    }
    let line = |(lacking, cases): &(&[String], Vec<&str>)| {
        let (cases, lacking) = (cases.join(", "), lacking.join(", "));
        format!("without events of {lacking}, which the kernel does not have: {cases}\n")
    };
    lists.iter().map(line).collect()
}

/// Formats `irq, work and 3 more`.
pub(crate) fn listed(stages: &[Stage]) -> String {
    let (first, rest) = stages.split_at(stages.len().min(STAGES));
    let names: Vec<&str> = first.iter().map(|stage| stage.name()).collect();
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    format!("{}{more}", names.join(", "))
}

/// Formats the worst causes over all cases, and what they mean.
fn ranking_table(explanations: &[Explanation]) -> String {
    let ranked = ranking(explanations);
    let Some(shown) = ranked.get(..ranked.len().min(RANKED)).filter(|shown| !shown.is_empty())
    else {
        return String::new();
    };
    let head = ["worst", "responses", "held up the most by", "worst of all", "stages"];
    let head = head.map(str::to_owned);
    let mut rows = vec![head.to_vec()];
    for Ranked { all, case, stage, stages, .. } in shown {
        let instance = format!("{case} {stage}, trigger {}", all.longest_seq);
        let name = cause_name(Some(all.kind), &all.name);
        let count = grouped(all.count as u64);
        rows.push(vec![alone(all.longest_ns), count, name, instance, listed(stages)]);
    }
    let columns = [Column::Numbers, Column::Numbers, Column::Words];
    let mut text = aligned(&rows, &columns);
    if ranked.len() > shown.len() {
        let _ = writeln!(
            text,
            "and {} more causes, none of which took more",
            ranked.len() - shown.len()
        );
    }
    text.push('\n');
    let settings = settings(explanations, shown);
    let mut kinds: Vec<CauseKind> = shown.iter().map(|one| one.all.kind).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        let _ = writeln!(text, "{}: {}", kind.name(), kind.meaning().unwrap_or_default());
        for (_, setting, kernels) in settings.iter().filter(|(of, ..)| *of == kind) {
            let _ = writeln!(text, "  {}: {setting}", kernels.join(", "));
        }
    }
    text.push('\n');
    text
}

/// Returns the settings against these causes that are not made, and the kernels on which they can be.
pub(crate) fn settings<'a>(
    explanations: &'a [Explanation],
    causes: &[Ranked],
) -> Vec<(CauseKind, &'a str, Vec<&'a str>)> {
    let mut found: Vec<(CauseKind, &str, Vec<&str>)> = Vec::new();
    for one in explanations {
        let kernel = one.case.split('/').next().unwrap_or(&one.case);
        let of = |held: &HeldUp, cause: &Ranked| {
            (held.kind, &held.name) == (cause.all.kind, &cause.all.name)
        };
        let is_asked = |held: &&HeldUp| causes.iter().any(|cause| of(held, cause));
        for held in one.held_up.iter().filter(is_asked) {
            for setting in &held.settings {
                let known = |(kind, text, _): &(CauseKind, &str, Vec<&str>)| {
                    (*kind, *text) == (held.kind, setting)
                };
                let at = found.iter().position(known).unwrap_or_else(|| {
                    found.push((held.kind, setting, Vec::new()));
                    found.len() - 1
                });
                if !found[at].2.contains(&kernel) {
                    found[at].2.push(kernel);
                }
            }
        }
    }
    found.sort_by_key(|(kind, ..)| *kind);
    found
}

fn block(text: &mut String, one: &Explanation) {
    let worst =
        one.worst.first().map_or(String::new(), |seq| format!(", the latest is trigger {seq}"));
    let _ = writeln!(
        text,
        "{}  {}: {} of {} from {} on{worst}",
        one.case,
        one.stage,
        one.late,
        one.count,
        alone(one.late_from_ns),
    );
    let (listed, rest) = one.shares.split_at(one.shares.len().min(LISTED));
    if one.left_out.total() > 0 {
        let _ = writeln!(text, "  {}", left_out(&one.left_out));
    }
    for share in listed {
        let _ = writeln!(text, "{}", line(share));
    }
    if !rest.is_empty() {
        let per_cent: f64 = rest.iter().map(|share| share.per_cent).sum();
        let _ = writeln!(text, "  {per_cent:5.1} %  {} more causes", rest.len());
    }
    text.push('\n');
}

fn line(share: &Share) -> String {
    let Share { cause, per_cent, samples, longest_ns, longest_seq, .. } = share;
    let longest = alone(*longest_ns);
    format!(
        "  {per_cent:5.1} %  {cause}  [{samples} samples, longest {longest} in trigger {longest_seq}]"
    )
}

/// Says what was left out, and why.
pub(crate) fn left_out(left: &LeftOut) -> String {
    let term = |(count, what): &(u64, &str)| format!("{} {what}", grouped(*count));
    let terms: Vec<String> =
        left.terms().iter().filter(|(count, _)| *count > 0).map(term).collect();
    format!("{} more are not explained: {}", grouped(left.total()), terms.join(", "))
}

fn accounts(explanations: &[Explanation]) -> Option<String> {
    let samples: usize = explanations.iter().map(|one| one.count).sum();
    let violations: usize = explanations.iter().map(|one| one.violations).sum();
    let left = explanations.iter().map(|one| one.left_out).fold(LeftOut::default(), LeftOut::plus);
    let left_out = match left.total() {
        0 => String::new(),
        _ => format!("\n{}", left_out(&left)),
    };
    let median = explanations.iter().map(|one| one.unexplained_median_per_cent);
    let longest = explanations.iter().map(|one| one.unexplained_longest_ns).max()?;
    let mark = if violations == 0 { "✓" } else { "✗" };
    Some(format!(
        "{} of {} latencies explained, {violations} not the sum of their segments  {mark}{left_out}\n\
         unexplained: {:.2} % of the median latency at most, the longest segment {}\n",
        grouped(samples as u64),
        grouped(samples as u64 + left.total()),
        median.fold(0.0, f64::max),
        alone(longest),
    ))
}

/// Formats one latency from its trigger to its answer. Short steps that have no other cause are one
/// line.
pub fn sample_timeline(case: &str, one: &Explained) -> String {
    let unit = Unit::for_largest(one.latency.0);
    let mut text = format!("{case}  {}  seq {}  {}\n", one.stage, one.seq, alone(one.latency.0));
    let mut line = |start: i64, length: i64, what: &str| {
        let [start, length] = [start, length].map(|ns| unit.figure(ns as f64));
        let _ = writeln!(text, "  {start:>10}  +{length:>10}  {what}");
    };
    let least = one.latency.0 / 20;
    let is_short =
        |segment: &&Segment| !segment.cause.kind.is_interference() && segment.length.0 < least;
    let mut rest = one.segments.as_slice();
    while let Some(first) = rest.first() {
        let short = rest.iter().take_while(is_short).count();
        if short == 0 {
            line(first.start.0, first.length.0, &first.cause.to_string());
            rest = &rest[1..];
            continue;
        }
        let length = rest[..short].iter().map(|segment| segment.length.0).sum();
        line(first.start.0, length, &kinds(&rest[..short]));
        rest = &rest[short..];
    }
    text
}

/// Formats `own path, probes`: each kind once, in order.
fn kinds(segments: &[Segment]) -> String {
    let mut names: Vec<&str> = Vec::new();
    for segment in segments {
        let name = segment.cause.kind.name();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names.join(", ")
}

/// Formats what recording the events adds to each stage's median.
pub fn overhead_table(overheads: &[ObserverEffect]) -> String {
    let largest = overheads.iter().map(|one| one.on_ns).max().unwrap_or(0);
    let unit = Unit::for_largest(largest);
    let head = ["stage", "case", "explain off", "explain on", "effect"].map(str::to_owned);
    let mut rows = vec![head.to_vec()];
    for one in overheads {
        let [off, on] = [one.off_ns, one.on_ns].map(|ns| unit.figure(ns as f64));
        rows.push(vec![one.stage.to_string(), one.case.clone(), off, on, change(one.percent)]);
    }
    format!("{}\nmedians in {}\n", aligned(&rows, Column::FIGURES), unit.name())
}

/// Formats what was named, beside what was true.
pub fn truth_table(truth: &Truth) -> String {
    let head = ["true", "case", "faults", "moved", "right", "within 5 %"].map(str::to_owned);
    let mut rows = vec![head.to_vec()];
    let mut wrong = String::new();
    for (kind, row) in &truth.kinds {
        let TruthRow { faults, moved, right, exact, .. } = row;
        let share =
            |part: usize| format!("{part} ({:.1} %)", 100.0 * part as f64 / (*moved).max(1) as f64);
        let figures = [faults.to_string(), moved.to_string(), share(*right), share(*exact)];
        let mut cells = vec![(*kind).to_owned(), truth.case.clone()];
        cells.extend(figures);
        rows.push(cells);
        for (named, Wrong { count, seq, stage }) in &row.wrong {
            let _ = writeln!(wrong, "  {kind}: {count} x {named} (first: seq {seq}, {stage})");
        }
    }
    let Truth { without, false_alarms, .. } = truth;
    format!(
        "{}\nno fault: {without} responses, a fault named in {false_alarms}\nnamed instead:\n{wrong}\n",
        aligned(&rows, Column::FIGURES),
    )
}
