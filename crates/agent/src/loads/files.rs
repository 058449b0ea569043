// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Many small files: made, listed and removed, again and again.

use std::convert::Infallible;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, unshare};

use super::Worker;

const FILES: usize = 2_000;
const FILE_BYTES: usize = 1 << 10;

pub fn workers(done: &'static AtomicU64) -> Vec<Worker> {
    vec![Box::new(move || {
        let place = std::env::temp_dir();
        own_file_system(&place).map_err(|error| format!("a file system of its own: {error}"))?;
        churn(&place, done).map_err(|error| format!("files in {}: {error}", place.display()))
    })]
}

/// Mounts a file system in memory that only this process sees: however it ends, its files go with
/// it.
fn own_file_system(place: &Path) -> nix::Result<()> {
    unshare(CloneFlags::CLONE_NEWNS)?;
    let none = None::<&str>;
    mount(none, "/", none, MsFlags::MS_REC | MsFlags::MS_PRIVATE, none)?;
    mount(Some("irqscope"), place, Some("tmpfs"), MsFlags::empty(), none)
}

fn churn(place: &Path, done: &AtomicU64) -> io::Result<Infallible> {
    let content = [0x55; FILE_BYTES];
    let dir = place.join("irqscope-files");
    loop {
        fs::create_dir(&dir)?;
        for number in 0..FILES {
            fs::write(dir.join(number.to_string()), content)?;
            done.fetch_add(1, Ordering::Relaxed);
        }
        for entry in fs::read_dir(&dir)? {
            entry?.metadata()?;
        }
        fs::remove_dir_all(&dir)?;
    }
}
