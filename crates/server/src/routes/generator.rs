// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Connecting, setting, starting and stopping.

use axum::Json;
use axum::extract::State;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::App;
use super::body::{Body, Nothing};
use crate::desk::{GeneratorState, Start, StartScenario};
use crate::error::Result;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Connect {
    address: String,
}

fn known(generator: Option<GeneratorState>) -> Json<Value> {
    Json(json!({"generator": generator}))
}

pub async fn get(State(app): State<App>) -> Json<Value> {
    known(app.desk.generator())
}

pub async fn connect(
    State(app): State<App>,
    Body(Connect { address }): Body<Connect>,
) -> Result<Json<Value>> {
    app.at_desk(move |desk| Ok(known(Some(desk.connect(&address)?)))).await
}

pub async fn disconnect(State(app): State<App>, _: Body<Nothing>) -> Result<Json<Value>> {
    app.at_desk(|desk| Ok(desk.disconnect().map(|()| known(None))?)).await
}

pub async fn set(
    State(app): State<App>,
    Body(asked): Body<Map<String, Value>>,
) -> Result<Json<Value>> {
    app.at_desk(move |desk| {
        let (generator, differs) = desk.set(&asked)?;
        Ok(Json(json!({"generator": generator, "differs": differs})))
    })
    .await
}

pub async fn start(State(app): State<App>, Body(start): Body<Start>) -> Result<Json<Value>> {
    app.at_desk(move |desk| Ok(Json(json!({"run": desk.start(&start)?})))).await
}

pub async fn stop(State(app): State<App>, _: Body<Nothing>) -> Result<Json<Value>> {
    app.at_desk(|desk| Ok(known(Some(desk.stop_generator()?)))).await
}

pub async fn start_scenario(
    State(app): State<App>,
    Body(start): Body<StartScenario>,
) -> Result<Json<Value>> {
    app.at_desk(move |desk| {
        desk.start_scenario(&start.bundled()?)?;
        Ok(Json(json!({"run": null})))
    })
    .await
}

pub async fn stop_all(State(app): State<App>, _: Body<Nothing>) -> Result<Json<Value>> {
    app.at_desk(|desk| Ok(desk.stop().map(|()| Json(json!({})))?)).await
}
