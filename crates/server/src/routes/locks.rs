// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How long critical sections are held: `irqscope locks`.

use axum::Json;
use axum::extract::{Path, State};
use irqscope_analysis::Locks;
use irqscope_quantity::Span;
use serde::{Deserialize, Serialize};

use super::App;
use super::body::Asked;
use super::runs::{case, finished};
use crate::api_error::{ApiError, Result};

/// Sites in one answer.
const MOST: usize = 512;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocksQuery {
    case: String,
    /// Of a real-time process that the sections are held against: `4ms`.
    period: Option<Span>,
}

/// The critical sections of a case.
#[derive(Serialize)]
pub struct CaseLocks {
    /// With the longest sites only.
    #[serde(flatten)]
    locks: Locks,
    /// Sites that are not in the list; they are no longer than its last.
    left_out: u64,
}

pub async fn locks(
    State(app): State<App>,
    Path(id): Path<String>,
    Asked(asked): Asked<LocksQuery>,
) -> Result<Json<CaseLocks>> {
    app.read(move |session| {
        let run = finished(&session, &id)?;
        let (index, number) = case(&run, &asked.case)?;
        let data = run.case(&index, number)?;
        let mut locks =
            Locks::of_case(&data, asked.period.map(|period| period.0)).ok_or_else(|| {
                let what = format!("{} has no record of critical sections", asked.case);
                ApiError::not_found("no_locks", what).with_remedy(
                "run it with --explain, in the twin with --sections, or on a kernel with delayed \
                 locking: irqscope run delayed-locking",
            )
            })?;
        let left_out = locks.sites.len().saturating_sub(MOST) as u64;
        locks.sites.truncate(MOST);
        Ok(Json(CaseLocks { locks, left_out }))
    })
    .await
}
