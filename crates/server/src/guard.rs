// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Access control. Every request passes here first, and every answer last.
//!
//! A browser on this machine may show any site: what that site's scripts send here
//! has a foreign `Origin`, or (DNS rebinding) a foreign name in `Host`. A program on
//! another machine needs the token.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Redirect, Response};

use crate::Token;
use crate::api_error::{ApiError, Result};
use crate::routes::App;

const COOKIE: &str = "irqscope-token";
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                      img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The clients that a server is open to.
#[derive(Debug)]
pub struct Guard {
    address: SocketAddr,
    names: Vec<String>,
    /// None on loopback: every user of this machine may use it.
    token: Option<Token>,
}

impl Guard {
    pub fn new(address: SocketAddr, names: Vec<String>, token: Option<Token>) -> Self {
        Self { address, names, token }
    }

    fn check(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<()> {
        let host = self.check_host(uri, headers)?;
        check_origin(host, headers)?;
        if !self.has_token(headers) {
            let what = "this server needs the token that it printed at its start";
            return Err(ApiError::new(StatusCode::UNAUTHORIZED, "no_token", what).with_remedy(
                "open the link that it printed, or send Authorization: Bearer TOKEN",
            ));
        }
        if method == Method::POST { check_json(headers) } else { Ok(()) }
    }

    /// Checks the host. Rebinding makes a foreign name lead here; an address cannot be rebound.
    fn check_host<'a>(&self, uri: &'a Uri, headers: &'a HeaderMap) -> Result<&'a str> {
        let mut all = headers.get_all(header::HOST).iter();
        let host = match (all.next(), all.next()) {
            (Some(host), None) => host.to_str().ok(),
            (None, _) => uri.authority().map(|authority| authority.as_str()),
            _ => None,
        };
        host.filter(|host| self.is_ours(host)).ok_or_else(|| {
            let what = "the request is for another host than this server";
            ApiError::new(StatusCode::FORBIDDEN, "foreign_host", what)
                .with_remedy("use the address that the server printed, or add the name by --name")
        })
    }

    fn is_ours(&self, host: &str) -> bool {
        let (name, port) = match host.rsplit_once(':') {
            Some((name, port)) if !port.ends_with(']') => (name, port.parse().ok()),
            _ => (host, Some(80)),
        };
        let loopback = self.address.ip().is_loopback();
        let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        let known = match address {
            Ok(ip) => !loopback || ip.is_loopback(),
            Err(_) if name.eq_ignore_ascii_case("localhost") => loopback,
            Err(_) => self.names.iter().any(|known| known.eq_ignore_ascii_case(name)),
        };
        known && port == Some(self.address.port())
    }

    fn has_token(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else { return true };
        let text = |value: &HeaderValue| value.to_str().map(str::to_owned).ok();
        let bearer = headers.get(header::AUTHORIZATION).and_then(text);
        let bearer = bearer.as_deref().and_then(|value| value.strip_prefix("Bearer "));
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(text);
        bearer.is_some_and(|given| token.is(given))
            || cookies.into_iter().any(|line| {
                let mut pairs = line.split(';').filter_map(|pair| pair.trim().split_once('='));
                pairs.any(|(name, given)| name == COOKIE && token.is(given))
            })
    }

    /// Enters by a link with the token: it is put into a cookie, and out of the address.
    fn enter(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Option<Response> {
        let token = self.token.as_ref()?;
        if method != Method::GET || uri.path() != "/" || self.check_host(uri, headers).is_err() {
            return None;
        }
        let query = uri.query()?;
        let is_token = |pair: &&str| pair.starts_with("token=");
        let given = query.split('&').find(is_token)?.trim_start_matches("token=");
        if !token.is(given) {
            return None;
        }
        let rest: Vec<&str> = query.split('&').filter(|pair| !is_token(pair)).collect();
        let to = if rest.is_empty() { "/".to_owned() } else { format!("/?{}", rest.join("&")) };
        let cookie = format!("{COOKIE}={given}; Path=/; HttpOnly; SameSite=Lax");
        Some(([(header::SET_COOKIE, cookie)], Redirect::to(&to)).into_response())
    }
}

/// Checks `Origin`, by which a browser names the site whose script asks; programs send none.
fn check_origin(host: &str, headers: &HeaderMap) -> Result<()> {
    let ours = |origin: &HeaderValue| {
        let origin = origin.to_str().unwrap_or_default();
        origin.strip_prefix("http://").is_some_and(|origin| origin.eq_ignore_ascii_case(host))
    };
    let same = |site: &HeaderValue| [&b"same-origin"[..], b"none"].contains(&site.as_bytes());
    if headers.get_all(header::ORIGIN).iter().all(ours)
        && headers.get_all(FETCH_SITE).iter().all(same)
    {
        return Ok(());
    }
    let what = "the request comes from another site than this server's page";
    Err(ApiError::new(StatusCode::FORBIDDEN, "foreign_origin", what))
}

/// Checks for a header that a form of another site cannot send without asking first.
fn check_json(headers: &HeaderMap) -> Result<()> {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.map(|kind| kind.split(';').next().unwrap_or_default().trim());
    if kind.is_some_and(|kind| kind.eq_ignore_ascii_case("application/json")) {
        return Ok(());
    }
    let what = "what changes something is sent with Content-Type: application/json";
    Err(ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not_json", what))
}

/// Runs the layer around all routes.
pub async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let (method, uri, headers) = (request.method(), request.uri(), request.headers());
    let mut response = match app.guard.enter(method, uri, headers) {
        Some(response) => response,
        None => match app.guard.check(method, uri, headers) {
            Ok(()) => next.run(request).await,
            Err(error) => error.into_response(),
        },
    };
    let fixed = [
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    let headers = response.headers_mut();
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guard(address: &str, token: bool) -> Guard {
        let token = token.then(|| Token::new().unwrap());
        Guard::new(address.parse().unwrap(), vec!["scope.lan".into()], token)
    }

    #[test]
    fn on_loopback_only_its_own_names_are_good() {
        let guard = guard("127.0.0.1:7100", false);
        for good in ["127.0.0.1:7100", "localhost:7100", "LOCALHOST:7100", "[::1]:7100"] {
            assert!(guard.is_ours(good), "{good}");
        }
        for bad in [
            "evil.example:7100",
            "127.0.0.1",
            "127.0.0.1:80",
            "192.168.0.9:7100",
            "",
            ":7100",
            "localhost.evil.example:7100",
            "localhost:7100.evil.example",
            "[::1]",
            "localhost:",
        ] {
            assert!(!guard.is_ours(bad), "{bad}");
        }
    }

    #[test]
    fn beyond_loopback_addresses_and_named_names_are_good() {
        let guard = guard("0.0.0.0:7100", true);
        for good in ["192.168.0.9:7100", "scope.lan:7100", "[fe80::1]:7100"] {
            assert!(guard.is_ours(good), "{good}");
        }
        for bad in ["localhost:7100", "evil.example:7100", "scope.lan", "scope.lan:7101"] {
            assert!(!guard.is_ours(bad), "{bad}");
        }
    }
}
