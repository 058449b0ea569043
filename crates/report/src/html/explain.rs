// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The causes of the late responses of each stage.

use irqscope_analysis::{CauseRow, CauseRows, Explanation, ranking};
use irqscope_wire::Stage;
use maud::{Markup, html};

use crate::cause_rows::{cause_name, heights, row_name};
use crate::explain::{RANKED, left_out, listed, settings};
use irqscope_quantity::{alone, grouped};

/// Causes of one stage of one case that are listed.
const LISTED: usize = 5;

/// Makes the section; nothing, where no events were recorded.
pub fn section(explanations: &[Explanation]) -> Markup {
    let stages: Vec<Stage> = Stage::ALL
        .iter()
        .copied()
        .filter(|stage| explanations.iter().any(|one| one.stage == *stage))
        .collect();
    html! {
        @if !stages.is_empty() {
            section id="causes" {
                h2 { "Causes of late responses" }
                p.muted {
                    "All responses, each in the row of what held it up the most; and what the "
                    "latencies of the latest hundredth consist of."
                }
                (ranked(explanations))
                (super::response::tables(explanations))
                @for stage in stages {
                    details {
                        summary { strong { (stage) } }
                        @for one in explanations.iter().filter(|one| one.stage == stage) { (table(one)) }
                    }
                }
            }
        }
    }
}

/// Lists the worst causes over all cases.
fn ranked(explanations: &[Explanation]) -> Markup {
    let ranked = ranking(explanations);
    let shown = &ranked[..ranked.len().min(RANKED)];
    let settings = settings(explanations, shown);
    html! {
        div.scroll tabindex="0" {
            table.words {
                thead { tr {
                    @for name in ["held up the most by", "worst", "of", "responses", "stages"] {
                        th scope="col" { (name) }
                    }
                } }
                @for one in shown {
                    tr {
                        th scope="row" title=[one.all.kind.meaning()] {
                            (cause_name(Some(one.all.kind), &one.all.name))
                        }
                        td.number { (alone(one.all.longest_ns)) }
                        td { (one.case) " " (one.stage) ", trigger " (grouped(one.all.longest_seq)) }
                        td.number { (grouped(one.all.count as u64)) }
                        td.wrapped { (listed(&one.stages)) }
                    }
                }
            }
        }
        @if !settings.is_empty() {
            p { "Settings against them that are not made:" }
            ul {
                @for (kind, setting, kernels) in settings {
                    li { (kind.name()) ", " (kernels.join(", ")) ": " (setting) }
                }
            }
        }
    }
}

/// Draws one line for each cause, on one logarithmic axis.
fn rows(rows: &CauseRows) -> Markup {
    let edges =
        [rows.edges_ns.first(), rows.edges_ns.last()].map(|ns| alone(ns.copied().unwrap_or(0)));
    html! {
        div.scroll tabindex="0" {
            table.figures {
                thead { tr {
                    th scope="col" { "held up the most by" }
                    th scope="col" { span.ends { span { (edges[0]) } span { (edges[1]) } } }
                    @for name in ["count", "p50", "max"] { th scope="col" { (name) } }
                } }
                @for row in &rows.rows {
                    tr {
                        th scope="row" { (row_name(row)) }
                        td { (bars(row)) }
                        td { (grouped(row.count as u64)) }
                        td { (alone(row.p50_ns)) }
                        td { (alone(row.max_ns)) }
                    }
                }
            }
        }
    }
}

const BAR: f64 = 6.0;
const HEIGHT: f64 = 22.0;

fn bars(row: &CauseRow) -> Markup {
    let heights = heights(row);
    let width = BAR * heights.len() as f64;
    let label = format!("histogram of {}", row_name(row));
    html! {
        svg.row viewBox=(format!("0 0 {width} {HEIGHT}")) width=(width) height=(HEIGHT) role="img" aria-label=(label) {
            @for (bin, height) in heights.iter().enumerate().filter_map(|(bin, one)| Some((bin, (*one)?))) {
                @let tall = (height * HEIGHT).max(1.5);
                rect x=(BAR * bin as f64) y=(HEIGHT - tall) width=(BAR - 0.7) height=(tall) {}
            }
        }
    }
}

fn table(one: &Explanation) -> Markup {
    html! {
        h3 { (one.case) }
        (rows(&one.rows))
        p.muted { (one.late) " of " (one.count) ", from " (alone(one.late_from_ns)) " on" }
        @if one.left_out.total() > 0 { p.muted { (left_out(&one.left_out)) } }
        div.scroll tabindex="0" {
            table.figures {
                thead { tr {
                    @for name in ["cause", "share", "samples", "longest", "in"] { th scope="col" { (name) } }
                } }
                @for share in one.shares.iter().take(LISTED) {
                    tr {
                        th scope="row" { (share.cause) }
                        td { (format!("{:.1} %", share.per_cent)) }
                        td { (share.samples) }
                        td { (alone(share.longest_ns)) }
                        td { (share.longest_seq) }
                    }
                }
            }
        }
    }
}
