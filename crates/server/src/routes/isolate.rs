// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Everything that took isolated CPUs away from their loops: `irqscope isolate`.

use axum::Json;
use axum::extract::{Path, State};
use irqscope_analysis::Isolation;
use serde::{Deserialize, Serialize};

use super::App;
use super::body::Asked;
use super::runs::{case, finished};
use crate::api_error::{ApiError, Result};

/// Kinds of disturbances of one CPU in one answer.
const MOST: usize = 256;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IsolateQuery {
    case: String,
}

/// The isolated CPUs of a case.
#[derive(Serialize)]
pub struct CaseIsolation {
    /// One for each loop.
    cpus: Vec<CpuIsolation>,
}

/// The disturbances of one isolated CPU.
#[derive(Serialize)]
pub struct CpuIsolation {
    /// With the kinds only that took the most time.
    #[serde(flatten)]
    isolation: Isolation,
    /// Kinds that are not in the list; each took no more time than its last.
    left_out: u64,
}

pub async fn isolate(
    State(app): State<App>,
    Path(id): Path<String>,
    Asked(asked): Asked<IsolateQuery>,
) -> Result<Json<CaseIsolation>> {
    app.read(move |session| {
        let run = finished(&session, &id)?;
        let (index, number) = case(&run, &asked.case)?;
        let all = Isolation::of_case(&run.case(&index, number)?);
        if all.is_empty() {
            let what = format!("{} has no isolated CPU", asked.case);
            let remedy = "measure one: irqscope run isolate";
            return Err(ApiError::not_found("no_isolation", what).with_remedy(remedy));
        }
        let cpu = |mut isolation: Isolation| {
            let left_out = isolation.causes.len().saturating_sub(MOST) as u64;
            isolation.causes.truncate(MOST);
            CpuIsolation { isolation, left_out }
        };
        Ok(Json(CaseIsolation { cpus: all.into_iter().map(cpu).collect() }))
    })
    .await
}
