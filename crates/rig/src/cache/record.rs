// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The record of an entry of the cache, beside it: the digests of the files that are executed,
//! loaded or unpacked later, as they were when the entry was made. Its time is that of the last
//! use.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

/// The directory of records, beside the entries.
const RECORDS: &str = ".digests";
/// Files above are compared by their length only, each time that they are used.
const LARGE: u64 = 96 << 20;

/// A file's length and digest.
pub(crate) type Content = (u64, String);

/// The digests of one entry.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Record {
    files: BTreeMap<PathBuf, Content>,
}

impl Record {
    /// Computes the record of a directory.
    pub fn compute(dir: &Path) -> io::Result<Self> {
        let mut record = Self::default();
        record.add(dir, Path::new(""))?;
        Ok(record)
    }

    fn add(&mut self, dir: &Path, below: &Path) -> io::Result<()> {
        for entry in fs::read_dir(dir.join(below))? {
            let entry = entry?;
            let (name, kind) = (below.join(entry.file_name()), entry.file_type()?);
            if kind.is_dir() {
                self.add(dir, &name)?;
            } else if kind.is_file() && is_recorded(&name) {
                self.files.insert(name, content(&entry.path())?);
            }
        }
        Ok(())
    }

    /// Reads the record of an entry; `None`: it has none, or none that can be read.
    pub fn of(entry: &Path) -> Option<Self> {
        let text = fs::read_to_string(path(entry)).ok()?;
        let line = |line: &str| {
            let mut words = line.splitn(3, ' ');
            let (digest, length) = (words.next()?.to_owned(), words.next()?.parse().ok()?);
            Some((PathBuf::from(words.next()?), (length, digest)))
        };
        text.lines().map(line).collect::<Option<_>>().map(|files| Self { files })
    }

    /// Keeps the record of an entry.
    pub fn keep(&self, entry: &Path) -> io::Result<()> {
        let line = |(name, (length, digest)): (&PathBuf, &Content)| {
            format!("{digest} {length} {}\n", name.display())
        };
        let (to, text) = (path(entry), self.files.iter().map(line).collect::<String>());
        let dir = to.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(dir)?;
        let new = tempfile::NamedTempFile::new_in(dir)?;
        fs::write(new.path(), text)?;
        new.persist(&to).map_err(|error| error.error)?;
        Ok(())
    }

    /// Returns the first file that is not as it was made: those at the top of an entry by their
    /// digests, all others by their lengths, for there are thousands.
    pub fn first_damaged(&self, entry: &Path) -> Option<PathBuf> {
        let is_same = |(name, expected): (&PathBuf, &Content)| {
            let file = entry.join(name);
            let length = file.metadata().map(|found| found.len()).ok();
            let is_read = name.components().count() == 1 && expected.0 < LARGE;
            length == Some(expected.0)
                && (!is_read || content(&file).is_ok_and(|found| found == *expected))
        };
        self.files.iter().find(|file| !is_same(*file)).map(|(name, _)| entry.join(name))
    }

    /// Returns whether a file has the content that it was made with, or is not recorded.
    pub fn holds(&self, entry: &Path, file: &Path, bytes: &[u8]) -> bool {
        let name = file.strip_prefix(entry).unwrap_or(file);
        let expected = self.files.get(name);
        expected.is_none_or(|(_, digest)| *digest == hex(&Sha256::digest(bytes)))
    }
}

/// Notes that an entry is used now.
pub(crate) fn touch(entry: &Path) {
    // Without a record there is no note.
    let _ = File::options()
        .write(true)
        .open(path(entry))
        .and_then(|file| file.set_modified(SystemTime::now()));
}

/// Returns when an entry was last used, as far as that is known.
pub(crate) fn last_use(entry: &Path) -> Option<SystemTime> {
    let time = |path: &Path| path.metadata().and_then(|found| found.modified()).ok();
    time(&path(entry)).or_else(|| time(entry))
}

/// Removes the record of an entry that has gone.
pub(crate) fn remove(entry: &Path) {
    let _ = fs::remove_file(path(entry));
}

fn path(entry: &Path) -> PathBuf {
    let name = entry.file_name().unwrap_or_default();
    entry.parent().unwrap_or(Path::new(".")).join(RECORDS).join(name)
}

/// Images, modules and archives; of the rest a compiler says what is wrong.
fn is_recorded(name: &Path) -> bool {
    let kind = name.extension().unwrap_or_default();
    ["ko", "xz"].iter().any(|known| kind == *known)
        || ["vmlinuz", "vmlinux", "config", "release"].iter().any(|known| name == Path::new(known))
}

/// Computes a file's length, and its SHA-256 as [`hex`] formats it.
///
/// # Errors
/// The file cannot be read.
pub fn content(path: &Path) -> io::Result<Content> {
    let (mut file, mut sha) = (File::open(path)?, Sha256::new());
    let mut buffer = vec![0; 1 << 16];
    let mut length = 0;
    loop {
        match io::Read::read(&mut file, &mut buffer)? {
            0 => return Ok((length, hex(&sha.finalize()))),
            read => {
                sha.update(&buffer[..read]);
                length += read as u64;
            }
        }
    }
}

/// Formats a digest in lower-case hexadecimal.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_damage_is_found_and_named() {
        let root = tempfile::tempdir().unwrap();
        let entry = root.path().join("6.1");
        fs::create_dir_all(entry.join("lib")).unwrap();
        fs::write(entry.join("vmlinuz"), "image").unwrap();
        fs::write(entry.join("lib/a.ko"), "module").unwrap();
        fs::write(entry.join("notes"), "anything").unwrap();
        Record::compute(&entry).unwrap().keep(&entry).unwrap();
        let record = Record::of(&entry).unwrap();
        assert_eq!(record.first_damaged(&entry), None);
        fs::write(entry.join("notes"), "else").unwrap();
        assert_eq!(record.first_damaged(&entry), None);
        // One flipped bit, one file cut short, one gone.
        fs::write(entry.join("vmlinuz"), "imagd").unwrap();
        assert_eq!(record.first_damaged(&entry), Some(entry.join("vmlinuz")));
        fs::write(entry.join("vmlinuz"), "image").unwrap();
        fs::write(entry.join("lib/a.ko"), "modul").unwrap();
        assert_eq!(record.first_damaged(&entry), Some(entry.join("lib/a.ko")));
        fs::remove_file(entry.join("lib/a.ko")).unwrap();
        assert_eq!(record.first_damaged(&entry), Some(entry.join("lib/a.ko")));
        assert!(record.holds(&entry, &entry.join("lib/a.ko"), b"module"));
        assert!(!record.holds(&entry, &entry.join("lib/a.ko"), b"modulf"));
    }
}
