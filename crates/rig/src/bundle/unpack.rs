// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The parts of a bundle put into the cache, once all of it is known to be whole.

use std::fs::File;
use std::io::{self, Read, Seek};
use std::path::Path;

use flate2::read::GzDecoder;
use tar::{Archive, Entry};

use super::{FORMAT, HOST, LIST, List, Measured, Part};
use crate::cache;
use crate::error::{Result, RigError, Trying};
use crate::stop::Stop;

/// The longest list that is read.
const LONGEST: u64 = 1 << 20;

/// Puts the parts of a bundle into the cache; those that are there already stay. Returns the names of
/// the entries that came.
///
/// # Errors
/// The file is no bundle, damaged, or of another version or machine; or the cache cannot be written.
pub fn unpack(file: &Path, say: &dyn Fn(&str), stop: &Stop) -> Result<Vec<String>> {
    let what = || format!("cannot read {}", file.display());
    let mut opened = File::open(file).map_err(|error| {
        RigError::unready(
            format!("{}: {error}", what()),
            "name a file that irqscope fetch --offline-bundle has written",
        )
    })?;
    let list = list(&mut opened, file)?;
    check(&list, file)?;
    opened.rewind().trying(what)?;
    check_parts(&list, &mut opened, stop).map_err(|wrong| match wrong {
        Wrong::Part(why) => RigError::unready(
            format!("{} is damaged: {why}", file.display()),
            "copy it anew: sha256sum says the same on both machines when it is whole",
        ),
        Wrong::Stopped => RigError::Interrupted,
    })?;
    opened.rewind().trying(what)?;
    let mut came = Vec::new();
    let mut archive = Archive::new(opened);
    for member in archive.entries().trying(what)?.skip(1) {
        let member = member.trying(what)?;
        let Some(part) = part_of(&list, &member) else { continue };
        if put(part, member, say)? {
            came.push(part.name.clone());
        }
        stop.check()?;
    }
    Ok(came)
}

fn list(opened: &mut File, file: &Path) -> Result<List> {
    let read = || -> io::Result<List> {
        let mut archive = Archive::new(&mut *opened);
        let first = archive.entries()?.next().ok_or(io::ErrorKind::UnexpectedEof)??;
        if first.path()? != Path::new(LIST) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        Ok(serde_json::from_reader(first.take(LONGEST))?)
    };
    let mut read = read;
    read().map_err(|_| {
        RigError::unready(
            format!("{} is no bundle of irqscope", file.display()),
            "name a file that irqscope fetch --offline-bundle has written",
        )
    })
}

/// Refuses a bundle that is whole and not for here.
fn check(list: &List, file: &Path) -> Result<()> {
    let refuse = |why: String, remedy: &str| {
        Err(RigError::unready(format!("{} {why}", file.display()), remedy))
    };
    if list.format != FORMAT {
        return refuse(
            format!(
                "is of bundles' version {}, written by irqscope {}, and this one reads version {FORMAT}",
                list.format, list.irqscope
            ),
            "write and read it by the same version of irqscope",
        );
    }
    if list.host != HOST {
        return refuse(
            format!("is for machines of {}, and this one is of {HOST}", list.host),
            "write it by irqscope on a machine of this kind",
        );
    }
    match list.parts.iter().find(|part| !part.is_known()) {
        None => Ok(()),
        Some(part) => refuse(
            format!("has a part {:?}, which no cache has", part.name),
            "write it anew by irqscope fetch --offline-bundle",
        ),
    }
}

/// The reason for which parts are not those of the list.
enum Wrong {
    Part(String),
    Stopped,
}

/// Reads all parts and compares them with the list.
fn check_parts(list: &List, opened: &mut File, stop: &Stop) -> Result<(), Wrong> {
    let cut_off = |error: io::Error| Wrong::Part(error.to_string());
    let mut whole = Vec::new();
    let mut archive = Archive::new(opened);
    for member in archive.entries().map_err(cut_off)?.skip(1) {
        let member = member.map_err(cut_off)?;
        let Some(part) = part_of(list, &member) else { continue };
        let mut measured = Measured::new(member);
        io::copy(&mut measured, &mut io::sink()).map_err(cut_off)?;
        if measured.part(&part.name) != *part {
            return Err(Wrong::Part(format!(
                "{} has another content than its list says",
                part.name
            )));
        }
        whole.push(part);
        if stop.requested() {
            return Err(Wrong::Stopped);
        }
    }
    match list.parts.iter().find(|part| !whole.contains(part)) {
        None => Ok(()),
        Some(part) => Err(Wrong::Part(format!("{} is missing", part.name))),
    }
}

fn part_of<'a>(list: &'a List, member: &Entry<'_, impl Read>) -> Option<&'a Part> {
    let path = member.path().ok()?;
    list.parts.iter().find(|part| *path == *Path::new(&part.member()))
}

/// Puts one part into the cache; returns whether it came or was there already.
fn put(part: &Part, member: impl Read, say: &dyn Fn(&str)) -> Result<bool> {
    let target = cache::root()?.join(&part.name);
    let _alone = cache::only_one(&target)?;
    // Lists of packages are as old as the bundle; the roots that come with it are of these.
    let replaces = part.name.starts_with("apt/");
    if replaces && target.exists() {
        cache::discard(&target)?;
    } else if cache::is_whole(&target, say)? {
        say(&format!(
            "{0} is there already and stays (irqscope cache clean {0} removes it)",
            part.name
        ));
        return Ok(false);
    }
    say(&format!("unpacking {}", part.name));
    cache::make_dir(&target, |made| {
        let mut archive = Archive::new(GzDecoder::new(member));
        // A guest's files are the same with and without a bundle.
        archive.set_preserve_permissions(true);
        archive.unpack(made).trying(|| format!("cannot unpack {}", part.name))
    })?;
    Ok(true)
}
