// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The user stage: a thread that blocks in read(), takes the counter as its first act when it
//! returns, makes its edge where it can, and hands the reading in with write(). With execution
//! times it executes its rounds after that, and write()s once more. With trigger `sleep` it asks
//! by read() until when to sleep, and does so: what wakes it is the trigger.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use irqscope_wire::{Cycles, Line, Scheduling};
use nix::errno::Errno;
use nix::libc::{self, c_int};
use nix::sys::signal::{SaFlags, SigAction, SigHandler, SigSet, Signal, sigaction};
use nix::unistd::{getpid, gettid, write};

use crate::counter::{Stamped, execute, now, read_stamped, read_unstamped, sleep_stamped};
use crate::error::{Error, Result};
use crate::faults::Needs;
use crate::notes::Observation;
use crate::user_edge::UserEdge;
use crate::{scheduling, uapi};

const WHO: &str = "the user stage";

/// Small, because all of it is locked into memory.
const STACK_BYTES: usize = 128 << 10;

/// How long the thread may take to see that the run has ended.
const PATIENCE: Duration = Duration::from_secs(5);

/// Ends the thread's sleep, where the run has ended before it.
const INTERRUPTING: Signal = Signal::SIGUSR1;

/// How long the thread may take before it is interrupted, and before it is once more.
const SOON: Duration = Duration::from_millis(50);

/// The thread's action when it is called.
#[derive(Clone, Debug)]
pub struct Acts {
    /// It shows its response on this line, by itself where it can.
    pub line: Line,
    /// It reads the counter; the reading is unused when inside is off.
    pub stamps: bool,
    /// It sleeps until the instant that a call names, before anything else.
    pub sleeps: bool,
    /// It executes its rounds, and answers once more.
    pub executes: bool,
    /// The locks and pages that it needs before it answers, and before it reads the counter.
    pub needs: Option<Needs>,
}

/// The user stage, while it runs.
#[derive(Debug)]
pub struct UserStage {
    ended: Receiver<Result<()>>,
    pid: u32,
}

impl UserStage {
    /// Returns when the thread has its CPU, its policy and, if it can, its line.
    ///
    /// # Errors
    /// The device cannot be opened, or the thread not have its place or its policy.
    pub fn start(
        root: &Path,
        cpu: u32,
        scheduling: Scheduling,
        acts: Acts,
    ) -> Result<(UserStage, Option<Observation>)> {
        let path = root.join("dev/irqscope-user");
        let device = File::options().read(true).write(true).open(&path);
        let device = device.map_err(|source| Error::Open { path, source })?;
        let (tell_ready, ready) = channel();
        let (tell_ended, ended) = channel();
        let body = move || {
            let placed =
                scheduling::pin(WHO, cpu).and_then(|()| scheduling::schedule(WHO, scheduling));
            let go = placed.is_ok();
            let edge = UserEdge::open(&device, acts.line);
            let seen = edge.as_ref().err().map(|why| Observation::EdgeByCall { why: *why });
            let _ = tell_ready.send(placed.map(|()| (gettid().as_raw() as u32, seen)));
            if go {
                let edge = edge.unwrap_or_else(|_| UserEdge::by_driver());
                let stage = Thread { device, edge, acts };
                let _ = tell_ended.send(stage.answer_all());
            }
        };
        allow_interruption()?;
        let thread = thread::Builder::new().name("user-stage".into()).stack_size(STACK_BYTES);
        thread
            .spawn(body)
            .map_err(|source| Error::System { what: "start the user stage", source })?;
        let (pid, seen) = ready
            .recv()
            .unwrap_or_else(|_| Err(Error::UserStage("it died at its start".into())))?;
        Ok((UserStage { ended, pid }, seen))
    }

    /// Returns the thread's id.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Ends the system call that the thread is in. It may just have gone: then its result is there.
    fn interrupt(&self) {
        // SAFETY: tgkill() touches no memory, and of this process alone it may end a thread's call.
        let _ = unsafe {
            libc::syscall(libc::SYS_tgkill, getpid().as_raw(), self.pid, INTERRUPTING as c_int)
        };
    }

    /// Waits for its end, after that of the run, which may have come while it sleeps.
    ///
    /// # Errors
    /// The thread has failed.
    pub fn join(self) -> Result<()> {
        let end = Instant::now() + PATIENCE;
        loop {
            match self.ended.recv_timeout(SOON) {
                Ok(result) => return result,
                Err(RecvTimeoutError::Timeout) if Instant::now() < end => self.interrupt(),
                Err(_) => {
                    return Err(Error::UserStage("it did not see the end of the run".into()));
                }
            }
        }
    }
}

/// The thread at work. Nothing in here allocates: it is what is measured.
struct Thread {
    device: File,
    edge: UserEdge,
    acts: Acts,
}

impl Thread {
    /// Has a loop for each way to read, so that the edge follows the stamp without a call.
    fn answer_all(&self) -> Result<()> {
        match &self.acts {
            Acts { sleeps: true, .. } => self.answer_by(|fd, call| self.sleep(fd, call)),
            Acts { needs: Some(needs), .. } => {
                self.answer_by(|fd, call| self.read_late(needs, fd, call))
            }
            Acts { stamps: true, .. } => self.answer_by(|fd, call| Ok(read_stamped(fd, call))),
            Acts { stamps: false, .. } => self.answer_by(|fd, call| Ok(read_unstamped(fd, call))),
        }
    }

    #[inline(always)]
    fn answer_by(
        &self,
        read: impl Fn(BorrowedFd<'_>, &mut [u8; uapi::CALL_BYTES]) -> Result<Stamped>,
    ) -> Result<()> {
        let mut call = [0; uapi::CALL_BYTES];
        loop {
            let stamped = read(self.device.as_fd(), &mut call)?;
            if stamped.result != uapi::CALL_BYTES as isize {
                if is_end(stamped.result)? {
                    return Ok(());
                }
                continue;
            }
            let edge = self.edge.rise(&call);
            self.act(uapi::Call::from_bytes(call), stamped.cycles, edge)?;
            self.acts.needs.as_ref().map_or(Ok(()), Needs::leave)?;
        }
    }

    /// Reads, and counts what it waits for as the kernel's part of the latency.
    fn read_late(&self, needs: &Needs, fd: BorrowedFd<'_>, call: &mut [u8]) -> Result<Stamped> {
        let stamped = read_unstamped(fd, call);
        if stamped.result > 0 {
            needs.pass()?;
        }
        Ok(Stamped { cycles: self.now(), ..stamped })
    }

    /// Asks until when to sleep, and sleeps.
    #[inline(always)]
    fn sleep(&self, fd: BorrowedFd<'_>, call: &mut [u8; uapi::CALL_BYTES]) -> Result<Stamped> {
        let asked = read_unstamped(fd, call);
        if asked.result != uapi::CALL_BYTES as isize {
            return Ok(asked);
        }
        let until_ns = uapi::Call::from_bytes(*call).until_ns;
        let slept = sleep_stamped(until_ns);
        match slept.result {
            0 => {}
            // As if it had not been asked: it asks anew, until when or whether the run has ended.
            interrupted if interrupted == -(Errno::EINTR as isize) => return Ok(slept),
            error => return Err(user_stage_error("clock_nanosleep", error)),
        }
        let cycles = match &self.acts.needs {
            Some(needs) => needs.pass().map(|()| self.now())?,
            None => slept.cycles,
        };
        Ok(Stamped { result: asked.result, cycles })
    }

    fn act(&self, call: uapi::Call, cycles: Cycles, edge: bool) -> Result<()> {
        self.answer(call.seq, cycles, edge)?;
        if !self.acts.executes {
            return Ok(());
        }
        execute(call.rounds);
        let cycles = self.now();
        let edge = self.edge.fall();
        self.answer(call.seq, cycles, edge)
    }

    fn now(&self) -> Cycles {
        if self.acts.stamps { now() } else { Cycles(0) }
    }

    fn answer(&self, seq: u64, cycles: Cycles, edge: bool) -> Result<()> {
        let answer = uapi::Answer { seq, cycles: cycles.0, edge: edge.into() };
        match write(&self.device, &answer.bytes()) {
            // Too late: the sample was closed meanwhile, and says so itself.
            Ok(_) | Err(Errno::ESTALE) => Ok(()),
            Err(errno) => Err(user_stage_error("write", -(errno as isize))),
        }
    }
}

/// Lets a signal end a system call of a thread, and do nothing else.
fn allow_interruption() -> Result<()> {
    extern "C" fn nothing(_: c_int) {}
    let action = SigAction::new(SigHandler::Handler(nothing), SaFlags::empty(), SigSet::empty());
    // SAFETY: the handler does nothing, and no other code of this program uses the signal.
    unsafe { sigaction(INTERRUPTING, &action) }
        .map(drop)
        .map_err(Error::system("take a signal that ends sleeps"))
}

/// Returns whether the run has ended; a read() may also have been interrupted.
#[cold]
fn is_end(result: isize) -> Result<bool> {
    match result {
        0 => Ok(true),
        error if error == -(Errno::EINTR as isize) => Ok(false),
        error => Err(user_stage_error("read", error)),
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use irqscope_wire::Policy;
    use nix::sys::stat::Mode;
    use nix::unistd::mkfifo;

    use super::*;

    #[test]
    fn a_sleep_ends_with_its_run() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("dev")).unwrap();
        let device = root.path().join("dev/irqscope-user");
        mkfifo(&device, Mode::S_IRWXU).unwrap();
        let acts =
            Acts { line: Line::Record, stamps: true, sleeps: true, executes: false, needs: None };
        let other = Scheduling { policy: Policy::Other, priority: 0 };
        let (stage, _) = UserStage::start(root.path(), 0, other, acts).unwrap();
        let mut call = [0; uapi::CALL_BYTES];
        call[uapi::CALL_BYTES - 8..].copy_from_slice(&(u64::MAX / 4).to_ne_bytes());
        let mut host = File::options().write(true).open(&device).unwrap();
        host.write_all(&call).unwrap();
        // No whole call: the stage ends with an error, and after centuries if it still slept.
        host.write_all(b"x").unwrap();
        assert!(stage.join().unwrap_err().to_string().contains("read"));
    }
}
