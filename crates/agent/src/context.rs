// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The machine that a case runs on, and what it does to the figures.

use std::path::Path;

use irqscope_wire::Plan;

use crate::error::Result;
use crate::facts::Facts;
use crate::loads::Loads;
use crate::notes::{self, IdleStates, Observation};
use crate::sink::Sink;
use crate::snapshot;
use crate::stop::Stop;

/// Where a case runs.
#[derive(Debug)]
pub struct Context<'a> {
    /// `/`, or a tree that a test made.
    pub root: &'a Path,
    /// Ends the case early.
    pub stop: &'a Stop,
    /// A machine that is not the twin: it has settings that spoil figures.
    pub is_real: bool,
    /// The host keeps the machine once more, when the loads have settled.
    pub stops: bool,
}

impl Context<'_> {
    /// Lets the host keep the machine as it is now, if it wants to.
    pub(crate) fn stop_to_keep(&self) -> Result<()> {
        if self.stops { snapshot::stop() } else { Ok(()) }
    }

    /// Reports what the machine does to the figures; the returned guard holds deep idle states off.
    pub(crate) fn report_conditions(
        &self,
        plan: &Plan,
        facts: &Facts,
        apart: bool,
        loads: &Loads,
        sink: &mut Sink,
    ) -> Result<Option<IdleStates>> {
        let mut seen: Vec<_> =
            loads.absent().iter().copied().map(Observation::AbsentLoad).collect();
        let mut idle_states = None;
        if self.is_real {
            let (held, reported) = IdleStates::of_plan(self.root, plan);
            idle_states = held;
            seen.extend(reported);
            seen.extend(notes::observe(self.root, plan, facts, apart));
        }
        seen.iter().try_for_each(|observation| sink.send(observation.message()))?;
        Ok(idle_states)
    }
}
