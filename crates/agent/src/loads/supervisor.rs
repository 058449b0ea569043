// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The process between the agent and its loads.
//!
//! Useful invariant: every descendant of the supervisor is either in the process group of a worker
//! or becomes the supervisor's child when its parent dies (it is a subreaper). So killing all
//! groups and then all children, until there are none, leaves nothing behind.

use std::ffi::CString;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::fd::{AsFd, AsRawFd, OwnedFd, RawFd};
use std::path::Path;

use irqscope_wire::{HOG, LoadCpu, SystemState};
use nix::errno::Errno;
use nix::fcntl::OFlag;
use nix::libc;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::signal::{SigHandler, SigSet, Signal, kill, killpg, signal};
use nix::sys::signalfd::SignalFd;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, dup2_stdin, dup2_stdout, fork, getppid, pipe2, setsid};

use super::Worker;
use super::starved::{self, Agent};
use super::work::Work;
use crate::scheduling;
use crate::stat::Stat;

/// A line from the supervisor, or from a worker.
#[derive(Debug, PartialEq, Eq)]
pub enum Report {
    Ready,
    Ended(String, String),
    /// Loads that were ended because they left the agent nothing.
    Starved(String, String),
    Failed(String),
}

impl Report {
    pub fn parse(line: &str) -> Report {
        let of = |kind: &str| {
            let (name, text) = line.strip_prefix(kind)?.split_once(' ')?;
            Some((name.to_owned(), text.to_owned()))
        };
        if line == "ready" {
            return Report::Ready;
        }
        let ended = of("ended ").map(|(name, text)| Report::Ended(name, text));
        let starved = || of("starved ").map(|(names, text)| Report::Starved(names, text));
        ended.or_else(starved).unwrap_or_else(|| Report::Failed(line.into()))
    }
}

struct Kept {
    /// The name of its load.
    load: String,
    pid: Pid,
}

/// Runs the supervisor. `control` reads as ended when the agent is gone.
pub fn supervise(
    state: &SystemState,
    cpu: Option<u32>,
    work: Work,
    control: OwnedFd,
    mut told: File,
) -> ! {
    let mut kept = Vec::new();
    let agent = getppid();
    match set_up(&control, &told).and_then(|children| {
        start_all(state, cpu, work, &told, &mut kept).map_err(|error| error.to_string())?;
        Ok(children)
    }) {
        Ok(children) => {
            tell(&mut told, "ready");
            wait_for_end(&control, &children, &mut told, &kept, Watch::of(state, agent));
        }
        Err(text) => tell(&mut told, &text),
    }
    end_all(&kept);
    exit(0)
}

fn tell(told: &mut File, line: &str) {
    // One write, shorter than PIPE_BUF: lines of several workers do not mix.
    let _ = told.write_all(format!("{line}\n").as_bytes());
}

fn exit(code: i32) -> ! {
    // SAFETY: ends this process; handlers of the agent's `exit` are not ours.
    unsafe { libc::_exit(code) }
}

/// Leaves all that belongs to the agent; returns a descriptor that reports dead children.
fn set_up(control: &OwnedFd, told: &File) -> Result<SignalFd, String> {
    let text = |errno: Errno| errno.to_string();
    setsid().map_err(text)?;
    prctl::set_child_subreaper(true).map_err(text)?;
    prctl::set_name(c"irqscope-loads").map_err(text)?;
    close_all_but([control.as_raw_fd(), told.as_raw_fd()]);
    let null = File::options().read(true).write(true).open("/dev/null");
    if let Ok(null) = null {
        // A reader of the agent's stdout must not wait for us.
        dup2_stdin(&null).map_err(text)?;
        dup2_stdout(&null).map_err(text)?;
    }
    // The agent's own signals stay blocked: the pipe says when to end.
    let mut set = SigSet::empty();
    set.add(Signal::SIGCHLD);
    set.thread_block().map_err(text)?;
    SignalFd::new(&set).map_err(text)
}

/// Closes all descriptors but these. The driver's device above all: it must close when the agent
/// dies.
fn close_all_but(mut keep: [RawFd; 2]) {
    keep.sort_unstable();
    let mut first = 3;
    for last in keep.map(|fd| fd - 1).into_iter().chain([RawFd::MAX]) {
        if first <= last {
            // SAFETY: nothing in this process uses these descriptors any more; their owners in
            // memory are never dropped, since it ends by _exit.
            unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
        }
        first = last.saturating_add(2);
    }
}

/// Workers begin together, when the last of them has been forked: else the first ones would keep
/// the CPU from the supervisor.
fn start_all(
    state: &SystemState,
    cpu: Option<u32>,
    work: Work,
    told: &File,
    kept: &mut Vec<Kept>,
) -> Result<(), String> {
    let (gate, opener) = pipe2(OFlag::O_CLOEXEC).map_err(|errno| errno.to_string())?;
    let supervisor = Pid::this();
    let hog = state.hog.unwrap_or(HOG);
    let ours = state.loads.iter().map(|load| (load.name(), cpu, super::workers(*load, hog, work)));
    let own = state.own.iter().map(|load| {
        let cpu = match load.cpu {
            LoadCpu::Tested => cpu,
            LoadCpu::Any => None,
            LoadCpu::Number(number) => Some(number),
        };
        (load.name.as_str(), cpu, super::own::workers(load))
    });
    for (load, cpu, workers) in ours.chain(own) {
        for worker in workers.map_err(|text| format!("ended {load} {text}"))? {
            // SAFETY: the supervisor has one thread; the child never returns.
            match unsafe { fork() }.map_err(|errno| format!("ended {load} fork: {errno}"))? {
                ForkResult::Parent { child } => {
                    kept.push(Kept { load: load.to_owned(), pid: child });
                }
                ForkResult::Child => {
                    drop(opener);
                    let Err(text) = run(load, worker, cpu, supervisor, File::from(gate));
                    let mut told = told;
                    let _ = told.write_all(format!("ended {load} {text}\n").as_bytes());
                    exit(1)
                }
            }
        }
    }
    // When the gate opens they may leave an ordinary process no time. As the agent is, it is kept off their CPU.
    if let Some(priority) = starved::priority(state) {
        let _ = scheduling::schedule("the loads' supervisor", priority);
        cpu.map(|cpu| scheduling::keep_off_all(&[cpu]));
    }
    Ok(())
}

fn run(
    load: &str,
    worker: Worker,
    cpu: Option<u32>,
    supervisor: Pid,
    mut gate: File,
) -> Result<std::convert::Infallible, String> {
    let text = |errno: Errno| errno.to_string();
    setsid().map_err(text)?;
    die_with(supervisor).map_err(text)?;
    // As interference shows it: not the program that measures, but this load.
    if let Ok(name) = CString::new(format!("load-{load}")) {
        prctl::set_name(&name).map_err(text)?;
    }
    SigSet::all().thread_unblock().map_err(text)?;
    // SAFETY: the default action; std ignores SIGPIPE, which exec would inherit.
    unsafe { signal(Signal::SIGPIPE, SigHandler::SigDfl) }.map_err(text)?;
    if let Some(cpu) = cpu {
        scheduling::pin("the load", cpu).map_err(|error| error.to_string())?;
    }
    let _ = gate.read(&mut [0]);
    worker()
}

/// Binds the calling process's life to that of `parent`, which may be dead already.
pub fn die_with(parent: Pid) -> Result<(), Errno> {
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    if getppid() == parent { Ok(()) } else { Err(Errno::ESRCH) }
}

/// Looks after an agent that loads may starve.
struct Watch {
    suspects: Vec<String>,
    agent: Agent,
}

impl Watch {
    /// Returns none where no load can: then nothing wakes the supervisor.
    fn of(state: &SystemState, agent: Pid) -> Option<Watch> {
        let suspects = starved::suspects(state);
        let agent = || Agent::new(Path::new("/"), agent);
        (!suspects.is_empty()).then(|| Watch { suspects, agent: agent() })
    }

    fn look(&mut self) -> Option<String> {
        Some(format!("starved {} {}", self.suspects.join("+"), self.agent.starved()?))
    }
}

/// Sleeps until the agent lets go, or is found starved; reports workers that ended meanwhile to it.
fn wait_for_end(
    control: &OwnedFd,
    children: &SignalFd,
    told: &mut File,
    kept: &[Kept],
    mut watch: Option<Watch>,
) {
    let interval = PollTimeout::try_from(starved::INTERVAL).unwrap_or(PollTimeout::MAX);
    let timeout = if watch.is_some() { interval } else { PollTimeout::NONE };
    loop {
        let mut fds = [
            PollFd::new(control.as_fd(), PollFlags::POLLIN),
            PollFd::new(children.as_fd(), PollFlags::POLLIN),
        ];
        let result = poll(&mut fds, timeout);
        let is_over = fds[0].any().unwrap_or(true);
        match result {
            Err(Errno::EINTR) => continue,
            Err(_) => return,
            Ok(_) if is_over => return,
            Ok(0) => {
                if let Some(text) = watch.as_mut().and_then(Watch::look) {
                    return tell(told, &text);
                }
            }
            Ok(_) => tell_of_dead(children, told, kept),
        }
    }
}

fn tell_of_dead(children: &SignalFd, told: &mut File, kept: &[Kept]) {
    let _ = children.read_signal();
    while let Ok(status) = waitpid(None, Some(WaitPidFlag::WNOHANG)) {
        let Some(pid) = status.pid() else { return };
        if let Some(dead) = kept.iter().find(|kept| kept.pid == pid) {
            tell(told, &format!("ended {} {}", dead.load, ending(status)));
        }
    }
}

fn ending(status: WaitStatus) -> String {
    match status {
        WaitStatus::Exited(_, code) => format!("it ended with exit code {code}"),
        WaitStatus::Signaled(_, signal, _) => format!("it was killed by {signal}"),
        other => format!("{other:?}"),
    }
}

fn end_all(kept: &[Kept]) {
    for Kept { pid, .. } in kept {
        // A worker that did not get to setsid() has no group yet.
        let _ = kill(*pid, Signal::SIGKILL);
        let _ = killpg(*pid, Signal::SIGKILL);
    }
    loop {
        match waitpid(None, Some(WaitPidFlag::WNOHANG)) {
            Ok(WaitStatus::StillAlive) => {
                kill_children();
                let _ = waitpid(None, None);
            }
            Ok(_) | Err(Errno::EINTR) => {}
            Err(_) => return,
        }
    }
}

/// Kills those that left their group and were reparented to us.
fn kill_children() {
    let Ok(processes) = fs::read_dir("/proc") else { return };
    let pids = processes.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    for pid in pids.filter(|pid| parent_of(*pid) == Some(Pid::this())) {
        let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
    }
}

fn parent_of(pid: i32) -> Option<Pid> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    Stat::parse(&stat)?.field(4).map(Pid::from_raw)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_what_was_told() {
        assert_eq!(Report::parse("ready"), Report::Ready);
        let ended = Report::Ended("tcp".into(), "bind: no".into());
        assert_eq!(Report::parse("ended tcp bind: no"), ended);
        let starved = Report::Starved("a+b".into(), "it left the agent no time".into());
        assert_eq!(Report::parse("starved a+b it left the agent no time"), starved);
        assert_eq!(Report::parse("out of pids"), Report::Failed("out of pids".into()));
    }

    #[test]
    fn the_parent_of_a_process_is_read_from_proc() {
        assert_eq!(parent_of(Pid::this().as_raw()), Some(getppid()));
    }
}
