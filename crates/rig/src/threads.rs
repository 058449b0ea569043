// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The picture of a target's threads, and changes of their priorities: the
//! agent is brought there, run once, and taken away again.

use std::fs::File;

use irqscope_scenario::Ssh;

use crate::error::{Result, RigError, Trying};
use crate::parts::Part;
use crate::rigs::ask;
use crate::stop::Stop;
use crate::text::with_output;
use crate::transport::connection::Connection;
use crate::transport::shell::{Shell, quote};

const SCRIPT: &str = include_str!("threads.sh");

/// The agent's output.
#[derive(Clone, Debug)]
pub struct Threads {
    /// Words, or one frame.
    pub printed: Vec<u8>,
    /// The text of the file that takes the changes back; empty if there were
    /// none.
    pub undo: String,
    /// The changes that were made.
    pub changes: String,
}

/// Looks at this machine, or at the one at the end of `ssh`. `set` is the text
/// of a file of priorities and affinities that is applied first; `frame` asks
/// for one frame instead of words.
///
/// # Errors
/// The target cannot be reached, or the agent refuses the file.
pub fn threads(ssh: Option<&Ssh>, set: Option<&str>, frame: bool, stop: &Stop) -> Result<Threads> {
    let connection = ssh.map(|ssh| Connection::open(ssh, stop)).transpose()?;
    let mut shell = connection.as_ref().map_or_else(Shell::here, Connection::shell);
    let machine = ask(&mut shell, stop)?.machine(&shell.target)?;
    let agent = Part::Agent(machine).find()?;
    let contents = File::open(&agent).trying(|| format!("cannot read {}", agent.display()))?;
    let arguments = if frame { "set -- --frame" } else { "set --" };
    let script = format!("set={}\n{arguments}\n{SCRIPT}", quote(set.unwrap_or_default()));
    let done = shell.output(&script, Some(contents), stop)?;
    if !done.status.success() {
        let what = with_output(format!("the agent on {} failed", shell.target), &done.stderr);
        return Err(RigError::unready(what, "mend what it says"));
    }
    let (undo, printed) = split(&done.stdout).ok_or_else(|| {
        let what = with_output(format!("{} gave no answer", shell.target), &done.stderr);
        RigError::Lost { what, console: None, tail: String::new() }
    })?;
    Ok(Threads { printed, undo, changes: done.stderr })
}

/// Splits `LENGTH\n`, LENGTH bytes, and the rest.
fn split(stdout: &[u8]) -> Option<(String, Vec<u8>)> {
    let end = stdout.iter().position(|byte| *byte == b'\n')?;
    let length: usize = std::str::from_utf8(&stdout[..end]).ok()?.trim().parse().ok()?;
    let (undo, printed) = stdout[end + 1..].split_at_checked(length)?;
    Some((String::from_utf8_lossy(undo).into_owned(), printed.to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_back_is_told_from_what_was_printed() {
        assert_eq!(split(b" 3\nabcrest"), Some(("abc".into(), b"rest".to_vec())));
        assert_eq!(split(b"0\nrest"), Some((String::new(), b"rest".to_vec())));
        for garbage in [&b""[..], b"9\nabc", b"x\nabc", b"3abc"] {
            assert_eq!(split(garbage), None);
        }
    }
}
