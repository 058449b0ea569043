// SPDX-License-Identifier: Apache-2.0 OR MIT
//! report.html: one file that needs nothing else.

mod compare;
mod explain;
mod facts;
mod response;
mod stage;
mod sweep;

use irqscope_analysis::{CaseSummary, Summary, Sweep};
use irqscope_run::Manifest;
use irqscope_wire::Stage;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::account::{Accounted, accounts};
use crate::figure::{Layout, StageSweep, overview};
use crate::figures::Figures;
use crate::table::{
    columns, execution_rows, figures, has_stages, legend, observer_by_stage, table_unit,
};
use crate::{bench, seeds};
use irqscope_quantity::{Unit, change};

pub use compare::comparison_page;

const STYLE: &str = include_str!("style.css");

pub fn page(manifest: &Manifest, summary: &Summary, figures: &Figures<'_>) -> String {
    let names = figures.all.iter().map(|one| (one.file_name(), one.title())).collect::<Vec<_>>();
    let figures = html! {
        section { h2 { "Summary" } (summary_table(summary)) (benchmarks(summary)) (executions(summary)) (observer(summary)) (accounting(summary)) }
        (drawing("All stages", |layout| overview(summary, layout, false)))
        (stage::rounds(&figures.rounds))
        (stage::scopes(&figures.scopes))
        (explain::section(&figures.explanations))
        @for one in &figures.all { (stage::section(one)) }
    };
    whole(manifest, summary, &names, &figures)
}

/// Makes the page of a sweep.
pub fn sweep_page(
    manifest: &Manifest,
    summary: &Summary,
    sweep: &Sweep,
    stages: &[StageSweep<'_>],
) -> String {
    let names =
        stages.iter().map(|one| (one.file_name(), one.stage.to_string())).collect::<Vec<_>>();
    let figures = html! {
        (sweep::overview(summary, sweep))
        @for one in stages { (sweep::stage(one)) }
    };
    whole(manifest, summary, &names, &figures)
}

/// Makes a page of what comes before the figures and after them; sections by anchor and title.
fn whole(
    manifest: &Manifest,
    summary: &Summary,
    sections: &[(String, String)],
    figures: &Markup,
) -> String {
    let body = html! {
        header {
            (head(manifest, summary))
            nav { @for (anchor, name) in sections { a href={ "#" (anchor) } { (name) } } }
        }
        main {
            (trouble(summary))
            section { h2 { "Measurement" } (facts::measured(manifest, summary)) }
            (figures)
            section { h2 { "Environment" } (facts::environment(manifest)) }
            section { h2 { "How to read this" } (facts::method(manifest, summary)) }
        }
    };
    document(&manifest.scenario, &body)
}

/// Makes a page that needs nothing else.
fn document(title: &str, body: &Markup) -> String {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "irqscope: " (title) }
                style { (PreEscaped(STYLE)) }
            }
            body { (body) }
        }
    }
    .into_string()
}

fn head(manifest: &Manifest, summary: &Summary) -> Markup {
    let valid = summary.cases.iter().all(|case| case.violations.is_empty());
    html! {
        p.brand { "irqscope " (manifest.tool_version) }
        h1 { (manifest.scenario) }
        p.muted { (manifest.started_utc) ", rig " (manifest.rig) }
        @if !valid { p.badge.bad { "invalid measurement" } }
        @if !summary.complete { p.badge.bad { "incomplete" } }
        @if valid && summary.complete { p.badge.good { "complete, every " (if has_stages(summary) { "trigger" } else { "sample" }) " accounted for" } }
        @if let Some(caveat) = summary.caveat() { p.note { strong { "The twin's figures: " } (caveat) "." } }
    }
}

/// Lists the warnings; nothing, if all is well.
fn trouble(summary: &Summary) -> Markup {
    let violations = summary.told(|case| &case.violations);
    let warnings = summary.told(|case| &case.warnings);
    html! {
        @if !violations.is_empty() {
            section.trouble.bad {
                h2 { "Do not use these figures" }
                ul { @for (cases, text) in violations { li { strong { (cases) } " " (text) } } }
            }
        }
        @if !warnings.is_empty() || !summary.warnings.is_empty() {
            section.trouble {
                h2 { "Warnings" }
                ul {
                    @for text in &summary.warnings { li { (text) } }
                    @for (cases, text) in warnings { li { strong { (cases) } " " (text) } }
                }
            }
        }
    }
}

/// Lists execution times; nothing, where stages have none.
fn executions(summary: &Summary) -> Markup {
    let rows = execution_rows(summary);
    html! {
        @if let Some((head, rows)) = rows.split_first() {
            h3 { "Execution times" }
            p.muted { "From a stage's response to the end of what it executed, interruptions included." }
            div.scroll { table.figures {
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
            div.scroll {
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
        div.scroll {
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
            tr.group { th colspan=(width) scope="rowgroup" {
                span { i.swatch style={ "background:" (crate::stage_colour(stage)) } {} (stage) }
            } }
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
            h3 { "Cost of the view from inside" }
            div.scroll {
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
        h3 { "Everything accounted for" }
        div.scroll {
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

/// Draws a figure in both widths; the style sheet shows the one that fits.
fn drawing(title: &str, draw: impl Fn(Layout) -> Option<String>) -> Markup {
    html! {
        @if let (Some(wide), Some(narrow)) = (draw(Layout::Wide), draw(Layout::Narrow)) {
            figure {
                figcaption { (title) }
                div.wide { (PreEscaped(wide)) }
                div.narrow { (PreEscaped(narrow)) }
            }
        }
    }
}
