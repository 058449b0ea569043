// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Loads: processes that disturb the CPU under test, always in the same way.
//!
//! The agent forks one supervisor, which forks the workers and then sleeps. The supervisor lives as
//! long as the agent holds a pipe open; so however the agent ends, all that was started ends,
//! grandchildren of foreign programs included.

mod busy;
mod copy;
mod exec;
mod external;
mod files;
mod memory;
mod network;
mod own;
mod root;
mod starved;
mod supervisor;
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

/// The endless task of a worker process; it returns only why it cannot go on.
type Worker = Box<dyn FnOnce() -> std::result::Result<Infallible, String>>;

/// Returns a load's worker processes; this is the table of loads. Called in the supervisor, so what
/// is made here (sockets, files) is shared by the workers.
fn workers(load: Load, hog: Scheduling, work: Work) -> std::result::Result<Vec<Worker>, String> {
    match load {
        Load::Busy => Ok(busy::workers(1)),
        Load::Busy256 => Ok(busy::workers(256)),
        Load::Hog => Ok(vec![busy::hog(hog)]),
        Load::Tcp => tcp::workers(work.of(load)),
        Load::Network => network::workers(work.of(load)),
        Load::Files => Ok(files::workers(work.of(load))),
        Load::Copy => copy::workers(),
        Load::Exec => exec::workers(),
        Load::Memory => memory::workers(),
        Load::Hackbench | Load::StressNg => external::workers(load),
    }
}

/// Loads that are running.
#[derive(Debug)]
pub struct Loads {
    supervisor: Option<Supervisor>,
    present: Vec<Load>,
    absent: Vec<Load>,
    work: Work,
}

#[derive(Debug)]
struct Supervisor {
    pid: Pid,
    /// Closing it ends the supervisor and all its workers.
    control: Option<OwnedFd>,
    report: BufReader<File>,
}

impl Loads {
    /// Starts all of a state's loads that are installed, pinned to `cpu`; returns when they
    /// run. To be called while the process has one thread.
    ///
    /// # Errors
    /// The supervisor cannot be started, or a load cannot be set up.
    pub fn start(state: &SystemState, cpu: Option<u32>) -> Result<Loads> {
        let (present, absent): (Vec<Load>, Vec<Load>) =
            state.loads.iter().partition(|load| external::is_present(**load));
        let work = Work::new().map_err(Error::system("map what loads count"))?;
        let mut supervisor = None;
        let running = SystemState { loads: present.clone(), ..state.clone() };
        if !running.is_idle() {
            let mut started = Supervisor::start(&running, cpu, work)?;
            started.wait_until_ready()?;
            supervisor = Some(started);
        }
        Ok(Loads { supervisor, present, absent, work })
    }

    /// Returns what each load that counts has done until now, in its own unit.
    pub fn work(&self) -> Vec<(Load, u64)> {
        let done = |load: &Load| (*load, self.work.done(*load));
        self.present.iter().filter(|load| load.work_unit().is_some()).map(done).collect()
    }

    /// Returns the loads that were asked for but are not installed.
    pub fn absent(&self) -> &[Load] {
        &self.absent
    }

    /// Returns a descriptor that is readable when a load has ended.
    pub fn report(&self) -> Option<BorrowedFd<'_>> {
        self.supervisor.as_ref().map(|supervisor| supervisor.report.get_ref().as_fd())
    }

    /// Checks that all loads run. One that ended is an error: the system state is not the one asked
    /// for.
    ///
    /// # Errors
    /// A load has ended, and why.
    pub fn check(&mut self) -> Result<()> {
        self.supervisor.as_mut().map_or(Ok(()), Supervisor::check)
    }

    /// Ends all of them, and says whether they held until now.
    ///
    /// # Errors
    /// A load had ended before, and why.
    pub fn stop(&mut self) -> Result<()> {
        let held = self.check();
        self.supervisor = None;
        held
    }
}

impl Supervisor {
    fn start(state: &SystemState, cpu: Option<u32>, work: Work) -> Result<Supervisor> {
        let pipe = || pipe2(OFlag::O_CLOEXEC).map_err(Error::system("make a pipe"));
        let (held, control) = pipe()?;
        let (report, told) = pipe()?;
        // SAFETY: this process has one thread, so the child may go on as if
        // nothing had happened; it never returns from here.
        match unsafe { fork() }.map_err(Error::system("fork"))? {
            ForkResult::Child => supervisor::supervise(state, cpu, work, held, File::from(told)),
            ForkResult::Parent { child } => Ok(Supervisor {
                pid: child,
                control: Some(control),
                report: BufReader::new(File::from(report)),
            }),
        }
    }

    fn wait_until_ready(&mut self) -> Result<()> {
        match self.line() {
            supervisor::Report::Ready => Ok(()),
            supervisor::Report::Ended(load, text) => Err(Error::Load { load, text }),
            supervisor::Report::Starved(load, text) => Err(Error::Starved { load, text }),
            supervisor::Report::Failed(text) => Err(Error::Loads(text)),
        }
    }

    fn check(&mut self) -> Result<()> {
        let mut fds = [PollFd::new(self.report.get_ref().as_fd(), PollFlags::POLLIN)];
        let quiet = poll(&mut fds, PollTimeout::ZERO) == Ok(0) && self.report.buffer().is_empty();
        if quiet { Ok(()) } else { self.wait_until_ready() }
    }

    fn line(&mut self) -> supervisor::Report {
        let mut line = String::new();
        match self.report.read_line(&mut line) {
            Ok(0) => supervisor::Report::Failed("the loads' supervisor died".into()),
            Ok(_) => supervisor::Report::parse(line.trim_end()),
            Err(error) => supervisor::Report::Failed(error.to_string()),
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.control = None;
        let _ = waitpid(self.pid, None);
    }
}
