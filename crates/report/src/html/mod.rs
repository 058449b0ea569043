// SPDX-License-Identifier: Apache-2.0 OR MIT
//! report.html: one file that needs nothing else.

mod axis;
mod compare;
mod explain;
mod facts;
mod first;
mod greatest;
mod isolate;
mod locks;
mod response;
mod stage;
mod sweep;
mod tables;

use irqscope_analysis::{Summary, Sweep};
use irqscope_run::Manifest;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::figure::{Figure, Layout, StageSweep, overview};
use crate::figures::Figures;
use crate::palette;
use crate::subject::Subject;
use crate::table::{has_rows, has_stages};

pub use compare::comparison_page;

use greatest::Maxima;

const STYLE: &str = include_str!("style.css");

/// Subjects that are shown unfolded, if there are no more.
const FEW: usize = 2;

pub fn page(manifest: &Manifest, summary: &Summary, figures: &Figures<'_>) -> String {
    let has_figures = has_rows(summary) || figures.locks.is_empty();
    let mut sections: Vec<(String, String)> = Vec::new();
    if has_figures {
        sections.push(("figures".into(), "figures".into()));
    }
    if !figures.scopes.is_empty() {
        sections.push(("scope".into(), "lines".into()));
    }
    if !figures.isolated.is_empty() {
        sections.push(("isolation".into(), "isolation".into()));
    }
    if !figures.locks.is_empty() {
        sections.push(("locks".into(), "sections".into()));
    }
    if !figures.explanations.is_empty() {
        sections.push(("causes".into(), "causes".into()));
    }
    sections.extend(figures.all.iter().map(|one| (one.file_name(), one.title())));
    let late = |one: &Figure<'_>| match one.subject {
        Subject::Stage(stage, view) => greatest::of_stage(stage, view, manifest, figures),
        Subject::Series { .. } => html! {},
    };
    let is_intspect = figures.all.iter().any(Figure::is_intspect);
    let body = html! {
        (first::answer(summary, figures))
        (trouble(summary))
        (drawing("All stages", |layout| overview(summary, layout, false)))
        (first::latest(manifest, figures))
        @if has_figures {
            section id="figures" { h2 { "Figures" } (tables::first(summary, &Maxima::of(manifest, figures))) (tables::all(summary)) (axis::section(manifest, summary)) }
        }
        (isolate::section(&figures.isolated))
        (locks::section(&figures.locks))
        (stage::rounds(&figures.rounds))
        (stage::scopes(&figures.scopes))
        (explain::section(&figures.explanations))
        @if !figures.all.is_empty() { h2 { "Each by itself" } }
        @for one in &figures.all { (stage::section(one, &late(one), figures.all.len() <= FEW)) }
    };
    whole(manifest, summary, &sections, &body, is_intspect)
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
    let figures = html! { (trouble(summary)) (figures) };
    whole(manifest, summary, &names, &figures, false)
}

/// Makes a page of what comes before the figures and after them; sections by anchor and title.
fn whole(
    manifest: &Manifest,
    summary: &Summary,
    sections: &[(String, String)],
    figures: &Markup,
    is_intspect: bool,
) -> String {
    let body = html! {
        header {
            (head(manifest, summary))
            nav { @for (anchor, name) in sections { a href={ "#" (anchor) } { (name) } } }
        }
        main {
            (figures)
            section {
                h2 { "About this run" }
                details { summary { "Measurement" } (facts::measured(manifest, summary)) }
                details { summary { "Environment" } (facts::environment(manifest)) }
                details { summary { "How to read this" } (facts::method(manifest, summary, is_intspect)) }
                (first::files(has_stages(summary)))
            }
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
                style { (PreEscaped(STYLE)) (PreEscaped(palette::style())) }
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
        @if valid && summary.complete { p.badge.good { "complete" @if has_rows(summary) { ", every " (if has_stages(summary) { "trigger" } else { "sample" }) " accounted for" } } }
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
