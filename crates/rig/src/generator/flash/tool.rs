// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Programs of others that reach a board without its boot drive.

use std::path::Path;
use std::process::Command;

use super::chip::Chip;
use crate::Stop;
use crate::command::{installed, run};
use crate::error::{Result, RigError};
use crate::text::last_lines;

/// The programs that reach a board without its boot drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// By USB, while the board is in its boot ROM.
    Picotool,
    /// By a debug probe.
    ProbeRs,
}

impl Tool {
    /// Both, the preferred one first.
    pub const ALL: [Tool; 2] = [Tool::Picotool, Tool::ProbeRs];

    /// Returns the program's name.
    pub const fn name(self) -> &'static str {
        match self {
            Tool::Picotool => "picotool",
            Tool::ProbeRs => "probe-rs",
        }
    }

    /// Returns whether it is installed.
    pub fn is_there(self) -> bool {
        installed(self.name()).is_some()
    }

    /// Returns its commands, one after the other; the last starts the image.
    fn commands(self, image: &Path, chip: Chip) -> Vec<Command> {
        let command = |words: &[&str]| {
            let mut command = Command::new(self.name());
            command.args(words);
            command
        };
        match self {
            Tool::Picotool => {
                let mut load = command(&["load", "-v", "-x", "-t", "elf"]);
                load.arg(image);
                vec![load]
            }
            Tool::ProbeRs => {
                let mut download = command(&["download", "--chip", chip.probe_name()]);
                download.arg(image);
                vec![download, command(&["reset", "--chip", chip.probe_name()])]
            }
        }
    }

    pub(super) fn flash(self, image: &Path, chip: Chip, stop: &Stop) -> Result<()> {
        if !self.is_there() {
            return Err(RigError::unready(
                format!("{} is not installed", self.name()),
                "install it, or use the boot drive: hold BOOTSEL while the board is plugged in",
            ));
        }
        for mut command in self.commands(image, chip) {
            let done = run(&mut command, self.name(), stop)?;
            if !done.status.success() {
                let said = last_lines(&[done.text(), done.stderr].concat(), 10);
                return Err(RigError::unready(
                    format!("{} failed ({}):\n{said}", self.name(), done.status),
                    "mend what it says, or use the boot drive: hold BOOTSEL while the board is \
                     plugged in",
                ));
            }
        }
        Ok(())
    }
}
