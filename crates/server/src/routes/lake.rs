// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Runs of months: figures over time, and where their level moved.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::App;
use super::body::{Asked, Nothing};
use crate::api_error::{ApiError, Result};
use crate::lake::{Lake, LakeContents, LakeError, LakeHistograms, LakeMaxima, LakeTrend};

pub async fn contents(State(app): State<App>) -> Result<Json<LakeContents>> {
    ask(app, "contents", Nothing {}).await
}

/// One figure of one stage.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct TrendQuery {
    scenario: String,
    stage: String,
    view: String,
    figure: String,
    since: Option<String>,
    until: Option<String>,
}

pub async fn trend(
    State(app): State<App>,
    Asked(asked): Asked<TrendQuery>,
) -> Result<Json<LakeTrend>> {
    ask(app, "trend", asked).await
}

/// One series.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct HistogramsQuery {
    place: String,
    scenario: String,
    case: String,
    is_virtual: bool,
    stage: String,
    view: String,
}

pub async fn histograms(
    State(app): State<App>,
    Asked(asked): Asked<HistogramsQuery>,
) -> Result<Json<LakeHistograms>> {
    ask(app, "histograms", asked).await
}

/// One stage of one run.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct MaximaQuery {
    run: String,
    stage: String,
    view: String,
}

pub async fn maxima(
    State(app): State<App>,
    Asked(asked): Asked<MaximaQuery>,
) -> Result<Json<LakeMaxima>> {
    ask(app, "maxima", asked).await
}

async fn ask<T: DeserializeOwned + Send + 'static>(
    app: App,
    ask: &'static str,
    query: impl Serialize,
) -> Result<Json<T>> {
    let lake: Arc<Lake> = app.lake.clone().ok_or_else(|| {
        ApiError::not_found("no_lake", "this server was started without a lake")
            .with_remedy("irqscope serve --lake URL")
    })?;
    let keys: Map<String, Value> = match serde_json::to_value(query).map_err(ApiError::failed)? {
        Value::Object(keys) => keys,
        _ => Map::new(),
    };
    app.read(move |_| Ok(Json(lake.ask(ask, keys)?))).await
}

impl From<LakeError> for ApiError {
    fn from(error: LakeError) -> Self {
        let (status, code) = match error {
            LakeError::Refused(_) => (StatusCode::UNPROCESSABLE_ENTITY, "lake_refused"),
            LakeError::Late => (StatusCode::GATEWAY_TIMEOUT, "lake_late"),
            LakeError::NoHelper(_) | LakeError::Strange(_) => {
                (StatusCode::BAD_GATEWAY, "lake_failed")
            }
        };
        Self::new(status, code, error)
    }
}
