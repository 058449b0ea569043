// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The answer: what was the worst, how kernels compare, what is doubtful, what to do next.

use irqscope_analysis::{Explanation, Summary, Verdict};
use irqscope_quantity::{Column, aligned};
use irqscope_wire::View;

use super::Line;
use super::comparison::sentences;
use super::rows::{Row, rows};
use crate::account::account_sentence;
use crate::cause_rows::cause_name;

/// Lines that the answer has at most.
const LINES: usize = 19;
/// Limits that do not hold and are listed.
const EXCEEDED: usize = 3;
/// Cases that are listed.
const CASES: usize = 6;
/// Lines of the first warning, and of the first violation.
const OF_WARNING: usize = 2;

/// The facts that the summary does not have.
pub struct About<'a> {
    /// The run's directory, as commands take it.
    pub run: &'a str,
    /// The scenario, as `irqscope run` takes it; `None` where that is not known.
    pub scenario: Option<&'a str>,
    /// The causes of late responses; empty where they were not recorded.
    pub explanations: &'a [Explanation],
    /// Whether the limits of the scenario hold.
    pub verdicts: &'a [Verdict],
    /// Whether the run is of critical sections alone, and not of responses.
    pub of_sections: bool,
    /// How many characters fit in a line.
    pub width: usize,
}

/// The answer before it is set for a screen or for a page.
pub(crate) struct Facts {
    /// Names the worst responses, as a heading.
    pub head: String,
    /// Case, stage, latency and cause of the worst response of each case.
    pub worst: Vec<[String; 4]>,
    /// How kernels compare.
    pub sentences: Vec<String>,
    /// Whether every trigger is accounted for, in words.
    pub account: Option<(String, bool)>,
}

impl Facts {
    pub fn of(summary: &Summary, explanations: &[Explanation]) -> Self {
        let rows = rows(summary);
        let (head, worst) = worst(&rows, explanations);
        Self { head, worst, sentences: sentences(&rows), account: account_sentence(summary) }
    }
}

/// Formats the answer.
pub fn answer(summary: &Summary, about: &About<'_>) -> Vec<Line> {
    let facts = Facts::of(summary, about.explanations);
    let width = about.width;
    let mut lines = Vec::new();
    if let Some(caveat) = summary.caveat() {
        lines.extend(Line::wrapped(&caveat, width, 0, false));
    }
    if !about.of_sections {
        lines.push(Line { text: facts.head, alarming: facts.worst.is_empty() });
    }
    let cells: Vec<[String; 4]> = facts
        .worst
        .into_iter()
        .map(|[case, name, latency, cause]| [format!("  {case}"), name, latency, cause])
        .collect();
    let columns = [Column::Words, Column::Words, Column::Numbers, Column::Words];
    let text = aligned(&cells, &columns);
    lines.extend(text.lines().map(|line| Line::plain(Line::cut(line, width))));
    lines.extend(limits(about.verdicts, width));
    let mut end =
        facts.account.map_or(Vec::new(), |(text, holds)| Line::wrapped(&text, width, 2, !holds));
    end.extend(warnings(summary, width));
    end.extend(next(summary, about));
    let mut room = LINES.saturating_sub(lines.len() + end.len());
    for sentence in facts.sentences {
        let sentence = Line::wrapped(&sentence, width, 2, false);
        if let Some(left) = room.checked_sub(sentence.len()) {
            room = left;
            lines.extend(sentence);
        }
    }
    lines.extend(end);
    lines
}

/// Says whether the scenario's limits hold: the exceeded ones, and how many hold.
fn limits(verdicts: &[Verdict], width: usize) -> Vec<Line> {
    let Some(summed) = summed(verdicts) else { return Vec::new() };
    let is_exceeded = verdicts.iter().any(|one| !one.passed);
    let mut lines = Line::wrapped(&summed, width, 2, is_exceeded);
    let exceeded = verdicts.iter().filter(|one| !one.passed).take(EXCEEDED);
    lines.extend(exceeded.map(|one| {
        let text = format!("  {}: {}: {}", one.case, one.asked, one.found);
        Line { text: Line::cut(&text, width), alarming: true }
    }));
    lines
}

/// Returns a sentence about all limits; none where there are none.
pub(crate) fn summed(verdicts: &[Verdict]) -> Option<String> {
    let exceeded = verdicts.iter().filter(|one| !one.passed).count();
    Some(match (verdicts.len(), exceeded) {
        (0, _) => return None,
        (1, 0) => "The limit holds.".to_owned(),
        (1, _) => "The limit does not hold.".to_owned(),
        (all, 0) => format!("All {all} limits hold."),
        (all, some) => format!("{some} of {all} limits do not hold."),
    })
}

/// Returns the worst response of each case, with its cause, and what to call them.
fn worst(rows: &[Row<'_>], explanations: &[Explanation]) -> (String, Vec<[String; 4]>) {
    let mut worst: Vec<&Row<'_>> = Vec::new();
    for row in rows.iter().filter(|row| row.worst_ns.is_some()) {
        match worst.iter_mut().find(|one| one.case == row.case) {
            Some(one) if one.worst_ns < row.worst_ns => *one = row,
            Some(_) => {}
            None => worst.push(row),
        }
    }
    let head = match worst.len() {
        0 => "No response was measured.".to_owned(),
        1 => "The worst response:".to_owned(),
        all if all <= CASES => "The worst response of each case:".to_owned(),
        all => {
            worst.sort_by(|one, other| {
                let ns = |row: &Row<'_>| row.worst_ns.unwrap_or(0.0);
                ns(other).total_cmp(&ns(one))
            });
            worst.truncate(CASES);
            format!("The worst responses, of {CASES} among {all} cases:")
        }
    };
    let cells = |row: &&Row<'_>| {
        let cause = cause(row, explanations).unwrap_or_default();
        [row.case.to_owned(), row.name.clone(), row.worst().unwrap_or_default(), cause]
    };
    (head, worst.iter().map(cells).collect())
}

/// Says what held the worst response of a row up the most; `None` where that was not explained.
fn cause(row: &Row<'_>, explanations: &[Explanation]) -> Option<String> {
    let case = |one: &Explanation| {
        let seed = one.case.strip_prefix(row.case);
        seed.is_some_and(|seed| seed.is_empty() || seed.starts_with("/seed-"))
    };
    let explained = explanations.iter().filter(|one| Some(one.stage) == row.stage && case(one));
    // One that was left out of the explanations has no cause: that of another would be wrong.
    let mut causes = explained.flat_map(|one| &one.rows.rows);
    let cause = causes.find(|one| Some(one.max_ns as f64) == row.worst_ns)?;
    Some(cause_name(cause.kind, &cause.name))
}

/// Counts the warnings and says the first; likewise what makes the measurement invalid.
fn warnings(summary: &Summary, width: usize) -> Vec<Line> {
    let of_case = |(cases, text): (String, &str)| format!("{cases}: {text}");
    let invalid: Vec<String> =
        summary.told(|case| &case.violations).into_iter().map(of_case).collect();
    let of_cases = summary.told(|case| &case.warnings).into_iter().map(of_case);
    let doubtful: Vec<String> = summary.warnings.iter().cloned().chain(of_cases).collect();
    let mut lines = first("invalid", &invalid, width, true);
    lines.extend(first("warning", &doubtful, width, false));
    lines
}

fn first(what: &str, texts: &[String], width: usize, alarming: bool) -> Vec<Line> {
    let Some(text) = texts.first() else { return Vec::new() };
    let text = match texts.len() {
        1 => format!("{what}: {text}"),
        all => format!("{what} 1 of {all}: {text}"),
    };
    let mut lines = Line::wrapped(&text, width, 2, alarming);
    if lines.len() > OF_WARNING {
        lines.truncate(OF_WARNING);
        if let Some(last) = lines.last_mut() {
            let kept: String = last.text.chars().take(width.saturating_sub(1)).collect();
            last.text = format!("{}…", kept.trim_end());
        }
    }
    lines
}

/// Names the commands that answer what comes next.
fn next(summary: &Summary, about: &About<'_>) -> Vec<Line> {
    let run = about.run;
    let has_inside =
        summary.cases.iter().flat_map(|case| &case.stages).any(|one| one.view == View::Inside);
    let mut commands = Vec::new();
    if !about.explanations.is_empty() {
        commands.push([format!("irqscope explain {run}"), "what late responses waited for".into()]);
    } else if has_inside {
        let scenario = about.scenario.unwrap_or("…");
        let words = "records what late responses wait for".into();
        commands.push([format!("irqscope run {scenario} --explain"), words]);
    }
    let all = !summary.warnings.is_empty() || summary.cases.iter().any(|c| !c.warnings.is_empty());
    let words = if all { "all columns and warnings" } else { "all columns" };
    commands.push([format!("irqscope report {run} --wide"), words.into()]);
    let rows: Vec<[String; 2]> = commands
        .into_iter()
        .zip(["next: ", "      "])
        .map(|([command, words], begin)| [format!("{begin}{command}"), words])
        .collect();
    let fits = |line: &str| line.chars().count() <= about.width;
    let text = aligned(&rows, &[Column::Words]);
    if text.lines().all(fits) {
        return text.lines().map(Line::plain).collect();
    }
    // A command stays whole, so that it can be copied.
    rows.into_iter().map(|[command, _]| Line::plain(command)).collect()
}
