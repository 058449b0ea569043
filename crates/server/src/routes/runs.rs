// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finished runs: all of them, one, and what is drawn of it.

use axum::Json;
use axum::extract::{Path, State};
use irqscope_analysis::{
    Bins, CaseSummary, CountedBy, Drawn, LiveAccount, Points, StageSummary, Summary, WorstSample,
    drawn, worst_samples,
};
use irqscope_quantity::Limit;
use irqscope_run::{LogIndex, RunDir};
use irqscope_wire::{Stage, View};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::App;
use super::body::Asked;
use super::results::{ResultKind, measured, results};
use crate::Session;
use crate::api_error::{ApiError, Result};
use crate::runs::{self, FileEntry, RunEntry};

/// Longest latencies in one answer.
const MOST: usize = 100;

/// The runs directory.
#[derive(Serialize)]
pub struct RunList {
    directory: String,
    /// The newest first.
    runs: Vec<RunEntry>,
}

pub async fn list(State(app): State<App>) -> Result<Json<RunList>> {
    app.blocking(|session| {
        let under_way = session.under_way()?;
        let runs = runs::list(session.runs(), under_way.as_deref());
        Ok(Json(RunList { directory: session.runs().display().to_string(), runs }))
    })
    .await
}

/// Everything of a run that is text already, byte for byte.
#[derive(Serialize)]
pub struct RunDetails {
    id: String,
    manifest: Box<RawValue>,
    summary: Box<RawValue>,
    caveat: Option<String>,
    files: Vec<FileEntry>,
}

pub async fn one(State(app): State<App>, Path(id): Path<String>) -> Result<Json<RunDetails>> {
    app.read(move |session| {
        let run = finished(&session, &id)?;
        let (manifest, summary) = runs::texts(&run)?;
        let raw = |text: String| RawValue::from_string(text).map_err(ApiError::failed);
        let caveat = Summary::read(&run)?.caveat();
        let files = runs::files(&id, run.path());
        Ok(Json(RunDetails { id, manifest: raw(manifest)?, summary: raw(summary)?, caveat, files }))
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
pub struct SeriesQuery {
    case: String,
    stage: Option<Stage>,
    view: Option<View>,
}

/// A case of a finished run, in the form in which the live stream has one.
#[derive(Serialize)]
pub struct FinishedCase {
    case: String,
    twin: bool,
    account: LiveAccount,
    /// Subcommands whose results it has.
    results: Vec<ResultKind>,
    /// Names of stages or benchmarks that tails and limits may be asked of.
    measured: Vec<String>,
    /// The limits that the run's scenario sets.
    limits: Vec<String>,
    /// In order of stage and view.
    series: Vec<FinishedSeries>,
}

/// One stage in one view: its figures, and what is drawn of it.
#[derive(Serialize)]
pub struct FinishedSeries {
    #[serde(flatten)]
    figures: StageSummary,
    histogram: Option<Bins>,
    course: Option<Points>,
}

pub async fn series(
    State(app): State<App>,
    Path(id): Path<String>,
    Asked(asked): Asked<SeriesQuery>,
) -> Result<Json<FinishedCase>> {
    app.read(move |session| {
        let run = finished(&session, &id)?;
        let (index, number) = case(&run, &asked.case)?;
        let stream = run.stream(&index, number)?;
        let mut drawn = drawn(&run, &stream)?;
        let summary = Summary::read(&run)?.cases.into_iter().find(|one| one.case == asked.case);
        let summary = summary.ok_or_else(no_case)?;
        let is_asked = |one: &StageSummary| {
            asked.stage.is_none_or(|stage| stage == one.stage)
                && asked.view.is_none_or(|view| view == one.view)
        };
        let account = account(&summary);
        let results = results(&run, (&index, number), &stream, &summary);
        let measured = measured(&summary);
        let figures = summary.stages.into_iter().filter(is_asked);
        let series: Vec<_> = figures
            .map(|figures| {
                let same = |one: &Drawn| (one.stage, one.view) == (figures.stage, figures.view);
                let found = drawn.iter().position(same).map(|place| drawn.swap_remove(place));
                let (histogram, course) = found.map(|one| (one.histogram, one.course)).unzip();
                FinishedSeries { figures, histogram, course }
            })
            .collect();
        if series.is_empty() && (asked.stage.is_some() || asked.view.is_some()) {
            return Err(ApiError::not_found("no_series", "the case has no such series"));
        }
        let (case, twin) = (asked.case, summary.twin);
        let limits = run.manifest().limits.iter().map(Limit::to_string).collect();
        Ok(Json(FinishedCase { case, twin, account, results, measured, limits, series }))
    })
    .await
}

fn account(summary: &CaseSummary) -> LiveAccount {
    let from = match (&summary.outside, summary.finished) {
        (Some(_), _) => CountedBy::Generator,
        (None, true) => CountedBy::Target,
        (None, false) => CountedBy::Samples,
    };
    LiveAccount { from: Some(from), account: summary.account(), holds: summary.identity_holds }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WorstQuery {
    case: String,
    stage: Stage,
    view: View,
    limit: Option<usize>,
}

/// The longest latencies of one series.
#[derive(Serialize)]
pub struct WorstSamples {
    case: String,
    stage: Stage,
    view: View,
    /// The view in which latencies are explained.
    explained_view: Option<View>,
    /// Longest first.
    samples: Vec<WorstSample>,
}

pub async fn worst(
    State(app): State<App>,
    Path(id): Path<String>,
    Asked(WorstQuery { case: name, stage, view, limit }): Asked<WorstQuery>,
) -> Result<Json<WorstSamples>> {
    app.read(move |session| {
        let run = finished(&session, &id)?;
        let (index, number) = case(&run, &name)?;
        let stream = run.stream(&index, number)?;
        let limit = limit.unwrap_or(20).min(MOST);
        let (explained_view, samples) = worst_samples(&stream, stage, view, limit)?;
        Ok(Json(WorstSamples { case: name, stage, view, explained_view, samples }))
    })
    .await
}

/// Finds a case by its name, with the log that has it.
pub(super) fn case(run: &RunDir, name: &str) -> Result<(LogIndex, u16)> {
    let cases = run.manifest().cases.iter().zip(0..);
    let found = cases.into_iter().find(|(case, _)| case.case == name).map(|(_, number)| number);
    Ok((run.index()?, found.ok_or_else(no_case)?))
}

pub(super) fn no_case() -> ApiError {
    ApiError::not_found("no_case", "the run has no such case")
}
