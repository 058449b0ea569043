// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finished runs: all of them, one, and what is drawn of it.

use axum::Json;
use axum::extract::{Path, State};
use irqscope_analysis::{Summary, drawn, worst_samples};
use irqscope_run::{LogIndex, RunDir};
use irqscope_wire::{Stage, View};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::App;
use super::body::Asked;
use crate::Session;
use crate::api_error::{ApiError, Result};
use crate::runs::{self, FileEntry};

/// Longest latencies in one answer.
const MOST: usize = 100;

pub async fn list(State(app): State<App>) -> Result<Json<Value>> {
    app.blocking(|session| {
        let under_way = session.under_way()?;
        let runs = runs::list(session.runs(), under_way.as_deref());
        Ok(Json(json!({"directory": session.runs().display().to_string(), "runs": runs})))
    })
    .await
}

/// Everything of a run that is text already, byte for byte.
#[derive(Serialize)]
pub struct One {
    id: String,
    manifest: Box<RawValue>,
    summary: Box<RawValue>,
    caveat: Option<String>,
    files: Vec<FileEntry>,
}

pub async fn one(State(app): State<App>, Path(id): Path<String>) -> Result<Json<One>> {
    app.read(move |session| {
        let run = finished(&session, &id)?;
        let (manifest, summary) = runs::texts(&run)?;
        let raw = |text: String| RawValue::from_string(text).map_err(ApiError::failed);
        let caveat = Summary::read(&run)?.caveat();
        let files = runs::files(&id, run.path());
        Ok(Json(One { id, manifest: raw(manifest)?, summary: raw(summary)?, caveat, files }))
    })
    .await
}

/// Returns a run with everything derived; not the one that is being written.
pub fn finished(session: &Session, id: &str) -> Result<RunDir> {
    if session.under_way()?.as_deref() == Some(id) {
        return Err(ApiError::conflict("busy", "this run is still under way"));
    }
    Ok(runs::complete(session.runs(), id)?)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Series {
    case: String,
    stage: Option<Stage>,
    view: Option<View>,
}

pub async fn series(
    State(app): State<App>,
    Path(id): Path<String>,
    Asked(asked): Asked<Series>,
) -> Result<Json<Value>> {
    app.read(move |session| {
        let run = finished(&session, &id)?;
        let (index, number) = case(&run, &asked.case)?;
        let mut series = drawn(&run, &run.stream(&index, number)?)?;
        series.retain(|one| {
            asked.stage.is_none_or(|stage| stage == one.stage)
                && asked.view.is_none_or(|view| view == one.view)
        });
        if series.is_empty() && (asked.stage.is_some() || asked.view.is_some()) {
            return Err(ApiError::not_found("no_series", "the case has no such series"));
        }
        Ok(Json(json!({"case": asked.case, "series": series})))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Worst {
    case: String,
    stage: Stage,
    view: View,
    limit: Option<usize>,
}

pub async fn worst(
    State(app): State<App>,
    Path(id): Path<String>,
    Asked(asked): Asked<Worst>,
) -> Result<Json<Value>> {
    app.read(move |session| {
        let run = finished(&session, &id)?;
        let (index, number) = case(&run, &asked.case)?;
        let stream = run.stream(&index, number)?;
        let limit = asked.limit.unwrap_or(20).min(MOST);
        let (explained, samples) = worst_samples(&stream, asked.stage, asked.view, limit)?;
        Ok(Json(json!({
            "case": asked.case, "stage": asked.stage, "view": asked.view,
            "explained_view": explained, "samples": samples,
        })))
    })
    .await
}

/// Finds a case by its name, with the log that has it.
fn case(run: &RunDir, name: &str) -> Result<(LogIndex, u16)> {
    let cases = run.manifest().cases.iter().zip(0..);
    let found = cases.into_iter().find(|(case, _)| case.case == name).map(|(_, number)| number);
    let number = found.ok_or_else(|| ApiError::not_found("no_case", "the run has no such case"))?;
    Ok((run.index()?, number))
}
