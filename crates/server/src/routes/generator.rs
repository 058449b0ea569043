// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Connecting, setting, starting and stopping.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::App;
use super::body::{Body, Nothing};
use crate::api_error::Result;
use crate::session::{GeneratorState, Start, StartScenario};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connect {
    address: String,
}

fn known(generator: Option<GeneratorState>) -> Json<Value> {
    Json(json!({"generator": generator}))
}

pub async fn get(State(app): State<App>) -> Result<Json<Value>> {
    app.blocking(|session| Ok(known(session.generator()?))).await
}

pub async fn connect(
    State(app): State<App>,
    Body(Connect { address }): Body<Connect>,
) -> Result<Json<Value>> {
    app.blocking(move |session| Ok(known(Some(session.connect(&address)?)))).await
}

pub async fn disconnect(State(app): State<App>, _: Body<Nothing>) -> Result<Json<Value>> {
    app.blocking(|session| Ok(session.disconnect().map(|()| known(None))?)).await
}

pub async fn set(
    State(app): State<App>,
    Body(asked): Body<Map<String, Value>>,
) -> Result<Json<Value>> {
    app.blocking(move |session| {
        let (generator, differs) = session.set(&asked)?;
        Ok(Json(json!({"generator": generator, "differs": differs})))
    })
    .await
}

pub async fn start(State(app): State<App>, Body(start): Body<Start>) -> Result<Json<Value>> {
    app.blocking(move |session| Ok(Json(json!({"run": session.start(start)?})))).await
}

pub async fn stop(State(app): State<App>, _: Body<Nothing>) -> Result<Json<Value>> {
    app.blocking(|session| Ok(known(Some(session.stop_generator()?)))).await
}

pub async fn start_scenario(
    State(app): State<App>,
    Body(start): Body<StartScenario>,
) -> Result<Json<Value>> {
    app.blocking(move |session| {
        session.start_scenario(&start.bundled()?)?;
        Ok(Json(json!({"run": null})))
    })
    .await
}

pub async fn stop_all(State(app): State<App>, _: Body<Nothing>) -> Result<Json<Value>> {
    app.blocking(|session| Ok(session.stop().map(|()| Json(json!({})))?)).await
}
