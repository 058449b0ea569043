// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Everything that took isolated CPUs away from a loop.

use irqscope_analysis::{DisturbanceCause, Isolation};
use maud::{Markup, html};

use crate::screen::{disturbance_rate, disturbed_share};
use irqscope_quantity::{alone, grouped};

/// Kinds of disturbances of one CPU that are listed.
const LISTED: usize = 20;

/// Makes the section; nothing, where no CPU was isolated.
pub fn section(all: &[Isolation]) -> Markup {
    html! {
        @if !all.is_empty() {
            section id="isolation" {
                h2 { "Isolated CPUs" }
                div.scroll tabindex="0" { table.figures.few {
                    thead { tr {
                        th scope="col" { "case" }
                        @for name in ["CPU", "disturbances", "per second", "of its time", "longest", "kinds"] {
                            th scope="col" { (name) }
                        }
                    } }
                    @for one in all {
                        tr {
                            th scope="row" { (one.case) }
                            td { (one.cpu) }
                            td { (grouped(one.count)) }
                            td { (disturbance_rate(one.per_second(one.count))) }
                            td { (disturbed_share(one.share())) }
                            td { (time(one.longest_ns)) }
                            td { (one.causes.len()) }
                        }
                    }
                } }
                @for one in all { (cpu(one, all.len() == 1)) }
            }
        }
    }
}

fn cpu(one: &Isolation, is_open: bool) -> Markup {
    let rest = one.causes.len().saturating_sub(LISTED);
    html! {
        details open[is_open] {
            summary { strong { (one.case) ", CPU " (one.cpu) } span.muted { " on " (one.release) } }
            @if one.causes.is_empty() { p { "Nothing disturbed it." } }
            div.scroll tabindex="0" { table.words {
                @if !one.causes.is_empty() { thead { tr {
                    @for name in ["per second", "mean", "longest", "what it was"] { th scope="col" { (name) } }
                } } }
                @for cause in one.causes.iter().take(LISTED) { (row(one, cause)) }
            } }
            @if rest > 0 { p.muted { (rest) " further kinds took less time." } }
            @if one.unexplained > 0 { p.bad { "Of " (grouped(one.unexplained)) " it is not known what they were." } }
            @if one.cut > 0 { p.muted { "The code of " (grouped(one.cut)) " was too long to be kept whole." } }
            @if !one.ended { p.bad { "The loop did not come to its end." } }
        }
    }
}

fn row(one: &Isolation, cause: &DisturbanceCause) -> Markup {
    html! {
        tr {
            td.number { (disturbance_rate(one.per_second(cause.count))) }
            td.number { (time(cause.total_ns / cause.count.max(1))) }
            td.number { (time(cause.longest_ns)) }
            td.wrapped {
                (cause.entry) ": " @if cause.acts.is_empty() { "not known" } @else { (cause.acts.join(", ")) }
                @if let Some(from) = &cause.from {
                    div.muted {
                        "from CPU " (from.cpu) @if !from.thread.is_empty() { ", " (from.thread) } ": "
                        (from.callers.join(" < "))
                    }
                }
                @if !cause.remedies.is_empty() {
                    div { span.muted { "to keep away: " } (cause.remedies.join("; ")) }
                }
            }
        }
    }
}

fn time(ns: u64) -> String {
    alone(i64::try_from(ns).unwrap_or(i64::MAX))
}
