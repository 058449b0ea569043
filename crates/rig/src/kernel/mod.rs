// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Kernels: fetched or built into the cache, or used where they lie, and never installed.
//!
//! `debian` reads names of Debian's kernels, `apt` and `fetch` get them, `packages` unpacks them, `tools`
//! makes the programs in them run here;
//! `build` makes kernels of one's own; `tree` opens those that were built elsewhere, and `needs`
//! says what their configurations lack. `modules` finds a kernel's modules, `compiler` its
//! compiler, `driver` builds the driver for it.

pub(crate) mod apt;
pub(crate) mod build;
mod compiler;
pub(crate) mod debian;
pub(crate) mod driver;
mod fetch;
pub(crate) mod modules;
mod needs;
mod packages;
pub(crate) mod release;
mod tools;
mod tree;
mod unpacked;

use std::path::{Path, PathBuf};

use irqscope_scenario::{KernelName, KernelSource, suggestion};

use crate::arch::Arch;
use crate::cache;
use crate::downloads;
use crate::error::{Result, RigError, Trying};
use crate::stop::Stop;

use build::{RECIPES, Recipe};
use debian::{DebianName, version_key};
use modules::Place;
pub use needs::fragment;
use release::Release;

/// The kernels that the project is tested on.
pub const TESTED: [&str; 4] = ["6.1", "6.1-rt", "6.12", "6.12-rt"];

/// A kernel: image, configuration, modules and headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its label in scenarios, `6.1-rt`.
    pub name: String,
    /// Its release by `uname -r`, `6.1.0-56-rt-amd64`.
    pub release: Release,
    /// Its image.
    pub image: PathBuf,
    /// Its configuration.
    pub config: PathBuf,
    /// The directory that `make -C` takes to build a module.
    pub headers: PathBuf,
    /// Its packages with versions and digests, or its files.
    pub origin: Vec<String>,
    pub(crate) modules: Place,
    /// Its entry in the cache.
    pub(crate) entry: Option<PathBuf>,
}

impl Kernel {
    /// Opens a kernel; fetches or builds it first if it is not there.
    ///
    /// # Errors
    /// The name is unknown, the package cannot be fetched, the build fails, or a tree lacks what
    /// is needed.
    pub fn get(kernel: &KernelName, say: &dyn Fn(&str), stop: &Stop) -> Result<Self> {
        check_name(kernel)?;
        let label = &kernel.label;
        match &kernel.source {
            KernelSource::Known(name) => match Recipe::find(name) {
                Some(recipe) => {
                    Self::open(label, build::package(name, &recipe.source(), say, stop)?)
                }
                None => Self::fetched(label, name, say, stop),
            },
            KernelSource::Path(path) if is_of_packages(path) => {
                Self::open(label, packages::get(label, path, say)?)
            }
            KernelSource::Path(path) => tree::open(label, path),
            KernelSource::Files(files) => tree::files(label, files),
            KernelSource::Git(commit) => {
                Self::open(label, build::commit(label, commit, say, stop)?)
            }
            KernelSource::DebianSource(source) => {
                let own = kernel.source.label();
                Self::open(label, build::package(&own, source, say, stop)?)
            }
        }
    }

    fn fetched(label: &str, name: &str, say: &dyn Fn(&str), stop: &Stop) -> Result<Self> {
        let dir = kernels_dir()?.join(name);
        if !cache::is_whole(&dir, say)? {
            let wanted = DebianName::parse(name).ok_or_else(|| unknown(name))?;
            downloads::check_allowed(&format!("kernel {name}"), &format!("--kernel {name}"))?;
            fetch::fetch(name, &wanted, &dir, say)?;
            stop.check()?;
        }
        Self::open(label, dir)
    }

    fn open(name: &str, dir: PathBuf) -> Result<Self> {
        let file = dir.join("release");
        let release = std::fs::read_to_string(&file).trying(|| {
            let entry = dir.file_name().unwrap_or_default().to_string_lossy();
            format!("kernel {name} is damaged (irqscope cache clean kernels/{entry} removes it, to be fetched again)")
        })?;
        let release = Release::new(release.trim(), &file.to_string_lossy())?;
        // Entries that earlier versions made have none.
        let origin = std::fs::read_to_string(dir.join(packages::ORIGIN)).unwrap_or_default();
        Ok(Self {
            name: name.to_owned(),
            image: dir.join("vmlinuz"),
            config: dir.join("config"),
            headers: dir.join("usr/src").join(format!("linux-headers-{release}")),
            modules: Place::Installed(dir.join("lib/modules").join(&*release)),
            origin: origin.lines().map(str::to_owned).collect(),
            release,
            entry: Some(dir),
        })
    }

    /// Returns the record of its files, where there is one.
    pub(crate) fn record(&self) -> Option<(PathBuf, cache::Record)> {
        let entry = self.entry.clone()?;
        let record = cache::Record::of(&entry)?;
        Some((entry, record))
    }

    pub(crate) fn arch(&self) -> Arch {
        Arch::of_kernel(&self.name)
    }

    /// Returns whether an option of its configuration is on.
    pub(crate) fn has(&self, option: &str) -> bool {
        std::fs::read_to_string(&self.config).is_ok_and(|config| needs::has(&config, option))
    }
}

/// Lists the kernels in the cache, fetched ones by version, then built ones.
///
/// # Errors
/// The cache cannot be read.
pub fn list() -> Result<Vec<Kernel>> {
    let mut kernels = fetched()?;
    for (name, dir) in build::list()? {
        kernels.push(Kernel::open(&name, dir)?);
    }
    Ok(kernels)
}

fn fetched() -> Result<Vec<Kernel>> {
    let dir = kernels_dir()?;
    let Ok(entries) = std::fs::read_dir(&dir) else {
        return Ok(Vec::new());
    };
    let mut names: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort_by_key(|name| version_key(name));
    names.iter().map(|name| Kernel::open(name, dir.join(name))).collect()
}

/// Lists the kernels that Debian's suites offer: suite, release, package's version.
///
/// # Errors
/// The lists of packages cannot be had.
pub fn offered(arch: Arch, say: &dyn Fn(&str)) -> Result<Vec<[String; 3]>> {
    fetch::offered(arch, say)
}

/// Refuses what cannot be a kernel, before anything is fetched or built.
///
/// # Errors
/// It is no name of a kernel, and what one looks like; or its files are not there.
pub fn check_name(kernel: &KernelName) -> Result<()> {
    let there = |path: &Path| match path.exists() {
        true => Ok(()),
        false => Err(RigError::unready(
            format!("kernel {}: there is no {}", kernel.label, path.display()),
            "name a build tree, a package, a directory of packages, or a repository that is there",
        )),
    };
    match &kernel.source {
        KernelSource::Known(name) if Recipe::find(name).is_some() => Ok(()),
        KernelSource::Known(name) => DebianName::parse(name).map(drop).ok_or_else(|| unknown(name)),
        KernelSource::Path(path) => there(path),
        KernelSource::Files(files) => there(&files.image).and_then(|()| there(&files.modules)),
        KernelSource::Git(commit) => there(&commit.repository),
        KernelSource::DebianSource(source) => build::check(source),
    }
}

fn unknown(name: &str) -> RigError {
    let built = RECIPES.iter().map(|recipe| recipe.name);
    let known: Vec<&str> = TESTED.into_iter().chain(built).collect();
    RigError::unready(
        suggestion("kernel", name, &known),
        "name a Debian kernel (6.12, 6.12-rt, 6.12.95, sid-7.2; -arm64 or -riscv64 behind it), one \
         that irqscope builds (irqscope kernel list), a build tree or packages by their path \
         (with a / in it), git:DIRECTORY@REVISION, or source:VERSION+PART",
    )
}

fn is_of_packages(path: &Path) -> bool {
    let is_deb = |path: &Path| path.extension().is_some_and(|kind| kind == "deb");
    is_deb(path)
        || (!path.join(".config").exists()
            && std::fs::read_dir(path)
                .is_ok_and(|mut dir| dir.any(|one| one.is_ok_and(|one| is_deb(&one.path())))))
}

fn kernels_dir() -> Result<PathBuf> {
    Ok(cache::root()?.join("kernels"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_versions_and_nothing_that_leaves_the_cache() {
        let check = |text: &str| check_name(&KernelName::parse(text).unwrap());
        for good in TESTED.into_iter().chain(["plain", "6.1-arm64", "6.12-rt-arm64", "/tmp"]) {
            assert!(check(good).is_ok(), "{good}");
        }
        for bad in ["6", "6.", "../6.1", "6.1-RT", "6.1-rt-rt", "6.1-arm64-rt", "linux"] {
            assert!(check(bad).is_err(), "{bad}");
        }
        let error = check("6.1-tr").unwrap_err().to_string();
        assert!(error.contains("6.1-rt") && error.contains("build tree"), "{error}");
    }
}
