// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The table itself: for a screen, or as CSV.

use std::cmp::Ordering;

use irqscope_analysis::Summary;
use irqscope_quantity::{Column, aligned};
use irqscope_wire::Stage;

use super::rows::{Row, rows};
use super::{Field, Line, SCREEN_WIDTH};
use crate::account::accounts;
use crate::table::{is_together, table_unit};

/// The columns that a wide terminal has besides, the first one first.
const MORE: [Field; 4] = [Field::Count, Field::Min, Field::Mean, Field::Hit];
/// The columns that a terminal narrower than usual is spared, the first one first.
const LESS: [Field; 2] = [Field::P50, Field::P99];

/// The columns and the order of a table.
#[derive(Clone, Debug, Default)]
pub struct Choice {
    /// The columns; those that fit, where there are none.
    pub columns: Vec<Field>,
    /// By which of them the rows are sorted: words from the first, numbers from the greatest.
    pub sort: Option<Field>,
}

/// Formats the table for a screen of this width, and says what its columns are.
pub fn narrow(summary: &Summary, choice: &Choice, width: usize) -> Vec<Line> {
    let rows = sorted(summary, choice.sort);
    if rows.is_empty() {
        return Vec::new();
    }
    let fields = match choice.columns.is_empty() {
        true => fitting(&rows, width),
        false => choice.columns.clone(),
    };
    let text = text(&rows, &fields, choice.sort.is_none());
    let lost = std::iter::once(false).chain(rows.iter().map(|row| row.lost() > 0));
    let mut lines: Vec<Line> = text
        .lines()
        .zip(lost)
        .map(|(text, alarming)| Line { text: text.to_owned(), alarming })
        .collect();
    lines.push(Line::plain(""));
    let legend =
        format!("{}; --wide shows all columns and accounts", legend(summary, &rows, &fields));
    lines.extend(Line::wrapped(&legend, width, 0, false));
    lines
}

/// A row as a page shows it.
pub(crate) struct PageRow {
    /// The stage, or the benchmark with its unit.
    pub name: String,
    pub case: String,
    pub cells: Vec<String>,
    pub has_lost: bool,
    /// None of a benchmark.
    pub stage: Option<Stage>,
}

/// Returns those of these columns of which some row has a figure.
pub(crate) fn known(summary: &Summary, fields: &[Field]) -> Vec<Field> {
    let rows = rows(summary);
    let is_known = |field: &Field| rows.iter().any(|row| row.value(*field).is_some());
    fields.iter().copied().filter(is_known).collect()
}

/// Makes the rows of a page's table with these columns, and says what they are.
pub(crate) fn page_rows(summary: &Summary, fields: &[Field]) -> (Vec<PageRow>, String) {
    let all = rows(summary);
    let of = |row: &Row<'_>| PageRow {
        name: row.cell(Field::Stage),
        case: row.case.to_owned(),
        cells: fields.iter().map(|field| row.cell(*field)).collect(),
        has_lost: row.lost() > 0,
        stage: row.stage,
    };
    (all.iter().map(of).collect(), legend(summary, &all, fields))
}

fn sorted(summary: &Summary, by: Option<Field>) -> Vec<Row<'_>> {
    let mut rows = rows(summary);
    if let Some(field) = by {
        rows.sort_by(|one, other| order(one, other, field));
    }
    rows
}

/// Compares two rows; what is not known comes last.
fn order(one: &Row<'_>, other: &Row<'_>, field: Field) -> Ordering {
    match field {
        Field::Stage => one.name.cmp(&other.name),
        Field::Case => one.case.cmp(other.case),
        _ => {
            let known = |row: &Row<'_>| row.value(field).unwrap_or(f64::NEG_INFINITY);
            known(other).total_cmp(&known(one))
        }
    }
}

/// Chooses the columns that fit.
fn fitting(rows: &[Row<'_>], width: usize) -> Vec<Field> {
    let fits = |fields: &[Field]| {
        text(rows, fields, true).lines().all(|line| line.chars().count() <= width)
    };
    let mut fields = Field::DEFAULT.to_vec();
    for field in LESS {
        if !fits(&fields) {
            fields.retain(|one| *one != field);
        }
    }
    if width <= SCREEN_WIDTH || fields.len() < Field::DEFAULT.len() {
        return fields;
    }
    let has = |field: Field| rows.iter().any(|row| row.value(field).is_some());
    for field in MORE.into_iter().filter(|field| has(*field)) {
        let all = Field::ALL.into_iter();
        let more: Vec<Field> = all.filter(|one| *one == field || fields.contains(one)).collect();
        if fits(&more) {
            fields = more;
        }
    }
    fields
}

/// Formats heads and rows; where a stage goes on, its name is not repeated.
fn text(rows: &[Row<'_>], fields: &[Field], is_grouped: bool) -> String {
    let is_bench = rows.iter().all(|row| row.stage.is_none());
    let head = |field: &Field| match field {
        Field::Stage if is_bench => "benchmark".to_owned(),
        _ => field.name().to_owned(),
    };
    let mut table = vec![fields.iter().map(head).collect::<Vec<_>>()];
    let mut before = String::new();
    for row in rows {
        let mut cells: Vec<String> = fields.iter().map(|field| row.cell(*field)).collect();
        if is_grouped && let Some(place) = fields.iter().position(|field| *field == Field::Stage) {
            if cells[place] == before {
                cells[place].clear();
            } else {
                before.clone_from(&cells[place]);
            }
        }
        table.push(cells);
    }
    let column = |field: &Field| if field.is_word() { Column::Words } else { Column::Numbers };
    aligned(&table, &fields.iter().map(column).collect::<Vec<_>>())
}

fn legend(summary: &Summary, rows: &[Row<'_>], fields: &[Field]) -> String {
    let mut parts = Vec::new();
    if rows.iter().any(|row| row.stage.is_some()) {
        parts.push(format!("latency in {}", table_unit(summary).name()));
    }
    if rows.iter().any(|row| row.seeds.is_some()) {
        parts.push("means of the figures of all seeds".to_owned());
    }
    if fields.contains(&Field::Lost) {
        let lost = match rows.iter().all(|row| row.stage.is_none()) {
            true => "lost: samples that were skipped or dropped",
            false => "lost: triggers without a response of their own",
        };
        parts.push(lost.to_owned());
    }
    if fields.contains(&Field::Hit) {
        parts.push("irq: answers that another interrupt hit".to_owned());
    }
    if is_together(summary) {
        let waits = "mode together: each stage waits for those of the same trigger before it";
        parts.push(waits.to_owned());
    }
    parts.join("; ")
}

/// Formats the accounts of cases in which something is missing, for below the table.
pub fn below(summary: &Summary, width: usize) -> Vec<Line> {
    let short = accounts(summary).into_iter().filter(|one| !one.is_full);
    let texts = short.flat_map(|one| {
        let sum = (format!("{}  {} {}", one.case, one.text, one.mark), !one.holds);
        let outside =
            one.outside.into_iter().map(move |line| (format!("{}  {line}", one.case), false));
        std::iter::once(sum).chain(outside).collect::<Vec<_>>()
    });
    texts.flat_map(|(text, alarming)| Line::wrapped(&text, width, 4, alarming)).collect()
}

/// Formats the table as CSV, a line of heads first. Times are in nanoseconds.
pub fn csv(summary: &Summary, choice: &Choice) -> String {
    let fields = match choice.columns.is_empty() {
        true => Field::DEFAULT.to_vec(),
        false => choice.columns.clone(),
    };
    let head = |field: &Field| match field.is_word() || field.is_count() {
        true => field.name().to_owned(),
        false => format!("{}_ns", field.name()),
    };
    let mut text = record(fields.iter().map(head));
    for row in sorted(summary, choice.sort) {
        text.push_str(&record(fields.iter().map(|field| match field {
            Field::Stage => row.name.clone(),
            Field::Case => row.case.to_owned(),
            _ => row.value(*field).map_or_else(String::new, |value| value.to_string()),
        })));
    }
    text
}

fn record(cells: impl Iterator<Item = String>) -> String {
    let quoted = |cell: String| match cell.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell,
    };
    format!("{}\n", cells.map(quoted).collect::<Vec<_>>().join(","))
}
