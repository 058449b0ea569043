// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Connections, each with limits: their number, the time for a head, the time without reading.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::AbortHandle;
use tokio_io_timeout::TimeoutStream;

use crate::guard::Guard;
use crate::reach::Reach;
use crate::routes::{App, router};
use crate::{Options, ServeError, Session, Token};

/// Browsers open six to one server.
const CONNECTIONS: usize = 64;
/// How long a request's head may take, and a connection may be without a request.
const HEAD: Duration = Duration::from_secs(10);
/// How long a connection may take to end, to make room.
const ROOM: Duration = Duration::from_secs(1);
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
        let Options { listen, names, allow, page, lake } = options;
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
        let reach = Reach::new(allow, address.ip().is_loopback());
        let app = App::new(session, page, guard, reach, lake);
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

/// Connections that have sent no request yet, oldest first: they give way where there is no room.
#[derive(Clone, Default)]
struct Silent(Arc<Mutex<VecDeque<(u64, AbortHandle)>>>);

impl Silent {
    fn all(&self) -> MutexGuard<'_, VecDeque<(u64, AbortHandle)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a connection; it is in the list before it can leave it.
    fn spawn(&self, number: u64, serving: impl Future<Output = ()> + Send + 'static) {
        let mut all = self.all();
        all.push_back((number, tokio::spawn(serving).abort_handle()));
    }

    /// Takes a connection out: it has sent a request, or has ended.
    fn remove(&self, number: u64) {
        self.all().retain(|(other, _)| *other != number);
    }

    /// Ends the oldest one, if there is any.
    fn end_oldest(&self) -> bool {
        let oldest = self.all().pop_front();
        oldest.inspect(|(_, task)| task.abort()).is_some()
    }
}

async fn accept(listener: TcpListener, app: App) {
    let room = Arc::new(Semaphore::new(CONNECTIONS));
    let silent = Silent::default();
    for number in 0.. {
        // Out of file descriptors, or the other end has gone: neither is for ever.
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(Duration::from_millis(100)).await;
            continue;
        };
        let Some(permit) = place(&room, &silent).await else {
            tokio::spawn(refuse(stream));
            continue;
        };
        let (app, its) = (app.clone(), silent.clone());
        silent.spawn(number, async move {
            let heard = its.clone();
            serve(stream, app, move || heard.remove(number)).await;
            its.remove(number);
            drop(permit);
        });
    }
}

/// Finds room for a connection, in place of one that says nothing where there is no other.
async fn place(room: &Arc<Semaphore>, silent: &Silent) -> Option<OwnedSemaphorePermit> {
    if let Ok(permit) = Arc::clone(room).try_acquire_owned() {
        return Some(permit);
    }
    if !silent.end_oldest() {
        return None;
    }
    tokio::time::timeout(ROOM, Arc::clone(room).acquire_owned()).await.ok()?.ok()
}

/// Serves a connection; `heard` is called at each request.
async fn serve(stream: TcpStream, app: App, heard: impl Fn()) {
    let _ = stream.set_nodelay(true);
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(UNREAD));
    let routes = TowerToHyperService::new(router(app));
    let service = service_fn(move |request| {
        heard();
        routes.call(request)
    });
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
