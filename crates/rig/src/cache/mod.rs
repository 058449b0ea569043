// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where slow things are kept: `$IRQSCOPE_CACHE`, else the user's cache.

mod entries;
mod record;

use std::path::{Path, PathBuf};

use nix::fcntl::{Flock, FlockArg};

use crate::error::{Result, RigError, Trying};
use crate::owned_dir::{OwnedDir, remove_abandoned};

pub use entries::{Entry, entries};
pub(crate) use record::{Record, last_use, touch};
pub use record::{content, hex};

/// Returns the cache directory; not necessarily there yet.
///
/// # Errors
/// Neither `$IRQSCOPE_CACHE` nor a home directory is set.
pub fn root() -> Result<PathBuf> {
    let from = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    if let Some(dir) = from("IRQSCOPE_CACHE") {
        return Ok(dir.into());
    }
    if let Some(dir) = from("XDG_CACHE_HOME") {
        return Ok(Path::new(&dir).join("irqscope"));
    }
    match from("HOME") {
        Some(home) => Ok(Path::new(&home).join(".cache/irqscope")),
        None => Err(RigError::unready(
            "no directory for the cache: HOME is not set",
            "set IRQSCOPE_CACHE to a directory that may be written",
        )),
    }
}

/// Makes `target` by filling a directory beside it and renaming it at the end,
/// so that an interrupted attempt leaves nothing that looks complete. Two makers
/// at once are harmless: the second one's work is dropped.
pub(crate) fn make_dir(target: &Path, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    if target.exists() {
        return Ok(());
    }
    let parent = target.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).trying(|| format!("cannot create {}", parent.display()))?;
    remove_abandoned(parent, ATTEMPT);
    let attempt = OwnedDir::create(parent, ATTEMPT)
        .trying(|| format!("cannot create a directory in {}", parent.display()))?;
    let made = attempt.path().join("made");
    std::fs::create_dir(&made).trying(|| format!("cannot create {}", made.display()))?;
    fill(&made)?;
    let record = Record::compute(&made).trying(|| format!("cannot read {}", made.display()))?;
    match std::fs::rename(&made, target) {
        Err(_) if target.exists() => return Ok(()),
        renamed => renamed.trying(|| format!("cannot create {}", target.display()))?,
    }
    // A maker that is killed before this leaves an entry without a record: its next use makes one.
    record.keep(target).trying(|| format!("cannot write beside {}", target.display()))
}

/// Serialises the making of an entry that takes long: the second process finds the result. The lock
/// goes with the process.
pub(crate) fn only_one(entry: &Path) -> Result<Flock<std::fs::File>> {
    let name = entry.file_name().unwrap_or_default().to_string_lossy();
    let path = entry.with_file_name(format!("{name}.lock"));
    let what = || format!("cannot lock {}", path.display());
    let file = std::fs::create_dir_all(path.parent().unwrap_or(entry))
        .and_then(|()| std::fs::File::create(&path))
        .trying(what)?;
    Flock::lock(file, FlockArg::LockExclusive)
        .map_err(|(_, errno)| RigError::Io { what: what(), source: errno.into() })
}

/// Returns whether an entry is there as it was made. One that is damaged is named and removed, to
/// be made anew.
pub(crate) fn is_whole(target: &Path, say: &dyn Fn(&str)) -> Result<bool> {
    if !target.exists() {
        return Ok(false);
    }
    let Some(record) = Record::of(target) else {
        // Made by an earlier version. A cache that cannot be written can be read all the same.
        let _ = Record::compute(target).and_then(|record| record.keep(target));
        return Ok(true);
    };
    let Some(file) = record.first_damaged(target) else {
        touch(target);
        return Ok(true);
    };
    say(&format!("{} is damaged: making it anew", file.display()));
    discard(target)?;
    Ok(false)
}

/// Removes an entry. It is moved away first, so that no program finds a half of it.
pub(crate) fn discard(target: &Path) -> Result<()> {
    let what = || format!("cannot remove {}", target.display());
    let parent = target.parent().unwrap_or(Path::new("."));
    let place = OwnedDir::create(parent, ATTEMPT).trying(what)?;
    std::fs::rename(target, place.path().join("discarded")).trying(what)?;
    record::remove(target);
    Ok(())
}

/// The beginning of attempts' directory names.
const ATTEMPT: &str = ".making-";

/// The directories of entries.
const KINDS: [&str; 11] = [
    "kernels",
    "images",
    "firmware",
    "builds",
    "drivers",
    "sources",
    "snapshots",
    "apt",
    "trees",
    "roots",
    "qemu",
];

/// Removes what makers left that were killed.
pub(crate) fn remove_attempts() {
    if let Ok(root) = root() {
        KINDS.iter().for_each(|kind| remove_abandoned(&root.join(kind), ATTEMPT));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_killed_maker_left_goes_and_what_others_make_stays() {
        let parent = tempfile::tempdir().unwrap();
        let left = parent.path().join(format!("{ATTEMPT}left"));
        std::fs::create_dir(&left).unwrap();
        let other = OwnedDir::create(parent.path(), ATTEMPT).unwrap();
        make_dir(&parent.path().join("made"), |_| Ok(())).unwrap();
        assert!(!left.exists() && other.path().exists());
        assert!(parent.path().join("made").exists());
    }

    #[test]
    fn a_damaged_entry_is_named_and_made_anew() {
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("driver");
        let fill = |made: &Path| {
            std::fs::write(made.join("irqscope.ko"), "module").trying(|| "test".into())
        };
        make_dir(&target, fill).unwrap();
        assert!(is_whole(&target, &|said| panic!("{said}")).unwrap());
        std::fs::write(target.join("irqscope.ko"), "modulf").unwrap();
        let said = std::cell::RefCell::new(String::new());
        assert!(!is_whole(&target, &|what| said.borrow_mut().push_str(what)).unwrap());
        assert!(said.borrow().contains("driver/irqscope.ko is damaged"), "{said:?}");
        assert!(!target.exists());
        make_dir(&target, fill).unwrap();
        assert!(is_whole(&target, &|said| panic!("{said}")).unwrap());
    }
}
