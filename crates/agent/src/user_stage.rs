// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The user stage: a thread that blocks in read(), takes the counter as its first act when it
//! returns, and hands the reading in with write(). With execution times it executes its rounds
//! after that, and write()s once more.

use std::fs::File;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use irqscope_wire::Scheduling;
use nix::errno::Errno;
use nix::unistd::{gettid, write};

use crate::contention::Locks;
use crate::counter::{Stamped, execute, now, read_stamped, read_unstamped};
use crate::error::{Error, Result};
use crate::{scheduling, uapi};

const WHO: &str = "the user stage";

/// Small, because all of it is locked into memory.
const STACK_BYTES: usize = 128 << 10;

/// How long the thread may take to see that the run has ended.
const PATIENCE: Duration = Duration::from_secs(5);

/// The thread's action when it is called.
#[derive(Clone, Debug, Default)]
pub struct Acts {
    /// It reads the counter; the reading is unused when inside is off.
    pub stamps: bool,
    /// It executes its rounds, and answers once more.
    pub executes: bool,
    /// The lock that it needs before it answers, and before it reads the counter.
    pub locks: Option<Arc<Locks>>,
}

/// The user stage, while it runs.
#[derive(Debug)]
pub struct UserStage {
    ended: Receiver<Result<()>>,
    pid: u32,
}

impl UserStage {
    /// Returns when the thread has its CPU and its policy.
    ///
    /// # Errors
    /// The device cannot be opened, or the thread not have its place or its policy.
    pub fn start(
        root: &Path,
        cpu: u32,
        scheduling: Scheduling,
        Acts { stamps, executes, locks }: Acts,
    ) -> Result<UserStage> {
        let path = root.join("dev/irqscope-user");
        let device = File::options().read(true).write(true).open(&path);
        let device = device.map_err(|source| Error::Open { path, source })?;
        let (tell_ready, ready) = channel();
        let (tell_ended, ended) = channel();
        let body = move || {
            let placed =
                scheduling::pin(WHO, cpu).and_then(|()| scheduling::schedule(WHO, scheduling));
            let go = placed.is_ok();
            let _ = tell_ready.send(placed.map(|()| gettid().as_raw() as u32));
            if go {
                let stage = Thread { device, stamps, executes };
                let _ = tell_ended.send(stage.answer_all(locks.as_deref()));
            }
        };
        let thread = thread::Builder::new().name("user-stage".into()).stack_size(STACK_BYTES);
        thread
            .spawn(body)
            .map_err(|source| Error::System { what: "start the user stage", source })?;
        let pid = ready
            .recv()
            .unwrap_or_else(|_| Err(Error::UserStage("it died at its start".into())))?;
        Ok(UserStage { ended, pid })
    }

    /// Returns the thread's id.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Waits for its end, after that of the run.
    ///
    /// # Errors
    /// The thread has failed.
    pub fn join(self) -> Result<()> {
        let late = |_| Err(Error::UserStage("it did not see the end of the run".into()));
        self.ended.recv_timeout(PATIENCE).unwrap_or_else(late)
    }
}

/// The thread at work. Nothing in here allocates: it is what is measured.
struct Thread {
    device: File,
    stamps: bool,
    executes: bool,
}

impl Thread {
    fn answer_all(&self, locks: Option<&Locks>) -> Result<()> {
        let mut call = [0; uapi::CALL_BYTES];
        let read = if self.stamps { read_stamped } else { read_unstamped };
        loop {
            let mut stamped = read(self.device.as_fd(), &mut call);
            if let Some(locks) = locks {
                locks.pass()?;
                stamped.cycles = now();
            }
            match stamped.result {
                0 => return Ok(()),
                length if length == uapi::CALL_BYTES as isize => self.act(call, stamped)?,
                error if error == -(Errno::EINTR as isize) => {}
                error => return Err(user_stage_error("read", error)),
            }
        }
    }

    fn act(&self, call: [u8; uapi::CALL_BYTES], stamped: Stamped) -> Result<()> {
        let uapi::Call { seq, rounds } = uapi::Call::from_bytes(call);
        self.answer(uapi::Answer { seq, cycles: stamped.cycles.0 })?;
        if !self.executes {
            return Ok(());
        }
        execute(rounds);
        let cycles = if self.stamps { now().0 } else { 0 };
        self.answer(uapi::Answer { seq, cycles })
    }

    fn answer(&self, answer: uapi::Answer) -> Result<()> {
        match write(&self.device, &answer.bytes()) {
            // Too late: the sample was closed meanwhile, and says so itself.
            Ok(_) | Err(Errno::ESTALE) => Ok(()),
            Err(errno) => Err(user_stage_error("write", -(errno as isize))),
        }
    }
}

fn user_stage_error(call: &str, result: isize) -> Error {
    let errno = Errno::from_raw(result.unsigned_abs() as i32);
    let hint = match errno {
        Errno::EINVAL => "; the cycle counters of the CPUs differ, or run backwards",
        _ => "",
    };
    Error::UserStage(format!("{call}: {errno}{hint}"))
}
