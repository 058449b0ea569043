// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The observer effect of the inside view: the same case measured from outside
//! with the target's record on and off.

use irqscope_wire::{EXPLAINED, OUTSIDE_ONLY, Stage, View};
use serde::{Deserialize, Serialize};

use crate::{CaseSummary, Summary};

/// Medians of one stage from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ObserverEffect {
    /// The case.
    pub case: String,
    /// The stage.
    pub stage: Stage,
    /// The target keeps its record.
    pub on_ns: i64,
    /// The target only answers.
    pub off_ns: i64,
    /// The addition of the record, in per cent of the median without it.
    pub percent: f64,
}

/// Compares every case that was measured both ways, in order of case and stage.
pub(crate) fn observer_effects(cases: &[CaseSummary]) -> Vec<ObserverEffect> {
    over_seeds(cases, cases.iter().flat_map(|on| effects(on, cases)).collect())
}

/// Takes the medians of all seeds of a case together: their mean.
fn over_seeds(cases: &[CaseSummary], effects: Vec<ObserverEffect>) -> Vec<ObserverEffect> {
    let mut all: Vec<(ObserverEffect, Vec<[f64; 2]>)> = Vec::new();
    for one in effects {
        let case = cases.iter().find(|case| case.case == one.case);
        let case = case.map_or(one.case.as_str(), CaseSummary::any_seed).to_owned();
        let medians = [one.on_ns, one.off_ns].map(|ns| ns as f64);
        match all.iter_mut().find(|(known, _)| known.case == case && known.stage == one.stage) {
            Some((_, seeds)) => seeds.push(medians),
            None => all.push((ObserverEffect { case, ..one }, vec![medians])),
        }
    }
    let together = |(one, seeds): (ObserverEffect, Vec<[f64; 2]>)| {
        if seeds.len() == 1 {
            return one;
        }
        let [on, off] = [0, 1].map(|side| seeds.iter().map(|of| of[side]).sum::<f64>());
        let mean = |sum: f64| (sum / seeds.len() as f64).round() as i64;
        let percent = (on - off) / off.max(1.0) * 100.0;
        ObserverEffect { on_ns: mean(on), off_ns: mean(off), percent, ..one }
    };
    all.into_iter().map(together).collect()
}

fn effects(on: &CaseSummary, cases: &[CaseSummary]) -> Vec<ObserverEffect> {
    let partner = |case: &&CaseSummary| is_partner(case, OUTSIDE_ONLY, on);
    cases.iter().find(partner).map(|off| medians(on, off, on, View::Outside)).unwrap_or_default()
}

/// Returns what recording events adds to every stage's median in its main view: of each case that
/// was measured both ways, in order of case and stage. `on` is with events.
pub fn overheads(summary: &Summary) -> Vec<ObserverEffect> {
    let pair = |off: &CaseSummary| {
        let partner = |case: &&CaseSummary| is_partner(case, EXPLAINED, off);
        summary.cases.iter().find(partner).map(|on| medians(on, off, off, off.main_view()))
    };
    over_seeds(&summary.cases, summary.cases.iter().filter_map(pair).flatten().collect())
}

/// Returns whether a case is the other one with this end of its name, of the same seed.
fn is_partner(case: &CaseSummary, end: &str, other: &CaseSummary) -> bool {
    case.any_seed().strip_suffix(end) == Some(other.any_seed()) && case.seed == other.seed
}

/// Compares two cases; `named` is the one that goes by no other's name.
fn medians(
    on: &CaseSummary,
    off: &CaseSummary,
    named: &CaseSummary,
    view: View,
) -> Vec<ObserverEffect> {
    let median = |case: &CaseSummary, stage| case.stage(stage, view)?.p50_ns;
    let effect = |stage: Stage| {
        let (on_ns, off_ns) = (median(on, stage)?, median(off, stage)?);
        let percent = (on_ns - off_ns) as f64 / (off_ns.max(1)) as f64 * 100.0;
        let case = named.case.clone();
        Some(ObserverEffect { case, stage, on_ns, off_ns, percent })
    };
    Stage::ALL.iter().filter_map(|stage| effect(*stage)).collect()
}

impl Summary {
    /// Returns the cases whose figures are shown; one that exists to be compared with another shows
    /// in the observer effect only, and the first of several seeds stands for all of them.
    pub fn shown_cases(&self) -> impl Iterator<Item = (usize, &CaseSummary)> {
        let compared =
            |case: &CaseSummary| self.cases.iter().any(|on| is_partner(case, OUTSIDE_ONLY, on));
        let shown = move |(place, case): &(usize, &CaseSummary)| {
            !compared(case) && self.is_first_seed(*place)
        };
        self.cases.iter().enumerate().filter(shown)
    }

    /// Returns every stage with the views that are the main ones of some shown case.
    pub fn shown_stages(&self) -> Vec<(Stage, View)> {
        let main = |stage: Stage, view: View| {
            self.shown_cases()
                .any(|(_, case)| case.main_view() == view && case.stage(stage, view).is_some())
        };
        self.stages().into_iter().filter(|(stage, view)| main(*stage, *view)).collect()
    }
}

impl CaseSummary {
    /// Returns the view whose figures come first: the generator's, where there is one.
    pub fn main_view(&self) -> View {
        if self.outside.is_some() { View::Outside } else { View::Inside }
    }
}
