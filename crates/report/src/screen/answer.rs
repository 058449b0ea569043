// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The answer: what was the worst, how kernels compare, what is doubtful, what to do next.

use irqscope_analysis::{Explanation, Summary};
use irqscope_quantity::{Column, aligned};
use irqscope_wire::View;

use super::Line;
use super::comparison::sentences;
use super::rows::{Row, rows};
use crate::account::account_sentence;
use crate::cause_rows::cause_name;

/// Lines that the answer has at most.
const LINES: usize = 19;
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
    /// How many characters fit in a line.
    pub width: usize,
}

/// Formats the answer.
pub fn answer(summary: &Summary, about: &About<'_>) -> Vec<Line> {
    let rows = rows(summary);
    let width = about.width;
    let mut lines = Vec::new();
    if let Some(caveat) = summary.caveat() {
        lines.extend(Line::wrapped(&caveat, width, 0, false));
    }
    lines.extend(worst(&rows, about));
    let mut end = account_sentence(summary)
        .map_or(Vec::new(), |(text, holds)| Line::wrapped(&text, width, 2, !holds));
    end.extend(warnings(summary, width));
    end.extend(next(summary, about));
    let mut room = LINES.saturating_sub(lines.len() + end.len());
    for sentence in sentences(&rows) {
        let sentence = Line::wrapped(&sentence, width, 2, false);
        if let Some(left) = room.checked_sub(sentence.len()) {
            room = left;
            lines.extend(sentence);
        }
    }
    lines.extend(end);
    lines
}

/// Formats the worst response of each case, with its cause.
fn worst(rows: &[Row<'_>], about: &About<'_>) -> Vec<Line> {
    let mut worst: Vec<&Row<'_>> = Vec::new();
    for row in rows.iter().filter(|row| row.worst_ns.is_some()) {
        match worst.iter_mut().find(|one| one.case == row.case) {
            Some(one) if one.worst_ns < row.worst_ns => *one = row,
            Some(_) => {}
            None => worst.push(row),
        }
    }
    let head = match worst.len() {
        0 => return vec![Line { text: "No response was measured.".to_owned(), alarming: true }],
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
        let cause = cause(row, about.explanations).unwrap_or_default();
        [format!("  {}", row.case), row.name.clone(), row.worst().unwrap_or_default(), cause]
    };
    let cells: Vec<[String; 4]> = worst.iter().map(cells).collect();
    let columns = [Column::Words, Column::Words, Column::Numbers, Column::Words];
    let text = aligned(&cells, &columns);
    let lines = text.lines().map(|line| Line::plain(Line::cut(line, about.width)));
    std::iter::once(Line::plain(head)).chain(lines).collect()
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
