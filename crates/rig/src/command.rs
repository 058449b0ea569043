// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Running the tools that others maintain.

use std::process::{Command, Stdio};

use crate::error::{Result, RigError};

/// Runs a program to its end and gives its standard output. `package` is what
/// to install when it is not there.
pub(crate) fn output(command: &mut Command, package: &str) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let done = command.stdin(Stdio::null()).output().map_err(|error| {
        RigError::unready(
            format!("cannot run {program}: {error}"),
            format!("install it: apt-get install {package}"),
        )
    })?;
    if done.status.success() {
        return Ok(String::from_utf8_lossy(&done.stdout).into_owned());
    }
    let said = [done.stdout, done.stderr].concat();
    let tail = last_lines(&String::from_utf8_lossy(&said), 15);
    Err(RigError::unready(
        format!("{program} failed ({}):\n{tail}", done.status),
        "mend what it says above and run the command again",
    ))
}

/// The last `count` lines of a text, indented.
pub(crate) fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let from = lines.len().saturating_sub(count);
    lines[from..].iter().map(|line| format!("    {line}\n")).collect()
}
