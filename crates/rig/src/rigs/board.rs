// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rig `board`: a generator at an address and nothing else. Its lines show the stages
//! that are named; the target is not reached, so that there is the view from outside
//! only.

use std::sync::mpsc::channel;

use irqscope_scenario::Case;
use irqscope_wire::{Plan, StartAt};

use crate::case::{Event, Events};
use crate::error::{Result, RigError};
use crate::generator::board::{prepare, run, set};
use crate::plan::asked;
use crate::rigs::{Job, Rig};
use crate::stop::Stop;

pub(crate) struct BoardRig {
    address: String,
}

impl BoardRig {
    pub fn new(address: String) -> Self {
        Self { address }
    }
}

impl Rig for BoardRig {
    fn prepare(&mut self, cases: &mut [Case], _say: &dyn Fn(&str), stop: &Stop) -> Result<()> {
        cases.iter().try_for_each(|case| check(&case.plan))?;
        prepare(&self.address, cases.iter_mut().map(|case| &mut case.plan), stop)
    }

    fn run_case(&self, job: &Job<'_>, events: &mut Events<'_>) -> Result<()> {
        events(Event::Phase("setting the generator"))?;
        let Job { plan, stop, .. } = *job;
        let asked = asked(plan)?;
        let generator = set(&self.address, asked, asked.stages.len(), stop)?;
        let (_, no_asks) = channel();
        run(generator, StartAt::Now, &no_asks, stop, events)
    }
}

/// Refuses loads: there is no agent that could run them.
fn check(plan: &Plan) -> Result<()> {
    if plan.state.is_idle() {
        return Ok(());
    }
    Err(RigError::unready(
        format!("rig board does not reach the target, and cannot load it ({})", plan.case),
        "load it by hand, and say so in a state without loads: [state.NAME] loads = []",
    ))
}
