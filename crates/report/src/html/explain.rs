// SPDX-License-Identifier: Apache-2.0 OR MIT
//! What the late responses of each stage waited for.

use irqscope_analysis::Explanation;
use irqscope_wire::Stage;
use maud::{Markup, html};

use crate::units::alone;

/// Causes of one stage of one case that are listed.
const LISTED: usize = 5;

/// Nothing, where no events were recorded.
pub fn section(explanations: &[Explanation]) -> Markup {
    let stages: Vec<Stage> = Stage::ALL
        .iter()
        .copied()
        .filter(|stage| explanations.iter().any(|one| one.stage == *stage))
        .collect();
    html! {
        @if !stages.is_empty() {
            section id="causes" {
                h2 { "What late responses waited for" }
                p.muted { "The latest hundredth of each stage: what their latencies consist of." }
                @for stage in stages {
                    details {
                        summary {
                            i.swatch style={ "background:" (crate::stage_colour(stage)) } {}
                            strong { (stage) }
                        }
                        @for one in explanations.iter().filter(|one| one.stage == stage) { (table(one)) }
                    }
                }
            }
        }
    }
}

fn table(one: &Explanation) -> Markup {
    html! {
        h3 { (one.case) }
        p.muted { (one.late) " of " (one.count) ", from " (alone(one.late_from_ns)) " on" }
        div.scroll {
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
