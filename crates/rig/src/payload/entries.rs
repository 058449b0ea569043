// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Files that go along: where each lies here, and where it is put there.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::cache::content;
use crate::error::{Result, RigError, Trying};

/// One file, directory or link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Its place, without a slash at the beginning.
    pub place: String,
    pub kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Directory,
    /// A link and what it leads to.
    Link(String),
    /// A file, its place here, and its permissions.
    File {
        from: PathBuf,
        mode: u32,
    },
}

impl Entry {
    pub fn directory(place: &str) -> Self {
        Self { place: place.to_owned(), kind: Kind::Directory }
    }

    /// Says what it is: a file with its digest.
    pub fn origin(&self) -> Result<String> {
        Ok(match &self.kind {
            Kind::Directory => format!("directory {}", self.place),
            Kind::Link(to) => format!("link {} to {to}", self.place),
            Kind::File { from, .. } => {
                let (_, digest) = content(from).trying(|| cannot_read(from))?;
                format!("file {} SHA256:{digest}", self.place)
            }
        })
    }
}

fn cannot_read(path: &Path) -> String {
    format!("cannot read {}", path.display())
}

/// Returns a file or a directory with all that is in it, as it lies in directory `place`. A link that
/// the scenario names is followed, one in a directory stays a link.
pub(super) fn of(path: &Path, place: &str) -> Result<Vec<Entry>> {
    let found = fs::canonicalize(path).trying(|| cannot_read(path))?;
    let name = path.file_name().unwrap_or(found.as_os_str());
    let name = name.to_str().ok_or_else(|| not_utf8(path))?;
    let place = format!("{place}/{name}");
    let mut all = vec![entry(&found, place.clone())?];
    if all[0].kind == Kind::Directory {
        all.extend(below(&found, &format!("{place}/"), Special::Refused)?);
    }
    Ok(all)
}

/// Devices, sockets and pipes in a directory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Special {
    Refused,
    LeftOut,
}

/// Returns all that is in a directory, by names, with `prefix` before their places.
pub(super) fn below(dir: &Path, prefix: &str, special: Special) -> Result<Vec<Entry>> {
    let what = || cannot_read(dir);
    let mut names = Vec::new();
    for one in fs::read_dir(dir).trying(what)? {
        let path = one.trying(what)?.path();
        let name =
            path.file_name().and_then(|name| name.to_str()).ok_or_else(|| not_utf8(&path))?;
        names.push((name.to_owned(), path));
    }
    names.sort();
    let mut all = Vec::new();
    for (name, path) in names {
        if special == Special::LeftOut && is_special(&path) {
            continue;
        }
        let one = entry(&path, format!("{prefix}{name}"))?;
        let is_directory = one.kind == Kind::Directory;
        all.push(one);
        if is_directory {
            all.extend(below(&path, &format!("{prefix}{name}/"), special)?);
        }
    }
    Ok(all)
}

fn is_special(path: &Path) -> bool {
    let kind = path.symlink_metadata().map(|found| found.file_type());
    kind.is_ok_and(|kind| !kind.is_dir() && !kind.is_symlink() && !kind.is_file())
}

fn entry(path: &Path, place: String) -> Result<Entry> {
    let found = path.symlink_metadata().trying(|| cannot_read(path))?;
    let kind = if found.is_dir() {
        Kind::Directory
    } else if found.is_symlink() {
        let to = fs::read_link(path).trying(|| cannot_read(path))?;
        Kind::Link(to.to_str().ok_or_else(|| not_utf8(path))?.to_owned())
    } else if found.is_file() {
        Kind::File { from: path.to_owned(), mode: found.permissions().mode() & 0o7777 }
    } else {
        return Err(RigError::unready(
            format!("{} is neither a file nor a directory nor a link", path.display()),
            "leave it out of the load's files",
        ));
    };
    Ok(Entry { place, kind })
}

fn not_utf8(path: &Path) -> RigError {
    RigError::unready(format!("the name of {} is no UTF-8", path.display()), "rename the file")
}

/// Copies entries below a directory, which has none of them yet.
pub(crate) fn copy(entries: &[Entry], into: &Path) -> Result<()> {
    for entry in entries {
        let to = into.join(&entry.place);
        let made = match &entry.kind {
            Kind::Directory => fs::create_dir_all(&to),
            Kind::Link(target) => symlink(target, &to),
            Kind::File { from, .. } => fs::copy(from, &to).map(|_| ()),
        };
        made.trying(|| format!("cannot copy {}", entry.place))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_goes_along_with_all_that_is_in_it_in_one_order() {
        let dir = tempfile::tempdir().unwrap();
        let tree = dir.path().join("tree");
        fs::create_dir_all(tree.join("deep")).unwrap();
        fs::write(tree.join("deep/tool"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(tree.join("deep/tool"), fs::Permissions::from_mode(0o755)).unwrap();
        symlink("deep/tool", tree.join("again")).unwrap();
        let found = of(&tree, "load/mine").unwrap();
        let places: Vec<&str> = found.iter().map(|entry| entry.place.as_str()).collect();
        let expected = ["load/mine/tree", "load/mine/tree/again", "load/mine/tree/deep"];
        assert_eq!(places[..3], expected);
        assert!(matches!(found[3].kind, Kind::File { mode: 0o755, .. }));
        assert_eq!(found[1].kind, Kind::Link("deep/tool".into()));
        let into = tempfile::tempdir().unwrap();
        copy(&[&[Entry::directory("load/mine")], &found[..]].concat(), into.path()).unwrap();
        let copied = into.path().join("load/mine/tree/again");
        assert_eq!(fs::read_to_string(copied).unwrap(), "#!/bin/sh\n");
        assert!(of(&tree.join("none"), "load/mine").is_err());
    }
}
