// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A kernel out of its packages, without installing anything: image, configuration, modules, and
//! headers changed so that they build where they lie.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::driver::digest;
use super::release::Release;
use crate::cache::{self, content};
use crate::command::output;
use crate::deb;
use crate::error::{Result, RigError, Trying};

/// The file of an entry that says what it was made of, one part a line.
pub(super) const ORIGIN: &str = "origin";

/// Unpacks packages, of which one has an image, and makes an entry of them.
fn unpack(debs: &[PathBuf], made: &Path) -> Result<()> {
    deb::unpack(debs, &unpacked(made), &[])?;
    arrange(made)
}

/// Returns the directory below an entry in the making in which packages are unpacked.
pub(super) fn unpacked(made: &Path) -> PathBuf {
    made.join("unpacked")
}

/// Makes an entry of what was unpacked below it.
pub(super) fn arrange(made: &Path) -> Result<()> {
    let unpacked = unpacked(made);
    // One place for both: /lib of old packages is a link to /usr/lib on every system.
    let modules = merged(&unpacked)?;
    let release = only_release(&modules)?;
    let own = modules.join(&*release);
    // RISC-V's image is not compressed.
    let boot = ["vmlinuz", "vmlinux"].map(|name| unpacked.join(format!("boot/{name}-{release}")));
    let image = first_of(boot).or_else(|| first_of([own.join("vmlinuz"), own.join("vmlinux")]));
    let config = first_of([unpacked.join(format!("boot/config-{release}")), own.join("config")]);
    let [Some(image), Some(config)] = [image, config] else {
        return Err(RigError::unready(
            format!("the packages of {release} have no image, or not its configuration"),
            "give all packages of the kernel: linux-image-, linux-headers- and what they depend on",
        ));
    };
    rename(&image, &made.join("vmlinuz"))?;
    rename(&config, &made.join("config"))?;
    rename(&modules, &made.join("lib/modules"))?;
    let sources = unpacked.join("usr/src");
    if sources.exists() {
        rename(&sources, &made.join("usr/src"))?;
        relocate(made, &release)?;
    }
    for entry in std::fs::read_dir(unpacked.join("usr/lib")).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_string_lossy().starts_with("linux-kbuild") {
            rename(&entry.path(), &made.join("usr/lib").join(name))?;
        }
    }
    std::fs::remove_dir_all(&unpacked)
        .trying(|| format!("cannot remove {}", unpacked.display()))?;
    write(&made.join("release"), &release)
}

/// Writes what an entry was made of.
pub(super) fn write_origin(made: &Path, origin: &[String]) -> Result<()> {
    write(&made.join(ORIGIN), &(origin.join("\n") + "\n"))
}

/// Returns the directory of modules, once those of /lib are with those of /usr/lib.
fn merged(unpacked: &Path) -> Result<PathBuf> {
    let (old, new) = (unpacked.join("lib/modules"), unpacked.join("usr/lib/modules"));
    match (old.exists(), new.exists()) {
        (true, false) => rename(&old, &new)?,
        (true, true) => {
            output(Command::new("cp").arg("-rlT").args([&old, &new]), "coreutils")?;
        }
        _ => {}
    }
    Ok(new)
}

fn only_release(modules: &Path) -> Result<Release> {
    let mut names: Vec<String> = std::fs::read_dir(modules)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    match (names.pop(), names.pop()) {
        (Some(name), None) => Release::new(&name, "a kernel's package"),
        (Some(one), Some(other)) => Err(RigError::unready(
            format!("the packages are of more than one kernel: {one} and {other}"),
            "give the packages of one kernel",
        )),
        _ => Err(RigError::unready(
            "the packages have no kernel's modules",
            "give linux-image- (since Debian's 6.19 linux-modules- and linux-binary-, too) and linux-headers-",
        )),
    }
}

fn first_of<const N: usize>(paths: [PathBuf; N]) -> Option<PathBuf> {
    paths.into_iter().find(|path| path.exists())
}

/// Rewrites the headers' makefiles, which include others by absolute path: they now lie beside it,
/// wherever the cache is.
fn relocate(made: &Path, release: &str) -> Result<()> {
    let makefile = made.join(format!("usr/src/linux-headers-{release}/Makefile"));
    if !makefile.exists() {
        return Ok(());
    }
    let what = || format!("cannot adapt {}", makefile.display());
    let text = std::fs::read_to_string(&makefile).trying(what)?;
    let moved = text.replace("/usr/src/", "$(dir $(lastword $(MAKEFILE_LIST)))../");
    std::fs::write(&makefile, moved).trying(what)
}

fn rename(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to.parent().unwrap_or(to))
        .and_then(|()| std::fs::rename(from, to))
        .trying(|| format!("cannot move {} to {}", from.display(), to.display()))
}

fn write(file: &Path, text: &str) -> Result<()> {
    std::fs::write(file, text).trying(|| format!("cannot write {}", file.display()))
}

/// Returns the entry of packages that the user has: one, or those of a directory.
pub(super) fn get(name: &str, path: &Path, say: &dyn Fn(&str)) -> Result<PathBuf> {
    let debs = debs(path)?;
    let mut origin = Vec::new();
    for deb in &debs {
        let (_, digest) = content(deb).trying(|| format!("cannot read {}", deb.display()))?;
        let file = deb.file_name().unwrap_or_default().to_string_lossy();
        origin.push(format!("package {file} SHA256:{digest}"));
    }
    let key = digest(origin.iter().map(String::as_bytes));
    let dir = super::kernels_dir()?.join(format!("packages-{}", &key[..12]));
    if !cache::is_whole(&dir, say)? {
        say(&format!("unpacking kernel {name}"));
        cache::make_dir(&dir, |made| {
            unpack(&debs, made)?;
            write_origin(made, &origin)
        })?;
    }
    Ok(dir)
}

fn debs(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let what = || format!("cannot read {}", path.display());
    let entries = std::fs::read_dir(path).trying(what)?;
    let mut found = Vec::new();
    for entry in entries {
        let path = entry.trying(what)?.path();
        // Of debug symbols there is nothing to boot.
        let name = path.to_string_lossy().into_owned();
        if name.ends_with(".deb") && !name.contains("-dbg_") && !name.contains("libc-dev") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_without_an_image_says_which_packages_there_have_to_be() {
        let made = tempfile::tempdir().unwrap();
        let error = unpack(&[], made.path()).unwrap_err().to_string();
        assert!(error.contains("linux-image-") && error.contains("linux-headers-"), "{error}");
    }
}
