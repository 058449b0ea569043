// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A request's JSON: small, soon, and nothing unknown in it.

use std::time::Duration;

use axum::body::to_bytes;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use super::BODY_BYTES;
use crate::api_error::ApiError;

/// How long a body may take.
const LIMIT: Duration = Duration::from_secs(10);

/// `{}` where nothing is to be said.
#[derive(Clone, Copy, Debug, Default, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct Nothing {}

pub struct Body<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _: &S) -> Result<Self, ApiError> {
        let read = to_bytes(request.into_body(), BODY_BYTES);
        let bytes = match tokio::time::timeout(LIMIT, read).await {
            Ok(Ok(bytes)) => bytes,
            Ok(Err(_)) => {
                let what = format!("a body has at most {BODY_BYTES} bytes");
                return Err(ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", what));
            }
            Err(_) => return Err(ApiError::bad_request("the body did not come in time")),
        };
        let parsed = serde_json::from_slice(&bytes);
        parsed.map(Self).map_err(ApiError::bad_request)
    }
}

/// The query, behind the question mark.
pub struct Asked<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let query = Query::<T>::from_request_parts(parts, state).await;
        query.map(|Query(asked)| Self(asked)).map_err(|e| ApiError::bad_request(e.body_text()))
    }
}
