// SPDX-License-Identifier: Apache-2.0 OR MIT
//! One connection to a remote target, shared by all that is done there: a
//! control master of the system's OpenSSH client.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use irqscope_scenario::Ssh;

use crate::command::{TICK, wait_until};
use crate::error::{Result, RigError, Trying};
use crate::foreign::{SshRefusal, ssh_refusal};
use crate::stop::Stop;
use crate::text::with_output;
use crate::transport::shell::Shell;

/// Nothing is asked, nothing of the user's configuration is run or forwarded,
/// and a silent target is given up after a minute.
const OPTIONS: [&str; 9] = [
    "BatchMode=yes",
    "ClearAllForwardings=yes",
    "ControlPersist=no",
    "ConnectTimeout=20",
    "ForkAfterAuthentication=no",
    "LogLevel=ERROR",
    "RemoteCommand=none",
    "ServerAliveInterval=10",
    "ServerAliveCountMax=6",
];

/// An open connection. Dropping it closes it.
pub(crate) struct Connection {
    master: Child,
    host: String,
    /// The host with the user's options.
    asked: String,
    /// The user's options, then ours: ssh takes the first of each.
    options: Vec<OsString>,
    dir: tempfile::TempDir,
}

impl Connection {
    pub fn open(ssh: &Ssh, stop: &Stop) -> Result<Self> {
        if ssh.host.is_empty() {
            return Err(RigError::unready(
                "rig ssh needs a host",
                "give --host [user@]host, or in the scenario: [ssh] host = \"root@board\"",
            ));
        }
        let dir = tempfile::Builder::new()
            .prefix("irqscope-")
            .tempdir()
            .trying(|| "cannot create a directory for the connection".into())?;
        let ours = OPTIONS.iter().flat_map(|option| ["-o", option]).map(OsString::from);
        let port = ssh.port.map(|port| format!("-oPort={port}"));
        let own = ssh.options.iter().chain(&port);
        let options = own.map(OsString::from).chain(ours).collect();
        let words = dir.path().join("words");
        let stderr = std::fs::File::create(&words).trying(|| "cannot create a file".into())?;
        let mut command = Command::new("setpriv");
        // KILL: a master has nothing to tidy up, and closes at once.
        command.args(["--pdeathsig", "KILL", "--", "ssh", "-M", "-N", "-T", "-x", "-a", "-S"]);
        command.arg(dir.path().join("control")).args(&options).args(["--", &ssh.host]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr).process_group(0);
        let master = command.spawn().trying(|| "cannot run setpriv (package util-linux)".into())?;
        let asked = [std::slice::from_ref(&ssh.host), ssh.options.as_slice(), port.as_slice()];
        let asked = asked.concat().join("\n");
        let mut connection = Self { master, host: ssh.host.clone(), asked, options, dir };
        connection.wait_open(stop)?;
        Ok(connection)
    }

    /// Returns a shell at the other end.
    pub fn shell(&self) -> Shell {
        // Without its master a client would connect by itself; it shall fail.
        let mut words: Vec<OsString> =
            ["ssh", "-o", "ControlMaster=no", "-o", "ProxyCommand=false", "-T", "-x", "-a", "-S"]
                .map(OsString::from)
                .into();
        words.push(self.control().into());
        words.extend(self.options.iter().cloned());
        words.extend([OsString::from("--"), OsString::from(&self.host)]);
        Shell::over(words, self.forward(), &self.host, self.asked.clone())
    }

    /// Returns options so that forwards of the user's configuration are not asked for.
    fn forward(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = ["ssh", "-F", "none", "-S"].map(OsString::from).into();
        words.push(self.control().into());
        words.extend(["-O", "forward"].map(OsString::from));
        words
    }

    fn control(&self) -> PathBuf {
        self.dir.path().join("control")
    }

    /// Waits for the master, which makes its socket once it is let in.
    fn wait_open(&mut self, stop: &Stop) -> Result<()> {
        while !self.control().exists() {
            stop.check()?;
            if wait_until(&mut self.master, std::time::Instant::now() + TICK)?.is_some() {
                let words = std::fs::read(self.dir.path().join("words")).unwrap_or_default();
                return Err(refused(&self.host, &String::from_utf8_lossy(&words)));
            }
        }
        Ok(())
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let _ = self.master.kill();
        let _ = self.master.wait();
    }
}

/// Judges a refusal by ssh's words: a target that is there but does not let us in has to be
/// prepared; all else is a target that was lost.
fn refused(host: &str, said: &str) -> RigError {
    let what = with_output(format!("cannot connect to {host}"), said);
    let remedy = match ssh_refusal(said) {
        Some(SshRefusal::UnknownHostKey) => {
            format!("connect once by hand and compare the key: ssh {host}")
        }
        Some(SshRefusal::NoKey) => {
            format!("let a key in that needs no password: ssh-copy-id {host}")
        }
        Some(SshRefusal::NotInstalled) => "install it: apt-get install openssh-client".to_owned(),
        Some(SshRefusal::WrongOptions) => "mend ssh.options in the scenario".to_owned(),
        None => return RigError::Lost { what, console: None, tail: String::new() },
    };
    RigError::unready(what, remedy)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(host: &str, options: &[&str]) -> RigError {
        let options = options.iter().map(|option| option.to_string()).collect();
        let ssh = Ssh { host: host.to_owned(), port: None, options };
        Connection::open(&ssh, &Stop::default()).err().unwrap()
    }

    #[test]
    fn a_host_that_does_not_answer_is_lost_and_not_unready() {
        // Port 1 of the loopback: refused at once.
        let error = open("127.0.0.1", &["-F", "none", "-p", "1"]);
        assert!(matches!(error, RigError::Lost { .. }), "{error}");
        assert!(error.to_string().contains("refused"), "{error}");
    }

    #[test]
    fn no_host_and_wrong_options_are_the_users_to_mend() {
        assert!(matches!(open("", &[]), RigError::Unready { .. }));
        let error = open("127.0.0.1", &["-F", "none", "-o", "NoSuchThing=1"]);
        assert!(matches!(error, RigError::Unready { .. }), "{error}");
    }

    #[test]
    fn a_locked_door_has_a_remedy() {
        assert!(refused("board", "x: Permission denied (publickey).").to_string().contains("key"));
        assert!(refused("board", "Host key verification failed.").to_string().contains("by hand"));
    }
}
