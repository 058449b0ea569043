// SPDX-License-Identifier: Apache-2.0 OR MIT
//! All latencies of one stage of one case in one view.

use std::collections::BTreeMap;

use irqscope_run::{CaseData, SampleRow};
use irqscope_wire::{Stage, View};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distribution {
    /// Position of the case in the manifest.
    pub case: u16,
    pub stage: Stage,
    pub view: View,
    /// Latencies that no other interrupt hit, ascending, in nanoseconds.
    pub clean: Vec<i64>,
    /// Latencies that another interrupt hit, ascending.
    pub hit: Vec<i64>,
    pub missing: u64,
    pub merged: u64,
    /// Latencies whose trigger is not certain: upper bounds.
    pub unsure: u64,
}

/// Values that are drawn: ascending, those that another interrupt hit set apart.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    pub clean: &'a [i64],
    pub hit: &'a [i64],
}

impl<'a> Parts<'a> {
    /// What decides an axis: those that no interrupt hit, if there are any.
    pub(crate) fn body(&self) -> Option<&'a [i64]> {
        [self.clean, self.hit].into_iter().find(|values| !values.is_empty())
    }
}

impl Distribution {
    pub fn parts(&self) -> Parts<'_> {
        Parts { clean: &self.clean, hit: &self.hit }
    }

    fn new(case: u16, stage: Stage, view: View) -> Self {
        let (clean, hit) = (Vec::new(), Vec::new());
        Self { case, stage, view, clean, hit, missing: 0, merged: 0, unsure: 0 }
    }

    /// All of a case's, in order of stage and view. A stage that was set up
    /// but never asked is there, empty.
    pub fn of_case(data: &CaseData) -> Vec<Self> {
        let mut all: BTreeMap<(Stage, View), Self> = BTreeMap::new();
        let number = data.number;
        let set_up = data.started.iter().flat_map(|started| &started.stages);
        let outside = data.outside.is_some().then_some(View::Outside);
        let inside = data.plan.as_ref().is_none_or(|plan| plan.inside).then_some(View::Inside);
        for stage in set_up {
            for view in outside.into_iter().chain(inside) {
                all.insert((*stage, view), Self::new(number, *stage, view));
            }
        }
        for row in &data.rows {
            all.entry((row.stage, row.view))
                .or_insert_with(|| Self::new(number, row.stage, row.view))
                .add(row);
        }
        let mut all: Vec<Self> = all.into_values().collect();
        for distribution in &mut all {
            distribution.clean.sort_unstable();
            distribution.hit.sort_unstable();
        }
        all
    }

    fn add(&mut self, row: &SampleRow) {
        self.missing += u64::from(row.is_missing());
        self.merged += u64::from(row.is_merged());
        self.unsure += u64::from(row.is_unsure());
        if let Some(latency) = row.latency {
            if row.is_hit() { &mut self.hit } else { &mut self.clean }.push(latency.0);
        }
    }

    /// Every latency, ascending: what all statistics are made of.
    pub fn all(&self) -> Vec<i64> {
        let mut all = self.clean.clone();
        all.extend(&self.hit);
        all.sort(); // two ascending runs: one merge
        all
    }
}
