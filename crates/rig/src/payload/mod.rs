// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finding and building of all that a scenario brings to its target: files of its loads, packages of Debian's that
//! a guest gets, and modules.

mod entries;
mod modules;
mod packages;
mod root;

use std::path::PathBuf;

use irqscope_scenario::{ModuleSource, Payload};

use crate::arch::Arch;
use crate::error::Result;
use crate::kernel::driver::Build;

pub(crate) use entries::{Entry, Kind, copy};
pub(crate) use modules::Module;

/// The directory of loads' files, where the agent looks for it: beside its own program.
const LOADS: &str = "load";

/// Everything that goes along with the cases of one kernel.
#[derive(Clone, Debug, Default)]
pub(crate) struct Brought {
    /// Files, directories and links by their places in the root of a guest, parents first.
    pub entries: Vec<Entry>,
    /// Modules in the order in which they are loaded, before the driver.
    pub modules: Vec<Module>,
    /// The parts with their digests, one a line.
    pub origin: Vec<String>,
}

/// Fetches the packages of a scenario for a guest; returns their entries in the cache.
pub(crate) fn fetched(payload: &Payload, arch: Arch, say: &dyn Fn(&str)) -> Result<[PathBuf; 2]> {
    let root = packages::root(payload, arch, say)?;
    Ok([root.dir, root.lists])
}

impl Brought {
    /// Finds, fetches and builds all of it for a guest's kernel.
    pub fn to_guest(
        payload: &Payload,
        build: Build<'_>,
        arch: Arch,
        say: &dyn Fn(&str),
    ) -> Result<Self> {
        let mut brought = Self::default();
        if !payload.packages.is_empty() {
            let root = packages::root(payload, arch, say)?;
            brought.entries.extend(entries::below(&root.dir, "", entries::Special::Refused)?);
            brought.origin.extend(root.origin);
        }
        brought.add_files(payload, say)?;
        brought.modules = modules::all(&payload.modules, Some(build), say)?;
        brought.name_modules();
        Ok(brought)
    }

    /// Finds and builds all of it for a machine that runs already: packages are installed there by
    /// their owner. `build`: its kernel, where its headers are here.
    pub fn to_machine(
        payload: &Payload,
        build: Option<Build<'_>>,
        say: &dyn Fn(&str),
    ) -> Result<Self> {
        let mut brought = Self::default();
        brought.add_files(payload, say)?;
        brought.modules = modules::all(&payload.modules, build, say)?;
        brought.name_modules();
        Ok(brought)
    }

    /// Says what files and modules of a scenario are that needs no kernel's headers for it.
    pub fn origin_of(payload: &Payload) -> Result<Vec<String>> {
        let is_built = |source: &ModuleSource| matches!(source, ModuleSource::Directory(_));
        let mut files = payload.clone();
        files.modules.retain(|module| !is_built(&module.source));
        Ok(Self::to_machine(&files, None, &|_| {})?.origin)
    }

    fn add_files(&mut self, payload: &Payload, say: &dyn Fn(&str)) -> Result<()> {
        for load in &payload.loads {
            let mut place = format!("{LOADS}/{}", load.name);
            self.entries.push(Entry::directory(&place));
            if let Some(from) = &load.root {
                place = format!("{place}/{}", root::NAME);
                self.entries.push(Entry::directory(&place));
                let (entries, origin) = root::of(from, &place, say)?;
                self.entries.extend(entries);
                self.origin.push(origin);
                place = format!("{place}/{}", root::FILES);
                if !load.files.is_empty() && !self.entries.iter().any(|one| one.place == place) {
                    self.entries.push(Entry::directory(&place));
                }
            }
            for file in &load.files {
                let found = entries::of(file, &place)?;
                self.origin.extend(found.iter().map(Entry::origin).collect::<Result<Vec<_>>>()?);
                self.entries.extend(found);
            }
        }
        Ok(())
    }

    fn name_modules(&mut self) {
        self.origin.extend(self.modules.iter().filter_map(Module::origin));
    }
}
