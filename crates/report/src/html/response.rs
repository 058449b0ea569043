// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parts of a response, drawn: one bar for the mean response of a stage, one for the late ones.

use irqscope_analysis::{Explanation, PartFigures, ResponsePart};
use irqscope_quantity::Unit;
use maud::{Markup, html};

use crate::palette::case_colour;
use crate::response::{FIGURES, cases, unit};

const WIDTH: f64 = 260.0;
const HEIGHT: f64 = 10.0;

/// Makes a table of bars and figures for each case; nothing, where no parts are known.
pub fn tables(explanations: &[Explanation]) -> Markup {
    html! {
        @for (case, stages) in cases(explanations) {
            @let unit = unit(&stages);
            h3 { "Parts of a response: " (case) }
            p.muted {
                "From the trigger to the handler, the handler itself, until the scheduler is called, "
                "until it has switched, and what is left; in " (unit.name()) ". Means sum to the "
                "mean latency; bars of one stage have one scale."
            }
            div.scroll { table.figures {
                thead { tr {
                    th scope="col" { "stage" }
                    th scope="col" {}
                    th scope="col" {}
                    @for (index, part) in ResponsePart::ALL.iter().enumerate() {
                        th scope="col" {
                            i.swatch style={ "background:" (case_colour(index)) } {}
                            (part.name())
                        }
                    }
                } }
                @for one in stages { (stage(one, unit)) }
            } }
        }
    }
}

fn stage(one: &Explanation, unit: Unit) -> Markup {
    let sum = |figure: fn(&PartFigures) -> f64| one.parts.iter().map(figure).sum::<f64>();
    let scale = sum(|part| part.mean_ns).max(sum(|part| part.late_mean_ns)).max(1.0);
    html! {
        @for (index, (name, figure)) in FIGURES.into_iter().enumerate() {
            tr {
                th scope="row" { @if index == 0 { (one.stage) } }
                td { (name) }
                // The longest parts are not of one response.
                td { @if index < 2 { (bar(&one.parts, figure, scale, &format!("{} {name}", one.stage))) } }
                @for part in &one.parts {
                    td title={ "longest in trigger " (part.longest_seq) } { (unit.figure(figure(part))) }
                }
            }
        }
    }
}

fn bar(parts: &[PartFigures], figure: fn(&PartFigures) -> f64, scale: f64, label: &str) -> Markup {
    let mut x = 0.0;
    html! {
        svg viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) width=(WIDTH) height=(HEIGHT) role="img" aria-label=(label) {
            @for (index, part) in parts.iter().enumerate() {
                @let width = WIDTH * figure(part) / scale;
                rect x=(format!("{x:.2}")) y="0" width=(format!("{width:.2}")) height=(HEIGHT) fill=(case_colour(index)) {
                    title { (part.part.name()) }
                }
                ({ x += width; "" })
            }
        }
    }
}
