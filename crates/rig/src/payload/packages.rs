// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Debian's packages for loads: unpacked with all that they depend on into a root file system, once
//! per content. Nothing is installed: scripts of packages are not run.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use irqscope_scenario::Payload;

use crate::arch::{Arch, Guest};
use crate::cache;
use crate::error::{Result, RigError, Trying};
use crate::kernel::apt::Apt;
use crate::kernel::debian::SUITES;
use crate::kernel::driver::digest;

/// Directories that were moved to /usr, where packages of all suites are to find each other.
const MERGED: [&str; 4] = ["bin", "sbin", "lib", "lib64"];
/// Documentation, which no load reads and a guest would have to hold in memory.
const LEFT_OUT: [&str; 7] = ["doc", "man", "info", "locale", "lintian", "bug", "doc-base"];
/// A guest has no other users than root and one without rights.
const PASSWD: &str = "root:x:0:0:root:/:/bin/sh\nguest:x:65534:65534::/:/bin/false\n";
const GROUP: &str = "root:x:0:\nguest:x:65534:\n";
/// Changes with how packages are unpacked.
const RECIPE: &str = "1";

/// A root file system.
pub(super) struct Root {
    pub dir: PathBuf,
    /// The lists that the packages were found in.
    pub lists: PathBuf,
    /// The packages in it with their versions and digests.
    pub origin: Vec<String>,
}

/// Fetches and unpacks packages, where the cache has them not.
pub(super) fn root(payload: &Payload, arch: Arch, say: &dyn Fn(&str)) -> Result<Root> {
    let suite = SUITES.iter().find(|suite| suite.name == payload.suite).ok_or_else(|| {
        let names: Vec<&str> = SUITES.iter().map(|suite| suite.name).collect();
        RigError::unready(
            irqscope_scenario::suggestion("suite", &payload.suite, &names),
            "write a package as NAME/SUITE",
        )
    })?;
    let apt = Apt::of(suite, arch.debian(), say)?;
    let closure = apt.closure(&payload.packages)?;
    let origin: Vec<String> = closure.iter().map(|one| format!("package {}", one.origin)).collect();
    let words = origin.iter().map(String::as_str).chain([RECIPE, suite.name, arch.debian()]);
    let key = digest(words.map(str::as_bytes));
    let dir = cache::root()?.join("roots").join(&key[..16]);
    if !cache::is_whole(&dir, say)? {
        let names = payload.packages.join(" ");
        say(&format!("fetching {names} of {} with {} packages", suite.name, closure.len()));
        cache::make_dir(&dir, |made| {
            let wanted: Vec<String> = closure.iter().map(|one| one.wanted()).collect();
            prepare(made)?;
            let left_out = LEFT_OUT.map(|name| format!("./usr/share/{name}"));
            apt.unpack(&wanted, made, &left_out).map(drop)
        })?;
    }
    Ok(Root { dir, lists: apt.dir().to_owned(), origin })
}

/// Makes the directories that packages take for granted.
fn prepare(root: &Path) -> Result<()> {
    let made = || -> std::io::Result<()> {
        for name in MERGED {
            fs::create_dir_all(root.join("usr").join(name))?;
            symlink(format!("usr/{name}"), root.join(name))?;
        }
        fs::create_dir_all(root.join("etc"))?;
        fs::write(root.join("etc/passwd"), PASSWD)?;
        fs::write(root.join("etc/group"), GROUP)
    };
    made().trying(|| format!("cannot write into {}", root.display()))
}
