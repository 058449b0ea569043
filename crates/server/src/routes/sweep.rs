// SPDX-License-Identifier: Apache-2.0 OR MIT
//! How each stage answers as triggers come faster: sweep.json, as `irqscope sweep --json` prints it.

use axum::Json;
use axum::extract::{Path, State};
use irqscope_analysis::{Summary, Sweep};

use super::App;
use super::runs::finished;
use crate::api_error::{ApiError, Result};

pub async fn sweep(State(app): State<App>, Path(id): Path<String>) -> Result<Json<Sweep>> {
    app.read(move |session| {
        let run = finished(&session, &id)?;
        let sweep = Sweep::of(&Summary::read(&run)?);
        sweep.map(Json).ok_or_else(|| {
            ApiError::not_found("no_sweep", "the run is no sweep")
                .with_remedy("measure one frequency after the other: irqscope sweep SCENARIO")
        })
    })
    .await
}
