// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One stage or one series of a benchmark: its histograms, what lies out of bounds, its tails.

use irqscope_analysis::{Apart, Histogram};
use maud::{Markup, html};

use super::drawing;
use crate::figure::{Figure, Panel, Scope, Timeline};
use irqscope_quantity::{Unit, alone, grouped};

/// Shows one subject and its latest responses, folded unless it is one of a few.
pub fn section(figure: &Figure<'_>, late: &Markup, is_open: bool) -> Markup {
    html! {
        details.subject open[is_open] {
            summary { strong { (figure.title()) } span.muted { " " (figure.subject.text()) } }
            div id=(figure.file_name()) {
            @if figure.axis.is_some() {
                (drawing("Histograms, on one axis", |layout| figure.histogram(layout, false)))
                @if figure.is_intspect() { @for panel in &figure.panels { (apart(panel)) } }
                (drawing("Tails: share of values that were greater", |layout| figure.tail(layout, false)))
                (drawing("In the course of time", |layout| figure.scatter(layout, false)))
                (late)
            } @else {
                p { (figure.subject.nothing()) }
            }
            }
        }
    }
}

/// Draws one round of three threads, for each variant.
pub fn rounds(timelines: &[Timeline<'_>]) -> Markup {
    html! {
        @if !timelines.is_empty() {
            section id="inversion" {
                h2 { "Three threads and a lock" }
                p.muted { "The round whose wait is the median: A above B above C, on one CPU." }
                @for one in timelines { (drawing(&one.variant, |layout| Some(one.draw(layout, false)))) }
            }
        }
    }
}

/// Draws the lines of the cases that have pulses or bursts.
pub fn scopes(scopes: &[Scope]) -> Markup {
    html! {
        @if !scopes.is_empty() {
            section id="scope" {
                h2 { "Lines over time" }
                p.muted { "The first sweep, and all of them on top of each other: the darker, the more of them. irqscope scope shows any other." }
                @for one in scopes {
                    (drawing(&one.single_title(), |layout| Some(one.single(layout, false))))
                    (drawing(&one.persistent_title(), |layout| one.persistent(layout, false)))
                }
            }
        }
    }
}

/// Lists the samples that the histogram sets apart.
fn apart(panel: &Panel<'_>) -> Markup {
    let Some(histogram) = &panel.histogram else { return html! {} };
    let Histogram { oob, irq, axis, .. } = histogram;
    html! {
        @if !oob.is_empty() {
            details {
                summary {
                    strong { (panel.case) } " OOB: " (grouped(oob.count)) " beyond " (alone(axis.end_ns()))
                }
                (values(oob))
            }
        }
        @if !irq.is_empty() {
            details {
                summary {
                    strong { (panel.case) } " IRQ: " (grouped(irq.count)) " hit by another interrupt"
                    @if let (Some(least), Some((most, _))) = (irq.least.first(), irq.greatest.back()) {
                        ", " (alone(*least)) " to " (alone(*most))
                    }
                }
                (values(irq))
            }
        }
    }
}

/// Lists values, ascending, each once with how often it came.
fn values(apart: &Apart) -> Markup {
    let greatest = apart.greatest.back().map_or(0, |(value, _)| *value);
    let unit = Unit::for_largest(greatest);
    let listed = apart.greatest.iter().fold(0u64, |sum, (_, count)| sum.saturating_add(*count));
    let left_out = apart.count.saturating_sub(listed);
    html! {
        p.values tabindex="0" {
            @if left_out > 0 {
                (grouped(left_out)) " smaller ones are in the run's Parquet file; "
            }
            @for (value, count) in &apart.greatest {
                span { (unit.figure(*value as f64)) @if *count > 1 { "×" (count) } } " "
            }
            (unit.name())
        }
    }
}
