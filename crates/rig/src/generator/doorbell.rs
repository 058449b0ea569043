// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The VM's generator as a process of this rig's: started, asked where it listens, and never left
//! behind. Its code is in `crates/vm`.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::command::TICK;
use crate::error::{Result, RigError, Trying};
use crate::parts::Part;
use crate::stop::Stop;
use crate::text::last_lines;

/// It listens at once, or something is wrong.
const LIMIT: Duration = Duration::from_secs(20);

pub(crate) struct Doorbell {
    child: Child,
    socket: PathBuf,
    /// Where it serves hosts, `127.0.0.1:40001`.
    pub address: String,
    _dir: tempfile::TempDir,
}

impl Doorbell {
    /// Starts it for a machine with this number of response lines, on a CPU of its own if one is
    /// named.
    pub fn start(lines: usize, cpu: Option<u32>, stop: &Stop) -> Result<Self> {
        let program = Part::Doorbell.find()?;
        let dir = tempfile::tempdir().trying(|| "cannot create a directory for a socket".into())?;
        let socket = dir.path().join("doorbell");
        let mut child = spawn(&program, &socket, lines, cpu)?;
        match address(&mut child, stop) {
            Ok(address) => Ok(Self { child, socket, address, _dir: dir }),
            Err(error) => {
                end(&mut child);
                Err(error)
            }
        }
    }

    /// Returns QEMU's arguments.
    pub fn args(&self) -> [String; 4] {
        let socket = format!("socket,id=bell,path={}", self.socket.display());
        let device = "ivshmem-doorbell,chardev=bell,vectors=1";
        ["-chardev".into(), socket, "-device".into(), device.into()]
    }
}

impl Drop for Doorbell {
    fn drop(&mut self) {
        end(&mut self.child);
    }
}

fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

fn spawn(program: &Path, socket: &Path, lines: usize, cpu: Option<u32>) -> Result<Child> {
    // As for QEMU: it goes with this program, even of kill -9.
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--"]).arg(program);
    command.arg("--doorbell").arg(socket).args(["--lines", &lines.to_string()]);
    command.args(cpu.iter().flat_map(|cpu| ["--cpu".to_owned(), cpu.to_string()]));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().map_err(|error| {
        RigError::unready(
            format!("cannot run {} by setpriv: {error}", program.display()),
            "install setpriv: apt-get install util-linux",
        )
    })
}

/// Reads the first line that it says.
fn address(child: &mut Child, stop: &Stop) -> Result<String> {
    let Some(stdout) = child.stdout.take() else { return Err(silent(child)) };
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = BufReader::new(stdout).read_line(&mut line);
        let _ = sender.send(read.map(|_| line.trim().to_owned()).unwrap_or_default());
    });
    let deadline = Instant::now() + LIMIT;
    loop {
        stop.check()?;
        match receiver.recv_timeout(TICK) {
            Ok(address) if !address.is_empty() => return Ok(address),
            Err(RecvTimeoutError::Timeout) if Instant::now() < deadline => {}
            _ => return Err(silent(child)),
        }
    }
}

/// Makes the error where it ended or hangs; its own words say why, if any were said.
fn silent(child: &mut Child) -> RigError {
    end(child);
    let mut said = String::new();
    if let Some(stderr) = &mut child.stderr {
        let _ = stderr.read_to_string(&mut said);
    }
    RigError::unready(
        format!("the generator irqscope-vm did not start:\n{}", last_lines(&said, 8)),
        "mend what it says; if it says nothing, build it again: make build",
    )
}
