// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A generator on TCP: one host at a time, whatever the generator is made of.
//!
//! ```text
//!   owner's thread                        the server's threads
//!   Source ── Server::exchange() ── queues ── read, write ── host
//! ```
//!
//! The owner of the [`Source`] owns it alone: the server's threads never touch it, never call the
//! owner, and never read its clock. Messages between them lie in queues behind one mutex, and the
//! owner calls [`Server::exchange`] when it has time for it: that does the commands that came in,
//! packs samples and hands over what waits.
//!
//! A host is a connection that has said hello, and proved that it knows the generator's secret where
//! there is one; until then it has no part in this, and a few seconds.
//!
//! # For a real-time loop
//!
//! The owner never waits for a socket, a host or the server's threads: `exchange` only *tries* the
//! lock, and where it finds it taken it comes back empty-handed and frames wait in the [`Source`]
//! for the next time. Either side holds the lock for as long as it takes to swap two queues and to
//! copy a status; no thread encodes, writes, or frees a frame under it. `exchange` makes no system
//! call (but where it gives the lock back while a thread waits for it, one futex wake-up). So an
//! owner that can afford one wakes the writer by [`Server::wake`], and one that cannot leaves that:
//! the writer looks by itself every 5 ms.
//!
//! # Memory
//!
//! A host that does not read costs three times the room of the source's outbox at most: in the
//! source, in the shared queue, and in the writer. Then samples are dropped, and counted, and the
//! run goes on.

mod candidates;
mod connection;
mod guard;
mod queues;

use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use irqscope_wire::secret::Secret;

use crate::Source;
use candidates::Candidates;
use queues::{Asked, Queues, Shared};

pub use guard::{new_secret, read_secret};

/// A host that has acknowledged nothing for this time is gone.
const GONE: Duration = Duration::from_secs(60);
/// How long the other side of a connection that is closed may take to notice.
const CLOSING: Duration = Duration::from_millis(500);

#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    #[error("cannot listen on {address}: {source}")]
    Listen { address: String, source: io::Error },
    #[error("cannot use the secret in {path}: {why}")]
    Secret { path: String, why: String },
    #[error("cannot start a thread for the server: {0}")]
    Thread(io::Error),
}

/// The owner's end. Dropping it ends the connection and all threads.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
    listener: TcpListener,
    accepting: Option<JoinHandle<()>>,
    /// Taken from the shared queue, but not done: no room for the reply.
    asked: VecDeque<Asked>,
    /// Whose replies wait in the source's outbox.
    connection: u64,
}

impl Server {
    /// Listens and lets every host in, from now on. With port 0 the system chooses
    /// one: see [`Server::address`].
    ///
    /// # Errors
    /// The address is taken, is not this machine's or cannot be resolved, or
    /// no thread can be made.
    pub fn start(
        address: impl ToSocketAddrs + std::fmt::Display,
        source: &Source,
    ) -> Result<Self, ServerError> {
        Self::guarded(address, source, None)
    }

    /// Listens likewise; with a secret only hosts that prove to know it are served.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub fn guarded(
        address: impl ToSocketAddrs + std::fmt::Display,
        source: &Source,
        secret: Option<Secret>,
    ) -> Result<Self, ServerError> {
        let error = |source| ServerError::Listen { address: address.to_string(), source };
        let listener = TcpListener::bind(&address).map_err(error)?;
        listener.set_nonblocking(true).map_err(error)?;
        let shared = Arc::new(Shared::new(source, secret));
        let (accepting, its) = (listener.try_clone().map_err(error)?, shared.clone());
        Ok(Self {
            address: listener.local_addr().map_err(error)?,
            accepting: Some(spawn("accept", move || accept_all(&accepting, &its))?),
            shared,
            listener,
            asked: VecDeque::new(),
            connection: 0,
        })
    }

    /// Returns the address where it really listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Does the commands that came in, packs what is final and hands over what
    /// waits. True if there is something for the writer; see [`Server::wake`].
    pub fn exchange(&mut self, source: &mut Source, now: u64) -> bool {
        source.set_clock(now);
        self.take(source);
        // A host that does not read its replies has no commands executed either.
        while source.outbox.has_room() {
            let Some(asked) = self.asked.pop_front() else { break };
            if asked.connection == self.connection {
                source.command(asked.to, asked.command, now);
            } else {
                let _ = source.set(asked.command, now);
            }
        }
        source.pump();
        self.hand_over(source)
    }

    /// Lets the writer look at once.
    pub fn wake(&self) {
        self.shared.moved.notify_all();
    }

    /// Waits until the connected host has all frames and closes its connection,
    /// but no longer than `within`. For the owner's end, not for its loop.
    pub fn shut_down(&mut self, source: &mut Source, within: Duration) {
        let deadline = Instant::now() + within;
        source.pump();
        loop {
            self.hand_over(source);
            self.wake();
            let mut queues = self.shared.queues();
            queues.leaving = source.outbox.is_empty();
            let left = deadline.saturating_duration_since(Instant::now());
            if queues.stream.is_none() || left.is_zero() {
                return;
            }
            drop(self.shared.wait(queues, left));
        }
    }

    fn take(&mut self, source: &mut Source) {
        let shared = Arc::clone(&self.shared);
        let Some(mut queues) = shared.try_queues() else { return };
        self.switch_host(&queues, source);
        self.asked.append(&mut queues.asked);
    }

    fn hand_over(&mut self, source: &mut Source) -> bool {
        let shared = Arc::clone(&self.shared);
        let Some(mut queues) = shared.try_queues() else { return false };
        self.switch_host(&queues, source);
        queues.status = source.status();
        let hands = queues.frames.is_empty() && !source.outbox.is_empty();
        if hands {
            source.outbox.swap(&mut queues.frames);
        }
        hands
    }

    /// Exchanges with a new host, which must not get replies to what the one before it has asked.
    fn switch_host(&mut self, queues: &Queues, source: &mut Source) {
        if self.connection != queues.connection {
            self.connection = queues.connection;
            source.outbox.forget_replies();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        {
            let mut queues = self.shared.queues();
            queues.leaving = true;
            if let Some(stream) = &queues.stream {
                let _ = stream.shutdown(Shutdown::Both);
            }
        }
        self.wake();
        // Linux: wakes a thread that waits for connections.
        let _ =
            nix::sys::socket::shutdown(self.listener.as_raw_fd(), nix::sys::socket::Shutdown::Both);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> Result<JoinHandle<()>, ServerError> {
    std::thread::Builder::new()
        .name(format!("irqscope-{name}"))
        .spawn(body)
        .map_err(ServerError::Thread)
}

fn accept_all(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut candidates = Candidates::new(Arc::clone(shared));
    loop {
        candidates.wait(listener);
        if shared.queues().leaving {
            break;
        }
        candidates.attend();
        match listener.accept() {
            Ok((stream, _)) if prepare(&stream).is_ok() => candidates.accept(stream),
            // A host whose connection cannot be set up sees it closed.
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            // Out of descriptors or memory: that may pass.
            Err(_) => std::thread::sleep(queues::POLL),
        }
    }
    candidates.end();
}

fn prepare(stream: &TcpStream) -> io::Result<()> {
    use nix::sys::socket::{setsockopt, sockopt::TcpUserTimeout};
    stream.set_nodelay(true)?;
    let milliseconds = u32::try_from(GONE.as_millis()).unwrap_or(u32::MAX);
    Ok(setsockopt(stream, TcpUserTimeout, &milliseconds)?)
}

/// Closes without a reset, which could overtake what was just said: reads on
/// until the host closes too, for a moment.
fn close_gently(mut stream: &TcpStream) {
    let deadline = Instant::now() + CLOSING;
    let _ = stream.shutdown(Shutdown::Write);
    let mut buffer = [0; 4096];
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
            return;
        }
        match stream.read(&mut buffer) {
            Ok(0) => return,
            Err(error) if error.kind() != ErrorKind::Interrupted => return,
            _ => {}
        }
    }
}
