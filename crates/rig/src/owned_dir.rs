// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Directories that belong to a process, and those that are left of a process that was killed.
//!
//! A lock (flock) on the directory says that its process lives; it goes with the process, however
//! that ends. A directory gets its name when it is locked already: one of that name without a lock
//! is left over, and the next process removes it.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use nix::fcntl::{Flock, FlockArg, OFlag};

/// In front of a name as long as the directory is not locked.
const NEW: &str = ".new-";
/// How long nothing else can be between a directory's creation and its lock.
const YOUNG: Duration = Duration::from_secs(60);

/// A directory of this process. Dropping it removes it.
#[derive(Debug)]
pub(crate) struct OwnedDir {
    path: PathBuf,
    _alive: Flock<File>,
}

impl OwnedDir {
    /// Makes a directory whose name begins so; only its owner may enter it.
    pub fn create(parent: &Path, prefix: &str) -> io::Result<Self> {
        let new = tempfile::Builder::new().prefix(&format!("{NEW}{prefix}")).tempdir_in(parent)?;
        let alive = lock(new.path())?;
        let name = new.path().file_name().unwrap_or_default().to_string_lossy();
        let path = parent.join(name.trim_start_matches(NEW));
        fs::rename(new.path(), &path)?;
        // It has another name now.
        let _ = new.keep();
        Ok(Self { path, _alive: alive })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for OwnedDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Removes what processes of the same user left behind that were killed.
pub(crate) fn remove_abandoned(parent: &Path, prefix: &str) {
    let is_old = |path: &Path| {
        let modified = path.symlink_metadata().and_then(|found| found.modified()).ok();
        modified.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > YOUNG)
    };
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let name = name.to_string_lossy();
        let is_new = name.strip_prefix(NEW).is_some_and(|name| name.starts_with(prefix));
        let is_left = name.starts_with(prefix) || (is_new && is_old(&path));
        if is_left && is_own(&path) && lock(&path).is_ok() {
            let _ = fs::remove_dir_all(path);
        }
    }
}

/// Returns whether it is a directory of this user: others' may lie there as well.
fn is_own(path: &Path) -> bool {
    let user = nix::unistd::geteuid().as_raw();
    path.symlink_metadata().is_ok_and(|found| found.is_dir() && found.uid() == user)
}

fn lock(dir: &Path) -> io::Result<Flock<File>> {
    let flags = OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits()).open(dir)?;
    Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|(_, errno)| errno.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::SystemTime;

    #[test]
    fn a_directory_goes_with_its_owner() {
        let parent = tempfile::tempdir().unwrap();
        let own = OwnedDir::create(parent.path(), "irqscope-").unwrap();
        let path = own.path().to_owned();
        fs::write(path.join("file"), "x").unwrap();
        remove_abandoned(parent.path(), "irqscope-");
        assert!(path.join("file").exists(), "one that lives is kept");
        drop(own);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
    }

    #[test]
    fn all_that_is_left_of_a_killed_process_goes_and_no_more() {
        let parent = tempfile::tempdir().unwrap();
        let [left, young, old, other] = ["irqscope-1", ".new-irqscope-2", ".new-irqscope-3", "x"]
            .map(|name| {
                let dir = parent.path().join(name);
                fs::create_dir(&dir).unwrap();
                dir
            });
        File::open(&old).unwrap().set_modified(SystemTime::now() - 2 * YOUNG).unwrap();
        let link = parent.path().join("irqscope-link");
        std::os::unix::fs::symlink(&other, &link).unwrap();
        remove_abandoned(parent.path(), "irqscope-");
        assert!(!left.exists() && !old.exists());
        assert!(young.exists() && other.exists() && link.symlink_metadata().is_ok());
    }
}
