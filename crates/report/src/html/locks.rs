// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The critical sections of a run that recorded all of them, the longest first.

use irqscope_analysis::Locks;
use irqscope_quantity::{alone, grouped};
use maud::{Markup, html};

use crate::locks::{rows, source};

/// Sites of one case that are listed.
const LISTED: usize = 20;
/// Columns at the beginning that are words.
const WORDS: usize = 3;

/// Makes the section; nothing, where no case recorded any.
pub fn section(all: &[Locks]) -> Markup {
    html! {
        @if !all.is_empty() {
            section id="locks" {
                h2 { "Critical sections" }
                @for one in all { (case(one, all.len() == 1)) }
                p.muted { "The command irqscope locks RUN prints more of them, with their distributions." }
            }
        }
    }
}

fn case(one: &Locks, is_open: bool) -> Markup {
    let (rows, unit) = rows(&one.sites[..one.sites.len().min(LISTED)]);
    let rest = one.sites.len().saturating_sub(LISTED);
    let others = i64::try_from(one.longest_other_ns).unwrap_or(i64::MAX);
    html! {
        details open[is_open] {
            summary { strong { (one.case) } span.muted { ", times in " (unit.name()) } }
            p.muted { (source(one)) "." }
            div.scroll tabindex="0" { table.words {
                @if let Some((names, sites)) = rows.split_first() {
                    thead { tr { @for name in names { th scope="col" { (name) } } } }
                    @for site in sites {
                        tr {
                            @for (place, cell) in site.iter().enumerate() {
                                @match place {
                                    0 => { td.wrapped { (cell) } }
                                    1..WORDS => { td { (cell) } }
                                    _ => { td.number { (cell) } }
                                }
                            }
                        }
                    }
                }
            } }
            @if rest > 0 { p.muted { (grouped(rest as u64)) " more sites are shorter." } }
            @if one.others > 0 {
                p.muted { (grouped(one.others)) " sections at still other places, " (alone(others)) " at most." }
            }
        }
    }
}
