// SPDX-License-Identifier: Apache-2.0 OR MIT
//! QEMU's control socket, which speaks QMP (QEMU's docs/interop/qmp-spec.rst): a machine's state is
//! kept, and a machine goes on from one.

use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::os::fd::AsFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::time::Duration;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use serde_json::{Value, json};

use crate::command::TICK;
use crate::error::{Result, RigError, Trying};
use crate::stop::Stop;

/// As fast as it goes: QEMU's own limit is for networks.
const BYTES_PER_SECOND: u64 = 1 << 40;
/// How often QEMU is asked whether it has read a state.
const PAUSE: Duration = Duration::from_millis(2);

/// A control socket that is ready for commands.
pub(crate) struct Control {
    stream: BufReader<UnixStream>,
    /// The beginning of a line that is still to come.
    line: String,
    stopped: bool,
}

impl Control {
    /// Makes QEMU take commands.
    pub fn new(stream: UnixStream) -> Result<Self> {
        let mut control =
            Self { stream: BufReader::new(stream), line: String::new(), stopped: false };
        control.ask("qmp_capabilities", json!({}))?;
        Ok(control)
    }

    /// Waits a moment for the guest's stop, or for something to read from its port.
    pub fn has_stopped(&mut self, port: &UnixStream) -> Result<bool> {
        if self.stream.buffer().is_empty() {
            let wanted = |stream| PollFd::new(stream, PollFlags::POLLIN);
            let mut both = [wanted(self.stream.get_ref().as_fd()), wanted(port.as_fd())];
            let limit = PollTimeout::try_from(TICK).unwrap_or(PollTimeout::ZERO);
            let _ = poll(&mut both, limit);
            let readable = both[0].revents().is_some_and(|events| !events.is_empty());
            if !readable {
                return Ok(self.stopped);
            }
        }
        match self.message() {
            // The guest has ended: its port says so, too, after all that it has sent.
            Err(RigError::Io { source, .. }) if has_ended(source.kind()) => Ok(false),
            read => read.map(|_| self.stopped),
        }
    }

    /// Writes the state of the stopped machine; `socket` is made for it.
    pub fn keep_state(&mut self, socket: &Path, to: &mut (dyn Write + Send)) -> Result<()> {
        let what = || "cannot keep the guest's state".to_owned();
        let listener = UnixListener::bind(socket).trying(what)?;
        let parameters = json!({ "max-bandwidth": BYTES_PER_SECOND });
        self.ask("migrate-set-parameters", parameters)?;
        self.ask("migrate", json!({ "uri": format!("unix:{}", socket.display()) }))?;
        let (mut state, _) = listener.accept().trying(what)?;
        std::io::copy(&mut state, to).trying(what)?;
        loop {
            let said = self.ask("query-migrate", json!({}))?;
            match said["status"].as_str() {
                Some("completed") => return Ok(()),
                Some("failed" | "cancelled") => return Err(refused("migrate", &said)),
                _ => std::thread::sleep(PAUSE),
            }
        }
    }

    /// Waits until QEMU has read a state; then lets the machine go on.
    pub fn until_running(&mut self, stop: &Stop) -> Result<()> {
        loop {
            stop.check()?;
            let said = self.ask("query-status", json!({}))?;
            if said["status"] != "inmigrate" {
                break;
            }
            std::thread::sleep(PAUSE);
        }
        self.ask("cont", json!({})).map(drop)
    }

    /// Executes a command; returns what it returns.
    fn ask(&mut self, command: &str, arguments: Value) -> Result<Value> {
        let request = json!({ "execute": command, "arguments": arguments }).to_string() + "\n";
        self.stream
            .get_mut()
            .write_all(request.as_bytes())
            .trying(|| "cannot write to QEMU's control socket".into())?;
        loop {
            let Some(mut message) = self.message()? else { continue };
            if message.get("error").is_some() {
                return Err(refused(command, &message["error"]));
            }
            if let Some(returned) = message.get_mut("return") {
                return Ok(returned.take());
            }
        }
    }

    /// Reads a message; `None` if none came for a moment.
    fn message(&mut self) -> Result<Option<Value>> {
        match self.stream.read_line(&mut self.line) {
            Ok(0) => Err(std::io::Error::from(ErrorKind::UnexpectedEof)),
            Err(error) if error.kind() != ErrorKind::WouldBlock => Err(error),
            Err(_) => return Ok(None),
            Ok(_) => Ok(()),
        }
        .trying(|| "QEMU has closed its control socket".into())?;
        let message: Value = serde_json::from_str(&std::mem::take(&mut self.line))
            .map_err(std::io::Error::from)
            .trying(|| "cannot understand QEMU's control socket".into())?;
        self.stopped |= message["event"] == "STOP";
        Ok(Some(message))
    }
}

fn has_ended(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::UnexpectedEof | ErrorKind::ConnectionReset | ErrorKind::BrokenPipe)
}

fn refused(command: &str, said: &Value) -> RigError {
    let words = said["desc"].as_str().or(said["error-desc"].as_str()).unwrap_or("no reason");
    RigError::unready(
        format!("QEMU does not {command}: {words}"),
        "use QEMU 7.2 or later: apt-get install qemu-system-x86",
    )
}
