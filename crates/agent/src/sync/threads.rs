// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The threads of a benchmark: each gets its CPU and its class, waits until all
//! have theirs, measures, and ends; or is left behind if it does not.

use std::io::{self, PipeReader, PipeWriter};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use irqscope_wire::Class;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sched::sched_getcpu;

use crate::clock::now;
use crate::error::{Error, Result};
use crate::scheduling;

/// Small, because all of it is locked into memory.
const STACK_BYTES: usize = 128 << 10;

/// How long threads may take to end when asked to, in milliseconds.
const FAREWELL_MS: u16 = 5_000;

/// The command that a measured thread gets when all of them are in their places.
#[derive(Clone, Debug)]
pub struct Go {
    /// The same for all of them: shortly before this instant they were let go.
    pub begin: i64,
    cancel: Arc<AtomicBool>,
}

impl Go {
    /// Returns whether it is to end early. Cheap enough for hot loops.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        self.cancel.load(Ordering::Relaxed)
    }
}

/// Where a thread runs, and how.
#[derive(Clone, Copy, Debug)]
pub struct ThreadSpec {
    /// Its name.
    pub name: &'static str,
    /// None: wherever the scheduler likes; SCHED_DEADLINE wants that.
    pub cpu: Option<u32>,
    /// Its policy.
    pub class: Class,
    /// Deadline and period of SCHED_DEADLINE.
    pub period_ns: u64,
}

impl ThreadSpec {
    /// Brings the calling thread there.
    pub(super) fn apply(&self) -> Result<()> {
        match self.cpu {
            Some(cpu) => scheduling::pin(self.name, cpu)?,
            None => scheduling::leave_free(self.name)?,
        }
        match self.class {
            Class::Fixed(scheduling) => scheduling::schedule(self.name, scheduling),
            Class::Deadline { runtime_ns } => {
                scheduling::give_deadline(self.name, runtime_ns, self.period_ns)
            }
            Class::Unknown => Ok(()), // as it was started
        }
    }
}

type Body = Box<dyn FnOnce(&Go) -> Result<()> + Send>;

/// Threads that were described but not yet started.
#[derive(Default)]
pub struct ThreadGroup {
    members: Vec<(ThreadSpec, Body)>,
}

impl ThreadGroup {
    /// Adds a thread that does `body`. It may allocate before its first
    /// measurement and after its last one, never in between.
    pub fn add(
        &mut self,
        spec: ThreadSpec,
        body: impl FnOnce(&Go) -> Result<()> + Send + 'static,
    ) -> &mut Self {
        self.members.push((spec, Box::new(body)));
        self
    }

    /// Starts all of them; returns when each has its CPU and class, and they
    /// have begun. If one cannot be placed, all end.
    ///
    /// # Errors
    /// A thread cannot be made, or not have its place or its policy.
    pub fn start(self) -> Result<Working> {
        let system = |what| move |source| Error::System { what, source };
        let (ended, alive) = io::pipe().map_err(system("make a pipe"))?;
        let (tell, told) = channel();
        let (mut threads, mut gates) = (Vec::new(), Vec::new());
        for (spec, body) in self.members {
            let (open, gate) = channel();
            let alive = alive.try_clone().map_err(system("copy a pipe"))?;
            let member = Member { spec, body, tell: tell.clone(), gate, alive };
            let thread = Builder::new().name(spec.name.into()).stack_size(STACK_BYTES);
            threads.push(thread.spawn(|| member.live()).map_err(system("start a thread"))?);
            gates.push((spec.cpu, open));
        }
        all_ready(&told, threads.len())?;
        // A thread that is released on this CPU may not give it back before its end.
        let here = sched_getcpu().ok();
        gates.sort_by_key(|(cpu, _)| cpu.map(|cpu| cpu as usize) == here);
        let go = Go { begin: now(), cancel: Arc::default() };
        gates.iter().for_each(|(_, gate)| drop(gate.send(go.clone())));
        Ok(Working { threads, cancel: go.cancel, ended })
    }
}

fn all_ready(told: &Receiver<Result<()>>, count: usize) -> Result<()> {
    let died = |_| Err(Error::Thread("a thread died at its start".into()));
    (0..count).try_for_each(|_| told.recv().unwrap_or_else(died))
}

struct Member {
    spec: ThreadSpec,
    body: Body,
    tell: Sender<Result<()>>,
    /// Closed without a word if another one could not be placed.
    gate: Receiver<Go>,
    /// Closed when the thread ends.
    alive: PipeWriter,
}

impl Member {
    fn live(self) -> Result<()> {
        let Member { spec, body, tell, gate, alive } = self;
        let _ = tell.send(spec.apply());
        let result = gate.recv().map_or(Ok(()), |go| body(&go));
        drop(alive);
        result
    }
}

/// Threads at work.
#[derive(Debug)]
pub struct Working {
    threads: Vec<JoinHandle<Result<()>>>,
    cancel: Arc<AtomicBool>,
    ended: PipeReader,
}

impl Working {
    /// Returns a descriptor that is readable when all have ended.
    pub fn ended(&self) -> BorrowedFd<'_> {
        self.ended.as_fd()
    }

    /// Returns whether all have ended.
    pub fn have_ended(&self) -> bool {
        self.wait(PollTimeout::ZERO)
    }

    /// Asks all of them to end early.
    pub fn cancel(&self) {
        self.cancel.store(true, Ordering::Relaxed);
    }

    /// Waits for the threads; returns their results, or an error if one does not end.
    ///
    /// # Errors
    /// A thread has failed, or does not end.
    pub fn join(self) -> Result<()> {
        if !self.wait(PollTimeout::from(FAREWELL_MS)) {
            return Err(Error::Thread("a thread does not end".into()));
        }
        let panicked = |_| Err(Error::Thread("a thread panicked".into()));
        self.threads.into_iter().try_for_each(|thread| thread.join().unwrap_or_else(panicked))
    }

    fn wait(&self, timeout: PollTimeout) -> bool {
        let mut fds = [PollFd::new(self.ended.as_fd(), PollFlags::POLLIN)];
        poll(&mut fds, timeout).is_ok_and(|ready| ready > 0)
    }
}
