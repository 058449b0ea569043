// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The page of a comparison.

use irqscope_analysis::{INTERVAL_METHOD, MAXIMUM_METHOD, QUANTILE_METHOD, TEST_METHOD};
use maud::{Markup, PreEscaped, html};

use super::{FEW, document, drawing};
use crate::compare::{Compared, cells, difference_text, head, notes, unit, verdicts};
use crate::figure::{Layout, Overlay, compared_overview};

/// Makes the page; `overlays` are those of each comparison, in order.
pub fn comparison_page(all: &[Compared<'_>], overlays: &[Vec<Overlay<'_>>]) -> String {
    let body = html! {
        header { p.brand { "irqscope " (env!("CARGO_PKG_VERSION")) } h1 { "Comparison" } }
        main {
            @for (one, overlays) in all.iter().zip(overlays) { (comparison(one, overlays)) }
            section { h2 { "How to read this" } (method(all)) }
        }
    };
    document("comparison", &body)
}

fn comparison(one: &Compared<'_>, overlays: &[Overlay<'_>]) -> Markup {
    let comparison = one.comparison;
    let (harmless, matters): (Vec<_>, Vec<_>) =
        comparison.differences.iter().partition(|difference| !difference.matters);
    html! {
        section {
            h2 { (comparison.other) " against " (comparison.base) }
            @if let Some(caveat) = one.caveat() {
                p.note { strong { "Exact: " } "the twin repeats itself to the byte, so every difference is one of the kernels or of what was asked for. The figures are " (caveat) "." }
            }
            @if !comparison.violations.is_empty() {
                section.trouble.bad { h2 { "Do not use these figures" } ul { @for text in &comparison.violations { li { (text) } } } }
            }
            @if !matters.is_empty() {
                section.trouble { h2 { "Not measured alike" } ul { @for one in matters { li { (difference_text(one)) } } } }
            }
            @for one in harmless { p.muted { (difference_text(one)) } }
            @for (side, names) in [("base", &comparison.base_only), ("other", &comparison.other_only)] {
                @if !names.is_empty() { p.muted { "Only " (side) " has " (names.join(", ")) "." } }
            }
            ul.verdicts { @for text in verdicts(comparison) { li { (text) } } }
            (drawing("All series", |layout| compared_overview(one, layout, false).ok().flatten()))
            (table(one))
            h3 { "Each by itself" }
            @for overlay in overlays { (pictures(overlay, overlays.len() <= FEW)) }
        }
    }
}

fn table(one: &Compared<'_>) -> Markup {
    let comparison = one.comparison;
    let head = head(comparison.exact);
    let width = head.len().saturating_sub(1).to_string();
    html! {
        div.scroll tabindex="0" {
            table.figures {
                thead { tr { @for name in &head[1..] { th scope="col" { (name) } } } }
                @for series in &comparison.series {
                    tbody {
                        tr.group { th colspan=(width) scope="rowgroup" { span { (series.title) ", " (unit(series).name()) } } }
                        @for shift in &series.shifts {
                            tr { @for cell in cells(shift, unit(series), comparison.exact) { td { (cell) } } }
                        }
                    }
                }
            }
        }
        p.muted { "Difference: other minus base." }
        @for series in &comparison.series {
            @for text in notes(series, comparison.exact) { p.muted { strong { (series.title) } ": " (text) } }
        }
    }
}

fn pictures(overlay: &Overlay<'_>, is_open: bool) -> Markup {
    let wide = overlay.drawings(Layout::Wide, false);
    let narrow = overlay.drawings(Layout::Narrow, false);
    html! {
        details.subject open[is_open] {
            summary { strong { (overlay.title()) } }
            @for ((what, wide), (_, narrow)) in wide.iter().zip(&narrow) {
                figure {
                    figcaption { (caption(what)) }
                    div.wide { (PreEscaped(wide)) }
                    div.narrow { (PreEscaped(narrow)) }
                }
            }
        }
    }
}

fn caption(what: &str) -> &'static str {
    match what {
        "cumulative" => "Share of values up to",
        "tail" => "Tails: share of values that were greater",
        _ => "Other minus base, quantile by quantile",
    }
}

fn method(all: &[Compared<'_>]) -> Markup {
    let estimated = all.iter().any(|one| !one.comparison.exact);
    html! {
        ul {
            li { "Quantiles: " (QUANTILE_METHOD) "." }
            @if estimated {
                li { "Intervals: " (INTERVAL_METHOD) "." }
                li { "Of the maximum: " (MAXIMUM_METHOD) "." }
                li { "Whether the distributions differ: " (TEST_METHOD) "." }
                li { "All of it speaks of these runs, each one stretch of time: what differs between two boots of one kernel, only several runs show." }
            }
        }
    }
}
