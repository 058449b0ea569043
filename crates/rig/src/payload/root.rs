// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Root file systems that loads run in: a directory, as mmdebstrap or debootstrap make it, or a file of tar, as
//! `podman export` and `docker export` write it. Owners, devices, sockets and pipes are left out: all is
//! root's there, and `/dev`, `/proc` and `/sys` are the machine's.

use std::fs::{self, File};
use std::io::{BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use tar::{Archive, EntryType};

use super::entries::{Entry, Special, below};
use crate::cache::{self, content};
use crate::error::{Result, RigError, Trying};
use crate::kernel::driver::digest;

/// Its place in a load's directory, where the agent looks for it.
pub(super) const NAME: &str = "root";
/// The place of the load's other files in it, likewise.
pub(super) const FILES: &str = "load";

/// The first bytes of what gzip has compressed.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// Others that `tar` reads by itself, and this program does not.
const OTHERS: [(&[u8], &str); 3] =
    [(b"\xfd7zXZ", "xz"), (b"BZh", "bzip2"), (b"\x28\xb5\x2f\xfd", "zstd")];
/// Files of an image of layers, which the file system of a container has not.
const LAYERS: [&str; 3] = ["manifest.json", "oci-layout", "index.json"];

/// Returns all that is in a root file system as it lies in directory `place`, and what it is in one line.
pub(super) fn of(path: &Path, place: &str, say: &dyn Fn(&str)) -> Result<(Vec<Entry>, String)> {
    let found = fs::canonicalize(path).trying(|| format!("cannot read {}", path.display()))?;
    let prefix = format!("{place}/");
    let (entries, digest) = if found.is_dir() {
        let entries = below(&found, &prefix, Special::LeftOut)?;
        let lines = entries.iter().map(Entry::origin).collect::<Result<Vec<_>>>()?;
        let digest = digest(lines.iter().flat_map(|line| [line.as_bytes(), b"\n"]));
        (entries, digest)
    } else {
        let (_, digest) = content(&found).trying(|| format!("cannot read {}", path.display()))?;
        (below(&unpacked(&found, &digest, say)?, &prefix, Special::LeftOut)?, digest)
    };
    let name = path.file_name().unwrap_or(found.as_os_str()).display();
    Ok((entries, format!("root {place} of {name} SHA256:{digest}")))
}

/// Returns the directory in the cache in which a file of tar is unpacked.
fn unpacked(file: &Path, digest: &str, say: &dyn Fn(&str)) -> Result<PathBuf> {
    let dir = cache::root()?.join("roots").join(format!("tar-{}", &digest[..16]));
    if !cache::is_whole(&dir, say)? {
        say(&format!("unpacking {}", file.display()));
        cache::make_dir(&dir, |made| unpack(file, made))?;
    }
    Ok(dir)
}

fn unpack(file: &Path, into: &Path) -> Result<()> {
    let failed = || format!("cannot unpack {}", file.display());
    let mut start = Vec::new();
    let opened = || File::open(file).trying(failed);
    opened()?.take(8).read_to_end(&mut start).trying(failed)?;
    if let Some((_, what)) = OTHERS.iter().find(|(magic, _)| start.starts_with(magic)) {
        return Err(RigError::unready(
            format!("{} is compressed by {what}", file.display()),
            "decompress it: a plain file of tar, or one of gzip, is taken",
        ));
    }
    let plain = BufReader::new(opened()?);
    let reader: Box<dyn Read> = match start.starts_with(&GZIP) {
        true => Box::new(GzDecoder::new(plain)),
        false => Box::new(plain),
    };
    extract(reader, into).map_err(|error| {
        RigError::unready(
            format!("cannot unpack {}: {error}", file.display()),
            "name a directory with a root file system, or a whole file of tar with one; and see that the cache's disk \
             has room",
        )
    })?;
    check(file, into)
}

/// Unpacks directories, files and links; the library lets no entry lead out of the directory.
fn extract(reader: impl Read, into: &Path) -> std::io::Result<()> {
    let mut archive = Archive::new(reader);
    let mut directories = Vec::new();
    for entry in archive.entries()? {
        let mut entry = entry?;
        match entry.header().entry_type() {
            EntryType::Directory => directories.push(entry.path()?.into_owned()),
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {
                entry.set_preserve_permissions(true);
                entry.unpack_in(into)?;
            }
            EntryType::Symlink | EntryType::Link => {
                entry.unpack_in(into)?;
            }
            _ => {}
        }
    }
    directories.iter().try_for_each(|path| make_empty(path, into))
}

/// Makes a directory that nothing was unpacked into. One that links lead out of is left out.
fn make_empty(path: &Path, into: &Path) -> std::io::Result<()> {
    let mut place = into.to_owned();
    for part in path.components() {
        let std::path::Component::Normal(name) = part else { continue };
        place.push(name);
        match place.symlink_metadata() {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return Ok(()),
            Err(_) => {
                fs::create_dir(&place)?;
                fs::set_permissions(&place, fs::Permissions::from_mode(0o755))?;
            }
        }
    }
    Ok(())
}

fn check(file: &Path, unpacked: &Path) -> Result<()> {
    let has = |name: &&str| unpacked.join(name).exists();
    let is_root = ["bin", "usr", "sbin"].iter().any(has);
    if !is_root && LAYERS.iter().any(has) {
        return Err(RigError::unready(
            format!("{} is an image of layers, and no root file system", file.display()),
            "export a container of it: podman create IMAGE, podman export CONTAINER > root.tar",
        ));
    }
    if fs::read_dir(unpacked).is_ok_and(|mut all| all.next().is_none()) {
        return Err(RigError::unready(
            format!("{} has no files", file.display()),
            "name a directory with a root file system, or a file of tar with one",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tar::{Builder, Header};

    fn header(kind: EntryType, mode: u32, size: usize) -> Header {
        let mut header = Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_size(size as u64);
        header
    }

    fn archive() -> Vec<u8> {
        let mut tar = Builder::new(Vec::new());
        let add = |tar: &mut Builder<Vec<u8>>, kind, mode, name: &str, bytes: &[u8]| {
            tar.append_data(&mut header(kind, mode, bytes.len()), name, bytes).unwrap();
        };
        let link = |tar: &mut Builder<Vec<u8>>, kind, name: &str, to: &str| {
            tar.append_link(&mut header(kind, 0o777, 0), name, to).unwrap();
        };
        add(&mut tar, EntryType::Directory, 0o555, "usr/bin", b"");
        add(&mut tar, EntryType::Regular, 0o4755, "usr/bin/tool", b"#!/bin/sh\n");
        link(&mut tar, EntryType::Link, "usr/bin/again", "usr/bin/tool");
        link(&mut tar, EntryType::Symlink, "bin", "usr/bin");
        add(&mut tar, EntryType::Char, 0o666, "dev/null", b"");
        add(&mut tar, EntryType::Directory, 0o700, "empty", b"");
        link(&mut tar, EntryType::Symlink, "out", "/");
        add(&mut tar, EntryType::Directory, 0o755, "out/irqscope-no-such-directory", b"");
        tar.into_inner().unwrap()
    }

    #[test]
    fn files_directories_and_links_are_unpacked_and_nothing_leads_out() {
        let dir = tempfile::tempdir().unwrap();
        extract(&archive()[..], dir.path()).unwrap();
        let mode = |name: &str| dir.path().join(name).metadata().unwrap().permissions().mode();
        assert_eq!(mode("bin/tool") & 0o7777, 0o4755);
        assert_eq!(mode("empty") & 0o7777, 0o755);
        assert_eq!(fs::read(dir.path().join("usr/bin/again")).unwrap(), b"#!/bin/sh\n");
        assert!(!dir.path().join("dev/null").exists(), "no device");
        assert!(!Path::new("/irqscope-no-such-directory").exists());
        let all = below(dir.path(), "load/x/root/", Special::LeftOut).unwrap();
        assert!(all.iter().any(|entry| entry.place == "load/x/root/usr/bin/tool"));
    }

    #[test]
    fn what_is_no_root_file_system_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let attempt = |bytes: &[u8]| {
            let (file, into) = (dir.path().join("root.tar"), tempfile::tempdir().unwrap());
            fs::write(&file, bytes).unwrap();
            unpack(&file, into.path()).unwrap_err().to_string()
        };
        assert!(attempt(b"\xfd7zXZ\0\0\0").contains("compressed by xz"));
        assert!(attempt(b"").contains("has no files"));
        assert!(attempt(&[7; 2_000]).contains("cannot unpack"));
        let mut layers = Builder::new(Vec::new());
        let mut one = header(EntryType::Regular, 0o644, 2);
        layers.append_data(&mut one, "manifest.json", &b"[]"[..]).unwrap();
        assert!(attempt(&layers.into_inner().unwrap()).contains("image of layers"));
    }
}
