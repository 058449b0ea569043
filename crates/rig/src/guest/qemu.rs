// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One QEMU process: started, watched, and never left behind.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use irqscope_wire::HostByte;

use crate::agent_link::{AgentLink, read_to_end};
use crate::arch::{Arch, Guest as _, Program};
use crate::command::{TICK, output};
use crate::error::{Result, RigError, Trying, lost};
use crate::guest::control::Control;
use crate::guest::emulator::Emulator;
use crate::guest::launch::{Begin, Listener, blame, is_timeout, spawn, words};
pub(crate) use crate::guest::launch::{ENDED, Machine};
use crate::stop::Stop;
use crate::text::last_lines;

/// Finds the programs that guests with these kernels need, but for a QEMU that is fetched where it is missing.
///
/// # Errors
/// This machine lacks one.
pub fn check_programs<'a>(kernels: impl IntoIterator<Item = &'a str>) -> Result<()> {
    output(Command::new("setpriv").arg("--version"), "util-linux")?;
    for kernel in kernels {
        let arch = Arch::of_kernel(kernel);
        let Program { name, package } = arch.qemu();
        if Emulator::is_demanding(arch, 1) {
            continue;
        }
        output(Command::new(name).arg("--version"), package)?;
    }
    Ok(())
}

/// A running virtual machine with its console log and its data port.
pub(crate) struct Qemu {
    child: Child,
    program: &'static str,
    console: PathBuf,
    port: UnixStream,
    /// Where a state is kept or given.
    control: Option<Control>,
    deadline: Instant,
    limit: Duration,
    limit_key: &'static str,
    _sockets: tempfile::TempDir,
}

impl Qemu {
    /// Starts the machine. Its virtio port `irqscope` is the returned object's
    /// data; its serial port is added to the console log.
    pub fn start(machine: &Machine<'_>, stop: &Stop) -> Result<Self> {
        Self::begin(machine, Begin::Boot, stop)
    }

    /// Starts a machine that stops itself once it is up.
    pub fn start_to_keep(machine: &Machine<'_>, stop: &Stop) -> Result<Self> {
        Self::begin(machine, Begin::BootToKeep, stop)
    }

    /// Starts a machine that goes on from a kept state, and stops itself once more.
    pub fn go_on_to_keep(
        machine: &Machine<'_>,
        state: &mut (dyn Read + Send),
        stop: &Stop,
    ) -> Result<Self> {
        Self::begin(machine, Begin::GoOnToKeep(state), stop)
    }

    /// Starts a machine that goes on from a kept state.
    pub fn go_on(
        machine: &Machine<'_>,
        state: &mut (dyn Read + Send),
        stop: &Stop,
    ) -> Result<Self> {
        Self::begin(machine, Begin::GoOn(state), stop)
    }

    fn begin(machine: &Machine<'_>, begin: Begin<'_>, stop: &Stop) -> Result<Self> {
        let deadline = Instant::now() + machine.limit;
        let sockets =
            tempfile::tempdir().trying(|| "cannot create a directory for a socket".into())?;
        let port = Listener::bind(&sockets.path().join("port"))?;
        let control = match begin {
            Begin::Boot => None,
            _ => Some(Listener::bind(&sockets.path().join("control"))?),
        };
        let mut child = spawn(machine, &begin, &port, control.as_ref())?;
        let connect = || {
            let port = port.accept(&mut child, machine, stop)?;
            let control = control.map(|listener| listener.accept(&mut child, machine, stop));
            Ok((port, control.transpose()?.map(Control::new).transpose()?))
        };
        let (port, control) = match connect() {
            Ok(connected) => connected,
            Err(error) => return Err(blame(&mut child, machine, error)),
        };
        let mut qemu = Self {
            child,
            program: machine.emulator.name(),
            console: machine.console.to_owned(),
            port,
            control,
            deadline,
            limit: machine.limit,
            limit_key: machine.limit_key,
            _sockets: sockets,
        };
        if let Begin::GoOn(state) | Begin::GoOnToKeep(state) = begin {
            let taken = qemu.take_state(state, stop);
            taken.map_err(|error| blame(&mut qemu.child, machine, error))?;
        }
        Ok(qemu)
    }

    /// Gives QEMU the state that it waits for, and lets the machine go on.
    fn take_state(&mut self, state: &mut (dyn Read + Send), stop: &Stop) -> Result<()> {
        let Some(mut stdin) = self.child.stdin.take() else { return Ok(()) };
        std::thread::scope(|scope| {
            // QEMU reads it as it likes, or ends: then writing fails.
            let given = scope.spawn(move || std::io::copy(state, &mut stdin));
            let taken = self.control()?.until_running(stop);
            let given = given.join().unwrap_or_else(|_| Err(std::io::ErrorKind::Other.into()));
            match (taken, given) {
                (Ok(()), Ok(_)) => Ok(()),
                (Err(error), _) => Err(error),
                (_, Err(error)) => Err(error).trying(|| "cannot read the kept state".into()),
            }
        })
    }

    /// Waits until the guest has stopped its machine, and keeps the machine's state. Returns false
    /// if the guest ends instead. Bytes that it sends until then are passed to `take`.
    pub fn keep(
        &mut self,
        to: &mut (dyn Write + Send),
        stop: &Stop,
        take: &mut dyn FnMut(&[u8]) -> Result<Option<HostByte>>,
    ) -> Result<bool> {
        let mut buffer = [0; 4096];
        let mut sent = None;
        loop {
            stop.check()?;
            self.check_deadline()?;
            let port = self.port.try_clone().trying(|| "cannot set up the guest's port".into())?;
            if self.control()?.has_stopped(&port)? {
                break;
            }
            self.port.set_nonblocking(true).trying(|| "cannot set up the guest's port".into())?;
            let read = self.port.read(&mut buffer);
            self.port.set_nonblocking(false).trying(|| "cannot set up the guest's port".into())?;
            let answer = match read {
                Ok(0) => return self.wait(stop).map(|()| false),
                Ok(length) => take(&buffer[..length])?,
                Err(error) if is_timeout(&error) => None,
                Err(error) => return Err(error).trying(|| "cannot read the guest's port".into()),
            };
            if let Some(byte) = answer.filter(|_| sent != answer) {
                sent = answer;
                self.send(byte)?;
            }
        }
        let socket = self._sockets.path().join("state");
        self.control()?.keep_state(&socket, to).map(|()| true)
    }

    fn control(&mut self) -> Result<&mut Control> {
        let name = self.program;
        self.control.as_mut().ok_or_else(|| {
            RigError::unready(format!("{name} was started without control"), "report this")
        })
    }

    /// Hands out what the guest sends until it ends; nothing at all now and then, while it is
    /// silent. The answer of `take` is sent to the guest, once. Without the word that the host has
    /// all it would not end: its queue would be lost with it.
    pub fn read_to_end(
        &mut self,
        stop: &Stop,
        take: &mut dyn FnMut(&[u8]) -> Result<Option<HostByte>>,
    ) -> Result<()> {
        read_to_end(self, stop, take)?;
        self.wait(stop)
    }

    /// Waits for a mark; returns the rest of the first line of its own words in which it stands.
    /// Its later words are read and forgotten, so that it never waits for a reader.
    pub fn line_after(&mut self, mark: &'static str, stop: &Stop) -> Result<String> {
        let program = self.program;
        let Some(stderr) = self.child.stderr.take() else {
            return Err(self.lost(format!("{program} was read already")));
        };
        let (sender, found) = std::sync::mpsc::channel();
        std::thread::spawn(move || {
            for line in BufReader::new(stderr).lines().map_while(std::result::Result::ok) {
                let _ = sender.send(line);
            }
        });
        let mut said = String::new();
        loop {
            stop.check()?;
            match found.recv_timeout(TICK) {
                Ok(line) => match line.split_once(mark) {
                    Some((_, rest)) => return Ok(rest.trim().to_owned()),
                    None => said.push_str(&(line + "\n")),
                },
                Err(RecvTimeoutError::Timeout) => self.check_deadline()?,
                Err(RecvTimeoutError::Disconnected) => {
                    let said = last_lines(&said, 8);
                    return Err(self.lost(format!("{program} {ENDED} an error:\n{said}")));
                }
            }
        }
    }

    /// Makes an error that keeps the console log and shows its last lines.
    pub fn lost(&self, what: impl Into<String>) -> RigError {
        lost(what, &self.console)
    }

    fn wait(&mut self, stop: &Stop) -> Result<()> {
        let program = self.program;
        loop {
            stop.check()?;
            match self.child.try_wait().trying(|| format!("cannot wait for {program}"))? {
                Some(status) if status.success() => return Ok(()),
                Some(status) => {
                    let said = words(&mut self.child);
                    return Err(self.lost(format!("{program} {ENDED} {status}\n{said}").trim()));
                }
                None => self.check_deadline()?,
            }
            std::thread::sleep(TICK / 10);
        }
    }

    fn check_deadline(&self) -> Result<()> {
        if Instant::now() < self.deadline {
            return Ok(());
        }
        Err(self.lost(format!(
            "the guest did not end within {} s ({} in the scenario)",
            self.limit.as_secs(),
            self.limit_key
        )))
    }
}

impl AgentLink for Qemu {
    fn read(&mut self, buffer: &mut [u8]) -> Result<Option<usize>> {
        match self.port.read(buffer) {
            Ok(length) => Ok(Some(length)),
            Err(error) if is_timeout(&error) => self.check_deadline().map(|()| None),
            Err(error) => Err(error).trying(|| "cannot read the guest's port".into()),
        }
    }

    fn send(&mut self, byte: HostByte) -> Result<()> {
        self.port.write_all(&[byte as u8]).trying(|| "cannot answer the guest".into())
    }
}

impl Drop for Qemu {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
