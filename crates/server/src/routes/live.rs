// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Snapshots as they come. A slow reader gets fewer, always the newest: a stream holds none, and a
//! connection that does not move is cut off.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::response::Sse;
use axum::response::sse::{Event, KeepAlive};
use futures_util::stream::{Stream, unfold};
use irqscope_wire::{Stage, View};
use serde::Deserialize;
use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::watch::Receiver;

use super::App;
use super::body::Asked;
use crate::Snapshot;
use crate::api_error::{ApiError, Result};

const SIGN_OF_LIFE: Duration = Duration::from_secs(10);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Narrow {
    case: Option<String>,
    series: Option<String>,
}

pub async fn live(
    State(app): State<App>,
    Asked(Narrow { case, series }): Asked<Narrow>,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>> {
    let series = series.map(|list| parse(&list)).transpose()?;
    let permit = Arc::clone(&app.streams).try_acquire_owned();
    let permit = permit.map_err(|_| ApiError::too_many("there are too many live streams"))?;
    let newest = app.blocking(|session| Ok(session.watch()?)).await?;
    let watcher = Watcher { newest, case, series, first: true, _permit: permit };
    let stream = unfold(watcher, |mut watcher| async {
        let event = watcher.next().await?;
        Some((Ok(event), watcher))
    });
    Ok(Sse::new(stream).keep_alive(KeepAlive::new().interval(SIGN_OF_LIFE)))
}

struct Watcher {
    newest: Receiver<Arc<Snapshot>>,
    case: Option<String>,
    series: Option<Vec<(Stage, View)>>,
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
        let narrow = snapshot.narrowed(self.case.as_deref(), self.series.as_deref());
        // Nothing in it cannot be written.
        Event::default().event("snapshot").json_data(narrow).ok()
    }
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
    fn series_are_stages_with_views() {
        let all = parse("irq:outside,user:inside").unwrap();
        assert_eq!(all, [(Stage::Irq, View::Outside), (Stage::User, View::Inside)]);
        assert_eq!(parse("").unwrap(), []);
        for bad in ["irq", "irq:", "irq:above", "soft:inside", "irq:outside;"] {
            assert!(parse(bad).is_err(), "{bad}");
        }
    }
}
