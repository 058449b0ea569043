// SPDX-License-Identifier: Apache-2.0 OR MIT
//! `irqscope threads`: which threads serve interrupts and softirqs, and what
//! spoils latencies there.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use irqscope_rig::{Stop, threads as look};
use irqscope_scenario::Ssh;
use irqscope_wire::{Message, decode};

use super::Done;
use crate::cli::Threads;
use crate::exit::{Exit, Trouble};
use crate::interrupt::stop_on_signals;

pub fn threads(options: &Threads) -> Done {
    let stop = stop_on_signals()?;
    let picture = match &options.set {
        Some(path) => set(options, path, &stop)?,
        None => ask(options, None, &stop)?.printed,
    };
    let text = if options.json { json(&picture)? } else { picture };
    print!("{}", String::from_utf8_lossy(&text));
    Ok(Exit::Fine)
}

fn ask(options: &Threads, set: Option<&str>, stop: &Stop) -> Result<look::Threads, Trouble> {
    let ssh = options.host.clone().map(|host| Ssh { host, ..Ssh::default() });
    Ok(look::threads(ssh.as_ref(), set, options.json, stop)?)
}

/// Applies the file. The file for the way back is made first: without it nothing is changed.
fn set(options: &Threads, path: &Path, stop: &Stop) -> Result<Vec<u8>, Trouble> {
    let trouble = |path: &Path, error: std::io::Error| {
        Trouble::new(Exit::Usage, format!("{}: {error}", path.display()))
    };
    let text = fs::read_to_string(path).map_err(|error| trouble(path, error))?;
    let undo = undo_path(options, path);
    let mut file = File::create_new(&undo).map_err(|error| trouble(&undo, error))?;
    let done = ask(options, Some(&text), stop);
    let written = done.as_ref().map_or("", |done| done.undo.as_str());
    if written.is_empty() {
        let _ = fs::remove_file(&undo);
    }
    file.write_all(written.as_bytes()).map_err(|error| trouble(&undo, error))?;
    let done = done?;
    for line in done.changes.lines().filter(|line| !line.starts_with("undo: ")) {
        eprintln!("{line}");
    }
    if !done.undo.is_empty() {
        eprintln!("to undo: irqscope threads --set {}", undo.display());
    }
    Ok(done.printed)
}

/// Names the file for the way back: `rt.toml` becomes `rt.undo.toml`.
fn undo_path(options: &Threads, set: &Path) -> PathBuf {
    options.undo.clone().unwrap_or_else(|| set.with_extension("undo.toml"))
}

fn json(frame: &[u8]) -> Result<Vec<u8>, Trouble> {
    let unreadable = |what: String| Trouble::new(Exit::Lost, format!("the agent's answer: {what}"));
    let frame = decode(frame.strip_suffix(&[0]).unwrap_or(frame))
        .map_err(|error| unreadable(error.to_string()))?;
    let Message::Picture(picture) = frame.message else {
        return Err(unreadable("another message than a picture".into()));
    };
    let mut text =
        serde_json::to_vec_pretty(&picture).map_err(|error| unreadable(error.to_string()))?;
    text.push(b'\n');
    Ok(text)
}
