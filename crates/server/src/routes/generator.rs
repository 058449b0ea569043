// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Connecting, setting, starting and stopping.

use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::App;
use super::body::{Body, Nothing};
use crate::api_error::Result;
use crate::session::{Checked, Differs, GeneratorState, Start, StartScenario};

/// The generator to connect to.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connect {
    /// HOST:PORT, or another address of a generator.
    address: String,
}

/// The generator, if there is one.
#[derive(Serialize)]
pub struct Known {
    generator: Option<GeneratorState>,
}

/// The generator after its settings were set, and where they are not what was asked for.
#[derive(Serialize)]
pub struct SettingsSet {
    generator: GeneratorState,
    differs: Vec<Differs>,
}

/// A measurement that has begun.
#[derive(Serialize)]
pub struct Begun {
    /// The run directory's name; none as long as there is no directory.
    run: Option<String>,
}

pub async fn get(State(app): State<App>) -> Result<Json<Known>> {
    app.blocking(|session| Ok(Json(Known { generator: session.generator()? }))).await
}

pub async fn connect(
    State(app): State<App>,
    Body(Connect { address }): Body<Connect>,
) -> Result<Json<Known>> {
    let reach = Arc::clone(&app.reach);
    app.blocking(move |session| {
        reach.check(&address)?;
        Ok(Json(Known { generator: Some(session.connect(&address)?) }))
    })
    .await
}

pub async fn disconnect(State(app): State<App>, _: Body<Nothing>) -> Result<Json<Known>> {
    app.blocking(|session| {
        session.disconnect()?;
        Ok(Json(Known { generator: None }))
    })
    .await
}

pub async fn set(
    State(app): State<App>,
    Body(asked): Body<Map<String, Value>>,
) -> Result<Json<SettingsSet>> {
    app.blocking(move |session| {
        let (generator, differs) = session.set(&asked)?;
        Ok(Json(SettingsSet { generator, differs }))
    })
    .await
}

pub async fn start(State(app): State<App>, Body(start): Body<Start>) -> Result<Json<Begun>> {
    app.blocking(move |session| Ok(Json(Begun { run: Some(session.start(start)?) }))).await
}

pub async fn stop(State(app): State<App>, _: Body<Nothing>) -> Result<Json<Known>> {
    app.blocking(|session| Ok(Json(Known { generator: Some(session.stop_generator()?) }))).await
}

pub async fn start_scenario(
    State(app): State<App>,
    Body(start): Body<StartScenario>,
) -> Result<Json<Begun>> {
    app.blocking(move |session| {
        session.start_scenario(&start.bundled()?)?;
        Ok(Json(Begun { run: None }))
    })
    .await
}

pub async fn check_scenario(
    State(app): State<App>,
    Body(start): Body<StartScenario>,
) -> Result<Json<Checked>> {
    app.blocking(move |session| Ok(Json(session.check_scenario(&start.bundled()?)?))).await
}

pub async fn stop_all(State(app): State<App>, _: Body<Nothing>) -> Result<Json<Nothing>> {
    app.blocking(|session| Ok(Json(session.stop().map(|()| Nothing {})?))).await
}
