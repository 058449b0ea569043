// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The maximum of each stage and case: a table's figure leads to the response that it is of, with its
//! timeline, and with the command that explains it.

use irqscope_analysis::LateResponse;
use irqscope_run::Manifest;
use irqscope_wire::{Stage, View};
use maud::{Markup, html};

use super::first::{heads, row};
use crate::figures::Figures;
use crate::screen::{Field, PageRow};

/// The responses that maxima lead to.
pub struct Maxima<'a> {
    manifest: &'a Manifest,
    all: &'a [LateResponse],
}

impl<'a> Maxima<'a> {
    pub fn of(manifest: &'a Manifest, figures: &'a Figures<'_>) -> Self {
        Self { manifest, all: &figures.greatest }
    }

    /// Makes a table's cell: a maximum of one response is a link to it.
    pub fn cell(&self, row: &PageRow, field: Field, text: &str) -> Markup {
        let series = row.series.as_ref().filter(|_| field == Field::Max);
        let found = series.and_then(|(case, stage)| self.find(case, *stage));
        html! { td {
            @if let Some(one) = found { a href={ "#" (anchor(one)) } { (text) } } @else { (text) }
        } }
    }

    fn find(&self, case: &str, stage: Stage) -> Option<&LateResponse> {
        self.all.iter().find(|one| one.stage == stage && self.case(one) == case)
    }

    fn case(&self, one: &LateResponse) -> &str {
        self.manifest.cases.get(usize::from(one.case)).map_or("", |case| case.case.as_str())
    }
}

/// Lists the latest response of a stage in each case; nothing, where there is none.
pub fn of_stage(stage: Stage, view: View, manifest: &Manifest, figures: &Figures<'_>) -> Markup {
    let maxima = Maxima::of(manifest, figures);
    let mine: Vec<_> =
        maxima.all.iter().filter(|one| (one.stage, one.view) == (stage, view)).collect();
    let most = mine.iter().map(|one| one.latency_ns).max().unwrap_or(1).max(1);
    let is_explained = !figures.explanations.is_empty();
    html! {
        @if !mine.is_empty() {
            h3 { "The latest response of each case" }
            div.scroll tabindex="0" { table.words.late {
                (heads(is_explained))
                @for one in mine {
                    (row(one, manifest, &figures.explanations, most, Some(&anchor(one))))
                }
            } }
            @if is_explained {
                p.muted { "irqscope explain RUN --stage " (stage) " --above max --worst 1 prints them from end to end." }
            }
        }
    }
}

/// Returns where a case's latest response is, on the page.
fn anchor(one: &LateResponse) -> String {
    format!("max-{}-{}", one.case, one.stage)
}
