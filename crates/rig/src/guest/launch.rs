// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The launch of QEMU: its command line, the sockets on which it connects, and its own words where
//! it ends too early.

use std::io::Read;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::command::{TICK, wait_until};
use crate::error::{Result, RigError, Trying, lost};
use crate::foreign;
use crate::guest::emulator::Emulator;
use crate::stop::Stop;
use crate::text::last_lines;

/// Before its status and what it said itself.
pub(crate) const ENDED: &str = "ended with";

/// The options of a virtual machine.
#[derive(Clone)]
pub(crate) struct Machine<'a> {
    pub emulator: &'a Emulator,
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

/// The way in which a machine comes up.
pub(super) enum Begin<'a> {
    /// It boots, and nothing else is asked of QEMU.
    Boot,
    /// It boots, and its state can be kept.
    BootToKeep,
    /// It goes on from a state, which is read from here.
    GoOn(&'a mut (dyn Read + Send)),
    /// It does, and its state can be kept again.
    GoOnToKeep(&'a mut (dyn Read + Send)),
}

impl Begin<'_> {
    /// Returns the device that has the port for frames. Without ioeventfd the guest's own thread does
    /// what the guest asks of it. With it QEMU's main loop does, at instants of the host's; and each
    /// time that a machine goes on it interrupts the guest for every queue, whose driver is there from
    /// the boot on where a kernel has it built in, as Debian's have since 6.12.
    const fn frames_device(&self) -> &'static str {
        match self {
            Begin::Boot => "virtio-serial-pci",
            Begin::BootToKeep | Begin::GoOn(_) | Begin::GoOnToKeep(_) => {
                "virtio-serial-pci,ioeventfd=off"
            }
        }
    }
}

/// A guest that stops its machine pauses QEMU.
const KEEP: [&str; 2] = ["-action", "panic=pause"];
/// The state is read from standard input. A machine that goes on is not announced to its network, as one
/// would be that had moved: the frames would come at instants of the host's (net/announce.c).
const GO_ON: [&str; 4] = ["-incoming", "fd:0", "-global", "migration.announce-rounds=0"];

/// Starts QEMU; it does not outlive this program.
pub(super) fn spawn(
    machine: &Machine<'_>,
    begin: &Begin<'_>,
    port: &Listener,
    control: Option<&Listener>,
) -> Result<Child> {
    let (name, package) = (machine.emulator.name(), machine.emulator.package());
    // setpriv makes the kernel kill QEMU when this program dies, even of
    // kill -9.
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--"]).args(machine.emulator.words());
    command.args(["-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"]);
    command.args(&machine.args);
    let console = machine.console.display().to_string().replace(',', ",,");
    command.arg("-chardev").arg(format!("file,id=console,path={console},append=on"));
    command.args(["-serial", "chardev:console"]);
    command.arg("-chardev").arg(port.chardev("port"));
    command.args(["-device", begin.frames_device()]);
    command.args(["-device", "virtserialport,chardev=port,name=irqscope"]);
    command.arg("-kernel").arg(machine.kernel).arg("-initrd").arg(machine.initramfs);
    command.args(["-append", machine.append]);
    if let Some(control) = control {
        command.arg("-chardev").arg(control.chardev("control"));
        command.args(["-mon", "chardev=control,mode=control"]);
    }
    command.stdin(Stdio::null());
    match begin {
        Begin::Boot => {}
        Begin::BootToKeep => _ = command.args(KEEP),
        Begin::GoOn(_) => _ = command.args(GO_ON).stdin(Stdio::piped()),
        Begin::GoOnToKeep(_) => _ = command.args(GO_ON).args(KEEP).stdin(Stdio::piped()),
    }
    command.stdout(Stdio::null()).stderr(Stdio::piped());
    command.spawn().map_err(|error| {
        RigError::unready(
            format!("cannot run {name} by setpriv: {error}"),
            format!("install them: apt-get install {package} util-linux"),
        )
    })
}

/// A socket on which QEMU connects as soon as it has started.
pub(super) struct Listener {
    listener: UnixListener,
    path: PathBuf,
}

impl Listener {
    pub fn bind(path: &Path) -> Result<Self> {
        let listener = UnixListener::bind(path)
            .and_then(|listener| listener.set_nonblocking(true).map(|()| listener))
            .trying(|| format!("cannot listen on {}", path.display()))?;
        Ok(Self { listener, path: path.to_owned() })
    }

    fn chardev(&self, id: &str) -> String {
        format!("socket,id={id},path={}", self.path.display())
    }

    /// Waits until QEMU has connected, which it does at once.
    pub fn accept(
        &self,
        child: &mut Child,
        machine: &Machine<'_>,
        stop: &Stop,
    ) -> Result<UnixStream> {
        let program = machine.emulator.name();
        loop {
            stop.check()?;
            match self.listener.accept() {
                Ok((stream, _)) => {
                    stream
                        .set_nonblocking(false)
                        .and_then(|()| stream.set_read_timeout(Some(TICK)))
                        .trying(|| "cannot set up a guest's socket".into())?;
                    return Ok(stream);
                }
                Err(error) if is_timeout(&error) => {}
                Err(error) => {
                    return Err(error).trying(|| "cannot accept QEMU's connection".into());
                }
            }
            if let Some(status) =
                child.try_wait().trying(|| format!("cannot wait for {program}"))?
            {
                return Err(refused(child, status, machine));
            }
            std::thread::sleep(TICK / 20);
        }
    }
}

/// Ends QEMU after an error while it started. Where it has ended by itself, its own words say why,
/// unless the run is being stopped.
pub(super) fn blame(child: &mut Child, machine: &Machine<'_>, error: RigError) -> RigError {
    if !matches!(error, RigError::Interrupted) {
        let ended = wait_until(child, Instant::now() + TICK);
        if let Ok(Some(status)) = ended {
            return refused(child, status, machine);
        }
    }
    let _ = child.kill();
    let _ = child.wait();
    error
}

/// Makes the error where QEMU ended before it began: its own words say why.
fn refused(child: &mut Child, status: std::process::ExitStatus, machine: &Machine<'_>) -> RigError {
    let (name, package) = (machine.emulator.name(), machine.emulator.package());
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
pub(super) fn words(child: &mut Child) -> String {
    let mut said = String::new();
    if let Some(stderr) = &mut child.stderr {
        let _ = stderr.read_to_string(&mut said);
    }
    last_lines(&said, 8)
}

pub(super) fn is_timeout(error: &std::io::Error) -> bool {
    use std::io::ErrorKind::{Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), WouldBlock | TimedOut | Interrupted)
}
