// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The writing of a bundle.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, Seek, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::{Builder, Header};

use super::{FORMAT, HOST, LIST, List, Measured, Part};
use crate::cache;
use crate::error::{Result, RigError, Trying};
use crate::stop::Stop;

/// The files that apt makes by itself out of its lists.
const OF_APT: [&str; 3] = ["archives", "partial", "lock"];

/// Packs entries of the cache into a file that is not there yet; returns its length.
///
/// # Errors
/// The file is there, an entry cannot be read, or there is no room.
pub fn pack(
    names: &[String],
    file: &Path,
    irqscope: &str,
    say: &dyn Fn(&str),
    stop: &Stop,
) -> Result<u64> {
    let what = || format!("cannot write {}", file.display());
    if file.symlink_metadata().is_ok() {
        return Err(RigError::unready(
            format!("{} is there already", file.display()),
            "name another file",
        ));
    }
    let parent = file.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let root = cache::root()?;
    let (mut parts, mut archives) = (Vec::new(), Vec::new());
    for name in names {
        say(&format!("packing {name}"));
        let mut archive = tempfile::tempfile_in(parent).trying(what)?;
        parts.push(pack_entry(name, &root.join(name), &mut archive).trying(what)?);
        archives.push(archive);
        stop.check()?;
    }
    let list = List { format: FORMAT, irqscope: irqscope.into(), host: HOST.into(), parts };
    let new = tempfile::Builder::new()
        .permissions(Permissions::from_mode(0o666))
        .tempfile_in(parent)
        .trying(what)?;
    write(&list, &mut archives, new.as_file()).trying(what)?;
    stop.check()?;
    new.persist_noclobber(file).map_err(|error| error.error).trying(what)?;
    file.metadata().map(|found| found.len()).trying(what)
}

fn pack_entry(name: &str, entry: &Path, archive: &mut File) -> io::Result<Part> {
    let measured = Measured::new(BufWriter::new(&mut *archive));
    let mut tar = Builder::new(GzEncoder::new(measured, Compression::fast()));
    tar.follow_symlinks(false);
    let left_out: &[&str] = if name.starts_with("apt/") { &OF_APT } else { &[] };
    add(&mut tar, entry, Path::new("."), left_out)?;
    let mut measured = tar.into_inner()?.finish()?;
    measured.flush()?;
    let part = measured.part(name);
    archive.rewind()?;
    Ok(part)
}

/// Adds the content of a directory in the order of its names.
fn add(
    tar: &mut Builder<impl Write>,
    dir: &Path,
    below: &Path,
    left_out: &[&str],
) -> io::Result<()> {
    let mut entries = fs::read_dir(dir)?.collect::<io::Result<Vec<_>>>()?;
    entries.retain(|entry| left_out.iter().all(|name| entry.file_name() != *name));
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let (path, name) = (entry.path(), below.join(entry.file_name()));
        tar.append_path_with_name(&path, &name)?;
        if entry.file_type()?.is_dir() {
            add(tar, &path, &name, left_out)?;
        }
    }
    Ok(())
}

fn write(list: &List, archives: &mut [File], file: &File) -> io::Result<()> {
    let mut tar = Builder::new(BufWriter::new(file));
    let text = serde_json::to_vec_pretty(list)?;
    append(&mut tar, LIST, text.len() as u64, text.as_slice())?;
    for (part, archive) in list.parts.iter().zip(archives) {
        append(&mut tar, &part.member(), part.bytes, archive)?;
    }
    tar.into_inner()?.flush()
}

fn append(
    tar: &mut Builder<impl Write>,
    name: &str,
    bytes: u64,
    from: impl io::Read,
) -> io::Result<()> {
    let mut header = Header::new_gnu();
    header.set_size(bytes);
    header.set_mode(0o644);
    tar.append_data(&mut header, name, from)
}
