// SPDX-License-Identifier: Apache-2.0 OR MIT
//! PID 1 in a guest: bring it up, run the case, and end the guest.
//!
//! In the twin frames move out when nothing is measured any more; in a machine
//! in real time they leave at once, and the host may speak.
//!
//! It finds its work in /irqscope: `modules` (a list), `network` (a sign that there are two network
//! cards), `modules.port` (a list: what frames leave by),
//! `plan` (one frame), `modules.case` (a list of the plan's own), or `exec` (a command line, run
//! instead of a case). Time is real where `live` is there. Where `stops` is there, the guest stops
//! its machine once it is up, and `plan`, `modules.case` and `live` are files that the host gives
//! the machine that goes on.

use std::fs::{self, File};
use std::io;
use std::panic;
use std::path::Path;
use std::process::Command;

use nix::errno::Errno;
use nix::mount::{MsFlags, mount};
use nix::sys::reboot::{RebootMode, reboot};
use nix::sys::termios::tcdrain;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::{Pid, dup2_stderr, dup2_stdin, dup2_stdout, sync};

use irqscope_wire::{HostByte, Message, Plan};

use crate::case;
use crate::context::Context;
use crate::error::{Error, Result};
use crate::locks::mount_debugfs;
use crate::sink::Sink;
use crate::stop::Stop;
use crate::symbols::Symbols;
use crate::{entropy, modules, network, parameters, plan, port, snapshot};
use std::thread::sleep;
use std::time::Duration;

const WORK: &str = "/irqscope";

/// Returns whether this process is PID 1.
pub fn is_meant() -> bool {
    Pid::this().as_raw() == 1 && Path::new(WORK).is_dir()
}

/// Runs as PID 1. Never returns: the kernel panics when PID 1 ends.
pub fn run() -> ! {
    panic::set_hook(Box::new(|info| {
        say(&format!("error: {info}"));
        // Not where a load panics: it is a process of its own.
        if is_meant() {
            end()
        }
    }));
    let result = match bring_up() {
        Ok(()) if work("exec").exists() => execute(),
        brought_up => go_on(brought_up),
    };
    reap();
    if let Err(error) = result {
        say(&format!("error: {error}; {}", error.remedy()));
    }
    say("done");
    end()
}

fn work(name: &str) -> std::path::PathBuf {
    Path::new(WORK).join(name)
}

fn stops() -> bool {
    work("stops").exists()
}

/// Returns a file of the work: the host's, where the guest goes on after its stop.
fn given(name: &str) -> Result<Option<Vec<u8>>> {
    if stops() {
        return snapshot::file(name);
    }
    let path = work(name);
    match fs::read(&path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(Error::Read { path, source }),
    }
}

fn say(line: &str) {
    eprintln!("irqscope-agent: {line}");
}

fn end() -> ! {
    let _ = tcdrain(io::stderr());
    sync();
    // QEMU runs with -no-reboot, so this ends it on every machine it plays.
    let _ = reboot(RebootMode::RB_AUTOBOOT);
    let _ = reboot(RebootMode::RB_POWER_OFF);
    loop {
        std::thread::park();
    }
}

fn bring_up() -> Result<()> {
    mount_all()?;
    mount_debugfs(Path::new("/"));
    take_console();
    entropy::seed(Path::new("/"))?;
    network::lo_up()?;
    modules::load_all(&work("modules"))?;
    if work("network").exists() { network::bring_up() } else { Ok(()) }
}

fn mount_all() -> Result<()> {
    let mounts = [("proc", "/proc"), ("sysfs", "/sys"), ("devtmpfs", "/dev"), ("tmpfs", "/tmp")];
    for (kind, place) in mounts {
        fs::create_dir_all(place).map_err(|source| Error::System { what: "make /", source })?;
        match mount(Some(kind), place, Some(kind), MsFlags::empty(), None::<&str>) {
            Ok(()) | Err(Errno::EBUSY) => {}
            Err(errno) => return Err(Error::system("mount a file system of the kernel")(errno)),
        }
    }
    Ok(())
}

/// Opens the console: the kernel does so before there is a /dev to find it in.
fn take_console() {
    if let Ok(console) = File::options().read(true).write(true).open("/dev/console") {
        let _ = dup2_stdin(&console);
        let _ = dup2_stdout(&console);
        let _ = dup2_stderr(&console);
    }
}

/// A kernel that still works after its first process has begun is not idle: 6.12 is busy for about
/// a second, and on 6.12-rt, whose preemption is lazy, softirqs then wait for the next tick. Idle
/// virtual time costs nothing.
const BOOT_ENDS: Duration = Duration::from_secs(5);

/// Waits until the kernel is idle, lets the host keep the machine, and does the work.
fn go_on(brought_up: Result<()>) -> Result<()> {
    let ready = brought_up.and_then(|()| parameters::check()).and_then(|()| {
        sleep(BOOT_ENDS);
        if stops() { snapshot::stop() } else { Ok(()) }
    });
    match ready.and_then(|()| given("live")) {
        Ok(Some(_)) => serve_live(Ok(())),
        Ok(None) => serve(Ok(())),
        Err(error) if work("live").exists() => serve_live(Err(error)),
        Err(error) => serve(Err(error)),
    }
}

/// Runs the case and hands its frames over, whatever became of it.
fn serve(ready: Result<()>) -> Result<()> {
    let mut sink = Sink::memory();
    let measured =
        ready.and_then(|()| prepare()).inspect_err(|error| case::refuse(&mut sink, error));
    let measured = measured.and_then(|plan| measure(&plan, &Stop::never(), false, &mut sink));
    let delivered = modules::load_all(&work("modules.port")).and_then(|()| deliver(&mut sink));
    measured.and(delivered)
}

/// Hands the frames over, and then what the host asks for. It asks when nothing
/// is measured any more, so that a guest which is traced and one which is not are
/// the same up to there.
fn deliver(sink: &mut Sink) -> Result<()> {
    let mut port = port::open(Path::new("/"))?;
    while port::send(&mut port, &sink.take())? == HostByte::SymbolsWanted {
        let symbols = Symbols::read(Path::new("/"))?;
        symbols.messages().try_for_each(|message| sink.send(message))?;
        sink.send(Message::Symbols(Vec::new()))?; // the end of the list
    }
    Ok(())
}

/// Runs the case, in a machine in real time, and sends its frames as they come.
fn serve_live(ready: Result<()>) -> Result<()> {
    modules::load_all(&work("modules.port"))?;
    let port = port::open(Path::new("/"))?;
    let mut sink = Sink::stream(port.try_clone().map_err(Error::Output)?);
    let stop = Stop::never().or_on_hosts_end(port);
    let measured =
        ready.and_then(|()| prepare()).inspect_err(|error| case::refuse(&mut sink, error));
    let measured = measured.and_then(|plan| measure(&plan, &stop, true, &mut sink));
    stop.await_farewell();
    measured
}

/// Loads the modules of the plan's own; returns the plan.
fn prepare() -> Result<Plan> {
    let list = given("modules.case")?.unwrap_or_default();
    modules::load_listed(&String::from_utf8_lossy(&list))?;
    match given("plan")? {
        Some(bytes) => plan::read(&bytes[..]),
        None => Err(Error::Plan("the host gave none".into())),
    }
}

fn measure(plan: &Plan, stop: &Stop, is_real: bool, sink: &mut Sink) -> Result<()> {
    let stops = stops() && given("settled")?.is_some();
    case::run(&Context { root: Path::new("/"), stop, is_real, stops }, plan, sink)
}

/// Plays a machine for somebody's test: the command's words are split at white
/// space.
fn execute() -> Result<()> {
    let path = work("exec");
    let line = fs::read_to_string(&path).map_err(|source| Error::Read { path, source })?;
    let mut words = line.split_whitespace();
    let mut command = Command::new(words.next().unwrap_or("/bin/sh"));
    command.args(words).env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("HOME", "/");
    let source = |source| Error::System { what: "run the command of /irqscope/exec", source };
    let child = Pid::from_raw(command.spawn().map_err(source)?.id() as i32);
    loop {
        // Orphans come to PID 1, and have to be waited for as well.
        match waitpid(None, None) {
            Ok(WaitStatus::Exited(pid, code)) if pid == child => {
                say(&format!("the command ended with exit code {code}"));
                return Ok(());
            }
            Ok(WaitStatus::Signaled(pid, signal, _)) if pid == child => {
                say(&format!("the command was killed by {signal}"));
                return Ok(());
            }
            Ok(_) | Err(Errno::EINTR) => {}
            Err(errno) => return Err(Error::system("wait for the command")(errno)),
        }
    }
}

fn reap() {
    while matches!(waitpid(None, Some(WaitPidFlag::WNOHANG)), Ok(status) if status.pid().is_some())
    {
    }
}
