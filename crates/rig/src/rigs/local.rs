// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rig `local`: the machine in hand.

use irqscope_scenario::{Board, Case, Payload};

use crate::case::Events;
use crate::error::Result;
use crate::rigs::{Job, Rig, real};
use crate::stop::Stop;
use crate::transport::shell::Shell;

pub(crate) struct LocalRig {
    /// The generator that is wired to this machine.
    wired: Board,
    payload: Payload,
}

impl LocalRig {
    pub fn new(wired: Board, payload: Payload) -> Self {
        Self { wired, payload }
    }
}

impl Rig for LocalRig {
    fn running_kernel(&self, stop: &Stop) -> Result<Option<String>> {
        real::ask(&mut Shell::here(), stop).map(|facts| Some(facts.release.to_string()))
    }

    fn prepare(&mut self, cases: &mut [Case], _say: &dyn Fn(&str), stop: &Stop) -> Result<()> {
        real::prepare(&self.wired, &self.payload, cases, stop)
    }

    fn run_case(&self, job: &Job<'_>, events: &mut Events<'_>) -> Result<()> {
        real::run_case(&mut Shell::here(), &self.wired, &self.payload, job, events)
    }
}
