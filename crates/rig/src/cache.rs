// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Where slow things are kept: `$IRQSCOPE_CACHE`, else the user's cache.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::fcntl::{Flock, FlockArg};

use crate::error::{Result, RigError, Trying};

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
    remove_abandoned(parent);
    let attempt = tempfile::Builder::new()
        .prefix(ATTEMPT)
        .tempdir_in(parent)
        .trying(|| format!("cannot create a directory in {}", parent.display()))?;
    let _alive = lock(attempt.path()).trying(|| format!("cannot lock {}", parent.display()))?;
    let made = attempt.path().join("made");
    std::fs::create_dir(&made).trying(|| format!("cannot create {}", made.display()))?;
    fill(&made)?;
    match std::fs::rename(&made, target) {
        Err(_) if target.exists() => Ok(()),
        renamed => renamed.trying(|| format!("cannot create {}", target.display())),
    }
}

/// The beginning of attempts' directory names.
const ATTEMPT: &str = ".making-";

/// Locks an attempt for as long as its maker lives, however that ends.
fn lock(attempt: &Path) -> std::io::Result<Flock<File>> {
    let file = File::open(attempt)?;
    Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|(_, errno)| errno.into())
}

/// Removes what makers left that were killed. One that has just made its directory
/// and not yet locked it is safe by its age.
fn remove_abandoned(parent: &Path) {
    let is_old = |path: &Path| {
        let modified = path.metadata().and_then(|found| found.modified()).ok();
        modified.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > YOUNG)
    };
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let is_attempt = entry.file_name().to_string_lossy().starts_with(ATTEMPT);
        if is_attempt && is_old(&entry.path()) && lock(&entry.path()).is_ok() {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

const YOUNG: Duration = Duration::from_secs(60);

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn what_a_killed_maker_left_goes_and_what_others_make_stays() {
        let parent = tempfile::tempdir().unwrap();
        let old = SystemTime::now() - 2 * YOUNG;
        let [left, young, locked] = ["left", "young", "locked"].map(|name| {
            let dir = parent.path().join(format!("{ATTEMPT}{name}"));
            std::fs::create_dir(&dir).unwrap();
            dir
        });
        for dir in [&left, &locked] {
            File::open(dir).unwrap().set_modified(old).unwrap();
        }
        let _alive = lock(&locked).unwrap();
        make_dir(&parent.path().join("made"), |_| Ok(())).unwrap();
        assert!(!left.exists() && young.exists() && locked.exists());
        assert!(parent.path().join("made").exists());
    }
}
