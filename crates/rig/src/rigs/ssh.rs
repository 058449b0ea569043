// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rig `ssh`: a remote machine with nothing installed. The system's own ssh
//! leads there, with its keys, its known hosts and its configuration.

use std::path::Path;

use irqscope_scenario::{Board, Ssh};
use irqscope_wire::Plan;

use crate::case::{Event, Events};
use crate::error::Result;
use crate::rigs::real;
use crate::stop::Stop;
use crate::transport::connection::Connection;

/// The release of the target's running kernel.
pub fn kernel_release(ssh: &Ssh, stop: &Stop) -> Result<String> {
    let connection = Connection::open(ssh, stop)?;
    real::ask(&mut connection.shell(), stop).map(|facts| facts.release)
}

/// Runs one case on the target; `wired` is the generator that is wired to it and
/// reached from here. The target's words and its kernel's log since the beginning of
/// the case are written to `console`.
pub fn run_case(
    ssh: &Ssh,
    plan: &Plan,
    wired: &Board,
    console: &Path,
    stop: &Stop,
    events: &mut Events<'_>,
) -> Result<()> {
    events(Event::Phase("connecting"))?;
    let connection = Connection::open(ssh, stop)?;
    real::run_case(&mut connection.shell(), plan, wired, console, stop, events)
}
