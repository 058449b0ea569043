// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Everything that can end a case, each with its remedy.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use irqscope_watch::WatchError;
use irqscope_wire::{Counters, Failure};
use nix::errno::Errno;

/// A result with this crate's error.
pub type Result<T> = std::result::Result<T, Error>;

/// Errors of the agent.
#[allow(missing_docs, reason = "each message names its fields")]
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cannot read {}: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("cannot open {}: {source}", path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("the driver refuses `{value}` for {}: {source}{}", path.display(), log_suffix(log))]
    Setting { path: PathBuf, value: String, source: io::Error, log: Option<String> },
    #[error("the driver cannot start the run: {source}{}", log_suffix(log))]
    Start { source: io::Error, log: Option<String> },
    #[error("{} does not hold what is expected: `{text}`", path.display())]
    Unreadable { path: PathBuf, text: String },
    #[error("the ring of the driver is not understood: {0}")]
    Ring(String),
    #[error("this kernel offers none of the stages asked for")]
    NoStage,
    #[error("cannot pin {who} to CPU {cpu}: {source}")]
    Pin { who: &'static str, cpu: u32, source: Errno },
    #[error("cannot give {who} the policy `{policy}`: {source}")]
    Policy { who: &'static str, policy: String, source: Errno },
    #[error("cannot lock memory: {0}")]
    LockMemory(Errno),
    #[error("cannot {what}: {source}")]
    System { what: &'static str, source: io::Error },
    #[error("load {load}: {text}")]
    Load { load: String, text: String },
    #[error("load {load} was ended: {text}")]
    Starved { load: String, text: String },
    #[error("the loads could not be started: {0}")]
    Loads(String),
    #[error("a benchmark failed: {0}")]
    Thread(String),
    #[error("{0}")]
    Threads(String),
    #[error("the user stage failed: {0}")]
    UserStage(String),
    #[error("no progress for {} s in state `{state}` with {published} samples", waited.as_secs())]
    Stuck { waited: Duration, state: String, published: u64 },
    #[error("the driver ended the run in state `{state}`{}", log_suffix(log))]
    State { state: String, log: Option<String> },
    #[error("the accounting identity does not hold: {0:?}")]
    Identity(Counters),
    #[error("the samples say {seen:?}, the driver counted {counted:?}")]
    Tally { seen: Counters, counted: Counters },
    #[error("the run was stopped: {0}")]
    Stopped(&'static str),
    #[error("the plan is not understood: {0}")]
    Plan(String),
    #[error("cannot load module {}: {source}{}", path.display(), log_suffix(log))]
    Module { path: PathBuf, source: io::Error, log: Option<String> },
    #[error("{}", no_spare_cpu(*under_test, *asked))]
    NoSpareCpu { under_test: u32, asked: Option<u32> },
    #[error("{0}")]
    Generator(String),
    #[error("this kernel has no delayed locking")]
    NoDelayedLocking,
    #[error("the kernel refuses `{value}` for {}: {source}", path.display())]
    LockSetting { path: PathBuf, value: String, source: io::Error },
    #[error("the kernel does not know these parameters, or not their values: {0}")]
    Parameters(String),
    #[error("cannot set {name} to `{value}`: {source}")]
    Sysctl { name: String, value: String, source: io::Error },
    #[error("{name} was set to `{value}` and is `{after}`")]
    SysctlDiffers { name: String, value: String, after: String },
    #[error("{0}")]
    Watch(WatchError),
    #[error("no virtio port named `{0}` appeared")]
    NoPort(&'static str),
    #[error("/proc/kallsyms shows no function's address")]
    NoSymbols,
    #[error("cannot hand over the frames: {0}")]
    Output(io::Error),
    #[error("a message does not fit a frame: {0}")]
    Frame(#[from] irqscope_wire::FrameError),
}

fn log_suffix(log: &Option<String>) -> String {
    log.as_ref().map(|line| format!(" (kernel log: {line})")).unwrap_or_default()
}

fn no_spare_cpu(under_test: u32, asked: Option<u32>) -> String {
    match asked {
        Some(cpu) => format!("CPU {cpu} cannot inject: it is CPU {under_test}, or not online"),
        None => format!("there is no CPU but CPU {under_test}, which is under test"),
    }
}

impl Error {
    /// Makes an error of a system call that failed.
    pub fn system(what: &'static str) -> impl Fn(Errno) -> Error {
        move |errno| Error::System { what, source: errno.into() }
    }

    /// Returns whether the measurement ran, but cannot be trusted.
    pub fn invalid(&self) -> bool {
        use Error::*;
        matches!(
            self,
            State { .. }
                | Identity(_)
                | Tally { .. }
                | Load { .. }
                | Starved { .. }
                | UserStage(_)
                | Thread(_)
                | Watch(WatchError::Lost(_))
        )
    }

    /// Returns the exit code: 2 wrong usage, 3 lost, 4 invalid.
    pub fn exit_code(&self) -> u8 {
        match self {
            error if error.invalid() => 4,
            Error::Plan(_) | Error::Threads(_) | Error::NoSpareCpu { .. } | Error::Watch(_) => 2,
            _ => 3,
        }
    }

    /// Returns the failure as it is sent to the host.
    pub fn failure(&self) -> Failure {
        let (what, remedy) = (self.to_string(), self.remedy().into());
        Failure { what, remedy, invalid: self.invalid() }
    }

    /// Returns how to fix it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Error::Open { source, .. } => match source.kind() {
                io::ErrorKind::NotFound => "load irqscope.ko for this kernel",
                io::ErrorKind::PermissionDenied => "run as root",
                io::ErrorKind::ResourceBusy => "another program uses the driver: end it",
                _ => "see the kernel log",
            },
            Error::Setting { source, .. } if source.kind() == io::ErrorKind::PermissionDenied => {
                "run as root"
            }
            Error::Setting { .. } => "choose a value that the driver's README allows",
            Error::Start { .. } => {
                "mend what the kernel log names, or choose another trigger or line"
            }
            Error::Read { .. } | Error::Unreadable { .. } | Error::Ring(_) => {
                "use the driver and the agent of the same version"
            }
            Error::NoStage => "ask for stages that settings available_stages lists",
            Error::Pin { .. } => "choose a CPU that is online and within the allowed cpuset",
            Error::Policy { .. } => {
                "run as root, or grant CAP_SYS_NICE and a sufficient RLIMIT_RTPRIO; \
                 in a cgroup (v1, RT_GROUP_SCHED) give it a cpu.rt_runtime_us"
            }
            Error::LockMemory(_) => {
                "run as root, or grant CAP_IPC_LOCK, or raise RLIMIT_MEMLOCK; free some memory"
            }
            Error::Load { .. } => {
                "give the target what the load needs (files, packages, a user), or leave the load out"
            }
            Error::Starved { .. } => {
                "let it sleep now and then, or put it on another CPU; threads that others wait for have \
                 priority 1 on most RT kernels: RCU's (boot = \"rcutree.kthread_prio=N\") and ktimers (chrt)"
            }
            Error::Loads(_) => "raise the limit of processes, or choose a smaller system state",
            Error::UserStage(_) => "see the kernel log; stop other users of /dev/irqscope-user",
            Error::Thread(_) => "lighten the load, or choose a longer period or a lower priority",
            Error::Stuck { .. } => {
                "check that the trigger works on this machine and that its line is wired"
            }
            Error::State { .. } => "see the kernel log of the target",
            Error::Identity(_) | Error::Tally { .. } => {
                "this is a defect of the driver or the agent: report it, with the run directory"
            }
            Error::Stopped(_) => "run it again and let it finish",
            Error::Threads(_) => "nothing was changed; mend the file, or run as root",
            Error::Plan(_) => "use the host and the agent of the same version",
            Error::Module { .. } => "use modules that were built for exactly this kernel",
            Error::NoDelayedLocking => {
                "boot one that has (irqscope kernel build delayed-locking), as root"
            }
            Error::LockSetting { .. } => "run as root; see the kernel log",
            Error::Sysctl { .. } | Error::SysctlDiffers { .. } => {
                "run as root; sysctl -a shows the kernel's settings and their values"
            }
            Error::Parameters(_) => "leave them out, or boot a kernel that has them",
            Error::Watch(error) => error.remedy(),
            Error::NoPort(_) => "give the machine a virtserialport of that name, and its modules",
            Error::NoSpareCpu { .. } => {
                "name another CPU that is online, or measure without: views = [\"inside\"]"
            }
            Error::Generator(_) => "mend what it says and start it again",
            Error::NoSymbols => "run as root; sysctl kernel.kptr_restrict=0 shows addresses",
            Error::Output(_) => "see why the reader of the frames went away",
            Error::Frame(_) => "ask for fewer stages",
            Error::System { .. } => "see the error's text; the agent expects Linux 5.10 or later",
        }
    }
}
