// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Files that are derived into a run directory.
//!
//! The directory may have come from elsewhere, and with it symbolic links under names that files of
//! this program have. Nothing is written through one: a link is replaced, or refused.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Result as IoResult, Write};
use std::path::Path;

use crate::{Result, RunError};

/// Replaces a file's content atomically.
pub(crate) fn replace(path: &Path, content: &[u8]) -> Result<()> {
    let io = |error| RunError::io("write", path, error);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".tmp");
    let temporary = path.with_file_name(name);
    let mut file = create(&temporary).map_err(io)?;
    file.write_all(content).and_then(|()| file.sync_all()).map_err(io)?;
    fs::rename(&temporary, path).map_err(io)
}

/// Makes a file anew; what was there, a link too, goes.
pub(crate) fn create(path: &Path) -> IoResult<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => OpenOptions::new().write(true).create_new(true).open(path),
    }
}

/// Makes the folders between `directory` and a file in it by this name, all of them its own.
///
/// # Errors
/// One of them is a link, or no folder.
pub(crate) fn folders(directory: &Path, name: &Path) -> Result<()> {
    let mut path = directory.to_owned();
    for part in name.parent().into_iter().flat_map(Path::components) {
        path.push(part);
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Err(RunError::NotAFolder { path }),
            Err(_) => {
                fs::create_dir(&path).map_err(|error| RunError::io("create", &path, error))?
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn nothing_is_written_through_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (inside, outside) = (dir.path().join("run"), dir.path().join("outside"));
        fs::create_dir(&inside).unwrap();
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("kept"), "old").unwrap();
        for name in ["summary.json", "summary.json.tmp"] {
            symlink(outside.join("kept"), inside.join(name)).unwrap();
        }
        replace(&inside.join("summary.json"), b"new").unwrap();
        assert_eq!(fs::read_to_string(inside.join("summary.json")).unwrap(), "new");
        assert!(!fs::symlink_metadata(inside.join("summary.json")).unwrap().is_symlink());

        symlink(&outside, inside.join("figures")).unwrap();
        let refused = folders(&inside, Path::new("figures/a.svg")).unwrap_err().to_string();
        assert!(refused.contains("figures") && refused.contains("remove it"), "{refused}");
        folders(&inside, Path::new("others/deep/a.svg")).unwrap();
        assert!(inside.join("others/deep").is_dir());
        assert_eq!(fs::read_to_string(outside.join("kept")).unwrap(), "old");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 1);
    }
}
