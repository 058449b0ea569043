// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A shell on a real target: this machine's, or one at the end of an ssh connection. Everything
//! that is done to a target is a script that one of them runs.

use std::ffi::OsString;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

use crate::command::{Done, run};
use crate::error::{Result, RigError, Trying};
use crate::stop::Stop;
use crate::text::with_output;

/// ssh's exit status when the connection, not the command, failed.
const CONNECTION_LOST: i32 = 255;

#[derive(Debug)]
pub(crate) struct Shell {
    /// ssh with its options and the host; empty on this machine.
    ssh: Vec<OsString>,
    /// ssh, asking the connection to forward a port.
    forward: Vec<OsString>,
    /// Names the target in errors.
    pub target: String,
    /// The host and the options that were asked for: which machine this is, as the user says.
    pub asked: String,
    pub sudo: bool,
}

impl Shell {
    pub fn here() -> Self {
        let (ssh, forward) = (Vec::new(), Vec::new());
        let asked = String::new();
        Self { ssh, forward, target: "this machine".into(), asked, sudo: false }
    }

    pub fn over(ssh: Vec<OsString>, forward: Vec<OsString>, host: &str, asked: String) -> Self {
        Self { ssh, forward, target: host.to_owned(), asked, sudo: false }
    }

    /// Forwards a port of this machine's loopback to one of the target's, for as long as the
    /// connection lasts.
    pub fn forward(&self, port: u16, stop: &Stop) -> Result<u16> {
        if !self.is_remote() {
            return Ok(port);
        }
        let own = free_port()?;
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "TERM", "--"]).args(&self.forward);
        command.args(["-L", &format!("127.0.0.1:{own}:127.0.0.1:{port}"), "--", &self.target]);
        command.stdin(Stdio::null());
        let done = run(&mut command, "util-linux openssh-client", stop)?;
        if done.status.success() {
            return Ok(own);
        }
        Err(RigError::unready(
            with_output(
                format!("{} lets no connection through to its generator", self.target),
                &done.stderr,
            ),
            "allow it there (sshd_config: AllowTcpForwarding yes), or measure without: views = \
             [\"inside\"]",
        ))
    }

    pub fn is_remote(&self) -> bool {
        !self.ssh.is_empty()
    }

    /// Makes a command that runs a script. It dies with this program, even of kill -9, and not of a
    /// Ctrl-C that is meant for this program alone.
    pub fn command(&self, script: &str) -> Command {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "TERM", "--"]);
        if self.is_remote() {
            let sudo = if self.sudo { "sudo -n " } else { "" };
            command.args(&self.ssh).arg(format!("exec {sudo}sh -c {}", quote(script)));
        } else {
            command.args(["sh", "-c", script]);
        }
        command.process_group(0);
        command
    }

    /// Runs a script to its end and gives what it printed.
    pub fn output(&self, script: &str, stdin: Option<File>, stop: &Stop) -> Result<Done> {
        let mut command = self.command(script);
        command.stdin(stdin.map_or_else(Stdio::null, Stdio::from));
        let done = run(&mut command, "util-linux openssh-client", stop)?;
        if self.is_remote() && done.status.code() == Some(CONNECTION_LOST) {
            return Err(self.disconnected(&done.stderr));
        }
        Ok(done)
    }

    pub fn disconnected(&self, said: &str) -> RigError {
        let what = format!("the connection to {} was lost", self.target);
        RigError::Lost { what: with_output(what, said), console: None, tail: String::new() }
    }

    pub fn lost_connection(&self, status: std::process::ExitStatus) -> bool {
        // Without a code, the client itself was killed.
        self.is_remote() && status.code().is_none_or(|code| code == CONNECTION_LOST)
    }
}

/// Returns a port that is unused at present.
fn free_port() -> Result<u16> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0");
    let address = listener.and_then(|listener| listener.local_addr());
    address.map(|address| address.port()).trying(|| "cannot find a free port".into())
}

/// Quotes one word for a shell, whatever is in it.
pub(crate) fn quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quoted_word_survives_a_shell() {
        let word = "it's $HOME `x` \"y\"\n\\z";
        let script = format!("printf %s {}", quote(word));
        let done = Shell::here().output(&script, None, &Stop::default()).unwrap();
        assert_eq!(done.text(), word);
    }

    #[test]
    fn a_request_to_stop_ends_a_long_script_at_once() {
        let stop = Stop::default();
        stop.request();
        let started = std::time::Instant::now();
        let ended = Shell::here().output("sleep 20", None, &stop);
        assert!(matches!(ended, Err(RigError::Interrupted)));
        assert!(started.elapsed().as_secs() < 10);
    }
}
