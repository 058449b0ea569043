// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Limits that a case is held against, and latencies to be expected beyond its samples: `irqscope gate` and
//! `irqscope tail`.

use axum::Json;
use axum::extract::{Path, State};
use irqscope_analysis::{MeasuredCase, SeriesTail, TailAsk, Verdict, hold_all, may_be_held, tails};
use irqscope_quantity::Limit;
use irqscope_wire::View;
use serde::{Deserialize, Serialize};

use super::App;
use super::body::Asked;
use super::runs::{finished, no_case};
use crate::Session;
use crate::api_error::{ApiError, Result};

/// Limits in one request.
const MOST: usize = 64;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TailQuery {
    case: String,
    /// A stage, or a benchmark, its variant, its series.
    name: String,
    view: Option<View>,
}

/// The tails of the series that answer to a name.
#[derive(Serialize)]
pub struct Tails {
    tails: Vec<SeriesTail>,
}

pub async fn tail(
    State(app): State<App>,
    Path(id): Path<String>,
    Asked(asked): Asked<TailQuery>,
) -> Result<Json<Tails>> {
    app.read(move |session| {
        let cases = load(&session, &id, &asked.case)?;
        let ask = TailAsk { names: &[asked.name], view: asked.view, every: &[] };
        Ok(Json(Tails { tails: tails(&cases, &ask)? }))
    })
    .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateQuery {
    case: String,
    /// `NAME<LATENCY@QUANTILE`, with commas or ends of lines between them.
    limits: String,
}

/// A verdict for each limit and series.
#[derive(Serialize)]
pub struct Verdicts {
    verdicts: Vec<Verdict>,
}

pub async fn gate(
    State(app): State<App>,
    Path(id): Path<String>,
    Asked(asked): Asked<GateQuery>,
) -> Result<Json<Verdicts>> {
    let limits = Limit::list(&asked.limits, MOST).map_err(ApiError::bad_request)?;
    app.read(move |session| {
        let cases = load(&session, &id, &asked.case)?;
        may_be_held(&cases)?;
        Ok(Json(Verdicts { verdicts: hold_all(&cases, &limits)? }))
    })
    .await
}

/// Reads a case with all its values.
fn load(session: &Session, id: &str, case: &str) -> Result<Vec<MeasuredCase>> {
    let run = finished(session, id)?;
    if !run.manifest().cases.iter().any(|one| one.case == case) {
        return Err(no_case());
    }
    Ok(MeasuredCase::load(&run, Some(case))?)
}
