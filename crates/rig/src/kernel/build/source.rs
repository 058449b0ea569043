// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Debian's kernel source, fetched with apt and kept as it was packed.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cache;
use crate::command::output;
use crate::deb;
use crate::downloads;
use crate::error::{Result, RigError, Trying};
use crate::kernel::debian::version_key;

const PACKAGE: &str = "linux-source-6.1";

/// A source package in the cache.
#[derive(Debug)]
pub(crate) struct Source {
    /// The package's, `6.1.192-2`.
    pub version: String,
    pub archive: PathBuf,
}

impl Source {
    /// Returns the source in the cache, so that a kernel stays what it is until the cache is
    /// deleted; else the newest that apt offers.
    pub fn get(say: &dyn Fn(&str)) -> Result<Self> {
        let dir = cache::root()?.join("sources");
        let version = match cached(&dir) {
            Some(version) => version,
            None => {
                downloads::check_allowed(&format!("Debian's {PACKAGE}"), "--kernel plain")?;
                offered()?
            }
        };
        let own = dir.join(format!("{PACKAGE}_{version}"));
        if !cache::is_whole(&own, say)? {
            downloads::check_allowed(&format!("Debian's {PACKAGE}"), "--kernel plain")?;
            say(&format!("fetching Debian's {PACKAGE} {version}"));
            cache::make_dir(&own, |made| fetch(&version, made))?;
        }
        Ok(Self { version, archive: own.join(archive_name()) })
    }

    /// Unpacks it into a directory that is not there yet.
    pub fn unpack(&self, tree: &Path) -> Result<()> {
        std::fs::create_dir(tree).trying(|| format!("cannot create {}", tree.display()))?;
        let mut tar = Command::new("tar");
        tar.arg("-xJf").arg(&self.archive).args(["--strip-components=1", "-C"]).arg(tree);
        output(&mut tar, "tar xz-utils").map(drop)
    }
}

fn archive_name() -> String {
    format!("{PACKAGE}.tar.xz")
}

fn cached(dir: &Path) -> Option<String> {
    let entries = std::fs::read_dir(dir).ok()?.flatten();
    entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter_map(|name| Some(name.strip_prefix(PACKAGE)?.strip_prefix('_')?.to_owned()))
        .max_by_key(|version| version_key(version))
}

fn offered() -> Result<String> {
    let shown =
        output(Command::new("apt-cache").args(["show", "--no-all-versions", PACKAGE]), "apt");
    let version = shown.ok().and_then(|text| {
        text.lines().find_map(|line| line.strip_prefix("Version: ").map(str::to_owned))
    });
    version.ok_or_else(|| {
        RigError::unready(
            format!("apt offers no package {PACKAGE}"),
            "run apt-get update; on others than Debian 12 its suite has to be in apt's sources",
        )
    })
}

fn fetch(version: &str, made: &Path) -> Result<()> {
    let place = tempfile::tempdir().trying(|| "cannot create a directory".into())?;
    // Unsandboxed, because apt's own user cannot write into a private directory.
    let mut apt = Command::new("apt-get");
    apt.args(["-q", "-o", "APT::Sandbox::User=root", "download"]);
    output(apt.arg(format!("{PACKAGE}={version}")).current_dir(place.path()), "apt")?;
    let entries = std::fs::read_dir(place.path()).trying(|| "cannot read a directory".into())?;
    let debs: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    let unpacked = made.join("unpacked");
    deb::unpack(&debs, &unpacked, &[])?;
    let archive = unpacked.join("usr/src").join(archive_name());
    std::fs::rename(&archive, made.join(archive_name()))
        .and_then(|()| std::fs::remove_dir_all(&unpacked))
        .trying(|| format!("cannot keep {}", archive.display()))
}
