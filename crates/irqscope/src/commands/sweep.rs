// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope sweep`: a run at one trigger frequency after the other.

use irqscope_scenario::ScenarioFile;

use super::Done;
use super::report::{Format, show};
use super::run::carry_out;
use crate::cli::Sweep;

pub fn sweep(options: &Sweep) -> Done {
    let mut overrides = options.execution.overrides();
    overrides.set_text("sweep.from", &options.from.to_string());
    overrides.set_text("sweep.to", &options.to.to_string());
    overrides.set("sweep.steps-per-octave", options.steps_per_octave);
    let file = ScenarioFile::load(&options.execution.scenario)?;
    let run = carry_out(&file, overrides, &options.execution.how)?;
    show(&run, if options.json { Format::Sweep } else { Format::Table })
}
