// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Kernels in the cache, fetched or built, never installed.

pub(crate) mod build;
pub(crate) mod driver;
pub(crate) mod fetch;
pub(crate) mod modules;

use std::path::{Path, PathBuf};

use irqscope_scenario::suggestion;

use crate::arch::Arch;
use crate::cache;
use crate::error::{Result, RigError, Trying};
use crate::stop::Stop;

use build::{RECIPES, Recipe};

/// The kernels that the project is tested on.
pub const TESTED: [&str; 4] = ["6.1", "6.1-rt", "6.12", "6.12-rt"];

/// A kernel in the cache: image, configuration, modules and headers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kernel {
    /// Its name in scenarios, `6.1-rt`.
    pub name: String,
    /// Its release by `uname -r`, `6.1.0-56-rt-amd64`.
    pub release: String,
    dir: PathBuf,
}

impl Kernel {
    /// Opens a kernel; fetches or builds it first if it is not there.
    ///
    /// # Errors
    /// The name is unknown, the package cannot be fetched, or the build fails.
    pub fn get(name: &str, say: &dyn Fn(&str), stop: &Stop) -> Result<Self> {
        check_name(name)?;
        if let Some(recipe) = Recipe::find(name) {
            return Self::open(name, build::get(recipe, say, stop)?);
        }
        let dir = dir_of(name)?;
        if !dir.exists() {
            fetch::fetch(name, &dir, say)?;
            stop.check()?;
        }
        Self::open(name, dir)
    }

    fn open(name: &str, dir: PathBuf) -> Result<Self> {
        let file = dir.join("release");
        let release = std::fs::read_to_string(&file).trying(|| {
            format!("kernel {name} is damaged (delete {} to fetch it again)", dir.display())
        })?;
        Ok(Self { name: name.to_owned(), release: release.trim().to_owned(), dir })
    }

    pub(crate) fn arch(&self) -> Arch {
        Arch::of_kernel(&self.name)
    }

    /// Returns the path of its image.
    pub fn image(&self) -> PathBuf {
        self.dir.join("vmlinuz")
    }

    /// Returns the path of its configuration.
    pub fn config(&self) -> PathBuf {
        self.dir.join("config")
    }

    /// Returns the directory that `make -C` takes to build a module.
    pub fn headers(&self) -> PathBuf {
        self.dir.join("usr/src").join(format!("linux-headers-{}", self.release))
    }

    /// Returns the directory of its modules.
    pub fn modules(&self) -> PathBuf {
        self.dir.join("lib/modules").join(&self.release)
    }
}

/// Lists the kernels in the cache, fetched ones by version, then built ones.
///
/// # Errors
/// The cache cannot be read.
pub fn list() -> Result<Vec<Kernel>> {
    let mut kernels = fetched()?;
    for recipe in &RECIPES {
        let built = build::find(recipe)?;
        kernels.extend(built.map(|dir| Kernel::open(recipe.name, dir)).transpose()?);
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
    names.sort_by_key(|name| fetch::version_key(name));
    names.iter().map(|name| Kernel::open(name, dir.join(name))).collect()
}

/// Refuses what cannot be a kernel's name: `MAJOR.MINOR` with or without `-rt` and
/// `-arm64` behind it, or a recipe's.
///
/// # Errors
/// It is no name of a kernel, and what one looks like.
pub fn check_name(name: &str) -> Result<()> {
    if Recipe::find(name).is_some() {
        return Ok(());
    }
    let version = Arch::without(name);
    let version = version.strip_suffix("-rt").unwrap_or(version);
    let number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match version.split_once('.') {
        Some((major, minor)) if number(major) && number(minor) => Ok(()),
        _ => {
            let built = RECIPES.iter().map(|recipe| recipe.name);
            let known: Vec<&str> = TESTED.into_iter().chain(built).collect();
            Err(RigError::unready(
                suggestion("kernel", name, &known),
                "name a Debian kernel as MAJOR.MINOR or MAJOR.MINOR-rt (-arm64 behind it for \
                 Arm), or one that irqscope builds (irqscope kernel list)",
            ))
        }
    }
}

fn kernels_dir() -> Result<PathBuf> {
    Ok(cache::root()?.join("kernels"))
}

fn dir_of(name: &str) -> Result<PathBuf> {
    Ok(Path::new(&kernels_dir()?).join(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_versions_and_nothing_that_leaves_the_cache() {
        for good in TESTED.into_iter().chain(["plain", "6.1-arm64", "6.12-rt-arm64"]) {
            assert!(check_name(good).is_ok());
        }
        for bad in ["", "6", "6.", "../6.1", "6.1-RT", "6.1-rt-rt", "6.1-arm64-rt", "linux"] {
            assert!(check_name(bad).is_err(), "{bad}");
        }
    }
}
