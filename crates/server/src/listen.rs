// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Connections, each with limits: their number, the time for a head, the time without reading.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio_io_timeout::TimeoutStream;

use crate::guard::Guard;
use crate::routes::{App, router};
use crate::{Options, ServeError, Session, Token};

/// Browsers open six to one server.
const CONNECTIONS: usize = 64;
/// How long a request's head may take, and a connection may be without a request.
const HEAD: Duration = Duration::from_secs(30);
/// How long what was written may wait for its reader.
const UNREAD: Duration = Duration::from_secs(30);
/// Of a request's head.
const HEAD_BYTES: usize = 64 * 1024;
/// Grace period for requests in flight at shutdown.
const LAST: Duration = Duration::from_millis(500);
const THREADS: usize = 2;

const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n\
    Connection: close\r\n\r\n\
    {\"error\":{\"code\":\"too_many\",\"what\":\"there are too many connections\",\"remedy\":\"\"}}";

/// A listening server. Dropping it closes every connection; a measurement goes on until the
/// application's state is closed.
pub struct Server {
    address: SocketAddr,
    token: Option<Token>,
    runtime: Option<Runtime>,
}

impl Server {
    /// Listens, and serves on threads of its own.
    ///
    /// # Errors
    /// The address cannot be had, or there is no page.
    pub fn start(options: Options, session: Session) -> Result<Self, ServeError> {
        let Options { listen, names, page } = options;
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(THREADS)
            .thread_name("server")
            .enable_all()
            .build()
            .map_err(ServeError::Threads)?;
        let wrong = |source| ServeError::Listen { address: listen, source };
        let listener = runtime.block_on(TcpListener::bind(listen)).map_err(wrong)?;
        let address = listener.local_addr().map_err(wrong)?;
        let token = (!address.ip().is_loopback()).then(Token::new).transpose()?;
        let guard = Guard::new(address, names, token.clone());
        let app = App::new(session, page, guard);
        runtime.spawn(accept(listener, app));
        Ok(Self { address, token, runtime: Some(runtime) })
    }

    /// Returns where it really listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the address to open: with the token, where one is needed.
    pub fn link(&self) -> String {
        match &self.token {
            Some(token) => format!("http://{}/?token={}", self.address, token.as_str()),
            None => format!("http://{}/", self.address),
        }
    }

    /// Returns the token, where one is needed.
    pub fn token(&self) -> Option<&Token> {
        self.token.as_ref()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_timeout(LAST);
        }
    }
}

async fn accept(listener: TcpListener, app: App) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    loop {
        // Out of file descriptors, or the other end has gone: neither is for ever.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        match Arc::clone(&room).try_acquire_owned() {
            Ok(permit) => {
                let app = app.clone();
                tokio::spawn(async move {
                    serve(stream, app).await;
                    drop(permit);
                });
            }
            Err(_) => {
                tokio::spawn(refuse(stream));
            }
        }
    }
}

async fn serve(stream: TcpStream, app: App) {
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(UNREAD));
    let service = TowerToHyperService::new(router(app));
    // A connection's errors are its client's affair.
    let _ = hyper::server::conn::http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(Box::pin(stream)), service)
        .await;
}

async fn refuse(mut stream: TcpStream) {
    let _ = tokio::time::timeout(Duration::from_secs(1), stream.write_all(FULL)).await;
}
