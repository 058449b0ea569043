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
        let stage = row.stage.filter(|_| field == Field::Max);
        let found = stage.and_then(|stage| self.find(&row.case, stage));
        html! { td {
            @if let Some(one) = found { a href={ "#" (anchor(one)) } { (text) } } @else { (text) }
        } }
    }

    fn find(&self, case: &str, stage: Stage) -> Option<&LateResponse> {
        let mine = self.all.iter().filter(|one| one.stage == stage && self.case(one) == case);
        // Of equal ones the first.
        mine.rev().max_by_key(|one| one.latency_ns)
    }

    /// Returns the name of a response's case, without its seed.
    fn case(&self, one: &LateResponse) -> &str {
        let case = self.manifest.cases.get(usize::from(one.case));
        case.map_or("", |case| case.seed_of.as_deref().unwrap_or(&case.case))
    }

    /// Returns whether no other seed of the same case has a later response.
    fn is_latest(&self, one: &LateResponse) -> bool {
        self.find(self.case(one), one.stage).is_some_and(|latest| latest == one)
    }
}

/// Lists the latest response of a stage in each case; nothing, where there is none.
pub fn of_stage(stage: Stage, view: View, manifest: &Manifest, figures: &Figures<'_>) -> Markup {
    let maxima = Maxima::of(manifest, figures);
    let of_stage = |one: &&LateResponse| (one.stage, one.view) == (stage, view);
    let mine: Vec<_> =
        maxima.all.iter().filter(of_stage).filter(|one| maxima.is_latest(one)).collect();
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
