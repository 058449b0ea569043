// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope bench`: benchmarks that need no driver, as a scenario of their own.

use irqscope_scenario::{BenchRequest, RigKind, ScenarioFile};

use irqscope_report::foreign::Export;

use super::Done;
use super::export::to_stdout;
use super::report::{Format, show};
use super::run::carry_out;
use crate::cli::Bench;
use crate::exit::Trouble;

/// The kernel that guests boot where nothing else is said.
const KERNELS: [&str; 2] = ["6.1", "6.1-rt"];

pub fn bench(options: &Bench) -> Done {
    let run = carry_out(&scenario(options)?, options.how.overrides(), &options.how)?;
    let Some(format) = options.format else {
        return show(&run, if options.json { Format::Summary } else { Format::Table });
    };
    let shown = show(&run, Format::Nothing)?;
    to_stdout(&run, &Export::plain(format))?;
    Ok(shown)
}

fn scenario(options: &Bench) -> Result<ScenarioFile, Trouble> {
    let rig = options.how.rig.unwrap_or(RigKind::Local);
    let kernels = if rig.boots() { KERNELS.map(String::from).to_vec() } else { Vec::new() };
    let settings = options.settings();
    let request = BenchRequest {
        names: &options.names,
        rig,
        kernels: &kernels,
        loads: &options.load,
        cpu: options.cpu,
        idle_states: options.idle_states,
        settings: &settings,
    };
    let names: Vec<&str> = options.names.iter().map(|name| name.name()).collect();
    let name = format!("bench-{}", names.join("-"));
    Ok(ScenarioFile::new(name, "the options as a scenario", request.text()?))
}
