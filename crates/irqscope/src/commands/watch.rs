// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope watch`: a running kernel by its own tracepoints, as a scenario of its own.

use irqscope_quantity::Span;
use irqscope_scenario::{BenchRequest, RigKind, ScenarioFile};
use irqscope_wire::BenchmarkKind;

use super::Done;
use super::locks::show_all;
use super::report::show_watch;
use super::run::carry_out;
use crate::cli::Watch;
use crate::exit::Trouble;

pub fn watch(options: &Watch) -> Done {
    let run = carry_out(&scenario(options)?, options.how.overrides(), &options.how)?;
    if options.is_of_sections() {
        return show_all(&run, options.json);
    }
    // The scenario has taken it, so that it is one.
    let limit = options.above.as_deref().and_then(|text| text.parse::<Span>().ok());
    show_watch(&run, options.json, limit.map(|span| span.0))
}

fn scenario(options: &Watch) -> Result<ScenarioFile, Trouble> {
    let settings = options.settings();
    let request = BenchRequest {
        names: &[BenchmarkKind::Watch],
        rig: options.how.rig.unwrap_or(RigKind::Local),
        kernels: &[],
        loads: &[],
        cpu: 0,
        idle_states: true, // nothing is changed
        settings: &settings,
    };
    let text = request.text()?;
    Ok(ScenarioFile::new("watch".to_owned(), "the options as a scenario", text))
}
