// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Tables of all figures, and the accounts.

use irqscope_analysis::{CaseSummary, Summary};
use irqscope_wire::Stage;
use maud::{Markup, html};

use super::greatest::Maxima;
use crate::account::{Accounted, accounts};
use crate::screen::{Field, PageRow, known, page_rows};
use crate::table::{
    columns, execution_rows, figures, has_stages, legend, observer_by_stage, table_unit,
};
use crate::{bench, seeds};
use irqscope_quantity::{Unit, change};

/// The figures that one looks for first.
const FIRST: [Field; 5] = [Field::P50, Field::P99, Field::P99_9, Field::Max, Field::Lost];

/// Makes the table that one looks at first: stages and cases, and what is asked of them most.
pub fn first(summary: &Summary, maxima: &Maxima<'_>) -> Markup {
    let fields = known(summary, &FIRST);
    let (rows, legend) = page_rows(summary, &fields);
    let width = (fields.len() + 1).to_string();
    let mut groups = rows.chunk_by(|one, other| one.name == other.name);
    // Where there is one case, stages are rows.
    if groups.all(|group| group.len() == 1 && group[0].case == rows[0].case) {
        return alone(&rows, &fields, &legend, maxima);
    }
    html! {
        @if !rows.is_empty() {
            div.scroll tabindex="0" {
                table.figures.few {
                    thead { tr {
                        th scope="col" { "case" }
                        @for field in &fields { th scope="col" { (field.name()) } }
                    } }
                    @for group in rows.chunk_by(|one, other| one.name == other.name) {
                        tbody {
                            tr.group { th colspan=(width) scope="rowgroup" { span { (group[0].name) } } }
                            @for row in group {
                                tr.lost[row.has_lost] {
                                    th scope="row" { (row.case) }
                                    (cells(row, &fields, maxima))
                                }
                            }
                        }
                    }
                }
            }
            p.muted { (legend) "." }
        }
    }
}

/// Makes the same of a single case.
fn alone(rows: &[PageRow], fields: &[Field], legend: &str, maxima: &Maxima<'_>) -> Markup {
    html! {
        @if let Some(PageRow { case, .. }) = rows.first() {
            div.scroll tabindex="0" {
                table.figures.few {
                    thead { tr {
                        th scope="col" {}
                        @for field in fields { th scope="col" { (field.name()) } }
                    } }
                    @for row in rows {
                        tr.lost[row.has_lost] {
                            th scope="row" { (row.name) }
                            (cells(row, fields, maxima))
                        }
                    }
                }
            }
            p.muted { (case) ", " (legend) "." }
        }
    }
}

fn cells(row: &PageRow, fields: &[Field], maxima: &Maxima<'_>) -> Markup {
    html! { @for (field, cell) in fields.iter().zip(&row.cells) { (maxima.cell(row, *field, cell)) } }
}

/// Lists all figures and all accounts, folded.
pub fn all(summary: &Summary) -> Markup {
    html! {
        @if has_stages(summary) {
            details { summary { "All columns" } (summary_table(summary)) }
        }
        (folded("Benchmarks", benchmarks(summary)))
        (folded("Execution times", executions(summary)))
        (folded("Cost of the view from inside", observer(summary)))
        details { summary { "Everything accounted for" } (accounting(summary)) }
    }
}

fn folded(title: &str, what: Markup) -> Markup {
    html! { @if !what.0.is_empty() { details { summary { (title) } (what) } } }
}

/// Lists execution times; nothing, where stages have none.
fn executions(summary: &Summary) -> Markup {
    let rows = execution_rows(summary);
    html! {
        @if let Some((head, rows)) = rows.split_first() {
            p.muted { "From a stage's response to the end of what it executed, interruptions included." }
            div.scroll tabindex="0" { table.figures {
                thead { tr { @for name in head { th scope="col" { (name) } } } }
                @for row in rows { tr { @for (place, cell) in row.iter().enumerate() {
                    @if place == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                } } }
            } }
        }
    }
}

/// Lists the benchmarks; nothing, where stages were asked.
fn benchmarks(summary: &Summary) -> Markup {
    html! {
        @for table in bench::tables(summary) {
            h3 { (table.kind) }
            p.muted { (bench::benchmark_text(table.kind)) "." }
            div.scroll tabindex="0" {
                table.figures {
                    thead { tr {
                        @for name in ["variant", "case"] { th scope="col" { (name) } }
                        @for name in bench::COLUMNS { th scope="col" { (name) } }
                    } }
                    @for bench::Row { name, case, one, unit } in &table.rows {
                        tr {
                            th scope="row" { (name) }
                            td { (case.case) }
                            @for figure in bench::figures(one, *unit) { td { (figure) } }
                        }
                    }
                }
            }
        }
    }
}

fn summary_table(summary: &Summary) -> Markup {
    if !has_stages(summary) {
        return html! {};
    }
    let unit = table_unit(summary);
    let has_seeds = !summary.seeds.is_empty();
    let columns = if has_seeds { seeds::COLUMNS.to_vec() } else { columns(summary) };
    let legend = if has_seeds { seeds::legend(summary) } else { legend(summary) };
    let width = (columns.len() + 1).to_string();
    html! {
        div.scroll tabindex="0" {
            table.figures {
                thead { tr {
                    th scope="col" { "case" }
                    @for name in &columns { th scope="col" { (name) } }
                } }
                @for stage in Stage::ALL {
                    tbody { (stage_rows(summary, *stage, unit, &width)) }
                }
            }
        }
        p.muted { "Latency in " (unit.name()) ", over all answered triggers; " (legend) "." }
    }
}

fn stage_rows(summary: &Summary, stage: Stage, unit: Unit, width: &str) -> Markup {
    let row = |(_, case): (usize, &CaseSummary)| {
        Some((case.case.clone(), figures(summary, case, stage, unit)?))
    };
    let seeds = seeds::rows(summary, stage, unit).into_iter();
    let seeds = seeds.map(|seeds::Row { case, cells }| (case.to_owned(), cells));
    let alone = summary.shown_cases().filter(|(_, case)| case.seed_of.is_none());
    let rows: Vec<(String, Vec<String>)> = seeds.chain(alone.filter_map(row)).collect();
    html! {
        @if !rows.is_empty() {
            tr.group { th colspan=(width) scope="rowgroup" { span { (stage) } } }
            @for (case, row) in rows {
                tr {
                    th scope="row" { (case) }
                    @for figure in row { td { (figure) } }
                }
            }
        }
    }
}

/// Shows the observer's effect; nothing, where it was not measured.
fn observer(summary: &Summary) -> Markup {
    let unit = table_unit(summary);
    html! {
        @if !summary.observer_effects.is_empty() {
            div.scroll tabindex="0" {
                table.figures {
                    thead { tr {
                        @for name in ["stage", "case", "inside off", "inside on", "effect"] {
                            th scope="col" { (name) }
                        }
                    } }
                    @for effect in observer_by_stage(summary) {
                        tr {
                            th scope="row" { (effect.stage) }
                            td { (effect.case) }
                            td { (unit.figure(effect.off_ns as f64)) }
                            td { (unit.figure(effect.on_ns as f64)) }
                            td { (change(effect.percent)) }
                        }
                    }
                }
            }
            p.muted { "Medians from outside in " (unit.name()) ", with the target's own record off and on." }
        }
    }
}

fn accounting(summary: &Summary) -> Markup {
    html! {
        div.scroll tabindex="0" {
            table.plain {
                @for Accounted { case, holds, text, mark, outside, .. } in accounts(summary) {
                    tr.wrong[!holds] {
                        th scope="row" { (case) }
                        td { (text) }
                        td { (mark) }
                    }
                    @for text in outside {
                        tr { th {} td { (text) } td {} }
                    }
                }
            }
        }
    }
}
