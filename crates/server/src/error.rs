// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors as the page gets them.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use irqscope_analysis::AnalysisError;
use irqscope_report::ReportError;
use irqscope_report::foreign::ForeignError;
use irqscope_rig::generator::GeneratorError;
use irqscope_run::RunError;

use crate::desk::DeskError;

/// A status, a code out of docs/dashboard-api.md, what happened and what to do.
#[derive(Clone, Debug)]
pub struct ApiError {
    status: StatusCode,
    code: &'static str,
    what: String,
    remedy: String,
}

pub type Result<T, E = ApiError> = std::result::Result<T, E>;

impl ApiError {
    pub fn new(status: StatusCode, code: &'static str, what: impl Into<String>) -> Self {
        let (what, remedy) = split(&what.into());
        Self { status, code, what, remedy }
    }

    pub fn with_remedy(mut self, remedy: impl Into<String>) -> Self {
        self.remedy = remedy.into();
        self
    }

    pub fn bad_request(what: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", what)
    }

    pub fn not_found(code: &'static str, what: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, what)
    }

    pub fn conflict(code: &'static str, what: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, code, what)
    }

    pub fn failed(what: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", what)
    }

    pub fn too_many(what: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "too_many", what)
    }
}

/// Splits an error: those of libraries name their remedy on a line of its own.
pub(crate) fn split(text: &str) -> (String, String) {
    let (what, remedy) = text.split_once("\n  remedy: ").unwrap_or((text, ""));
    (what.to_owned(), remedy.to_owned())
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let Self { status, code, what, remedy } = self;
        let body = serde_json::json!({"error": {"code": code, "what": what, "remedy": remedy}});
        (status, Json(body)).into_response()
    }
}

impl From<GeneratorError> for ApiError {
    fn from(error: GeneratorError) -> Self {
        let text = error.to_string();
        match error {
            GeneratorError::WrongAddress { .. } | GeneratorError::Speed { .. } => {
                Self::bad_request(text)
            }
            GeneratorError::Refused(_) => Self::conflict("refused", text),
            GeneratorError::Lost { .. } | GeneratorError::Anew { .. } => {
                Self::new(StatusCode::BAD_GATEWAY, "lost", text)
            }
            _ => Self::new(StatusCode::BAD_GATEWAY, "unreachable", text),
        }
    }
}

impl From<DeskError> for ApiError {
    fn from(error: DeskError) -> Self {
        let text = error.to_string();
        match error {
            DeskError::Busy => Self::conflict("busy", text),
            DeskError::NotConnected => Self::conflict("not_connected", text),
            DeskError::NotRunning => Self::conflict("not_running", text),
            DeskError::Wrong(_) => Self::bad_request(text),
            DeskError::Generator(error) => error.into(),
            DeskError::Failed(_) => Self::failed(text),
        }
    }
}

impl From<RunError> for ApiError {
    fn from(error: RunError) -> Self {
        Self::failed(error.to_string())
    }
}

impl From<AnalysisError> for ApiError {
    fn from(error: AnalysisError) -> Self {
        match error {
            AnalysisError::Compare(_) => Self::conflict("not_comparable", error.to_string()),
            _ => Self::failed(error.to_string()),
        }
    }
}

impl From<ReportError> for ApiError {
    fn from(error: ReportError) -> Self {
        Self::failed(error.to_string())
    }
}

impl From<ForeignError> for ApiError {
    fn from(error: ForeignError) -> Self {
        Self::failed(error.to_string())
    }
}

impl From<tokio::task::JoinError> for ApiError {
    fn from(error: tokio::task::JoinError) -> Self {
        Self::failed(error.to_string())
    }
}
