// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Causes of a finished run's late responses: what `irqscope explain --json` prints of one case.

use axum::Json;
use axum::extract::{Path, State};
use irqscope_analysis::{Above, Explanation};
use irqscope_quantity::Quantile;
use serde::{Deserialize, Serialize};

use super::App;
use super::body::Asked;
use super::runs::{case, finished};
use crate::api_error::Result;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CausesQuery {
    case: String,
}

/// The causes of a case's late responses.
#[derive(Serialize)]
pub struct Causes {
    case: String,
    /// In order of stage; empty where the case has no events.
    explanations: Vec<Explanation>,
}

pub async fn causes(
    State(app): State<App>,
    Path(id): Path<String>,
    Asked(CausesQuery { case: name }): Asked<CausesQuery>,
) -> Result<Json<Causes>> {
    app.read(move |session| {
        let run = finished(&session, &id)?;
        let (index, number) = case(&run, &name)?;
        let data = run.case(&index, number)?;
        let late = Above::Quantile(Quantile::P99);
        let explained = data.explained.is_some();
        let explanations = if explained { Explanation::of_case(&data, late).0 } else { Vec::new() };
        Ok(Json(Causes { case: name, explanations }))
    })
    .await
}
