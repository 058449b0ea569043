// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The process of one measurement: started, watched, and ended when its time is over or the fleet is
//! asked to end.

use std::fs::{self, File};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use irqscope_rig::{OFFLINE, Stop, are_downloads_forbidden};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::{FleetError, Result};

/// How long a measurement may take to end when it is asked to.
const LAST: Duration = Duration::from_secs(60);
const LOOK: Duration = Duration::from_millis(50);
/// The most of a log that is read for its last words.
const WORDS: usize = 4000;
/// How our own programs' lines begin.
const OWN: [&str; 2] = ["irqscope: ", "irqscope.lake: "];

/// How a process ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself; none: by a signal.
    Itself(Option<i32>),
    /// Its time was over.
    Late,
    /// The fleet was asked to end.
    Stopped,
}

/// Runs a program with its arguments until it ends, its words into a log. setpriv ends it when this thread dies.
///
/// # Errors
/// It cannot be started, or the log cannot be written.
pub fn run(words: &[String], log: &Path, limit: Duration, stop: &Stop) -> Result<Ended> {
    let unwritten = |error| FleetError::write(log, error);
    let output = File::options().create(true).append(true).open(log).map_err(unwritten)?;
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "TERM", "--"]).args(words);
    let again = output.try_clone().map_err(unwritten)?;
    command.stdin(Stdio::null()).stdout(again).stderr(output);
    if are_downloads_forbidden() {
        command.env(OFFLINE, "1");
    }
    // Ctrl-C in a terminal is for the fleet, which asks its measurements to end.
    command.process_group(0);
    let mut child = command.spawn().map_err(FleetError::NoSetpriv)?;
    await_end(&mut child, limit, stop).map_err(FleetError::NoSetpriv)
}

/// Waits for a process, and ends it when its time is over.
fn await_end(child: &mut Child, limit: Duration, stop: &Stop) -> io::Result<Ended> {
    let end = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Ended::Itself(status.code()));
        }
        if stop.requested() {
            finish(child)?;
            return Ok(Ended::Stopped);
        }
        if Instant::now() > end {
            finish(child)?;
            return Ok(Ended::Late);
        }
        thread::sleep(LOOK);
    }
}

/// Asks a process to end, and ends it if it does not.
fn finish(child: &mut Child) -> io::Result<()> {
    let group = Pid::from_raw(-(child.id() as i32));
    let _ = kill(Pid::from_raw(child.id() as i32), Signal::SIGTERM);
    let end = Instant::now() + LAST;
    while child.try_wait()?.is_none() {
        if Instant::now() > end {
            let _ = kill(group, Signal::SIGKILL);
            child.wait()?;
            break;
        }
        thread::sleep(LOOK);
    }
    Ok(())
}

/// Returns the line of a log that says why: its last one of our own programs, or its last one.
pub fn last_words(log: &Path) -> String {
    let bytes = fs::read(log).unwrap_or_default();
    last_line(&String::from_utf8_lossy(&bytes[bytes.len().saturating_sub(WORDS)..]))
}

/// Returns the line of a program's words that says why, as [`last_words`] does.
pub fn last_line(text: &str) -> String {
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let own = lines().rev().find_map(|line| OWN.iter().find_map(|begin| line.strip_prefix(begin)));
    own.or_else(|| lines().next_back()).unwrap_or("it said nothing").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str, limit: Duration, stop: &Stop) -> (Ended, String) {
        let dir = tempfile::tempdir().unwrap();
        let log = dir.path().join("log");
        let words = ["/bin/sh", "-c", script].map(str::to_owned);
        let ended = run(&words, &log, limit, stop).unwrap();
        (ended, last_words(&log))
    }

    #[test]
    fn a_process_ends_by_itself_or_is_ended() {
        let hour = Duration::from_secs(3600);
        let said = shell("echo irqscope: why; echo and more; exit 3", hour, &Stop::default());
        assert_eq!(said, (Ended::Itself(Some(3)), "why".into()));
        let late = shell("sleep 100", Duration::from_millis(100), &Stop::default());
        assert_eq!(late, (Ended::Late, "it said nothing".into()));
        let stop = Stop::default();
        stop.request();
        assert_eq!(shell("sleep 100", hour, &stop).0, Ended::Stopped);
    }
}
