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
    cases.iter().flat_map(|on| effects(on, cases)).collect()
}

fn effects(on: &CaseSummary, cases: &[CaseSummary]) -> Vec<ObserverEffect> {
    let partner = |case: &&CaseSummary| case.case.strip_suffix(OUTSIDE_ONLY) == Some(&on.case);
    cases.iter().find(partner).map(|off| medians(on, off, View::Outside)).unwrap_or_default()
}

/// Returns what recording events adds to every stage's median in its main view: of each case that
/// was measured both ways, in order of case and stage. `on` is with events.
pub fn overheads(summary: &Summary) -> Vec<ObserverEffect> {
    let pair = |off: &CaseSummary| {
        let partner = |case: &&CaseSummary| case.case.strip_suffix(EXPLAINED) == Some(&off.case);
        summary.cases.iter().find(partner).map(|on| medians(on, off, off.main_view()))
    };
    summary.cases.iter().filter_map(pair).flatten().collect()
}

fn medians(on: &CaseSummary, off: &CaseSummary, view: View) -> Vec<ObserverEffect> {
    let median = |case: &CaseSummary, stage| case.stage(stage, view)?.p50_ns;
    let effect = |stage: Stage| {
        let (on_ns, off_ns) = (median(on, stage)?, median(off, stage)?);
        let percent = (on_ns - off_ns) as f64 / (off_ns.max(1)) as f64 * 100.0;
        let case = on.case.trim_end_matches(EXPLAINED).to_owned();
        Some(ObserverEffect { case, stage, on_ns, off_ns, percent })
    };
    Stage::ALL.iter().filter_map(|stage| effect(*stage)).collect()
}

impl Summary {
    /// Returns the cases whose figures are shown; one that exists to be compared with another shows
    /// in the observer effect only.
    pub fn shown_cases(&self) -> impl Iterator<Item = (usize, &CaseSummary)> {
        let compared = |case: &CaseSummary| {
            let of = case.case.strip_suffix(OUTSIDE_ONLY);
            of.is_some_and(|name| self.cases.iter().any(|other| other.case == name))
        };
        self.cases.iter().enumerate().filter(move |(_, case)| !compared(case))
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
