// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Rig `local`: the machine in hand.

use std::path::Path;

use irqscope_scenario::Board;
use irqscope_wire::Plan;

use crate::case::Events;
use crate::error::Result;
use crate::rigs::real;
use crate::stop::Stop;
use crate::transport::shell::Shell;

/// The running kernel's release.
pub fn kernel_release() -> Result<String> {
    real::ask(&mut Shell::here(), &Stop::default()).map(|facts| facts.release)
}

/// Runs one case on this machine; `wired` is the generator that is wired to it. The
/// machine's words and the kernel's log since the beginning of the case are written to
/// `console`.
pub fn run_case(
    plan: &Plan,
    wired: &Board,
    console: &Path,
    stop: &Stop,
    events: &mut Events<'_>,
) -> Result<()> {
    real::run_case(&mut Shell::here(), plan, wired, console, stop, events)
}
