// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Files that are read. A run directory may have come from elsewhere, and with it, under names that files of this
//! program have, links, pipes that never begin and devices that never end.

use std::fs::{File, OpenOptions};
use std::io::{Error, Read, Result};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use nix::fcntl::OFlag;
use nix::libc::ELOOP;

/// The most of a text that is read into memory: some 20,000 cases have as much.
const MOST: u64 = 256 << 20;

/// Opens a file that a user names; a link is followed.
///
/// # Errors
/// The disk's; it is no regular file, which could not be read more than once.
pub fn open_regular(path: &Path) -> Result<File> {
    open(path, OFlag::empty())
}

/// Opens a file of a run directory.
///
/// # Errors
/// The disk's; it is no regular file, or a link.
pub fn open_own(path: &Path) -> Result<File> {
    open(path, OFlag::O_NOFOLLOW).map_err(|error| match error.raw_os_error() {
        Some(ELOOP) => Error::other("it is a link, which a run directory has none of"),
        _ => error,
    })
}

/// Reads a text of a run directory.
///
/// # Errors
/// As [`open_own`]; it is no UTF-8, or has more than 256 MiB.
pub fn read_own(path: &Path) -> Result<String> {
    read(path, MOST)
}

fn read(path: &Path, most: u64) -> Result<String> {
    let mut text = String::new();
    open_own(path)?.take(most + 1).read_to_string(&mut text)?;
    if text.len() as u64 > most {
        return Err(Error::other(format!("it has more than {most} bytes")));
    }
    Ok(text)
}

/// Opens without waiting for a writer, which a pipe would.
fn open(path: &Path, flags: OFlag) -> Result<File> {
    let flags = flags | OFlag::O_NONBLOCK;
    let file = OpenOptions::new().read(true).custom_flags(flags.bits()).open(path)?;
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(Error::other("it is no file, but a pipe, a directory or a device"))
}

#[cfg(test)]
mod tests {
    use std::fs::write;
    use std::os::unix::fs::symlink;

    use nix::sys::stat::Mode;
    use nix::unistd::mkfifo;

    use super::*;

    #[test]
    fn links_pipes_devices_and_directories_are_refused_at_once() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        write(path("file"), "text").unwrap();
        symlink(path("file"), path("link")).unwrap();
        mkfifo(&path("pipe"), Mode::S_IRWXU).unwrap();
        symlink(path("pipe"), path("to-pipe")).unwrap();
        assert_eq!(read_own(&path("file")).unwrap(), "text");
        for name in ["link", "to-pipe"] {
            assert!(read_own(&path(name)).unwrap_err().to_string().starts_with("it is a link"));
        }
        for other in [path("pipe"), path(""), "/dev/zero".into()] {
            let refused = "it is no file, but a pipe, a directory or a device";
            assert_eq!(open_own(&other).unwrap_err().to_string(), refused);
            assert_eq!(open_regular(&other).unwrap_err().to_string(), refused);
        }
        assert!(open_regular(&path("link")).is_ok(), "a user may name a link");
        assert!(open_regular(&path("to-pipe")).is_err());
    }

    #[test]
    fn a_text_is_read_up_to_its_limit() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("text");
        write(&path, "12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), "12345");
        assert_eq!(read(&path, 4).unwrap_err().to_string(), "it has more than 4 bytes");
    }
}
