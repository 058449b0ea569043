// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Figures by the levels of a scenario's axes.

use irqscope_analysis::Summary;
use irqscope_run::Manifest;
use maud::{Markup, html};

use crate::screen::{ByAxis, axes, by_axis};

/// Makes a folded table for each axis; nothing where kernel and state are all that varies.
pub fn section(manifest: &Manifest, summary: &Summary) -> Markup {
    let is_own = |axis: &&String| manifest.cases.iter().any(|case| case.levels.contains_key(*axis));
    let all: Vec<ByAxis> = axes(manifest)
        .iter()
        .filter(is_own)
        .filter_map(|axis| by_axis(manifest, summary, axis))
        .collect();
    html! { @for by in &all { (table(by)) } }
}

fn table(by: &ByAxis) -> Markup {
    let alike = by.rows.chunk_by(|one, other| (&one.name, &one.case) == (&other.name, &other.case));
    html! {
        details id={ "by-" (by.axis) } {
            summary { "By " (by.axis) }
            div.scroll tabindex="0" { table.figures.few {
                thead { tr {
                    th scope="col" {}
                    @for level in &by.levels { th scope="col" { (level) } }
                    th scope="col" { "x" }
                } }
                @for group in alike { tbody {
                    tr.group { th colspan=(by.levels.len() + 2) scope="rowgroup" {
                        span { (group[0].name) ", " (group[0].case) }
                    } }
                    @for row in group { tr {
                        th scope="row" { (row.figure) }
                        @for cell in &row.cells { td { (cell) } }
                        td { (row.factor) }
                    } }
                } }
            } }
            p.muted { (by.legend) "." }
        }
    }
}
