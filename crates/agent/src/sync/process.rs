// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Loops in processes of their own: what the agent does to its memory meanwhile is no concern of
//! theirs, since an unmapped page costs an interrupt on each CPU that runs a thread of its process.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use nix::fcntl::OFlag;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Pid, fork, pipe2};

use super::ThreadSpec;
use crate::error::{Error, Result};

/// How long they may take to be in their places.
const PATIENCE: Duration = Duration::from_secs(5);

/// A process that was described but not yet started: its place, and the loop. It allocates nothing
/// and drops nothing: it is the copy of a process that may have had several threads.
pub struct Process {
    /// Where it runs, and how.
    pub spec: ThreadSpec,
    /// The loop.
    pub body: Box<dyn FnOnce()>,
}

/// Processes at work; those that are left are killed when this is dropped.
#[derive(Debug)]
pub struct Processes {
    children: Vec<Pid>,
    /// Ends when all of them have.
    ended: OwnedFd,
}

impl Processes {
    /// Starts them; returns when each has its CPU and class, and they have begun.
    ///
    /// # Errors
    /// A process cannot be made, or not have its place or its policy.
    pub fn start(all: Vec<Process>) -> Result<Processes> {
        let pipe = || pipe2(OFlag::O_CLOEXEC).map_err(Error::system("make a pipe"));
        let ((ended, alive), (ready, told), (gate, open)) = (pipe()?, pipe()?, pipe()?);
        let count = all.len();
        let mut started = Processes { children: Vec::new(), ended };
        for one in all {
            // SAFETY: the child runs `live`, which says what it does, and never returns from here.
            match unsafe { fork() }.map_err(Error::system("fork"))? {
                ForkResult::Child => {
                    drop(open);
                    live(one, File::from(told), File::from(gate), alive)
                }
                ForkResult::Parent { child } => started.children.push(child),
            }
        }
        drop((alive, told, gate));
        wait_for_all(File::from(ready), count)?;
        drop(open);
        Ok(started)
    }

    /// Returns what can be read when all have ended.
    pub fn ended(&self) -> BorrowedFd<'_> {
        self.ended.as_fd()
    }

    /// Returns whether all have ended.
    pub fn have_ended(&self) -> bool {
        let mut fds = [PollFd::new(self.ended.as_fd(), PollFlags::POLLIN)];
        poll(&mut fds, PollTimeout::ZERO).is_ok_and(|ready| ready > 0)
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        for child in &self.children {
            let _ = kill(*child, Signal::SIGKILL);
            let _ = waitpid(*child, None);
        }
    }
}

/// Reads a byte from each; a text says what failed.
fn wait_for_all(mut ready: File, count: usize) -> Result<()> {
    let (begin, mut said) = (Instant::now(), Vec::new());
    while said.len() < count {
        let left = PATIENCE.saturating_sub(begin.elapsed());
        let left = PollTimeout::try_from(left).unwrap_or(PollTimeout::MAX);
        let mut fds = [PollFd::new(ready.as_fd(), PollFlags::POLLIN)];
        let mut buffer = [0; 256];
        let length = match poll(&mut fds, left) {
            Ok(1..) => ready.read(&mut buffer).unwrap_or(0),
            _ => 0,
        };
        said.extend_from_slice(&buffer[..length]);
        if length == 0 || said.iter().any(|byte| *byte != 0) {
            let text: String = String::from_utf8_lossy(&said).replace('\0', "");
            let text = if text.is_empty() { "a loop did not begin".into() } else { text };
            return Err(Error::Thread(text));
        }
    }
    Ok(())
}

/// Lives the child's life: takes its place, says so, waits for the others, and loops.
fn live(process: Process, mut told: File, mut gate: File, alive: OwnedFd) -> ! {
    let _ = prctl::set_pdeathsig(Signal::SIGKILL);
    let mut name = [0u8; 16];
    let length = process.spec.name.len().min(15);
    name[..length].copy_from_slice(&process.spec.name.as_bytes()[..length]);
    // SAFETY: sets this thread's name from 16 bytes with a zero at their end.
    unsafe { libc::prctl(libc::PR_SET_NAME, name.as_ptr()) };
    match process.spec.apply() {
        Ok(()) => {
            let _ = told.write_all(&[0]);
            // It reads as ended when all are in their places.
            let _ = gate.read(&mut [0]);
            (process.body)();
        }
        Err(error) => drop(told.write_all(error.to_string().as_bytes())),
    }
    drop(alive);
    // SAFETY: ends this process; handlers of the agent's `exit` are not its own.
    unsafe { libc::_exit(0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::Class;

    fn process(cpu: u32, body: impl FnOnce() + 'static) -> Process {
        let spec =
            ThreadSpec { name: "test-loop", cpu: Some(cpu), class: Class::Unknown, period_ns: 0 };
        Process { spec, body: Box::new(body) }
    }

    #[test]
    fn they_begin_when_all_are_there_and_their_end_is_seen() {
        let cpu = nix::sched::sched_getcpu().unwrap() as u32;
        let all = Processes::start(vec![process(cpu, || ()), process(cpu, || ())]).unwrap();
        let mut fds = [PollFd::new(all.ended(), PollFlags::POLLIN)];
        assert_eq!(poll(&mut fds, PollTimeout::from(10_000u16)), Ok(1));
        assert!(all.have_ended());
    }

    #[test]
    fn one_that_loops_for_ever_is_killed_and_one_without_a_place_says_so() {
        let cpu = nix::sched::sched_getcpu().unwrap() as u32;
        let all = Processes::start(vec![process(cpu, || {
            loop {
                std::hint::spin_loop();
            }
        })])
        .unwrap();
        assert!(!all.have_ended());
        drop(all);
        let error = Processes::start(vec![process(9_999, || ())]).unwrap_err().to_string();
        assert!(error.contains("9999"), "{error}");
    }
}
