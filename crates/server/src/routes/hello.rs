// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Facts that a page needs before anything happens.

use axum::Json;
use axum::extract::State;
use irqscope_analysis::{LIVE_QUANTILE_METHOD, QUANTILE_METHOD};
use irqscope_report::{case_colour, stage_colour, stage_text};
use irqscope_scenario::{Scenario, bundled};
use irqscope_wire::{Stage, View};
use serde_json::{Value, json};

use super::App;
use crate::api_error::Result;

/// The interface's version; see docs/dashboard-api.md.
const API: u32 = 2;

pub async fn hello(State(app): State<App>) -> Result<Json<Value>> {
    app.blocking(|session| {
        Ok(Json(json!({
            "api": API,
            "version": session.tool_version(),
            "runs_directory": session.runs().display().to_string(),
            "stages": Stage::ALL.iter().map(|stage| stage_json(*stage)).collect::<Vec<_>>(),
            "views": View::NAMES,
            "case_colours": (0..8).map(case_colour).collect::<Vec<_>>(),
            "quantile_method": QUANTILE_METHOD,
            "live_quantile_method": LIVE_QUANTILE_METHOD,
            "scenarios": bundled().iter().filter_map(|one| scenario(one.name)).collect::<Vec<_>>(),
            "kernels": irqscope_rig::TESTED,
        })))
    })
    .await
}

fn stage_json(stage: Stage) -> Value {
    json!({"name": stage.name(), "colour": stage_colour(stage), "text": stage_text(stage)})
}

/// Reads a scenario. All bundled ones can be read; a test says so.
fn scenario(name: &str) -> Option<Value> {
    let scenario = Scenario::load(name).ok()?;
    let cases = scenario.cases();
    let plan = cases.first().map(|case| &case.plan);
    Some(json!({
        "name": scenario.name,
        "about": scenario.about,
        "rig": scenario.rig.name(),
        "kernels": scenario.kernels,
        "states": scenario.states.iter().map(|state| {
            json!({"name": state.name, "loads": state.loads})
        }).collect::<Vec<_>>(),
        "count": plan.map(|plan| plan.stages().map_or(0, |asked| asked.count)),
        "is_sweep": cases.iter().any(|case| case.step_of.is_some()),
        "is_benchmark": plan.is_some_and(|plan| !plan.needs_driver()),
    }))
}
