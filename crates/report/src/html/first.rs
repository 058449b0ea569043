// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parts of the page that one looks at first: the answer, and the latest responses with what held
//! them up.

use std::collections::BTreeMap;

use irqscope_analysis::{CauseKind, Explained, Explanation, LateResponse, Summary, Verdict};
use irqscope_run::Manifest;
use maud::{Markup, html};

use crate::cause_rows::cause_name;
use crate::figures::Figures;
use crate::screen::{Facts, summed};
use irqscope_quantity::{alone, grouped};

/// Causes of one response that are named.
const NAMED: usize = 2;
/// Of a latency, the least share of a cause that is named.
const LEAST: f64 = 0.05;
const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 14.0;

/// Makes the answer: what was the worst, how kernels compare, whether everything is accounted for.
pub fn answer(summary: &Summary, figures: &Figures<'_>) -> Markup {
    let facts = Facts::of(summary, &figures.explanations);
    html! {
        section.answer {
            (limits(&figures.verdicts))
            @for sentence in &facts.sentences { p { (sentence) } }
            @if !facts.worst.is_empty() || figures.locks.is_empty() { h2 { (facts.head.trim_end_matches(':')) } }
            @if !facts.worst.is_empty() {
                div.scroll tabindex="0" { table.words {
                    @for [case, stage, latency, cause] in &facts.worst {
                        tr { th scope="row" { (case) } td { (stage) } td.number { (latency) } td { (cause) } }
                    }
                } }
            }
            @if let Some((text, holds)) = &facts.account { p.bad[!holds] { (text) } }
        }
    }
}

/// Says whether the scenario's limits hold; nothing, where it sets none.
fn limits(verdicts: &[Verdict]) -> Markup {
    let class = |passed| if passed { "good" } else { "bad" };
    html! {
        @if let Some(text) = summed(verdicts) {
            @let all_hold = verdicts.iter().all(|one| one.passed);
            p { strong class=(class(all_hold)) { (text) } }
            details open[!all_hold] { summary { "Limits" } div.scroll tabindex="0" { table.words {
                @for Verdict { case, asked, passed, found, .. } in verdicts {
                    tr {
                        td class=(class(*passed)) { @if *passed { "✓ holds" } @else { "✗ exceeded" } }
                        td { (case) }
                        td { (asked) }
                        td { (found) }
                    }
                }
            } } }
        }
    }
}

/// Lists the latest responses of all cases with their timelines; nothing, where none was measured.
pub fn latest(manifest: &Manifest, figures: &Figures<'_>) -> Markup {
    let most = figures.latest.first().map_or(1, |one| one.latency_ns.max(1));
    let is_explained = !figures.explanations.is_empty();
    html! {
        @if !figures.latest.is_empty() {
            section {
                h2 { "The latest responses" }
                div.scroll tabindex="0" { table.words.late {
                    (heads(is_explained))
                    @for one in &figures.latest { (row(one, manifest, &figures.explanations, most, None)) }
                } }
                @if is_explained {
                    p.muted { "Bars have one scale. Blue: what held a response up; grey: its own path, and the probes that recorded it." }
                } @else {
                    p.muted { "The command irqscope run … --explain records the causes of such responses." }
                }
            }
        }
    }
}

/// Makes the heads of columns of late responses.
pub fn heads(is_explained: bool) -> Markup {
    html! {
        thead { tr {
            th scope="col" { "case" }
            @for name in ["stage", "trigger", "latency"] { th scope="col" { (name) } }
            th scope="col" { @if is_explained { "held up by" } }
        } }
    }
}

/// Makes a response's row: its timeline on a scale that ends at `most` ns, and what held it up.
pub fn row(
    one: &LateResponse,
    manifest: &Manifest,
    explanations: &[Explanation],
    most: i64,
    anchor: Option<&str>,
) -> Markup {
    let case = manifest.cases.get(usize::from(one.case));
    let name = case.map_or("", |case| case.case.as_str());
    let of_same =
        |it: &&Explanation| it.case == name && (it.stage, it.view) == (one.stage, one.view);
    let mut explained = explanations.iter().filter(of_same).flat_map(|it| &it.latest);
    let explained = explained.find(|it| it.seq == one.seq);
    let seed = case.and_then(|case| Some((case.seed_of.as_ref()?, case.asked()?.seed)));
    let shown = seed.map_or_else(|| name.to_owned(), |(of, seed)| format!("{of}, seed {seed}"));
    html! {
        tr id=[anchor] {
            th scope="row" { (shown) }
            td { (one.stage) }
            td.number { (grouped(one.seq)) }
            td.number { (alone(one.latency_ns)) }
            td.wrapped { @if let Some(explained) = explained { (bar(explained, most)) (causes(explained)) } }
        }
    }
}

/// Draws a response from its trigger to its answer.
fn bar(one: &Explained, most: i64) -> Markup {
    let at = |ns: i64| WIDTH * ns as f64 / most as f64;
    html! {
        svg.timeline viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) preserveAspectRatio="none" role="img" aria-label="timeline" {
            @for segment in &one.segments {
                @let name = cause_name(Some(segment.cause.kind), &segment.cause.name);
                rect class=(class(segment.cause.kind)) x=(format!("{:.2}", at(segment.start.0))) y="0"
                    width=(format!("{:.2}", at(segment.length.0))) height=(HEIGHT) {
                    title { (name) ", " (alone(segment.length.0)) }
                }
            }
        }
    }
}

fn class(kind: CauseKind) -> &'static str {
    match kind {
        CauseKind::Probes => "probes",
        kind if kind.is_interference() => "held",
        _ => "own",
    }
}

/// Names what held a response up the most.
fn causes(one: &Explained) -> Markup {
    let mut totals: BTreeMap<(CauseKind, &str), i64> = BTreeMap::new();
    for segment in one.segments.iter().filter(|segment| segment.cause.kind.is_interference()) {
        *totals.entry((segment.cause.kind, &segment.cause.name)).or_default() += segment.length.0;
    }
    let mut totals: Vec<_> = totals.into_iter().collect();
    totals.sort_by_key(|(_, ns)| std::cmp::Reverse(*ns));
    let least = (one.latency.0 as f64 * LEAST) as i64;
    let named = totals.iter().take(NAMED).filter(|(_, ns)| *ns >= least);
    let text: Vec<String> = named
        .map(|((kind, name), ns)| format!("{} {}", alone(*ns), cause_name(Some(*kind), name)))
        .collect();
    html! { @if text.is_empty() { "its own path" } @else { (text.join("; ")) } }
}

/// Names the files beside the page.
pub fn files(has_stages: bool) -> Markup {
    let samples = if has_stages { "samples.parquet" } else { "bench.parquet" };
    html! {
        p.muted.beside {
            "Beside this page: "
            @for (index, name) in [samples, "summary.json", "manifest.json", "run.log"].into_iter().enumerate() {
                @if index > 0 { ", " }
                a href=(name) { (name) }
            }
            ". irqscope serve opens the run as an oscilloscope"
            @if has_stages { "; irqscope explain RUN --above max --worst 1 prints one response from end to end" }
            "."
        }
    }
}
