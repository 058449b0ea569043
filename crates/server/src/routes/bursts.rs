// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The bursts of a case, and their answers place by place: `irqscope bursts`.

use axum::Json;
use axum::extract::{Path, State};
use irqscope_analysis::Bursts;
use serde::{Deserialize, Serialize};

use super::App;
use super::body::Asked;
use super::runs::{case, finished};
use crate::api_error::{ApiError, Result};

/// Bursts in one answer.
const MOST: usize = 256;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BurstsQuery {
    case: String,
}

/// The bursts of a case.
#[derive(Serialize)]
pub struct CaseBursts {
    /// With the first bursts only.
    #[serde(flatten)]
    bursts: Bursts,
    /// Bursts that are not in the list; the figures by place are over them, too.
    left_out: u64,
}

pub async fn bursts(
    State(app): State<App>,
    Path(id): Path<String>,
    Asked(BurstsQuery { case: name }): Asked<BurstsQuery>,
) -> Result<Json<CaseBursts>> {
    app.read(move |session| {
        let run = finished(&session, &id)?;
        let (index, number) = case(&run, &name)?;
        let mut bursts = Bursts::of(&run.case(&index, number)?).ok_or_else(|| {
            ApiError::not_found("no_bursts", format!("{name} was not triggered in bursts"))
                .with_remedy("run a scenario with `burst` in its trigger: irqscope run bursts")
        })?;
        let left_out = bursts.bursts.len().saturating_sub(MOST) as u64;
        bursts.bursts.truncate(MOST);
        Ok(Json(CaseBursts { bursts, left_out }))
    })
    .await
}
