// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope-agent threads`: the picture of a system's interrupt and softirq
//! threads, what spoils latencies there, and changes with their way back.

mod advice;
mod interrupts;
pub mod picture;
pub mod scan;
mod set;
mod show;

use std::fs;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use irqscope_wire::{Frame, Message, encode};

use crate::error::{Error, Result};

/// The options of `irqscope-agent threads`.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct ThreadsOptions {
    /// The file with changes to make first; `-` is stdin.
    pub set: Option<PathBuf>,
    /// Where the way back is written.
    pub undo: Option<PathBuf>,
    /// One frame instead of words.
    pub frame: bool,
}

/// Shows threads and interrupts, or changes them; returns the exit status.
pub fn run(options: &ThreadsOptions) -> ExitCode {
    match carry_out(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("irqscope-agent: error: {error}; {}", error.remedy());
            ExitCode::from(error.exit_code())
        }
    }
}

fn carry_out(options: &ThreadsOptions) -> Result<()> {
    let root = Path::new("/");
    if let Some(path) = &options.set {
        let undo = options.undo.clone().unwrap_or_else(|| set::undo_path(path));
        let changed = set::apply(root, &text_of(path)?, &undo)?;
        changed.iter().for_each(|line| eprintln!("{line}"));
        match changed.len() {
            0 => eprintln!("nothing to change"),
            _ => eprintln!("undo: irqscope threads --set {}", undo.display()),
        }
    }
    let picture = picture::picture(root);
    let bytes = match options.frame {
        true => encode(&Frame { number: 0, message: Message::Picture(picture) })?,
        false => show::show(&picture).into_bytes(),
    };
    io::stdout().write_all(&bytes).map_err(Error::Output)
}

fn text_of(path: &Path) -> Result<String> {
    let mut text = String::new();
    let read = match path.as_os_str() == "-" {
        true => io::stdin().read_to_string(&mut text).map(|_| text),
        false => fs::read_to_string(path),
    };
    read.map_err(|error| Error::Threads(format!("{}: {error}", path.display())))
}
