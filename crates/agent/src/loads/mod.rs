// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Loads: processes that disturb the CPU under test, always in the same way.
//!
//! The agent forks one keeper, which forks the workers and then sleeps. The
//! keeper lives as long as the agent holds a pipe open; so however the agent
//! ends, all that was started ends, grandchildren of foreign programs included.

mod busy;
mod copy;
mod exec;
mod external;
mod files;
mod keeper;
mod memory;
mod tcp;
mod work;

use std::convert::Infallible;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use irqscope_wire::{Load, Scheduling, SystemState};
use nix::fcntl::OFlag;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::wait::waitpid;
use nix::unistd::{ForkResult, Pid, fork, pipe2};

use crate::error::{Error, Result};
use work::Work;

/// What a worker process does for ever; it returns only why it cannot go on.
type Worker = Box<dyn FnOnce() -> std::result::Result<Infallible, String>>;

/// The table of loads: what each one's worker processes do. Called in the
/// keeper, so what is made here (sockets, files) is shared by the workers.
fn workers(load: Load, hog: Scheduling, work: Work) -> std::result::Result<Vec<Worker>, String> {
    match load {
        Load::Busy => Ok(busy::workers(1)),
        Load::Busy256 => Ok(busy::workers(256)),
        Load::Hog => Ok(vec![busy::hog(hog)]),
        Load::Tcp => tcp::workers(work.of(load)),
        Load::Files => Ok(files::workers(work.of(load))),
        Load::Copy => copy::workers(),
        Load::Exec => exec::workers(),
        Load::Memory => memory::workers(),
        Load::Hackbench | Load::StressNg => external::workers(load),
    }
}

/// A load whose work has a unit: bytes sent, files made.
const fn counts(load: Load) -> bool {
    matches!(load, Load::Tcp | Load::Files)
}

/// Loads that are running.
#[derive(Debug)]
pub struct Loads {
    keeper: Option<Keeper>,
    present: Vec<Load>,
    absent: Vec<Load>,
    work: Work,
}

#[derive(Debug)]
struct Keeper {
    pid: Pid,
    /// Closing it ends the keeper and all that it keeps.
    control: Option<OwnedFd>,
    report: BufReader<File>,
}

impl Loads {
    /// Starts all of a state's loads that are installed, pinned to `cpu`; returns when they
    /// run. To be called while the process has one thread.
    pub fn start(state: &SystemState, cpu: Option<u32>) -> Result<Loads> {
        let (present, absent): (Vec<Load>, Vec<Load>) =
            state.loads.iter().partition(|load| external::is_present(**load));
        let work = Work::new().map_err(Error::system("map what loads count"))?;
        let mut keeper = None;
        if !present.is_empty() {
            let present = SystemState { loads: present.clone(), ..state.clone() };
            let mut started = Keeper::start(&present, cpu, work)?;
            started.wait_until_ready()?;
            keeper = Some(started);
        }
        Ok(Loads { keeper, present, absent, work })
    }

    /// What each load that counts has done so far, in its own unit.
    pub fn work(&self) -> Vec<(Load, u64)> {
        let done = |load: &Load| (*load, self.work.done(*load));
        self.present.iter().filter(|load| counts(**load)).map(done).collect()
    }

    /// Loads that were asked for but are not installed.
    pub fn absent(&self) -> &[Load] {
        &self.absent
    }

    /// Readable when a load has ended.
    pub fn report(&self) -> Option<BorrowedFd<'_>> {
        self.keeper.as_ref().map(|keeper| keeper.report.get_ref().as_fd())
    }

    /// A load that ended is an error: the system state is not the one asked for.
    pub fn check(&mut self) -> Result<()> {
        self.keeper.as_mut().map_or(Ok(()), Keeper::check)
    }

    /// Ends all of them, and says whether they held until now.
    pub fn stop(&mut self) -> Result<()> {
        let held = self.check();
        self.keeper = None;
        held
    }
}

impl Keeper {
    fn start(state: &SystemState, cpu: Option<u32>, work: Work) -> Result<Keeper> {
        let pipe = || pipe2(OFlag::O_CLOEXEC).map_err(Error::system("make a pipe"));
        let (held, control) = pipe()?;
        let (report, told) = pipe()?;
        // SAFETY: this process has one thread, so the child may go on as if
        // nothing had happened; it never returns from here.
        match unsafe { fork() }.map_err(Error::system("fork"))? {
            ForkResult::Child => keeper::keep(state, cpu, work, held, File::from(told)),
            ForkResult::Parent { child } => Ok(Keeper {
                pid: child,
                control: Some(control),
                report: BufReader::new(File::from(report)),
            }),
        }
    }

    fn wait_until_ready(&mut self) -> Result<()> {
        match self.line() {
            keeper::Told::Ready => Ok(()),
            keeper::Told::Ended(load, text) => Err(Error::Load { load, text }),
            keeper::Told::Failed(text) => Err(Error::Loads(text)),
        }
    }

    fn check(&mut self) -> Result<()> {
        let mut fds = [PollFd::new(self.report.get_ref().as_fd(), PollFlags::POLLIN)];
        let quiet = poll(&mut fds, PollTimeout::ZERO) == Ok(0) && self.report.buffer().is_empty();
        if quiet { Ok(()) } else { self.wait_until_ready() }
    }

    fn line(&mut self) -> keeper::Told {
        let mut line = String::new();
        match self.report.read_line(&mut line) {
            Ok(0) => keeper::Told::Failed("the keeper of the loads died".into()),
            Ok(_) => keeper::Told::parse(line.trim_end()),
            Err(error) => keeper::Told::Failed(error.to_string()),
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.control = None;
        let _ = waitpid(self.pid, None);
    }
}
