// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Downloads.

use std::io::{self, Write};
use std::path::PathBuf;

use axum::body::{Body, Bytes};
use axum::extract::{Path, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use futures_util::future::ready;
use futures_util::stream::{once, unfold};
use irqscope_report::foreign::{self, Export, ExportFormat};
use irqscope_run::open_own;
use tokio::io::AsyncReadExt;
use tokio::sync::mpsc::{Sender, channel};

use super::App;
use super::runs::finished;
use crate::api_error::{ApiError, Result};
use crate::runs::{self, FileEntry};

/// Read, and handed on, at once.
const PIECE: usize = 64 * 1024;
/// report.html has its style in itself, and no script: in a place of its own, where
/// it reaches nothing.
const SANDBOX: &str = "sandbox allow-downloads; default-src 'none'; style-src 'unsafe-inline'; \
                       img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Hides the report's links to the files beside it: from its sandbox they lead nowhere, since this server
/// answers no document of another origin.
const UNLINKED: &[u8] = b"<style>.beside{display:none}</style>\n";

pub async fn file(
    State(app): State<App>,
    Path((id, name)): Path<(String, String)>,
) -> Result<Response> {
    let (path, entry) = found(&app, id.clone(), name).await?;
    let last = entry.name.rsplit('/').next().unwrap_or_default();
    attachment(content(path, &entry).await?, &format!("{id}-{last}"))
}

/// Serves a picture to be shown; alone it can do nothing either.
pub async fn figure(
    State(app): State<App>,
    Path((id, name)): Path<(String, String)>,
) -> Result<Response> {
    let (path, entry) = found(&app, id, format!("figures/{name}")).await?;
    Ok(sandboxed(content(path, &entry).await?))
}

pub async fn report(State(app): State<App>, Path(id): Path<String>) -> Result<Response> {
    let (path, entry) = found(&app, id, "report.html".into()).await?;
    let (head, file) = content(path, &entry).await?.into_parts();
    let file = file.into_data_stream().chain(once(ready(Ok(Bytes::from_static(UNLINKED)))));
    let mut response = Response::from_parts(head, Body::from_stream(file));
    let length = HeaderValue::from(entry.bytes + UNLINKED.len() as u64);
    response.headers_mut().insert(header::CONTENT_LENGTH, length);
    Ok(sandboxed(response))
}

async fn found(app: &App, id: String, name: String) -> Result<(PathBuf, FileEntry)> {
    app.read(move |session| {
        let run = finished(&session, &id)?;
        Ok(runs::find(&id, run.path(), &name)?)
    })
    .await
}

/// Gives an answer a policy by which it reaches nothing.
pub fn sandboxed(mut response: Response) -> Response {
    let policy = HeaderValue::from_static(SANDBOX);
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    response
}

fn attachment(mut response: Response, name: &str) -> Result<Response> {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "-._".contains(c) { c } else { '_' };
    let name: String = name.chars().map(plain).collect();
    let value = HeaderValue::from_str(&format!("attachment; filename=\"{name}\""));
    let value = value.map_err(ApiError::failed)?;
    response.headers_mut().insert(header::CONTENT_DISPOSITION, value);
    Ok(response)
}

/// Serves a file in pieces: memory does not grow with it.
async fn content(path: PathBuf, entry: &FileEntry) -> Result<Response> {
    let unread =
        |error: io::Error| ApiError::failed(format!("cannot read {}: {error}", entry.name));
    let opened = tokio::task::spawn_blocking(move || open_own(&path)).await?.map_err(unread)?;
    let file = tokio::fs::File::from_std(opened).take(entry.bytes);
    let pieces = unfold(file, |mut file| async {
        let mut piece = vec![0; PIECE];
        match file.read(&mut piece).await {
            Ok(0) => None,
            Ok(length) => {
                piece.truncate(length);
                Some((Ok(Bytes::from(piece)), file))
            }
            Err(error) => Some((Err(error), file)),
        }
    });
    let head = [
        (header::CONTENT_TYPE, entry.media_type.to_owned()),
        (header::CONTENT_LENGTH, entry.bytes.to_string()),
    ];
    Ok((head, Body::from_stream(pieces)).into_response())
}

/// Serves CSV, written while it is read; a client that stops reading stops the writing.
pub async fn csv(State(app): State<App>, Path(id): Path<String>) -> Result<Response> {
    let of = id.clone();
    let run = app.read(move |session| finished(&session, &of)).await?;
    let (pieces, receiver) = channel(4);
    tokio::task::spawn_blocking(move || {
        let mut output = io::BufWriter::with_capacity(PIECE, Pieces(pieces.clone()));
        let written = foreign::export(&run, &Export::plain(ExportFormat::Csv), &mut output)
            .map_err(io::Error::other);
        if let Err(error) = written.and_then(|()| output.flush()) {
            // The connection ends early: half a file does not look whole.
            let _ = pieces.blocking_send(Err(error));
        }
    });
    let stream = unfold(receiver, |mut receiver| async {
        receiver.recv().await.map(|piece| (piece, receiver))
    });
    let head: [(HeaderName, &str); 1] = [(header::CONTENT_TYPE, "text/csv; charset=utf-8")];
    attachment((head, Body::from_stream(stream)).into_response(), &format!("{id}.csv"))
}

struct Pieces(Sender<io::Result<Bytes>>);

impl Write for Pieces {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let sent = self.0.blocking_send(Ok(Bytes::copy_from_slice(bytes)));
        sent.map(|()| bytes.len()).map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
