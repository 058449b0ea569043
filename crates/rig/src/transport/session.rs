// SPDX-License-Identifier: Apache-2.0 OR MIT
//! This side of session.sh, the script that holds a real target while one case
//! is measured and gives it back as it was.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use irqscope_wire::HostByte;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::agent_link::AgentLink;
use crate::command::{kill_group, wait_until};
use crate::error::{Result, RigError, Trying};
use crate::payload::{Entry, copy};
use crate::stop::Stop;
use crate::transport::remote_build::pack;
use crate::transport::shell::{Shell, quote};

const SCRIPT: &str = include_str!("session.sh");

/// Why the script itself ended a case: its exit statuses beside the agent's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Stopped = 90,
    NoDirectory = 91,
    NotLoaded = 92,
    NotUnloaded = 93,
    NoGenerator = 94,
}

impl Ending {
    /// Each with the variable by which the script knows it.
    const ALL: [(&str, Self); 5] = [
        ("STOPPED", Self::Stopped),
        ("NO_DIRECTORY", Self::NoDirectory),
        ("NOT_LOADED", Self::NotLoaded),
        ("NOT_UNLOADED", Self::NotUnloaded),
        ("NO_GENERATOR", Self::NoGenerator),
    ];

    /// Returns the ending that an exit status names; `None`: the agent's own.
    pub fn of(status: ExitStatus) -> Option<Self> {
        let code = status.code()?;
        Self::ALL.into_iter().map(|(_, ending)| ending).find(|ending| *ending as i32 == code)
    }
}

/// Returns the script, after the statuses that it ends with.
fn script() -> String {
    let variables = Ending::ALL.map(|(name, ending)| format!("{name}={}\n", ending as i32));
    variables.concat() + SCRIPT
}
/// How long the target may take to make its directory, or to start a generator.
const START_LIMIT: Duration = Duration::from_secs(60);
/// How long it may take to tidy up after its lifeline was cut: it gives the
/// agent five seconds and the driver's last user another five.
const END_LIMIT: Duration = Duration::from_secs(20);

/// A target in the middle of one case. Dropping it cuts the lifeline and waits until
/// the target is as it was.
pub(crate) struct Session<'a> {
    shell: &'a Shell,
    child: Child,
    /// None when it was cut.
    lifeline: Option<ChildStdin>,
    stdout: ChildStdout,
    /// The directory on the target.
    pub dir: String,
}

impl<'a> Session<'a> {
    /// Starts the script; all its words, and the kernel's, go to `console`.
    pub fn start(shell: &'a Shell, console: &Path, stop: &Stop) -> Result<Self> {
        let words =
            File::create(console).trying(|| format!("cannot create {}", console.display()))?;
        let mut child = shell
            .command(&script())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(words)
            .spawn()
            .trying(|| "cannot run setpriv (package util-linux)".into())?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::Error::other("no pipe")).trying(|| "cannot talk to sh".into());
        };
        let mut session = Self { shell, child, lifeline: Some(stdin), stdout, dir: String::new() };
        session.dir = session.first_line(stop)?;
        Ok(session)
    }

    /// Puts a file into the directory.
    pub fn deliver(&self, file: &Path, name: &str, stop: &Stop) -> Result<()> {
        let contents = File::open(file).trying(|| format!("cannot read {}", file.display()))?;
        let to = quote(&format!("{}/{name}", self.dir));
        let script = format!("umask 077; cat >{to} && chmod 700 {to}");
        let remedy = "make room in its directory for temporary files";
        self.put(&script, contents, name, remedy, stop)
    }

    /// Puts files and directories into the directory, readable for loads of other users.
    pub fn deliver_tree(&self, entries: &[Entry], stop: &Stop) -> Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        let staged = tempfile::tempdir().trying(|| "cannot create a directory".into())?;
        copy(entries, staged.path())?;
        let archive = pack(staged.path(), stop)?;
        let to = quote(&self.dir);
        let script = format!("tar -xpof - -C {to} && chmod 711 {to}");
        let remedy = "make room in its directory for temporary files, and install tar there";
        self.put(&script, archive, "the loads' files", remedy, stop)
    }

    /// Runs a script on the target that takes `what` from its input.
    fn put(&self, script: &str, input: File, what: &str, remedy: &str, stop: &Stop) -> Result<()> {
        let done = self.shell.output(script, Some(input), stop)?;
        if done.status.success() {
            return Ok(());
        }
        let place = &self.shell.target;
        let text = format!("cannot copy {what} to {place}: {}", done.stderr.trim());
        Err(RigError::unready(text, remedy))
    }

    /// Says that the directory is filled: which modules to load, and the generator's options where
    /// a CPU of the target is to be one.
    pub fn go(&mut self, modules: &[String], generator: Option<&str>) -> Result<()> {
        let generator = generator.map(|arguments| format!("generator {arguments}\n"));
        let modules = format!("go {}\n", modules.join(" "));
        self.write((generator.unwrap_or_default() + &modules).as_bytes())
    }

    /// Returns the generator's first words.
    pub fn generator(&mut self, stop: &Stop) -> Result<Option<String>> {
        self.line(stop)
    }

    /// Hands the plan to the agent, which waits for it.
    pub fn plan(&mut self, plan: &[u8]) -> Result<()> {
        self.write(plan)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let lifeline = self.lifeline.as_mut().ok_or(RigError::Interrupted)?;
        // A session that has ended already is judged by its exit status.
        match lifeline.write_all(bytes).and_then(|()| lifeline.flush()) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
                Err(error).trying(|| "cannot send the plan".into())
            }
            _ => Ok(()),
        }
    }

    /// Cuts the lifeline and waits until the target is as it was.
    pub fn end(&mut self) -> Result<ExitStatus> {
        self.lifeline = None;
        self.drain(Instant::now() + END_LIMIT);
        if let Some(status) = wait_until(&mut self.child, Instant::now() + END_LIMIT / 4)? {
            return Ok(status);
        }
        if let Ok(id) = i32::try_from(self.child.id()) {
            let _ = kill(Pid::from_raw(id), Signal::SIGTERM);
        }
        if let Some(status) = wait_until(&mut self.child, Instant::now() + END_LIMIT)? {
            return Ok(status);
        }
        kill_group(&mut self.child);
        let what = format!("{} did not end the case within {END_LIMIT:?}", self.shell.target);
        Err(RigError::Lost { what, console: None, tail: String::new() })
    }

    /// Reads the first line: the directory's name.
    fn first_line(&mut self, stop: &Stop) -> Result<String> {
        self.line(stop)?.ok_or_else(|| {
            let what = format!("{} did not make a directory to measure in", self.shell.target);
            RigError::Lost { what, console: None, tail: String::new() }
        })
    }

    /// Reads one line of the script's; `None` if it ends or takes too long.
    fn line(&mut self, stop: &Stop) -> Result<Option<String>> {
        let deadline = Instant::now() + START_LIMIT;
        let mut line = Vec::new();
        let mut byte = [0];
        while Instant::now() < deadline {
            stop.check()?;
            match self.read(&mut byte)? {
                Some(0) => break,
                Some(_) if byte == *b"\n" => {
                    return Ok(Some(String::from_utf8_lossy(&line).into()));
                }
                Some(_) => line.push(byte[0]),
                None => {}
            }
        }
        Ok(None)
    }

    /// Reads on, so that an agent that still writes can end.
    fn drain(&mut self, deadline: Instant) {
        let mut buffer = vec![0; 1 << 16];
        while Instant::now() < deadline {
            if matches!(self.read(&mut buffer), Ok(Some(0)) | Err(_)) {
                return;
            }
        }
    }
}

impl AgentLink for Session<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> Result<Option<usize>> {
        use std::io::ErrorKind::{Interrupted, WouldBlock};
        let mut ready = [PollFd::new(self.stdout.as_fd(), PollFlags::POLLIN)];
        match poll(&mut ready, PollTimeout::from(100u8)) {
            Ok(0) | Err(nix::errno::Errno::EINTR) => return Ok(None),
            Ok(_) => {}
            Err(errno) => return Err(errno.into()).trying(|| "cannot wait for a target".into()),
        }
        match self.stdout.read(buffer) {
            Ok(length) => Ok(Some(length)),
            Err(error) if matches!(error.kind(), Interrupted | WouldBlock) => Ok(None),
            Err(error) => Err(error).trying(|| "cannot read from the target".into()),
        }
    }

    fn send(&mut self, byte: HostByte) -> Result<()> {
        self.write(&[byte as u8])
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if self.lifeline.is_some() {
            let _ = self.end();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent_link::read_to_end;

    /// Needs no root: without a line `go` the script only makes its directory.
    #[test]
    fn a_cut_lifeline_leaves_no_directory() {
        let shell = Shell::here();
        let console = tempfile::NamedTempFile::new().unwrap();
        let mut session = Session::start(&shell, console.path(), &Stop::default()).unwrap();
        let dir = session.dir.clone();
        assert!(Path::new(&dir).is_dir());
        session.deliver(console.path(), "file", &Stop::default()).unwrap();
        assert!(Path::new(&dir).join("file").is_file());
        assert_eq!(Ending::of(session.end().unwrap()), Some(Ending::Stopped));
        assert!(!Path::new(&dir).exists());
    }

    #[test]
    fn a_module_has_its_parameters_and_their_commas() {
        let shell = Shell::here();
        let console = tempfile::NamedTempFile::new().unwrap();
        let mut session = Session::start(&shell, console.path(), &Stop::default()).unwrap();
        let module = "irqscope_none;trigger=chip:1;responses=chip:2,chip:3:low";
        session.go(&[module.to_owned()], None).unwrap();
        let ended = read_to_end(&mut session, &Stop::default(), &mut |_| Ok(None));
        assert!(ended.is_ok());
        assert_eq!(Ending::of(session.end().unwrap()), Some(Ending::NotLoaded));
        let words = std::fs::read_to_string(console.path()).unwrap();
        let tried = "cannot load module irqscope_none trigger=chip:1 responses=chip:2,chip:3:low";
        assert!(words.contains(tried), "{words}");
    }

    #[test]
    fn a_killed_agent_cannot_keep_the_directory() {
        let shell = Shell::here();
        let console = tempfile::NamedTempFile::new().unwrap();
        let agent = tempfile::NamedTempFile::new().unwrap();
        // Takes neither a hint nor a polite signal.
        std::fs::write(agent.path(), "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 1; done\n")
            .unwrap();
        let mut session = Session::start(&shell, console.path(), &Stop::default()).unwrap();
        let dir = session.dir.clone();
        session.deliver(agent.path(), "irqscope-agent", &Stop::default()).unwrap();
        session.go(&[], None).unwrap();
        std::thread::sleep(Duration::from_millis(300));
        let id = i32::try_from(session.child.id()).unwrap();
        kill(Pid::from_raw(id), Signal::SIGTERM).unwrap();
        assert_eq!(Ending::of(session.end().unwrap()), Some(Ending::Stopped));
        assert!(!Path::new(&dir).exists());
    }
}
