// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Debian's sources of kernels, fetched and kept as they were packed. Those of stock kernels are in
//! a package for each line; the patches for PREEMPT_RT are in the source package alone.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::parts::{apply, series};
use crate::arch::{Arch, Guest};
use crate::cache;
use crate::command::output;
use crate::downloads;
use crate::error::{Result, RigError, Trying};
use crate::kernel::apt::{Apt, SOURCE, reason};
use crate::kernel::debian::{DebianName, Suite, begins, suites_for, version_key};
use crate::kernel::fetch::codename;
use crate::kernel::packages::{ORIGIN, unpacked, write_origin};

/// A source in the cache.
#[derive(Debug)]
pub(super) struct Source {
    /// The package's, `6.1.192-2`.
    pub version: String,
    /// `linux-source-6.1`, or the source package `linux`.
    package: String,
    rt: bool,
    dir: PathBuf,
}

impl Source {
    /// Returns the newest in the cache that is wanted, so that a kernel stays what it is until the
    /// cache is deleted; else the newest that Debian's suites offer, and whose files they have.
    ///
    /// # Errors
    /// No suite has such a source, or it cannot be fetched.
    pub fn get(wanted: &DebianName<'_>, say: &dyn Fn(&str)) -> Result<Self> {
        let known = if wanted.suite.is_none() { cached(wanted)? } else { None };
        if let Some(source) = known
            && cache::is_whole(&source.dir, say)?
        {
            return Ok(source);
        }
        let name = format!("source:{}{}", wanted.version, if wanted.rt { "-rt" } else { "" });
        downloads::check_allowed(&format!("Debian's {name}"), &format!("--kernel {name}"))?;
        let mut why = None;
        for suite in suites_for(wanted.suite, &codename()) {
            let apt = apt(suite, wanted, say)?;
            for source in offered(&apt, wanted)? {
                match source.fetch(&apt, suite.name, say) {
                    Ok(()) => return Ok(source),
                    Err(error) => {
                        let (package, version) = (&source.package, &source.version);
                        let why_not = reason(&error);
                        say(&format!("Debian's {package} {version} cannot be had: {why_not}"));
                        why = why.or(Some(error));
                    }
                }
            }
        }
        Err(why.unwrap_or_else(|| {
            let place = wanted.suite.unwrap_or("Debian's suites from bullseye to sid");
            RigError::unready(
                format!("there is no {name} of a kernel in {place}"),
                "name a line (source:6.12), a version (source:6.12.95), -rt behind it for \
                 PREEMPT_RT, a suite before it (source:sid-7.2)",
            )
        }))
    }

    fn new(package: &str, version: &str, rt: bool) -> Result<Self> {
        let dir = sources()?.join(format!("{package}_{version}"));
        Ok(Self { version: version.to_owned(), package: package.to_owned(), rt, dir })
    }

    fn fetch(&self, apt: &Apt, suite: &str, say: &dyn Fn(&str)) -> Result<()> {
        if cache::is_whole(&self.dir, say)? {
            return Ok(());
        }
        let Self { version, package, .. } = self;
        say(&format!("fetching Debian's {package} {version} of {suite}"));
        cache::make_dir(&self.dir, |made| {
            let fetched = match self.rt {
                true => apt.download_source(package, version, made)?,
                false => {
                    let wanted = [format!("{package}={version}")];
                    let fetched = apt.unpack(&wanted, &unpacked(made), &[])?;
                    let (name, archive) = (self.archive(), unpacked(made).join("usr/src"));
                    std::fs::rename(archive.join(&name), made.join(&name))
                        .and_then(|()| std::fs::remove_dir_all(unpacked(made)))
                        .trying(|| format!("cannot keep {name}"))?;
                    fetched.into_iter().map(|one| one.origin).collect()
                }
            };
            let suite = format!("Debian {suite}");
            write_origin(made, &[suite].into_iter().chain(fetched).collect::<Vec<_>>())
        })
    }

    fn archive(&self) -> String {
        format!("{}.tar.xz", self.package)
    }

    /// Returns its entry in the cache.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Returns what it was made of, one file or package a line; of an entry that an earlier version
    /// made, its name.
    pub fn origin(&self) -> String {
        std::fs::read_to_string(self.dir.join(ORIGIN))
            .unwrap_or_else(|_| format!("Debian's {} {}\n", self.package, self.version))
    }

    /// Unpacks it into a directory that is not there yet, with all patches of Debian's.
    pub fn unpack(&self, tree: &Path) -> Result<()> {
        std::fs::create_dir(tree).trying(|| format!("cannot create {}", tree.display()))?;
        if !self.rt {
            return untar(&self.dir.join(self.archive()), tree, 1);
        }
        let files = std::fs::read_dir(&self.dir)
            .trying(|| format!("cannot read {}", self.dir.display()))?
            .flatten()
            .map(|entry| entry.path());
        let (debian, original): (Vec<_>, Vec<_>) = files
            .filter(|path| path.extension().is_some_and(|kind| kind == "xz"))
            .partition(|path| path.to_string_lossy().ends_with(".debian.tar.xz"));
        for archive in original {
            untar(&archive, tree, 1)?;
        }
        for archive in debian {
            untar(&archive, tree, 0)?;
        }
        let debian = tree.join("debian");
        for patches in ["patches", "patches-rt"] {
            series(&debian.join(patches))?.iter().try_for_each(|patch| apply(patch, tree))?;
        }
        std::fs::remove_dir_all(&debian).trying(|| format!("cannot remove {}", debian.display()))
    }
}

fn untar(archive: &Path, into: &Path, strip: u32) -> Result<()> {
    let mut tar = Command::new("tar");
    tar.arg("-xJf").arg(archive).arg(format!("--strip-components={strip}")).arg("-C").arg(into);
    output(&mut tar, "tar xz-utils").map(drop)
}

fn sources() -> Result<PathBuf> {
    Ok(cache::root()?.join("sources"))
}

fn apt(suite: &Suite, wanted: &DebianName<'_>, say: &dyn Fn(&str)) -> Result<Apt> {
    Apt::of(suite, if wanted.rt { SOURCE } else { Arch::X86_64.debian() }, say)
}

/// Returns the packages that may have what is wanted. A line that is not its suite's own has a
/// source package of its own.
fn packages(wanted: &DebianName<'_>) -> Vec<String> {
    let line = wanted.line();
    match wanted.rt {
        true => vec!["linux".to_owned(), format!("linux-{line}")],
        false => vec![format!("linux-source-{line}")],
    }
}

/// Returns the newest in the cache.
fn cached(wanted: &DebianName<'_>) -> Result<Option<Source>> {
    let entries = std::fs::read_dir(sources()?).into_iter().flatten().flatten();
    let names = entries.filter(|entry| entry.path().is_dir());
    let names: Vec<_> = names.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let found = newest_first(wanted, |package| {
        let versions = names.iter().filter_map(|name| name.strip_prefix(&format!("{package}_")));
        Ok(versions.map(str::to_owned).collect())
    });
    Ok(found?.into_iter().next())
}

/// Returns those that a suite offers, the newest first.
fn offered(apt: &Apt, wanted: &DebianName<'_>) -> Result<Vec<Source>> {
    newest_first(wanted, |package| match wanted.rt {
        true => apt.source_versions(package),
        false => {
            let offers = apt.offers(package)?.into_iter();
            let own = offers.filter(|offer| offer.package == package);
            Ok(own.map(|offer| offer.version).collect())
        }
    })
}

/// Returns what is wanted among the versions that there are of each package.
fn newest_first(
    wanted: &DebianName<'_>,
    versions: impl Fn(&str) -> Result<Vec<String>>,
) -> Result<Vec<Source>> {
    let mut found = Vec::new();
    for package in packages(wanted) {
        let versions = versions(&package)?;
        for version in versions.iter().filter(|version| begins(version, wanted.version)) {
            found.push(Source::new(&package, version, wanted.rt)?);
        }
    }
    found.sort_by_key(|source| std::cmp::Reverse(version_key(&source.version)));
    Ok(found)
}
