// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Errors as the page gets them.

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use irqscope_analysis::{AnalysisError, GateError, PathError, TailError};
use irqscope_report::foreign::ForeignError;
use irqscope_rig::generator::GeneratorError;
use irqscope_run::RunError;
use serde::Serialize;

use crate::error::{RunsError, SessionError, Trouble};

/// A status, a code out of docs/dashboard-api.md, what happened and what to do.
#[derive(Clone, Debug)]
pub struct ApiError {
    status: StatusCode,
    code: &'static str,
    trouble: Trouble,
}

/// An error's body.
#[derive(Serialize)]
pub struct ErrorBody {
    error: CodedTrouble,
}

#[derive(Serialize)]
pub struct CodedTrouble {
    code: &'static str,
    #[serde(flatten)]
    trouble: Trouble,
}

pub type Result<T, E = ApiError> = std::result::Result<T, E>;

impl ApiError {
    pub fn new(status: StatusCode, code: &'static str, what: impl ToString) -> Self {
        Self { status, code, trouble: Trouble::of(what) }
    }

    pub fn with_remedy(mut self, remedy: impl Into<String>) -> Self {
        self.trouble.remedy = remedy.into();
        self
    }

    pub fn bad_request(what: impl ToString) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "bad_request", what)
    }

    pub fn not_found(code: &'static str, what: impl ToString) -> Self {
        Self::new(StatusCode::NOT_FOUND, code, what)
    }

    pub fn conflict(code: &'static str, what: impl ToString) -> Self {
        Self::new(StatusCode::CONFLICT, code, what)
    }

    pub fn failed(what: impl ToString) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "failed", what)
    }

    pub fn too_many(what: impl ToString) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, "too_many", what)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let Self { status, code, trouble } = self;
        (status, Json(ErrorBody { error: CodedTrouble { code, trouble } })).into_response()
    }
}

impl From<GeneratorError> for ApiError {
    fn from(error: GeneratorError) -> Self {
        match error {
            GeneratorError::WrongAddress { .. } | GeneratorError::Speed { .. } => {
                Self::bad_request(error)
            }
            GeneratorError::NeedsSecret { .. }
            | GeneratorError::WrongSecret { .. }
            | GeneratorError::UnusableSecret { .. } => Self::conflict("secret", error),
            GeneratorError::Refused(_) => Self::conflict("refused", error),
            GeneratorError::Lost { .. }
            | GeneratorError::Flooded { .. }
            | GeneratorError::Anew { .. } => Self::new(StatusCode::BAD_GATEWAY, "lost", error),
            _ => Self::new(StatusCode::BAD_GATEWAY, "unreachable", error),
        }
    }
}

impl From<SessionError> for ApiError {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::Busy => Self::conflict("busy", error),
            SessionError::NotConnected => Self::conflict("not_connected", error),
            SessionError::NotRunning => Self::conflict("not_running", error),
            SessionError::Setting(_)
            | SessionError::Stages { .. }
            | SessionError::NoSuchState
            | SessionError::KernelOfFile(_)
            | SessionError::Scenario(_) => Self::bad_request(error),
            SessionError::Unconfined(_) => Self::new(StatusCode::FORBIDDEN, "not_allowed", error)
                .with_remedy("run it on the command line: irqscope run FILE"),
            SessionError::Generator(error) => error.into(),
            SessionError::Closed
            | SessionError::Panicked
            | SessionError::Execute(_)
            | SessionError::Derive(_) => Self::failed(error),
        }
    }
}

impl From<RunsError> for ApiError {
    fn from(error: RunsError) -> Self {
        match error {
            RunsError::NoRun(_) => Self::not_found("no_run", error),
            RunsError::NoLog | RunsError::NoFile(_) => Self::not_found("no_file", error),
            RunsError::Unread { .. } | RunsError::Run(_) | RunsError::Derive(_) => {
                Self::failed(error)
            }
        }
    }
}

impl From<AnalysisError> for ApiError {
    fn from(error: AnalysisError) -> Self {
        match error {
            AnalysisError::Compare(_) => Self::conflict("not_comparable", error),
            AnalysisError::Gate(error) => error.into(),
            AnalysisError::Path(error) => error.into(),
            AnalysisError::Tail(TailError::Unknown { .. }) => Self::not_found("no_series", error),
            AnalysisError::Tail(_) => Self::bad_request(error),
            _ => Self::failed(error),
        }
    }
}

impl From<GateError> for ApiError {
    fn from(error: GateError) -> Self {
        match error {
            GateError::NoVerdict { .. } => Self::conflict("no_verdict", error),
            GateError::Unknown { .. } => Self::not_found("no_series", error),
        }
    }
}

impl From<PathError> for ApiError {
    fn from(error: PathError) -> Self {
        match error {
            PathError::NotTraced { case } => {
                Self::not_found("no_path", format!("{case} has no path of its instructions"))
                    .with_remedy("record it in the twin: irqscope run SCENARIO --trace N")
            }
            PathError::NoCase { .. } => Self::not_found("no_case", error),
            PathError::NoSymbols { .. } | PathError::NoStage { .. } | PathError::NoSeq { .. } => {
                Self::not_found("no_path", error)
            }
        }
    }
}

macro_rules! failed {
    ($($error:ty),*) => {$(
        impl From<$error> for ApiError {
            fn from(error: $error) -> Self {
                Self::failed(error)
            }
        }
    )*};
}

failed!(RunError, ForeignError, tokio::task::JoinError);
