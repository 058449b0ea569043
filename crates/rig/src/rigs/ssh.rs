// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rig `ssh`: a remote machine with nothing installed. The system's own ssh
//! leads there, with its keys, its known hosts and its configuration.

use irqscope_scenario::{Board, Case, Payload, Ssh};

use crate::case::{Event, Events};
use crate::error::Result;
use crate::rigs::{Job, Rig, real};
use crate::stop::Stop;
use crate::transport::connection::Connection;

pub(crate) struct SshRig {
    ssh: Ssh,
    /// The generator that is wired to the target and reached from here.
    wired: Board,
    payload: Payload,
}

impl SshRig {
    pub fn new(ssh: Ssh, wired: Board, payload: Payload) -> Self {
        Self { ssh, wired, payload }
    }
}

impl Rig for SshRig {
    fn running_kernel(&self, stop: &Stop) -> Result<Option<String>> {
        let connection = Connection::open(&self.ssh, stop)?;
        real::ask(&mut connection.shell(), stop).map(|facts| Some(facts.release.to_string()))
    }

    fn prepare(&mut self, cases: &mut [Case], _say: &dyn Fn(&str), stop: &Stop) -> Result<()> {
        real::prepare(&self.wired, &self.payload, cases, stop)
    }

    fn run_case(&self, job: &Job<'_>, events: &mut Events<'_>) -> Result<()> {
        events(Event::Phase("connecting"))?;
        let connection = Connection::open(&self.ssh, job.stop)?;
        real::run_case(&mut connection.shell(), &self.wired, &self.payload, job, events)
    }
}
