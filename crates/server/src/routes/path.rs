// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The functions that were executed in one latency: `irqscope path`.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::header;
use axum::response::{IntoResponse, Response};
use irqscope_analysis::{At, ComparedPaths, ShownPath};
use irqscope_report::{PATH_CAVEAT, flame, path_title};
use irqscope_wire::Stage;
use serde::Deserialize;

use super::App;
use super::body::Asked;
use super::files::sandboxed;
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

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ComparedQuery {
    case: String,
    stage: Stage,
    at: String,
    /// The second path's case.
    other_case: String,
    /// The second path's sample, as `at`.
    other_at: String,
}

pub async fn path(
    State(app): State<App>,
    Path(id): Path<String>,
    Asked(asked): Asked<PathQuery>,
) -> Result<Json<ShownPath>> {
    shown(&app, id, asked).await.map(Json)
}

/// Serves the path's flame graph, `irqscope path --svg`; alone it can do nothing.
pub async fn flame_graph(
    State(app): State<App>,
    Path(id): Path<String>,
    Asked(asked): Asked<PathQuery>,
) -> Result<Response> {
    let shown = shown(&app, id, asked).await?;
    let drawn = flame(&shown.tree, &path_title(&shown.case, &shown.sample), PATH_CAVEAT);
    Ok(sandboxed(([(header::CONTENT_TYPE, "image/svg+xml")], drawn).into_response()))
}

/// Compares two paths of a run: `irqscope path --against-case`, `--from` and `--to`.
pub async fn compared(
    State(app): State<App>,
    Path(id): Path<String>,
    Asked(asked): Asked<ComparedQuery>,
) -> Result<Json<ComparedPaths>> {
    let ComparedQuery { case, stage, at, other_case, other_at } = asked;
    let first = shown(&app, id.clone(), PathQuery { case, stage, at }).await?;
    let other = PathQuery { case: other_case, stage, at: other_at };
    let second = shown(&app, id, other).await?;
    Ok(Json(ComparedPaths::of(first, second)))
}

async fn shown(app: &App, id: String, asked: PathQuery) -> Result<ShownPath> {
    let at: At = asked.at.parse().map_err(|error: String| ApiError::bad_request(error))?;
    app.read(move |session| {
        let run = finished(&session, &id)?;
        Ok(ShownPath::of(&run, Some(&asked.case), asked.stage, at)?)
    })
    .await
}
