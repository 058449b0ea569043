// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Limits that a case is held against, and latencies to be expected beyond its samples: `irqscope gate` and
//! `irqscope tail`.

use axum::Json;
use axum::extract::{Path, State};
use irqscope_analysis::{
    Allow, Allowance, Ask, HeldAgainst, ManifestDifference, MeasuredCase, SeriesTail, TailAsk,
    Verdict, hold_all, hold_all_against, may_be_held, tails,
};
use irqscope_quantity::{Limit, Quantile, Span};
use irqscope_wire::View;
use serde::{Deserialize, Serialize};

use super::App;
use super::body::Asked;
use super::runs::{finished, no_case};
use crate::Session;
use crate::api_error::{ApiError, Result};

/// Limits in one request, and times of return.
const MOST: usize = 64;
/// Quantiles that are held against a baseline, as `irqscope gate --against` does it unasked.
const QUANTILES: [Quantile; 2] = [Quantile::P50, Quantile::P99];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TailQuery {
    case: String,
    /// A stage, or a benchmark, its variant, its series.
    name: String,
    view: Option<View>,
    /// The times in which a level is exceeded once, with commas between them: `1h,1d`.
    every: Option<String>,
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
    let every = spans(asked.every.as_deref().unwrap_or_default()).map_err(ApiError::bad_request)?;
    app.read(move |session| {
        let cases = load(&session, &id, &asked.case)?;
        let ask = TailAsk { names: &[asked.name], view: asked.view, every: &every };
        Ok(Json(Tails { tails: tails(&cases, &ask)? }))
    })
    .await
}

fn spans(text: &str) -> Result<Vec<Span>, String> {
    let each = text.split(',').map(str::trim).filter(|span| !span.is_empty());
    let spans = each.map(|span| span.parse::<Span>().map_err(|error| error.to_string()));
    let spans = spans.collect::<Result<Vec<_>, String>>()?;
    match spans.len() {
        0..=MOST => Ok(spans),
        _ => Err(format!("at most {MOST} times are answered at once")),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateQuery {
    case: String,
    /// `NAME<LATENCY@QUANTILE`, with commas or ends of lines between them.
    #[serde(default)]
    limits: String,
    /// A baseline, `RUN` or `RUN#CASE`, that the case must not be later than.
    against: Option<String>,
    /// How much later it may be: `5%`.
    allow: Option<String>,
}

/// A verdict for each limit and series.
#[derive(Serialize)]
pub struct Verdicts {
    verdicts: Vec<Verdict>,
    /// Settings that differ from the baseline and can change the figures by themselves.
    changed: Vec<ManifestDifference>,
}

pub async fn gate(
    State(app): State<App>,
    Path(id): Path<String>,
    Asked(asked): Asked<GateQuery>,
) -> Result<Json<Verdicts>> {
    let limits = match asked.limits.trim() {
        "" if asked.against.is_some() => Vec::new(),
        text => Limit::list(text, MOST).map_err(ApiError::bad_request)?,
    };
    let allow = asked.allow.as_deref().unwrap_or("5%").trim().parse::<Allow>();
    let allow = allow.map_err(ApiError::bad_request)?;
    app.read(move |session| {
        let cases = load(&session, &id, &asked.case)?;
        may_be_held(&cases)?;
        let mut verdicts = hold_all(&cases, &limits)?;
        let held = match &asked.against {
            None => HeldAgainst::default(),
            Some(name) => {
                let base = baseline(&session, name, &asked.case)?;
                may_be_held(&base)?;
                let ask = Ask { names: &[], view: None, quantiles: &QUANTILES };
                let allowance = Allowance { ask, percent: allow.0, strict: false };
                hold_all_against(&base, &cases, &allowance)?
            }
        };
        verdicts.extend(held.verdicts);
        let changed = held.changed.into_iter().map(|one| one.setting).collect();
        Ok(Json(Verdicts { verdicts, changed }))
    })
    .await
}

/// Reads one case of a baseline: the one that is named, else the run's only one, else the one of the
/// same name.
fn baseline(session: &Session, name: &str, same: &str) -> Result<Vec<MeasuredCase>> {
    let (id, case) = name.split_once('#').map_or((name, None), |(id, case)| (id, Some(case)));
    let run = finished(session, id)?;
    let cases = &run.manifest().cases;
    let only = if let [one] = cases.as_slice() { one.case.clone() } else { same.to_owned() };
    let case = case.map_or(only, str::to_owned);
    if cases.iter().any(|one| one.case == case) {
        return Ok(MeasuredCase::load(&run, Some(&case))?);
    }
    let have: Vec<_> = cases.iter().map(|one| one.case.as_str()).collect();
    Err(ApiError::bad_request(format!(
        "{id} has no case {case}; name one of its own, as {id}#CASE: {}",
        have.join(", ")
    )))
}

/// Reads a case with all its values.
fn load(session: &Session, id: &str, case: &str) -> Result<Vec<MeasuredCase>> {
    let run = finished(session, id)?;
    if !run.manifest().cases.iter().any(|one| one.case == case) {
        return Err(no_case());
    }
    Ok(MeasuredCase::load(&run, Some(case))?)
}
