// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The entries of the cache with their sizes and last uses, and their removal.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{KINDS, discard, record, root};
use crate::error::Result;

/// One thing in the cache that can be made again.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its kind and its name, `drivers/6.1.0-56-amd64-release-…`.
    pub name: String,
    /// Where it lies.
    pub path: PathBuf,
    /// The room that it takes, in bytes.
    pub bytes: u64,
    /// When it was last used, or made.
    pub used: SystemTime,
}

/// Lists the cache by kind and name.
///
/// # Errors
/// There is no directory for it.
pub fn entries() -> Result<Vec<Entry>> {
    let root = root()?;
    Ok(KINDS.iter().flat_map(|kind| of_kind(&root, kind)).collect())
}

fn of_kind(root: &Path, kind: &str) -> Vec<Entry> {
    let found = fs::read_dir(root.join(kind)).into_iter().flatten().flatten();
    let mut entries: Vec<Entry> = found
        .filter(|entry| entry.file_type().is_ok_and(|found| found.is_dir()))
        .filter_map(|entry| Some((entry.file_name().into_string().ok()?, entry.path())))
        .filter(|(name, _)| !name.starts_with('.'))
        .map(|(name, path)| {
            let used = record::last_use(&path).unwrap_or(SystemTime::UNIX_EPOCH);
            Entry { name: format!("{kind}/{name}"), bytes: size(&path), path, used }
        })
        .collect();
    entries.sort_by(|a, b| a.name.cmp(&b.name));
    entries
}

fn size(dir: &Path) -> u64 {
    let entries = fs::read_dir(dir).into_iter().flatten().flatten();
    let one = |entry: fs::DirEntry| match entry.metadata() {
        Ok(found) if found.is_dir() => size(&entry.path()),
        Ok(found) => found.len(),
        Err(_) => 0,
    };
    entries.map(one).sum()
}

impl Entry {
    /// Removes it; a program that uses it at this moment may fail.
    ///
    /// # Errors
    /// It cannot be removed.
    pub fn remove(&self) -> Result<()> {
        discard(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_its_size_and_goes_with_its_record() {
        let root = tempfile::tempdir().unwrap();
        let dir = root.path().join("drivers/a");
        fs::create_dir_all(dir.join("deep")).unwrap();
        fs::write(dir.join("deep/file.ko"), [0; 1000]).unwrap();
        fs::create_dir(root.path().join("drivers/.making-b")).unwrap();
        record::Record::compute(&dir).unwrap().keep(&dir).unwrap();
        let found = of_kind(root.path(), "drivers");
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].name.as_str(), found[0].bytes), ("drivers/a", 1000));
        found[0].remove().unwrap();
        assert!(!dir.exists() && record::Record::of(&dir).is_none());
    }
}
