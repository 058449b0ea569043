// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Limits for continuous integration: of a run by itself, and against a baseline.
//!
//! A response that never came, or of which no figure is known, is later than every limit. A series
//! that was not measured has not passed.

mod all;
mod baseline;

use irqscope_quantity::{Limit, Quantile, grouped};
use irqscope_wire::{Beyond, View};
use serde::Serialize;

pub use all::{GateError, hold_all, hold_own, may_be_held};
pub use baseline::{Allow, Allowance, Changed, HeldAgainst, hold_against, hold_all_against};

use crate::compare::{MeasuredCase, Series};
use crate::{Ascending, Result};

/// Whether one limit was met in one case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verdict {
    /// The case.
    pub case: String,
    /// The limit: `user < 150 us at p99.9`.
    pub asked: String,
    /// Whether it has passed.
    pub passed: bool,
    /// The figure, or why there is none.
    pub found: String,
    /// The limit as a number; `None` against a baseline.
    pub limit_ns: Option<i64>,
    /// The figure as a number, where one is known that is held against a limit.
    pub found_ns: Option<i64>,
}

impl Verdict {
    /// Makes one of words alone.
    pub fn new(case: &str, asked: String, passed: bool, found: String) -> Self {
        Self { case: case.into(), asked, passed, found, limit_ns: None, found_ns: None }
    }
}

/// Returns one verdict for each case, or for each series of a benchmark.
///
/// # Errors
/// The disk's, where values do not fit into memory.
pub fn hold(case: &MeasuredCase, limit: &Limit) -> Result<Vec<Verdict>> {
    let view = case.main_view();
    let asked: Vec<&Series> = series(case, &limit.name, view);
    let verdict = |name: &str, passed, found, found_ns| Verdict {
        case: case.case.case.clone(),
        asked: format!("{name} < {} at {}", time(limit.limit_ns), limit.quantile),
        passed,
        found,
        limit_ns: Some(limit.limit_ns),
        found_ns,
    };
    if asked.is_empty() {
        let found = format!("{} was not measured; choose a case that has it: RUN#CASE", limit.name);
        return Ok(vec![verdict(&limit.name, false, found, None)]);
    }
    let one = |series: &&Series| {
        let quantile = worst(series, limit.quantile)?;
        let found_ns = if let Held::Value(value) = quantile { Some(value) } else { None };
        let (passed, found) = match quantile {
            Held::Value(value) => (value < limit.limit_ns, time(value)),
            Held::Beyond(beyond) => within(beyond, triggers(series), limit.limit_ns),
            Held::Unknown => (false, unknown(series)),
            Held::TooFew => (false, too_few(series, limit.quantile)),
            Held::Nothing => (false, "not one response".into()),
        };
        Ok(verdict(&series.name.to_string(), passed, found, found_ns))
    };
    asked.iter().map(one).collect()
}

fn series<'a>(case: &'a MeasuredCase, name: &str, view: View) -> Vec<&'a Series> {
    let is_asked = |series: &&Series| series.name.is_in(view) && series.name.answers_to(name);
    case.series.iter().filter(is_asked).collect()
}

enum Held {
    Value(i64),
    /// It lies among those beyond an imported histogram.
    Beyond(Beyond),
    /// The quantile lies among those of which there is no figure.
    Unknown,
    /// Too few triggers have the quantile, whatever it is.
    TooFew,
    Nothing,
}

/// Returns the quantile of all triggers; those without a figure are the latest.
fn worst(series: &Series, quantile: Quantile) -> Result<Held> {
    let all = triggers(series);
    let rank = quantile.rank(all);
    let [value] = series.sorted.at_ranks([rank])?;
    let beyond = series.sorted.beyond().filter(|_| rank <= series.sorted.count());
    Ok(match (all, value) {
        (0, _) => Held::Nothing,
        _ if !quantile.is_known_of(all) => Held::TooFew,
        (_, Some(ns)) => Held::Value(ns),
        (_, None) => beyond.map_or(Held::Unknown, Held::Beyond),
    })
}

/// Returns the triggers, those without a figure included.
fn triggers(series: &Series) -> u64 {
    series.sorted.count().saturating_add(series.without)
}

fn unknown(series: &Series) -> String {
    let (without, all) = (series.without, triggers(series));
    format!("{without} of {all} were not answered, answered together with another, or lost")
}

/// Holds samples beyond a histogram against a limit: their bounds alone are known.
fn within(beyond: Beyond, all: u64, limit_ns: i64) -> (bool, String) {
    let [beyond_count, all] = [beyond.count, all].map(grouped);
    let from = time(beyond.from.0);
    let most = beyond.greatest.map_or_else(
        || "it is not known how long".into(),
        |most| format!("the greatest was {}", time(most.0)),
    );
    let passed = beyond.greatest.is_some_and(|most| most.0 < limit_ns);
    (passed, format!("{beyond_count} of {all} lay beyond the histogram, from {from} on; {most}"))
}

fn too_few(series: &Series, quantile: Quantile) -> String {
    let (all, needed) = (grouped(triggers(series)), grouped(quantile.needs()));
    format!("too few samples: {quantile} takes {needed}, and there are {all}; hold max instead")
}

/// Formats a time as people write it: `150us`, `1.5ms`.
fn time(ns: i64) -> String {
    let (unit, name) = match ns.unsigned_abs() {
        0..1_000 => (1.0, "ns"),
        1_000..1_000_000 => (1e3, "us"),
        1_000_000..1_000_000_000 => (1e6, "ms"),
        _ => (1e9, "s"),
    };
    let text = format!("{:.3}", ns as f64 / unit);
    format!("{} {name}", text.trim_end_matches('0').trim_end_matches('.'))
}
