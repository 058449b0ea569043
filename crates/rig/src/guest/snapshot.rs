// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Guests that are booted once: the state of a machine that has stopped itself, kept by all that
//! decides it, and machines that go on from there.
//!
//! Every case goes on from a kept state, the first one too, so that it makes no difference to a
//! sample whether the state was there already.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use irqscope_wire::HostByte;
use sha2::{Digest, Sha256};

use crate::cache::{self, hex};
use crate::error::{Result, Trying, lost};
use crate::generator::plugin::check_path;
use crate::guest::console::first_complaint;
use crate::guest::qemu::{Machine, Qemu};
use crate::stop::Stop;

const STATE: &str = "state";
const DIGEST: &str = "digest";
const CONSOLE: &str = "console";
/// Changes with how a guest comes to its stop, which nothing else in the key says.
const RECIPE: &str = "2";
/// The states that are kept take at most this much room; those that were not used for longest go
/// first.
const MOST_BYTES: u64 = 6 << 30;

/// Starts a machine that goes on from a state.
type GoOn = fn(&Machine<'_>, &mut (dyn Read + Send), &Stop) -> Result<Qemu>;

/// A guest's state in the cache.
pub(crate) struct Snapshot {
    dir: PathBuf,
}

/// A report about a guest that is being started.
pub(crate) enum Start<'a> {
    /// It boots: there is no state.
    Boots,
    /// The state was damaged and is removed.
    Damaged(String),
    /// The guest sends this during its boot, which it does not where all is well.
    Sends(&'a [u8]),
}

/// Takes reports; the answer to `Sends` is sent to the guest, once.
pub(crate) type Reports<'a> = dyn FnMut(Start<'_>) -> Result<Option<HostByte>> + 'a;

impl Snapshot {
    /// Returns the place of the state that a machine comes to, whether or not it is there.
    pub fn of(machine: &Machine<'_>) -> Result<Self> {
        Ok(Self { dir: dir()?.join(key(machine)?) })
    }

    /// Returns the place of the state that a machine comes to which goes on from this state with these
    /// files, by content.
    pub fn after(&self, files: &[&[u8]]) -> Result<Self> {
        let mut hash = Sha256::new();
        hash.update(self.dir.file_name().unwrap_or_default().as_encoded_bytes());
        for file in files {
            hash.update((file.len() as u64).to_le_bytes());
            hash.update(file);
        }
        Ok(Self { dir: dir()?.join(hex(&hash.finalize()[..16])) })
    }

    /// Starts a machine that goes on from a later state; where there is none, a `settling` machine goes on
    /// from this one first and stops itself again. Returns `None` if a guest ends before it stops.
    pub fn start_later(
        &self,
        later: &Self,
        [booting, settling, going_on]: [&Machine<'_>; 3],
        stop: &Stop,
        report: &mut Reports<'_>,
    ) -> Result<Option<Qemu>> {
        loop {
            if !later.dir.exists() {
                let started =
                    self.start_as(Qemu::go_on_to_keep, booting, settling, stop, report)?;
                let Some(mut qemu) = started else { return Ok(None) };
                let mut take = |bytes: &[u8]| report(Start::Sends(bytes));
                if !later.fill(settling, |state| qemu.keep(state, stop, &mut take))? {
                    return Ok(None);
                }
            }
            if let Some(qemu) = later.go_on(Qemu::go_on, going_on, stop)? {
                return Ok(Some(qemu));
            }
            later.give_up(report)?;
        }
    }

    /// Removes a damaged state.
    fn give_up(&self, report: &mut Reports<'_>) -> Result<()> {
        cache::discard(&self.dir)?;
        let what = format!("the kept state {} was damaged", self.dir.display());
        report(Start::Damaged(what + ": it is made again")).map(drop)
    }

    /// Starts a machine that goes on from the state; the machine is booted first if there is none.
    /// Returns `None` if the guest ends in its boot.
    pub fn start(
        &self,
        booting: &Machine<'_>,
        going_on: &Machine<'_>,
        stop: &Stop,
        report: &mut Reports<'_>,
    ) -> Result<Option<Qemu>> {
        self.start_as(Qemu::go_on, booting, going_on, stop, report)
    }

    fn start_as(
        &self,
        go_on: GoOn,
        booting: &Machine<'_>,
        going_on: &Machine<'_>,
        stop: &Stop,
        report: &mut Reports<'_>,
    ) -> Result<Option<Qemu>> {
        loop {
            if !self.dir.exists() {
                report(Start::Boots)?;
                if !self.make(booting, stop, &mut |bytes| report(Start::Sends(bytes)))? {
                    return Ok(None);
                }
            }
            if let Some(qemu) = self.go_on(go_on, going_on, stop)? {
                return Ok(Some(qemu));
            }
            self.give_up(report)?;
        }
    }

    /// Boots the machine and keeps its state. Returns false if the guest ends instead.
    fn make(
        &self,
        machine: &Machine<'_>,
        stop: &Stop,
        take: &mut dyn FnMut(&[u8]) -> Result<Option<HostByte>>,
    ) -> Result<bool> {
        // That of a boot before, whose state was damaged.
        let _ = std::fs::remove_file(machine.console);
        self.fill(machine, |state| Qemu::start_to_keep(machine, stop)?.keep(state, stop, take))
    }

    /// Keeps the state that `keep` writes. Returns false if the guest ends instead.
    fn fill(
        &self,
        machine: &Machine<'_>,
        mut keep: impl FnMut(&mut (dyn Write + Send)) -> Result<bool>,
    ) -> Result<bool> {
        let mut stopped = true;
        let made = cache::make_dir(&self.dir, |made| {
            let path = made.join(STATE);
            let write = || format!("cannot write {}", path.display());
            let mut state = Hashing::new(BufWriter::new(File::create(&path).trying(write)?));
            stopped = keep(&mut state)?;
            if !stopped {
                return Err(lost("the guest ended instead of stopping", machine.console));
            }
            state.inner.flush().trying(write)?;
            std::fs::write(made.join(DIGEST), state.digest()).trying(write)?;
            keep_console(machine.console, &made.join(CONSOLE))
        });
        if !stopped {
            return Ok(false);
        }
        made?;
        if let Some(parent) = self.dir.parent() {
            make_room(parent, MOST_BYTES);
        }
        Ok(true)
    }

    /// Starts a machine that goes on from the state; returns `None` where that is damaged. The
    /// machine's console log begins with that of the boot.
    fn go_on(&self, go_on: GoOn, machine: &Machine<'_>, stop: &Stop) -> Result<Option<Qemu>> {
        let Ok(mut state) = self.undamaged() else { return Ok(None) };
        cache::touch(&self.dir);
        let console = machine.console;
        std::fs::copy(self.dir.join(CONSOLE), console)
            .trying(|| format!("cannot write {}", console.display()))?;
        go_on(machine, &mut state, stop).map(Some)
    }

    /// Opens the state. Before QEMU takes a byte of it all are compared with their digest: a damaged
    /// state can also be one that works, with other samples.
    fn undamaged(&self) -> std::io::Result<File> {
        let digest = std::fs::read_to_string(self.dir.join(DIGEST))?;
        self.dir.join(CONSOLE).metadata()?;
        let state = self.dir.join(STATE);
        if cache::content(&state)?.1 != digest {
            return Err(std::io::ErrorKind::InvalidData.into());
        }
        File::open(state)
    }
}

/// A file whose bytes are hashed as they are written.
struct Hashing<F> {
    inner: F,
    hash: Sha256,
}

impl<F> Hashing<F> {
    fn new(inner: F) -> Self {
        Self { inner, hash: Sha256::new() }
    }

    fn digest(&self) -> String {
        hex(&self.hash.clone().finalize())
    }
}

impl<F: Write> Write for Hashing<F> {
    fn write(&mut self, buffer: &[u8]) -> std::io::Result<usize> {
        let length = self.inner.write(buffer)?;
        self.hash.update(&buffer[..length]);
        Ok(length)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.inner.flush()
    }
}

/// Keeps the boot's console, unless it complains: a kernel that panics may stop its machine, too.
fn keep_console(console: &Path, to: &Path) -> Result<()> {
    let read = || format!("cannot read {}", console.display());
    let text = String::from_utf8_lossy(&std::fs::read(console).trying(read)?).into_owned();
    if let Some(complaint) = first_complaint(&text) {
        return Err(lost(format!("the kernel complains: {complaint}"), console));
    }
    std::fs::write(to, text).trying(|| format!("cannot write {}", to.display()))
}

fn dir() -> Result<PathBuf> {
    Ok(cache::root()?.join("snapshots"))
}

/// Returns the name of a state: all that decides it.
fn key(machine: &Machine<'_>) -> Result<String> {
    let mut hash = Sha256::new();
    let mut add = |part: &[u8]| {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    };
    add(RECIPE.as_bytes());
    add(machine.emulator.identity()?.as_bytes());
    machine.args.iter().for_each(|arg| add(arg.as_bytes()));
    add(machine.append.as_bytes());
    for path in [machine.kernel, machine.initramfs] {
        add(&std::fs::read(path).trying(|| format!("cannot read {}", path.display()))?);
    }
    Ok(hex(&hash.finalize()[..16]))
}

/// Removes states until the rest takes no more than `most` bytes. One that is being read stays
/// readable for its reader.
fn make_room(parent: &Path, most: u64) {
    let mut kept: Vec<(SystemTime, u64, PathBuf)> = std::fs::read_dir(parent)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let found = entry.path().join(STATE).metadata().ok()?;
            Some((cache::last_use(&entry.path())?, found.len(), entry.path()))
        })
        .collect();
    kept.sort();
    let mut all: u64 = kept.iter().map(|(_, bytes, _)| bytes).sum();
    for (_, bytes, path) in kept {
        if all <= most {
            return;
        }
        if cache::discard(&path).is_ok() {
            all -= bytes;
        }
    }
}

/// A file that the host gives a machine that goes on, for QEMU's `-fw_cfg`.
pub(crate) struct Given(tempfile::TempDir);

impl Given {
    pub fn new() -> Result<Self> {
        let dir = tempfile::tempdir().trying(|| "cannot create the guest's files".into())?;
        Ok(Self(dir))
    }

    /// Writes a file; returns QEMU's arguments for it.
    pub fn file(&self, name: &str, contents: &[u8]) -> Result<[String; 2]> {
        let path = self.0.path().join(name);
        std::fs::write(&path, contents).trying(|| format!("cannot write {}", path.display()))?;
        check_path(&path)?;
        Ok(["-fw_cfg".into(), format!("name=opt/irqscope/{name},file={}", path.display())])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_state_of_which_anything_is_damaged_or_absent_is_not_opened() {
        let parent = tempfile::tempdir().unwrap();
        let made = Snapshot { dir: parent.path().to_owned() };
        let [state, digest, console] = [STATE, DIGEST, CONSOLE].map(|name| made.dir.join(name));
        let whole = || {
            std::fs::write(&state, "a machine's state").unwrap();
            std::fs::write(&digest, hex(&Sha256::digest("a machine's state"))).unwrap();
            std::fs::write(&console, "").unwrap();
        };
        whole();
        assert!(made.undamaged().is_ok());
        let damages: [&dyn Fn(); 5] = [
            &|| std::fs::write(&state, "a machine's State").unwrap(),
            &|| File::options().write(true).open(&state).unwrap().set_len(9).unwrap(),
            &|| std::fs::remove_file(&state).unwrap(),
            &|| std::fs::remove_file(&digest).unwrap(),
            &|| std::fs::remove_file(&console).unwrap(),
        ];
        for (number, damage) in damages.iter().enumerate() {
            whole();
            damage();
            assert!(made.undamaged().is_err(), "damage {number}");
        }
    }

    #[test]
    fn the_states_that_were_not_used_for_longest_make_room() {
        let parent = tempfile::tempdir().unwrap();
        for (name, age) in [("old", 30), ("new", 10), ("middle", 20)] {
            let dir = parent.path().join(name);
            std::fs::create_dir(&dir).unwrap();
            File::create(dir.join(STATE)).unwrap().set_len(100).unwrap();
            let used = SystemTime::now() - Duration::from_secs(age);
            File::open(&dir).unwrap().set_modified(used).unwrap();
        }
        make_room(parent.path(), 250);
        let is_kept = |name: &str| parent.path().join(name).exists();
        assert!(!is_kept("old") && is_kept("middle") && is_kept("new"));
        make_room(parent.path(), 0);
        assert!(!is_kept("middle") && !is_kept("new"));
    }
}
