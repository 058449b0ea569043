// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One QEMU process: started, watched, and never left behind.

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use irqscope_wire::HostByte;

use crate::agent_link::{AgentLink, read_to_end};
use crate::arch::{Arch, Guest as _, Program};
use crate::command::{TICK, output};
use crate::error::{Result, RigError, Trying, lost};
use crate::foreign;
use crate::stop::Stop;
use crate::text::last_lines;

/// Before its status and what it said itself.
pub(crate) const ENDED: &str = "ended with";

/// Finds the programs that guests with these kernels need.
///
/// # Errors
/// This machine lacks one.
pub fn check_programs<'a>(kernels: impl IntoIterator<Item = &'a str>) -> Result<()> {
    output(Command::new("setpriv").arg("--version"), "util-linux")?;
    for kernel in kernels {
        let Program { name, package } = Arch::of_kernel(kernel).qemu();
        output(Command::new(name).arg("--version"), package)?;
    }
    Ok(())
}

/// A running virtual machine with its console log and its data port.
pub(crate) struct Qemu {
    child: Child,
    program: Program,
    console: PathBuf,
    port: UnixStream,
    deadline: Instant,
    limit: Duration,
    limit_key: &'static str,
    _sockets: tempfile::TempDir,
}

/// The options of a virtual machine.
pub(crate) struct Machine<'a> {
    pub program: Program,
    pub kernel: &'a Path,
    pub initramfs: &'a Path,
    pub append: &'a str,
    /// CPU, memory, clock and devices.
    pub args: Vec<String>,
    pub console: &'a Path,
    /// Host time after which the guest is called hung.
    pub limit: Duration,
    /// The scenario's key for that.
    pub limit_key: &'static str,
}

impl Qemu {
    /// Starts the machine. Its virtio port `irqscope` is the returned object's
    /// data; its serial port goes to the console log.
    pub fn start(machine: &Machine<'_>, stop: &Stop) -> Result<Self> {
        let sockets =
            tempfile::tempdir().trying(|| "cannot create a directory for a socket".into())?;
        let socket = sockets.path().join("port");
        let listener = UnixListener::bind(&socket)
            .and_then(|listener| listener.set_nonblocking(true).map(|()| listener))
            .trying(|| format!("cannot listen on {}", socket.display()))?;
        let mut child = spawn(machine, &socket)?;
        let port = match accept(&listener, &mut child, machine, stop) {
            Ok(port) => port,
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(error);
            }
        };
        Ok(Self {
            child,
            program: machine.program,
            console: machine.console.to_owned(),
            port,
            deadline: Instant::now() + machine.limit,
            limit: machine.limit,
            limit_key: machine.limit_key,
            _sockets: sockets,
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
        let program = self.program.name;
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
        let program = self.program.name;
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

fn spawn(machine: &Machine<'_>, socket: &Path) -> Result<Child> {
    let Program { name, package } = machine.program;
    // setpriv makes the kernel kill QEMU when this program dies, even of
    // kill -9.
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--", name]);
    command.args(["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]);
    command.args(&machine.args);
    command.arg("-serial").arg(format!("file:{}", machine.console.display()));
    command.arg("-chardev").arg(format!("socket,id=port,path={}", socket.display()));
    command.args(["-device", "virtio-serial-pci"]);
    command.args(["-device", "virtserialport,chardev=port,name=irqscope"]);
    command.arg("-kernel").arg(machine.kernel).arg("-initrd").arg(machine.initramfs);
    command.args(["-append", machine.append]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().map_err(|error| {
        RigError::unready(
            format!("cannot run {name} by setpriv: {error}"),
            format!("install them: apt-get install {package} util-linux"),
        )
    })
}

/// Waits until QEMU has connected to the socket, which it does at once.
fn accept(
    listener: &UnixListener,
    child: &mut Child,
    machine: &Machine<'_>,
    stop: &Stop,
) -> Result<UnixStream> {
    let program = machine.program.name;
    loop {
        stop.check()?;
        match listener.accept() {
            Ok((port, _)) => {
                port.set_nonblocking(false)
                    .and_then(|()| port.set_read_timeout(Some(TICK)))
                    .trying(|| "cannot set up the guest's port".into())?;
                return Ok(port);
            }
            Err(error) if is_timeout(&error) => {}
            Err(error) => return Err(error).trying(|| "cannot accept QEMU's connection".into()),
        }
        if let Some(status) = child.try_wait().trying(|| format!("cannot wait for {program}"))? {
            return Err(refused(child, status, machine));
        }
        std::thread::sleep(TICK / 10);
    }
}

/// Makes the error where QEMU ended before it began: its own words say why.
fn refused(child: &mut Child, status: std::process::ExitStatus, machine: &Machine<'_>) -> RigError {
    let Program { name, package } = machine.program;
    let said = words(child);
    if foreign::was_not_executed(status.code(), &said) {
        return RigError::unready(
            format!("{name} is not installed"),
            format!("install it: apt-get install {package}"),
        );
    }
    lost(format!("{name} {ENDED} {status}:\n{said}"), machine.console)
}

/// Returns the last of what QEMU said; it has ended.
fn words(child: &mut Child) -> String {
    let mut said = String::new();
    if let Some(stderr) = &mut child.stderr {
        let _ = stderr.read_to_string(&mut said);
    }
    last_lines(&said, 8)
}

fn is_timeout(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted)
}
