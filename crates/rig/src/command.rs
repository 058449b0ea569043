// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Running the tools that others maintain.

use std::fs::File;
use std::io::{Read, Seek};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

use crate::error::{Result, RigError, Trying};
use crate::stop::Stop;
use crate::text::last_lines;

/// How often waiting is interrupted to look at the clock and the stop flag.
pub(crate) const TICK: Duration = Duration::from_millis(100);

/// A program that has ended.
#[derive(Debug)]
pub(crate) struct Done {
    pub status: ExitStatus,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Done {
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).into_owned()
    }
}

/// Returns a program's file; `None` where it is not installed.
pub(crate) fn installed(program: impl AsRef<Path>) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|dir| dir.join(&program)).find(|file| file.is_file())
}

/// Runs a program to its end and gives its standard output. `package` is what
/// to install when it is not there.
///
/// # Errors
/// It is not there or fails, which is to be mended first; or a signal ended it, which makes the target lost.
pub(crate) fn output(command: &mut Command, package: &str) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let done =
        command.stdin(Stdio::null()).output().map_err(|error| absent(&program, package, &error))?;
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    let said = [done.stdout, done.stderr].concat();
    let tail = last_lines(&String::from_utf8_lossy(&said), 15);
    if done.status.signal().is_some() {
        // It is not for the user to mend: a kill, or a lack of memory, ended what may be all right.
        let what = format!("{program} was killed ({}):\n{tail}", done.status);
        return Err(RigError::Lost { what, console: None, tail: String::new() });
    }
    Err(RigError::unready(
        format!("{program} failed ({}):\n{tail}", done.status),
        "mend what it says above and run the command again",
    ))
}

/// Runs a program to its end, whatever that is, unless it is stopped before.
pub(crate) fn run(command: &mut Command, package: &str, stop: &Stop) -> Result<Done> {
    let program = command.get_program().to_string_lossy().into_owned();
    let file = || tempfile::tempfile().trying(|| "cannot create a temporary file".into());
    let clone = |file: &File| file.try_clone().trying(|| "cannot share a file".into());
    let (mut stdout, mut stderr) = (file()?, file()?);
    command.stdout(clone(&stdout)?).stderr(clone(&stderr)?);
    let mut child = command.spawn().map_err(|error| absent(&program, package, &error))?;
    let status = loop {
        match wait_until(&mut child, Instant::now() + TICK)? {
            Some(status) => break status,
            None if stop.requested() => {
                kill_group(&mut child);
                return Err(RigError::Interrupted);
            }
            None => {}
        }
    };
    let stderr = String::from_utf8_lossy(&contents(&mut stderr)).into_owned();
    Ok(Done { status, stdout: contents(&mut stdout), stderr })
}

/// Kills a child that leads a process group, with what it has started.
pub(crate) fn kill_group(child: &mut Child) {
    if let Ok(id) = i32::try_from(child.id()) {
        let _ = killpg(Pid::from_raw(id), Signal::SIGKILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

/// Waits for a child's end, but not longer than until `deadline`.
pub(crate) fn wait_until(child: &mut Child, deadline: Instant) -> Result<Option<ExitStatus>> {
    loop {
        let ended = child.try_wait().trying(|| "cannot wait for a child".into())?;
        if ended.is_some() || Instant::now() >= deadline {
            return Ok(ended);
        }
        std::thread::sleep(TICK / 10);
    }
}

fn contents(file: &mut File) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = file.rewind().and_then(|()| file.read_to_end(&mut bytes));
    bytes
}

fn absent(program: &str, package: &str, error: &std::io::Error) -> RigError {
    RigError::unready(
        format!("cannot run {program}: {error}"),
        format!("install it: apt-get install {package}"),
    )
}
