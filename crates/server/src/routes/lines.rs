// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Lines of a finished run: those of some triggers, one trigger with all that is known of it, and the
//! trigger that is looked for. Read from the derived files by their row groups, so that a request
//! takes as long in a long run as in a short one.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Json;
use axum::extract::{Path, State};
use irqscope_analysis::{CauseKind, Flag, Look, Search, ViewLines, flags, search};
use irqscope_run::{RunDir, SampleRow, SamplesReader, SegmentRow};
use irqscope_wire::{Nanoseconds, Stage, View};
use serde::{Deserialize, Serialize};

use super::App;
use super::body::Asked;
use super::runs::{case, finished, no_case};
use crate::api_error::{ApiError, Result};

/// Triggers in one answer.
const MOST: u64 = 2_048;
/// Cases of which it is remembered how their lines look.
const REMEMBERED: usize = 16;

type Name = (String, String);
type Both = Arc<[Look; 2]>;

/// How lines of cases look, which only the whole case says.
#[derive(Default)]
pub struct Looks(Mutex<VecDeque<(Name, Both)>>);

impl Looks {
    /// Returns that of a case's views, outside and inside; reads the case the first time.
    fn of(&self, run: &RunDir, id: &str, name: &str) -> Result<Both> {
        let key = (id.to_owned(), name.to_owned());
        let known = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, looks)) = known().iter().find(|(of, _)| *of == key) {
            return Ok(Arc::clone(looks));
        }
        let (index, number) = case(run, name)?;
        let data = run.case(&index, number)?;
        let look = |view| Look::of(&data, view).ok_or_else(no_stages);
        let looks = Arc::new([look(View::Outside)?, look(View::Inside)?]);
        let mut known = known();
        known.push_back((key, Arc::clone(&looks)));
        if known.len() > REMEMBERED {
            known.pop_front();
        }
        Ok(looks)
    }
}

fn no_stages() -> ApiError {
    ApiError::not_found("no_series", "the case has no stages, and so no lines")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinesQuery {
    case: String,
    /// The first trigger.
    seq: Option<u64>,
    /// How many triggers; 1 without it.
    count: Option<u64>,
}

/// The lines of some triggers of a case.
#[derive(Serialize)]
pub struct FinishedLines {
    case: String,
    /// The case's first trigger.
    first: u64,
    /// The case's last trigger.
    last: u64,
    /// Outside before inside; empty where no trigger is in the range.
    views: Vec<ViewLines>,
}

pub async fn lines(
    State(app): State<App>,
    Path(id): Path<String>,
    Asked(asked): Asked<LinesQuery>,
) -> Result<Json<FinishedLines>> {
    let looks = Arc::clone(&app.looks);
    app.read(move |session| {
        let run = finished(&session, &id)?;
        let (samples, (first, last)) = opened(&run, &asked.case)?;
        let seq = asked.seq.unwrap_or(first);
        let end = seq.saturating_add(asked.count.unwrap_or(1).clamp(1, MOST));
        let looks = looks.of(&run, &id, &asked.case)?;
        let [outside, inside] = &*looks;
        let mut all: Vec<SampleRow> = Vec::new();
        samples.rows(&asked.case, seq..end, false, |rows| {
            all.extend_from_slice(rows);
            true
        })?;
        let look = |view| if view == View::Outside { outside } else { inside };
        let views = ViewLines::of(&all, look);
        Ok(Json(FinishedLines { case: asked.case, first, last, views }))
    })
    .await
}

fn opened(run: &RunDir, name: &str) -> Result<(SamplesReader, (u64, u64))> {
    if !run.manifest().cases.iter().any(|case| case.case == name) {
        return Err(no_case());
    }
    let samples = run.samples()?;
    let span = samples.span(name).ok_or_else(no_stages)?;
    Ok((samples, span))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TriggerQuery {
    case: String,
    seq: u64,
}

/// One trigger with all that is known of it.
#[derive(Serialize)]
pub struct TriggerDetails {
    case: String,
    seq: u64,
    /// Of the view in which latencies are explained; `None` where the run has no events.
    explained_view: Option<View>,
    /// In order of stage and view; empty where there is no such trigger.
    answers: Vec<TriggerAnswer>,
}

/// The answer of one stage in one view.
#[derive(Serialize)]
pub struct TriggerAnswer {
    stage: Stage,
    view: View,
    trigger_ns: i64,
    latency_ns: Option<i64>,
    execution_ns: Option<i64>,
    cpu: Option<u16>,
    interrupts: u16,
    flags: Vec<Flag>,
    /// In order of time; empty where this view is not the explained one, or it was not explained.
    segments: Vec<CausePart>,
}

/// A segment of a latency.
#[derive(Serialize)]
pub struct CausePart {
    start_ns: i64,
    length_ns: i64,
    cause: String,
    name: String,
    detail: String,
    /// The cause in plain words; `None` where it is no interference.
    meaning: Option<&'static str>,
}

pub async fn trigger(
    State(app): State<App>,
    Path(id): Path<String>,
    Asked(TriggerQuery { case, seq }): Asked<TriggerQuery>,
) -> Result<Json<TriggerDetails>> {
    app.read(move |session| {
        let run = finished(&session, &id)?;
        let (samples, _) = opened(&run, &case)?;
        let segments = match run.interference()? {
            Some(interference) => interference.trigger(&case, seq)?,
            None => Vec::new(),
        };
        let mut answers = Vec::new();
        samples.rows(&case, seq..seq.saturating_add(1), false, |rows| {
            answers.extend(rows.iter().map(|row| TriggerAnswer::of(row, &segments)));
            true
        })?;
        let explained_view = segments.first().map(|segment| segment.view);
        Ok(Json(TriggerDetails { case, seq, explained_view, answers }))
    })
    .await
}

impl TriggerAnswer {
    fn of(row: &SampleRow, segments: &[SegmentRow]) -> Self {
        let mine = |one: &&SegmentRow| (one.stage, one.view) == (row.stage, row.view);
        Self {
            stage: row.stage,
            view: row.view,
            trigger_ns: row.trigger.0,
            latency_ns: row.latency.map(|latency| latency.0),
            execution_ns: row.execution.map(|execution| execution.0),
            cpu: row.cpu,
            interrupts: row.interrupts,
            flags: flags(row.flags),
            segments: segments.iter().filter(mine).map(CausePart::of).collect(),
        }
    }
}

impl CausePart {
    fn of(row: &SegmentRow) -> Self {
        Self {
            start_ns: row.start.0,
            length_ns: row.length.0,
            meaning: CauseKind::of_name(&row.cause).and_then(CauseKind::meaning),
            cause: row.cause.clone(),
            name: row.name.clone(),
            detail: row.detail.clone(),
        }
    }
}

/// The kind of trigger that is looked for.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Find {
    Any,
    Worst,
    Above,
    Missing,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindQuery {
    case: String,
    stage: Stage,
    view: View,
    what: Find,
    /// With `above`.
    above_ns: Option<i64>,
    /// The first one behind this trigger.
    after: Option<u64>,
    /// The last one before this trigger.
    before: Option<u64>,
}

/// The trigger that was looked for.
#[derive(Serialize)]
pub struct Found {
    /// None: there is no such one.
    seq: Option<u64>,
}

pub async fn find(
    State(app): State<App>,
    Path(id): Path<String>,
    Asked(asked): Asked<FindQuery>,
) -> Result<Json<Found>> {
    let what = match (asked.what, asked.above_ns) {
        (Find::Any, None) => Search::Any,
        (Find::Worst, None) => Search::Worst,
        (Find::Missing, None) => Search::Missing,
        (Find::Above, Some(least)) => Search::Above(Nanoseconds(least)),
        _ => return Err(ApiError::bad_request("above_ns goes with what=above, and with no other")),
    };
    if asked.after.is_some() && asked.before.is_some() {
        return Err(ApiError::bad_request("name a trigger to look after, or one to look before"));
    }
    app.read(move |session| {
        let run = finished(&session, &id)?;
        let (samples, _) = opened(&run, &asked.case)?;
        let from = asked.after.map_or(0, |after| after.saturating_add(1));
        let range = from..asked.before.unwrap_or(u64::MAX);
        let series = (asked.stage, asked.view);
        let seq = search(&samples, &asked.case, series, what, range, asked.before.is_some())?;
        Ok(Json(Found { seq }))
    })
    .await
}
