// SPDX-License-Identifier: Apache-2.0 OR MIT
//! All latencies of one stage of one case in one view.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;

use irqscope_run::{CaseData, SampleRow};
use irqscope_wire::{Stage, View};

use crate::latest::{LATEST, LateResponse, Latest};
use crate::{Both, Counted, Counter, Result};

/// The latencies of one stage in one view, and how many of its triggers have no latency.
#[derive(Debug)]
pub struct Distribution {
    /// Position of the case in the manifest.
    pub case: u16,
    /// The stage that was asked.
    pub stage: Stage,
    /// The clock behind the latencies: the generator's or the target's.
    pub view: View,
    /// Latencies that no other interrupt hit, in nanoseconds.
    pub clean: Counted,
    /// Latencies that another interrupt hit.
    pub hit: Counted,
    /// Triggers that asked the stage and had no answer in time.
    pub missing: u64,
    /// Triggers that one run of the stage answered together with an earlier one.
    pub coalesced: u64,
    /// Latencies whose trigger is not certain: upper bounds.
    pub unsure: u64,
    /// Execution times in nanoseconds; empty without any.
    pub execution: Counted,
    /// The latest responses, the latest first; at most [`LATEST`](crate::LATEST).
    pub latest: Vec<LateResponse>,
}

/// Values that are drawn, those that another interrupt hit set apart.
#[derive(Clone, Copy, Debug)]
pub struct Parts<'a> {
    /// Values that no other interrupt hit.
    pub clean: &'a Counted,
    /// Values that another interrupt hit.
    pub hit: &'a Counted,
}

impl<'a> Parts<'a> {
    /// Returns the latencies that decide an axis: those that no interrupt hit, if there are any.
    pub(crate) fn body(&self) -> Option<&'a Counted> {
        [self.clean, self.hit].into_iter().find(|values| !values.is_empty())
    }
}

impl Distribution {
    /// Returns the latencies as they are drawn, those that another interrupt hit apart.
    pub fn parts(&self) -> Parts<'_> {
        Parts { clean: &self.clean, hit: &self.hit }
    }

    /// Adds the latencies of another run of the case.
    pub(crate) fn join(&mut self, other: Self, dir: &Path) -> Result<()> {
        let join = |mine: &mut Counted, others| {
            std::mem::take(mine).together(others, dir).map(|all| *mine = all)
        };
        join(&mut self.clean, other.clean)?;
        join(&mut self.hit, other.hit)?;
        join(&mut self.execution, other.execution)?;
        self.missing += other.missing;
        self.coalesced += other.coalesced;
        self.unsure += other.unsure;
        self.latest.extend(other.latest);
        self.latest.sort_by_key(|one| (Reverse(one.latency_ns), one.case, one.seq));
        self.latest.truncate(LATEST);
        Ok(())
    }

    /// Returns every latency: what all statistics are made of.
    pub fn all(&self) -> Both<'_> {
        Both(&self.clean, &self.hit)
    }
}

/// The distributions of one case in the making, in order of stage and view.
pub(crate) struct Counting<'a> {
    case: u16,
    dir: &'a Path,
    all: BTreeMap<(Stage, View), One>,
}

struct One {
    clean: Counter,
    hit: Counter,
    missing: u64,
    coalesced: u64,
    unsure: u64,
    execution: Counter,
    latest: Latest,
}

impl<'a> Counting<'a> {
    /// Makes the distributions. A stage that was set up but never asked is there, empty. `dir` is
    /// where files go, if there need to be any.
    pub fn new(data: &CaseData, dir: &'a Path) -> Self {
        let set_up = data.started.iter().flat_map(|started| &started.stages);
        let outside = data.outside.is_some().then_some(View::Outside);
        let inside = data
            .plan
            .as_ref()
            .is_none_or(|plan| plan.has_view(View::Inside))
            .then_some(View::Inside);
        let views = outside.into_iter().chain(inside);
        let keys = set_up.flat_map(|stage| views.clone().map(|view| (*stage, view)));
        let all = keys.map(|key| (key, One::new(dir))).collect();
        Self { case: data.number, dir, all }
    }

    pub fn add(&mut self, rows: &[SampleRow]) -> Result<()> {
        for row in rows {
            let one = self.all.entry((row.stage, row.view));
            let one = one.or_insert_with(|| One::new(self.dir));
            one.latest.add(self.case, row);
            one.add(row)?;
        }
        Ok(())
    }

    pub fn finish(self) -> Result<Vec<Distribution>> {
        let case = self.case;
        let finished = |((stage, view), one): ((Stage, View), One)| {
            Ok(Distribution {
                case,
                stage,
                view,
                clean: one.clean.finish()?,
                hit: one.hit.finish()?,
                missing: one.missing,
                coalesced: one.coalesced,
                unsure: one.unsure,
                execution: one.execution.finish()?,
                latest: one.latest.finish(),
            })
        };
        self.all.into_iter().map(finished).collect()
    }
}

impl One {
    fn new(dir: &Path) -> Self {
        let [clean, hit, execution] = [dir, dir, dir].map(Counter::new);
        let (missing, coalesced, unsure, latest) = (0, 0, 0, Latest::default());
        Self { clean, hit, missing, coalesced, unsure, execution, latest }
    }

    fn add(&mut self, row: &SampleRow) -> Result<()> {
        self.missing += u64::from(row.is_missing());
        self.coalesced += u64::from(row.is_coalesced());
        self.unsure += u64::from(row.is_unsure());
        if let Some(execution) = row.execution {
            self.execution.add(execution.0, 1)?;
        }
        let Some(latency) = row.latency else { return Ok(()) };
        if row.is_hit() { &mut self.hit } else { &mut self.clean }.add(latency.0, 1)
    }
}
