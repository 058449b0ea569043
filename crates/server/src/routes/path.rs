// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The functions that were executed in one latency: `irqscope path`.

use axum::Json;
use axum::extract::{Path, State};
use irqscope_analysis::{At, ShownPath};
use irqscope_wire::Stage;
use serde::Deserialize;

use super::App;
use super::body::Asked;
use super::runs::finished;
use crate::api_error::{ApiError, Result};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PathQuery {
    case: String,
    stage: Stage,
    /// A quantile such as `p50` or `max`, or a trigger's number.
    at: String,
}

pub async fn path(
    State(app): State<App>,
    Path(id): Path<String>,
    Asked(asked): Asked<PathQuery>,
) -> Result<Json<ShownPath>> {
    let at: At = asked.at.parse().map_err(|error: String| ApiError::bad_request(error))?;
    app.read(move |session| {
        let run = finished(&session, &id)?;
        Ok(Json(ShownPath::of(&run, Some(&asked.case), asked.stage, at)?))
    })
    .await
}
