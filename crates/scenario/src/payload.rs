// SPDX-License-Identifier: Apache-2.0 OR MIT
//! All that a scenario brings to its target: files and packages of its loads, and modules. Names become
//! paths here, which count from the directory of the scenario's file.

use std::path::{Path, PathBuf};

use crate::raw::Text;

/// The suite whose packages loads get where they name none.
pub const SUITE: &str = "trixie";

/// Everything that a scenario brings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Payload {
    /// The loads that some state has, by their names.
    pub loads: Vec<LoadFiles>,
    /// Debian's packages of all these loads, each once.
    pub packages: Vec<String>,
    /// The suite that the packages are of.
    pub suite: String,
    /// Modules that are loaded before the driver, in this order.
    pub modules: Vec<Module>,
}

/// The files of a load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadFiles {
    /// The load's name, which is that of its directory.
    pub name: String,
    /// Files and directories that lie in it, by their last names.
    pub files: Vec<PathBuf>,
    /// A directory, or a file of `tar`: the load's root file system.
    pub root: Option<PathBuf>,
}

/// A module of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Module {
    /// Its source.
    pub source: ModuleSource,
    /// Its parameters, as insmod takes them.
    pub parameters: String,
}

/// The source of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ModuleSource {
    /// The kernel has it, by this name.
    Kernel(String),
    /// A file, built for exactly the kernel.
    File(PathBuf),
    /// A directory with a Kbuild or a Makefile, which is built for each kernel.
    Directory(PathBuf),
}

impl Payload {
    /// Returns whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.loads.iter().all(|load| load.files.is_empty() && load.root.is_none())
            && self.packages.is_empty()
            && self.modules.is_empty()
    }

    /// Collects what a checked scenario brings.
    pub(crate) fn of(text: &Text, dir: &Path) -> Self {
        let used = || text.load.iter().filter(|(name, _)| is_used(text, name));
        let mut packages: Vec<String> =
            used().flat_map(|(_, load)| &load.packages).map(|name| package(name).0).collect();
        packages.sort();
        packages.dedup();
        let suite = used().flat_map(|(_, load)| &load.packages).map(|name| package(name).1).next();
        Self {
            loads: used()
                .map(|(name, load)| LoadFiles {
                    name: name.clone(),
                    files: load.files.iter().map(|file| dir.join(file)).collect(),
                    root: load.root.as_ref().map(|root| dir.join(root)),
                })
                .collect(),
            packages,
            suite: suite.unwrap_or_else(|| SUITE.to_owned()),
            modules: text.modules.iter().map(|word| module(word, dir)).collect(),
        }
    }
}

fn is_used(text: &Text, load: &str) -> bool {
    let states = text.states.iter().filter_map(|name| text.state.get(name));
    states.flat_map(|state| &state.loads).any(|name| name == load)
}

/// Splits `fio/bookworm`, as apt writes it, into package and suite.
pub(crate) fn package(name: &str) -> (String, String) {
    let (package, suite) = name.split_once('/').unwrap_or((name, SUITE));
    (package.to_owned(), suite.to_owned())
}

/// Reads `SOURCE PARAMETER...`: a word without a slash that does not end in `.ko` is a module of the
/// kernel's own.
pub(crate) fn module(word: &str, dir: &Path) -> Module {
    let (source, parameters) = word.trim().split_once(char::is_whitespace).unwrap_or((word, ""));
    let is_file = source.ends_with(".ko");
    let source = match source {
        name if is_file => ModuleSource::File(dir.join(name)),
        name if name.contains('/') => ModuleSource::Directory(dir.join(name)),
        name => ModuleSource::Kernel(name.to_owned()),
    };
    Module { source, parameters: parameters.trim().to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_a_file_a_directory_or_the_kernels() {
        let dir = Path::new("/s");
        let source = |word| module(word, dir).source;
        assert_eq!(source("a.ko"), ModuleSource::File("/s/a.ko".into()));
        assert_eq!(source("./driver"), ModuleSource::Directory("/s/./driver".into()));
        assert_eq!(source("dummy"), ModuleSource::Kernel("dummy".into()));
        assert_eq!(module("dummy numdummies=2 x=1", dir).parameters, "numdummies=2 x=1");
    }
}
