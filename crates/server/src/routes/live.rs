// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Snapshots as they come. A slow reader gets fewer, always the newest: a stream holds none, and a
//! connection that does not move is cut off.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures_util::stream::{Stream, unfold};
use irqscope_analysis::{Reason, Thresholds};
use irqscope_wire::{Stage, View};
use serde::{Deserialize, Serialize};
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::watch::Receiver;

use super::App;
use super::body::{Asked, Body};
use crate::Snapshot;
use crate::api_error::{ApiError, Result};
use crate::session::Narrow;

const SIGN_OF_LIFE: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LiveQuery {
    case: Option<String>,
    series: Option<String>,
    /// With the lines of the newest triggers.
    lines: Option<bool>,
    /// With the lines of a trigger that is held.
    capture: Option<String>,
}

pub async fn live(
    State(app): State<App>,
    Asked(LiveQuery { case, series, lines, capture }): Asked<LiveQuery>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    let series = series.map(|list| parse(&list)).transpose()?;
    let capture = capture.map(|text| parse_capture(&text)).transpose()?;
    let narrow = Narrow { case, series, lines: lines.unwrap_or(false), capture };
    let permit = Arc::clone(&app.streams).try_acquire_owned();
    let permit = permit.map_err(|_| ApiError::too_many("there are too many live streams"))?;
    let newest = app.blocking(|session| Ok(session.watch()?)).await?;
    let watcher = Watcher { newest, narrow, first: true, _permit: permit };
    let stream = unfold(watcher, |mut watcher| async {
        let event = watcher.next().await?;
        Some((Ok(event), watcher))
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(SIGN_OF_LIFE)))
}

struct Watcher {
    newest: Receiver<Arc<Snapshot>>,
    narrow: Narrow,
    first: bool,
    _permit: OwnedSemaphorePermit,
}

impl Watcher {
    /// Returns the next event; `None` when the application has ended.
    async fn next(&mut self) -> Option<Event> {
        if !std::mem::take(&mut self.first) {
            self.newest.changed().await.ok()?;
        }
        let snapshot = Arc::clone(&self.newest.borrow_and_update());
        let narrow = snapshot.narrowed(&self.narrow);
        // Nothing in it cannot be written.
        Event::default().event("snapshot").json_data(narrow).ok()
    }
}

/// The latencies from which on triggers are held, by stage.
#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Hold {
    /// Of all measurements from now on; what was held for other ones is forgotten.
    above_ns: Thresholds,
}

pub async fn hold(State(app): State<App>, Body(hold): Body<Hold>) -> Result<Json<Hold>> {
    if hold.above_ns.values().any(|least| *least < 0) {
        return Err(ApiError::bad_request("a latency is not negative"));
    }
    app.blocking(|session| {
        session.hold_above(hold.above_ns.clone())?;
        Ok(Json(hold))
    })
    .await
}

/// Parses `worst:irq:outside`
fn parse_capture(text: &str) -> Result<(Reason, Stage, View)> {
    let parts: Vec<&str> = text.split(':').collect();
    let found = || match parts[..] {
        [reason, stage, view] => {
            let reason = match reason {
                "worst" => Reason::Worst,
                "above" => Reason::Above,
                "missing" => Reason::Missing,
                _ => return None,
            };
            Some((reason, stage.parse().ok()?, view.parse().ok()?))
        }
        _ => None,
    };
    found().ok_or_else(|| ApiError::bad_request(format!("`{text}` is no REASON:STAGE:VIEW")))
}

/// Parses `irq:outside,user:inside`
fn parse(list: &str) -> Result<Vec<(Stage, View)>> {
    let one = |text: &str| {
        let (stage, view) = text.split_once(':')?;
        Some((stage.parse().ok()?, view.parse().ok()?))
    };
    let wrong = |text: &str| ApiError::bad_request(format!("`{text}` is no STAGE:VIEW"));
    let all = list.split(',').filter(|text| !text.is_empty());
    all.map(|text| one(text).ok_or_else(|| wrong(text))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capture_is_a_reason_with_a_stage_and_a_view() {
        let parsed = parse_capture("missing:work:inside").unwrap();
        assert_eq!(parsed, (Reason::Missing, Stage::Work, View::Inside));
        for bad in ["", "worst", "worst:irq", "best:irq:inside", "worst:irq:inside:1"] {
            assert!(parse_capture(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn series_are_stages_with_views() {
        let all = parse("irq:outside,user:inside").unwrap();
        assert_eq!(all, [(Stage::Irq, View::Outside), (Stage::User, View::Inside)]);
        assert_eq!(parse("").unwrap(), []);
        for bad in ["irq", "irq:", "irq:above", "soft:inside", "irq:outside;"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
