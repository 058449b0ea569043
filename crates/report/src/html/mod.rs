// SPDX-License-Identifier: Apache-2.0 OR MIT
//! report.html: one file that needs nothing else.

mod facts;
mod stage;

use irqscope_analysis::Summary;
use irqscope_run::Manifest;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::figure::{Layout, StageFigure, overview};
use crate::table::{
    COLUMNS, cost_text, figures, identity_mark, identity_text, stage_name, table_unit,
};

const STYLE: &str = include_str!("style.css");

pub fn page(manifest: &Manifest, summary: &Summary, stages: &[StageFigure<'_>]) -> String {
    let title = format!("irqscope: {}", manifest.scenario);
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    (head(manifest, summary))
                    nav { @for one in stages { a href={ "#" (one.file_name()) } { (one.title()) } } }
                }
                main {
                    (trouble(summary))
                    section { h2 { "What was measured" } (facts::measured(manifest, summary)) }
                    section { h2 { "Summary" } (summary_table(summary)) (accounting(summary)) }
                    (drawing("All stages", |layout| overview(summary, layout, false)))
                    @for one in stages { (stage::section(one)) }
                    section { h2 { "Environment" } (facts::environment(manifest)) }
                    section { h2 { "How to read this" } (facts::method(manifest, summary)) }
                }
            }
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
        @if valid && summary.complete { p.badge.good { "complete, every trigger accounted for" } }
        @if let Some(caveat) = summary.caveat() { p.note { strong { "The twin's figures: " } (caveat) "." } }
    }
}

/// Nothing, if all is well.
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

fn summary_table(summary: &Summary) -> Markup {
    let unit = table_unit(summary);
    html! {
        div.scroll {
            table.figures {
                thead { tr {
                    @for name in &COLUMNS[1..] { th scope="col" { (name) } }
                    th scope="col" { "cost" }
                } }
                @for (stage, view) in summary.stages() {
                    tbody {
                        tr.group { th colspan="10" scope="rowgroup" {
                            span { i.swatch style={ "background:" (crate::stage_colour(stage)) } {} (stage_name(stage, view)) }
                        } }
                        @for case in &summary.cases {
                            @if let Some(row) = case.stage(stage, view) {
                                tr {
                                    th scope="row" { (case.case) }
                                    @for figure in figures(row, unit) { td { (figure) } }
                                }
                            }
                        }
                    }
                }
            }
        }
        p.muted {
            "Latency in " (unit.name()) ", over all answered triggers; irq: answers that another interrupt hit; "
            (cost_text(summary)) "."
        }
    }
}

fn accounting(summary: &Summary) -> Markup {
    html! {
        h3 { "Every trigger accounted for" }
        div.scroll {
            table.plain {
                @for case in &summary.cases {
                    tr.wrong[!case.identity_holds] {
                        th scope="row" { (case.case) }
                        td { "triggers " (identity_text(case)) }
                        td { (identity_mark(case)) }
                    }
                }
            }
        }
    }
}

/// A figure in both widths; the style sheet shows the one that fits.
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
