// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope sweep`: a run at one trigger frequency after the other.

use irqscope_scenario::{Scenario, Sweep as Frequencies};

use super::Done;
use super::report::{Format, show};
use super::run::carry_out;
use crate::cli::{Execution, Sweep};

pub fn sweep(options: &Sweep) -> Done {
    let Execution { scenario, how, explain } = &options.execution;
    let run = carry_out(Scenario::load(scenario)?, how, |scenario| {
        if *explain {
            scenario.set_explain();
        }
        if let Some(count) = options.count {
            scenario.set_count(count)?;
        }
        let Sweep { from, to, steps_per_octave, .. } = options;
        Ok(scenario.set_sweep(Frequencies::new(from.0, to.0, *steps_per_octave)?)?)
    })?;
    show(&run, if options.json { Format::Sweep } else { Format::Table })
}
