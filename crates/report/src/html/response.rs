// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parts of a response, drawn: one bar for the mean response of a stage, one for the late ones.

use irqscope_analysis::{Explanation, PartFigures, ResponsePart};
use irqscope_quantity::Unit;
use maud::{Markup, html};

use crate::response::{FIGURES, Figure, cases, unit};

const WIDTH: f64 = 260.0;
const HEIGHT: f64 = 10.0;

/// Makes bars and a table for each case; nothing, where no parts are known.
pub fn tables(explanations: &[Explanation]) -> Markup {
    html! {
        @for (case, stages) in cases(explanations) {
            @let unit = unit(&stages);
            h3 { "Parts of a response: " (case) }
            p.muted {
                "From the trigger to the handler, the handler itself, until the scheduler is called, "
                "until it has switched, and what is left; in " (unit.name()) ". Means sum to the "
                "mean latency; the bars of a column have one scale."
            }
            p { @for (index, part) in ResponsePart::ALL.iter().enumerate() {
                i.swatch.{ "part-" (index) } {}
                (part.name()) "  "
            } }
            div.scroll tabindex="0" { table.words {
                thead { tr { @for name in ["stage", FIGURES[0].0, FIGURES[1].0] { th scope="col" { (name) } } } }
                @for one in &stages { (bars(one, &stages)) }
            } }
            details {
                summary { "Figures of the parts" }
                div.scroll tabindex="0" { table.figures {
                    thead { tr {
                        th scope="col" { "stage" }
                        th scope="col" {}
                        @for part in ResponsePart::ALL { th scope="col" { (part.name()) } }
                    } }
                    @for one in &stages { (rows(one, unit)) }
                } }
            }
        }
    }
}

/// Draws the mean response and the mean late one. (The longest parts are not of one response.)
fn bars(one: &Explanation, stages: &[&Explanation]) -> Markup {
    let sum = |one: &Explanation, figure: Figure| one.parts.iter().map(figure).sum::<f64>();
    let scale = |figure| stages.iter().map(|one| sum(one, figure)).fold(1.0, f64::max);
    html! {
        tr {
            th scope="row" { (one.stage) }
            @for (name, figure) in &FIGURES[..2] {
                td { (bar(&one.parts, *figure, scale(*figure), &format!("{} {name}", one.stage))) }
            }
        }
    }
}

fn rows(one: &Explanation, unit: Unit) -> Markup {
    html! {
        @for (index, (name, figure)) in FIGURES.into_iter().enumerate() {
            tr {
                th scope="row" { @if index == 0 { (one.stage) } }
                td { (name) }
                @for part in &one.parts {
                    td title={ "longest in trigger " (part.longest_seq) } { (unit.figure(figure(part))) }
                }
            }
        }
    }
}

fn bar(parts: &[PartFigures], figure: Figure, scale: f64, label: &str) -> Markup {
    let mut x = 0.0;
    html! {
        svg.parts viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) width=(WIDTH) height=(HEIGHT) role="img" aria-label=(label) {
            @for (index, part) in parts.iter().enumerate() {
                @let width = WIDTH * figure(part) / scale;
                rect x=(format!("{x:.2}")) y="0" width=(format!("{width:.2}")) height=(HEIGHT) class={ "part-" (index) } {
                    title { (part.part.name()) }
                }
                ({ x += width; "" })
            }
        }
    }
}
