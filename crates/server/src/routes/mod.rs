// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Every address of docs/dashboard-api.md.

mod body;
mod bursts;
mod causes;
mod compare;
mod files;
mod generator;
mod hello;
mod isolate;
mod lake;
mod limits;
mod lines;
mod live;
mod locks;
mod metrics;
mod path;
mod results;
mod runs;
mod sweep;

use std::sync::Arc;

use axum::Router;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tokio::sync::Semaphore;

use crate::api_error::{ApiError, Result};
use crate::guard::{Guard, guard};
use crate::reach::Reach;
use crate::{Lake, Page, Session};

/// Of a request's body.
const BODY_BYTES: usize = 64 * 1024;
/// Live streams at the same time.
const STREAMS: usize = 16;
/// Requests that read whole runs, at the same time; the others wait.
const READERS: usize = 2;

/// State that every route may use.
#[derive(Clone)]
pub struct App {
    pub session: Session,
    pub page: Page,
    pub guard: Arc<Guard>,
    pub reach: Arc<Reach>,
    pub streams: Arc<Semaphore>,
    pub looks: Arc<lines::Looks>,
    pub lake: Option<Arc<Lake>>,
    readers: Arc<Semaphore>,
}

impl App {
    pub fn new(
        session: Session,
        page: Page,
        guard: Guard,
        reach: Reach,
        lake: Option<Lake>,
    ) -> Self {
        Self {
            session,
            page,
            guard: Arc::new(guard),
            reach: Arc::new(reach),
            streams: Arc::new(Semaphore::new(STREAMS)),
            looks: Arc::default(),
            lake: lake.map(Arc::new),
            readers: Arc::new(Semaphore::new(READERS)),
        }
    }

    /// Runs a request off the threads that serve: it waits for a generator.
    pub async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(Session) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let session = self.session.clone();
        tokio::task::spawn_blocking(move || work(session)).await?
    }

    /// Runs a request likewise, and few at a time: it reads a run.
    pub async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(Session) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let _permit = self.readers.acquire().await;
        self.blocking(work).await
    }
}

pub fn router(app: App) -> Router {
    Router::new()
        .route("/api/hello", get(hello::hello))
        .route("/api/live", get(live::live))
        .route("/api/live/hold", post(live::hold))
        .route("/metrics", get(metrics::metrics))
        .route("/api/generator", get(generator::get))
        .route("/api/generator/connect", post(generator::connect))
        .route("/api/generator/disconnect", post(generator::disconnect))
        .route("/api/generator/set", post(generator::set))
        .route("/api/generator/start", post(generator::start))
        .route("/api/generator/stop", post(generator::stop))
        .route("/api/scenario/start", post(generator::start_scenario))
        .route("/api/scenario/check", post(generator::check_scenario))
        .route("/api/stop", post(generator::stop_all))
        .route("/api/runs", get(runs::list))
        .route("/api/runs/{id}", get(runs::one))
        .route("/api/runs/{id}/series", get(runs::series))
        .route("/api/runs/{id}/worst", get(runs::worst))
        .route("/api/runs/{id}/causes", get(causes::causes))
        .route("/api/runs/{id}/tail", get(limits::tail))
        .route("/api/runs/{id}/gate", get(limits::gate))
        .route("/api/runs/{id}/path", get(path::path))
        .route("/api/runs/{id}/path/compared", get(path::compared))
        .route("/api/runs/{id}/path.svg", get(path::flame_graph))
        .route("/api/runs/{id}/bursts", get(bursts::bursts))
        .route("/api/runs/{id}/sweep", get(sweep::sweep))
        .route("/api/runs/{id}/locks", get(locks::locks))
        .route("/api/runs/{id}/isolate", get(isolate::isolate))
        .route("/api/runs/{id}/lines", get(lines::lines))
        .route("/api/runs/{id}/trigger", get(lines::trigger))
        .route("/api/runs/{id}/find", get(lines::find))
        .route("/api/runs/{id}/files/{*name}", get(files::file))
        .route("/api/runs/{id}/figure/{*name}", get(files::figure))
        .route("/api/runs/{id}/report", get(files::report))
        .route("/api/runs/{id}/export/csv", get(files::csv))
        .route("/api/compare", get(compare::compare))
        .route("/api/lake", get(lake::contents))
        .route("/api/lake/trend", get(lake::trend))
        .route("/api/lake/histograms", get(lake::histograms))
        .route("/api/lake/maxima", get(lake::maxima))
        .fallback(page)
        .method_not_allowed_fallback(bad_method)
        .layer(DefaultBodyLimit::max(BODY_BYTES))
        .layer(from_fn_with_state(app.clone(), guard))
        .with_state(app)
}

async fn page(State(app): State<App>, method: Method, uri: Uri, headers: HeaderMap) -> Response {
    if uri.path().starts_with("/api/") {
        return ApiError::not_found("not_found", "there is nothing at this address")
            .into_response();
    }
    match method {
        Method::GET | Method::HEAD => app.page.get(uri.path(), &headers),
        _ => bad_method().await.into_response(),
    }
}

async fn bad_method() -> ApiError {
    let what = "this address takes another method";
    ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "bad_method", what)
}
