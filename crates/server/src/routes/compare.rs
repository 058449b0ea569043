// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Two runs against each other.

use axum::Json;
use axum::extract::State;
use irqscope_analysis::{AnalysisError, Ask, Comparison, MeasuredCase, pairs};
use irqscope_quantity::Quantile;
use irqscope_wire::View;
use serde::{Deserialize, Serialize};

use super::App;
use super::body::Asked;
use super::runs::finished;
use crate::Session;
use crate::api_error::Result;

const QUANTILES: [Quantile; 4] = [Quantile::P50, Quantile::P99, Quantile::P99_9, Quantile::MAX];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sides {
    base: String,
    other: String,
    base_case: Option<String>,
    other_case: Option<String>,
    view: Option<View>,
}

/// The cases of two runs, compared pair by pair.
#[derive(Serialize)]
pub struct Comparisons {
    comparisons: Vec<Comparison>,
}

pub async fn compare(
    State(app): State<App>,
    Asked(sides): Asked<Sides>,
) -> Result<Json<Comparisons>> {
    app.read(move |session| {
        let base = load(&session, &sides.base, sides.base_case.as_deref())?;
        let other = load(&session, &sides.other, sides.other_case.as_deref())?;
        let ask = Ask { names: &[], view: sides.view, quantiles: &QUANTILES };
        let pairs = pairs(&base, &other).map_err(AnalysisError::from)?;
        let of = |(base, other): (&MeasuredCase, &MeasuredCase)| Comparison::of(base, other, &ask);
        let comparisons = pairs.into_iter().map(of).collect::<Result<Vec<_>, _>>()?;
        Ok(Json(Comparisons { comparisons }))
    })
    .await
}

fn load(session: &Session, id: &str, case: Option<&str>) -> Result<Vec<MeasuredCase>> {
    Ok(MeasuredCase::load(&finished(session, id)?, case)?)
}
