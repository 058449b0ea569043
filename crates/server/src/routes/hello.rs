// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Facts that a page needs before anything happens.

use axum::Json;
use axum::extract::State;
use irqscope_analysis::{LIVE_QUANTILE_METHOD, QUANTILE_METHOD};
use irqscope_report::{case_colour, stage_colour, stage_text};
use irqscope_scenario::{Scenario, bundled};
use irqscope_wire::{Stage, SystemState, View};
use serde::Serialize;

use super::App;
use crate::api_error::Result;
use crate::page::CASES;

/// The interface's version; see docs/dashboard-api.md.
const API: u32 = 3;

/// Facts that a page needs before anything happens.
#[derive(Serialize)]
pub struct Hello {
    api: u32,
    version: &'static str,
    runs_directory: String,
    /// All of them, in their order.
    stages: Vec<StageInfo>,
    views: &'static [View],
    case_colours: Vec<&'static str>,
    quantile_method: &'static str,
    live_quantile_method: &'static str,
    scenarios: Vec<ScenarioInfo>,
    kernels: &'static [&'static str],
    /// A lake can be asked.
    has_lake: bool,
}

/// A stage, and its looks.
#[derive(Serialize)]
pub struct StageInfo {
    name: Stage,
    colour: &'static str,
    text: &'static str,
}

/// A bundled scenario.
#[derive(Serialize)]
pub struct ScenarioInfo {
    name: String,
    about: String,
    rig: &'static str,
    /// Its rig boots kernels of the user's choice.
    boots: bool,
    kernels: Vec<String>,
    states: Vec<SystemState>,
    /// Triggers of each case.
    count: u64,
    is_sweep: bool,
    is_benchmark: bool,
}

pub async fn hello(State(app): State<App>) -> Result<Json<Hello>> {
    let has_lake = app.lake.is_some();
    app.blocking(move |session| {
        Ok(Json(Hello {
            api: API,
            version: session.tool_version(),
            runs_directory: session.runs().display().to_string(),
            stages: Stage::ALL.iter().copied().map(StageInfo::of).collect(),
            views: View::ALL,
            case_colours: (0..CASES).map(case_colour).collect(),
            quantile_method: QUANTILE_METHOD,
            live_quantile_method: LIVE_QUANTILE_METHOD,
            scenarios: bundled().iter().filter_map(|one| ScenarioInfo::of(one.name)).collect(),
            kernels: &irqscope_rig::TESTED,
            has_lake,
        }))
    })
    .await
}

impl StageInfo {
    fn of(name: Stage) -> Self {
        Self { name, colour: stage_colour(name), text: stage_text(name) }
    }
}

impl ScenarioInfo {
    /// Reads a scenario. All bundled ones can be read; a test says so.
    fn of(name: &str) -> Option<Self> {
        let scenario = Scenario::load(name).ok()?;
        let cases = scenario.cases();
        let plan = cases.first().map(|case| &case.plan);
        Some(Self {
            count: plan.and_then(|plan| plan.stages()).map_or(0, |asked| asked.count),
            is_sweep: cases.iter().any(|case| case.step_of.is_some()),
            is_benchmark: plan.is_some_and(|plan| !plan.needs_driver()),
            rig: scenario.rig.name(),
            boots: scenario.rig.boots(),
            name: scenario.name,
            about: scenario.about,
            kernels: scenario.kernels.into_iter().map(|kernel| kernel.text).collect(),
            states: scenario.states,
        })
    }
}
