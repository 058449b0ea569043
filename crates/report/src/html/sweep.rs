// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The part of the page that a sweep has instead of histograms.

use irqscope_analysis::{Series, Summary, Sweep};
use maud::{Markup, html};

use super::drawing;
use crate::figure::{StageSweep, knees};
use crate::sweep::{COLUMNS, POINT_COLUMNS, legend, point_row, row, sums, unit};
use irqscope_quantity::{Unit, hertz};

/// Shows all knees: a table and a figure.
pub fn overview(summary: &Summary, sweep: &Sweep) -> Markup {
    let unit = unit(sweep);
    let width = (COLUMNS.len() + 1).to_string();
    html! {
        section {
            h2 { "Knees" }
            div.scroll tabindex="0" {
                table.figures {
                    thead { tr {
                        th scope="col" { "case" }
                        @for name in COLUMNS { th scope="col" { (name) } }
                    } }
                    @for stage in sweep.stages() {
                        tbody {
                            tr.group { th colspan=(width) scope="rowgroup" {
                                span { (stage) }
                            } }
                            @for series in sweep.of_stage(stage) {
                                tr {
                                    th scope="row" { (series.case) }
                                    @for figure in row(series, unit) { td { (figure) } }
                                }
                            }
                        }
                    }
                }
            }
            p.muted { (legend(sweep, unit)) "." }
            (drawing("The highest trigger frequency kept up with", |layout| knees(summary, sweep, layout, false)))
            h3 { "Every trigger accounted for" }
            div.scroll tabindex="0" {
                table.plain {
                    @for (case, sum) in sums(summary, sweep) {
                        tr { th scope="row" { (case) } td { (sum) } }
                    }
                }
            }
        }
    }
}

/// Shows one stage at every frequency: a figure, and its points on request.
pub fn stage(figure: &StageSweep<'_>) -> Markup {
    html! {
        section id=(figure.file_name()) {
            h2 { (figure.stage) }
            p.muted { "From the trigger to " (crate::stage_text(figure.stage)) "." }
            (drawing("Latency against trigger frequency", |layout| figure.draw(layout, false)))
            @for series in figure.series() { (points(series)) }
        }
    }
}

fn points(series: &Series) -> Markup {
    let largest = series.points.iter().filter_map(|point| point.max_ns).max().unwrap_or(0);
    let unit = Unit::for_largest(largest);
    html! {
        details {
            summary { strong { (series.case) } " at every frequency" }
            div.scroll tabindex="0" {
                table.figures {
                    thead { tr {
                        th scope="col" { "frequency" }
                        @for name in POINT_COLUMNS { th scope="col" { (name) } }
                    } }
                    @for point in &series.points {
                        tr.wrong[!point.keeps_up] {
                            th scope="row" { (hertz(point.frequency_hz)) }
                            @for figure in point_row(point, unit) { td { (figure) } }
                        }
                    }
                }
            }
            p.muted { "Latency in " (unit.name()) ", of answered triggers." }
        }
    }
}
