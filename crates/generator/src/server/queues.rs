// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The state that the owner and the server's threads share.
//!
//! Useful invariant: the holder of the lock swaps, copies or counts, and drops no message but in
//! [`Queues::open`], while no host is served.

use std::collections::VecDeque;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use irqscope_wire::secret::Secret;
use irqscope_wire::{Command, Frame, Message, Status};

use super::guard::Guard;
use crate::Source;

/// How often a thread looks at the shared queues if it is not woken.
pub const POLL: Duration = Duration::from_millis(5);
/// Commands and refusals that may lie there.
const MOST_ASKED: usize = 16;

#[derive(Debug)]
pub struct Shared {
    /// The generator's hello, and the hosts that are served.
    pub guard: Guard,
    queues: Mutex<Queues>,
    /// Something was put into the queues or taken from them.
    pub moved: Condvar,
    /// Frames that were given a number, over the generator's whole life.
    numbered: AtomicU64,
}

/// A command, and whose it is.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    pub connection: u64,
    pub to: u64,
    pub command: Command,
}

#[derive(Debug)]
pub struct Queues {
    /// For the host. The owner fills it when it is empty, by a swap.
    pub frames: VecDeque<Message>,
    /// From the server itself: refusals of what was no command.
    pub refusals: VecDeque<Message>,
    /// For the owner.
    pub asked: VecDeque<Asked>,
    /// As it was at the owner's last visit.
    pub status: Status,
    /// The connected host's, to end it with; None: no host is connected.
    pub stream: Option<TcpStream>,
    /// Connections until now.
    pub connection: u64,
    /// Shutting down: no new hosts; a host that has received everything is disconnected.
    pub leaving: bool,
}

impl Shared {
    pub fn new(source: &Source, secret: Option<Secret>) -> Self {
        let queues = Queues {
            frames: VecDeque::new(),
            refusals: VecDeque::new(),
            asked: VecDeque::new(),
            status: source.status(),
            stream: None,
            connection: 0,
            leaving: false,
        };
        Self {
            guard: Guard::new(source, secret),
            queues: Mutex::new(queues),
            moved: Condvar::new(),
            numbered: AtomicU64::new(0),
        }
    }

    /// Locks the queues for the server's threads, which may wait.
    pub fn queues(&self) -> MutexGuard<'_, Queues> {
        // A panic elsewhere has left queues that are still whole: go on.
        self.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks the queues for the owner, which may not wait.
    pub fn try_queues(&self) -> Option<MutexGuard<'_, Queues>> {
        match self.queues.try_lock() {
            Ok(queues) => Some(queues),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Waits until it is woken, or it is time to look.
    pub fn wait<'a>(
        &self,
        queues: MutexGuard<'a, Queues>,
        longest: Duration,
    ) -> MutexGuard<'a, Queues> {
        let waited = self.moved.wait_timeout(queues, longest.min(POLL));
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    /// Returns the number that a new connection begins with: of a host, the frames that follow
    /// its first ones have the next.
    pub fn next_number(&self) -> u64 {
        self.numbered.load(Ordering::Relaxed)
    }

    /// Lets the next frame have this number at least.
    pub fn number_from(&self, number: u64) {
        self.numbered.fetch_max(number, Ordering::Relaxed);
    }

    /// Returns the frame that is written next; there is one writer at a time.
    pub fn number(&self, message: Message) -> Frame {
        Frame { number: self.numbered.fetch_add(1, Ordering::Relaxed), message }
    }
}

impl Queues {
    /// Opens a connection for a new host; returns its number. None if there is one already, or if
    /// all is over.
    pub fn open(&mut self, stream: TcpStream) -> Option<u64> {
        if self.stream.is_some() || self.leaving {
            return None;
        }
        self.stream = Some(stream);
        self.connection += 1;
        self.frames.retain(|message| !matches!(message, Message::Reply(_)));
        self.refusals.clear();
        Some(self.connection)
    }

    pub fn close(&mut self) {
        if let Some(stream) = self.stream.take() {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }

    pub fn has_room(&self) -> bool {
        self.asked.len() < MOST_ASKED && self.refusals.len() < MOST_ASKED
    }

    /// Moves frames into the writer's queue, which is empty.
    pub fn take_frames(&mut self, batch: &mut VecDeque<Message>) {
        std::mem::swap(&mut self.frames, batch);
    }

    pub fn take_refusals(&mut self, batch: &mut VecDeque<Message>) {
        batch.append(&mut self.refusals);
    }

    /// Gives back what could not be written: it waits for the next host, before all else.
    pub fn give_back(&mut self, mut batch: VecDeque<Message>) {
        batch.append(&mut self.frames);
        self.frames = batch;
    }
}
