// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Modules that a scenario brings: files are taken as they are, directories are built for the kernel,
//! once per content.

use std::fs;
use std::path::{Path, PathBuf};

use irqscope_scenario::{Module as Asked, ModuleSource};

use super::entries::{self, Entry, Kind};
use crate::cache::content;
use crate::error::{Result, RigError, Trying};
use crate::kernel::driver::{Build, Driver, digest};

/// A module to load.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Module {
    /// Its name, without an ending.
    pub name: String,
    /// Its file; none: the kernel has it.
    pub file: Option<PathBuf>,
    pub parameters: String,
}

impl Module {
    /// Says what it is; none for a module of the kernel's own.
    pub fn origin(&self) -> Option<String> {
        let (_, digest) = content(self.file.as_ref()?).ok()?;
        Some(format!("module {} SHA256:{digest}", self.name))
    }
}

/// Finds or builds all modules. `build`: the kernel, where modules can be built for it here.
pub(super) fn all(
    asked: &[Asked],
    build: Option<Build<'_>>,
    say: &dyn Fn(&str),
) -> Result<Vec<Module>> {
    let mut found = Vec::new();
    for Asked { source, parameters } in asked {
        let module = |name: String, file| Module { name, file, parameters: parameters.clone() };
        match source {
            ModuleSource::Kernel(name) => found.push(module(name.clone(), None)),
            ModuleSource::File(path) => found.push(module(stem(path), Some(path.clone()))),
            ModuleSource::Directory(dir) => {
                let build = build.ok_or_else(|| no_headers(dir))?;
                let built = of_directory(build, dir, say)?;
                found.extend(built.into_iter().map(|path| module(stem(&path), Some(path))));
            }
        }
    }
    Ok(found)
}

fn no_headers(dir: &Path) -> RigError {
    RigError::unready(
        format!(
            "{} cannot be built: the headers of the target's kernel are not here",
            dir.display()
        ),
        "install them here (apt-get install linux-headers-...), or build the module on the target and \
         give its .ko",
    )
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// Builds the modules of a directory, in the order that kbuild gives them.
fn of_directory(build: Build<'_>, dir: &Path, say: &dyn Fn(&str)) -> Result<Vec<PathBuf>> {
    let sources: Vec<Entry> = entries::below(dir, "", entries::Special::Refused)?
        .into_iter()
        .filter(|entry| is_source(&entry.place))
        .collect();
    if !sources.iter().any(|entry| matches!(entry.place.as_str(), "Kbuild" | "Makefile")) {
        return Err(RigError::unready(
            format!("{} has neither a Kbuild nor a Makefile", dir.display()),
            "write one with obj-m := NAME.o",
        ));
    }
    let words = sources.iter().map(Entry::origin).collect::<Result<Vec<_>>>()?;
    let digest = digest(words.iter().map(String::as_bytes));
    let what = format!("the modules of {}", dir.display());
    let build = Build { test: false, ..build };
    let made = Driver::build_other(build, &what, &digest, say, |made| {
        entries::copy(&sources, made)?;
        // Files of a read-only directory would stay so.
        for entry in sources.iter().filter(|entry| matches!(entry.kind, Kind::File { .. })) {
            let path = made.join(&entry.place);
            let writable = std::os::unix::fs::PermissionsExt::from_mode(0o700);
            fs::set_permissions(&path, writable)
                .trying(|| format!("cannot change {}", path.display()))?;
        }
        Ok(())
    })?;
    let order = made.dir().join("modules.order");
    let text = fs::read_to_string(&order).trying(|| format!("cannot read {}", order.display()))?;
    let modules: Vec<PathBuf> =
        text.lines().map(|line| made.module(&stem(Path::new(line.trim())))).collect();
    match modules.iter().find(|module| !module.exists()) {
        None if !modules.is_empty() => Ok(modules),
        _ => Err(RigError::unready(
            format!("{} makes no module in itself", dir.display()),
            "name the directory whose Kbuild has obj-m := NAME.o",
        )),
    }
}

/// Returns whether a build reads a file and does not make it.
fn is_source(place: &str) -> bool {
    let name = place.rsplit('/').next().unwrap_or(place);
    let made = [".o", ".ko", ".mod", ".mod.c", ".order", ".symvers", ".a"];
    !name.starts_with('.')
        && !place.split('/').any(|part| part == ".git" || part == ".tmp_versions")
        && !made.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_of_an_earlier_build_are_no_sources() {
        let made = ["a.ko", "a.mod.c", ".a.o.cmd", "Module.symvers", "x/.git/y", "modules.order"];
        assert!(made.iter().all(|name| !is_source(name)));
        assert!(["a.c", "Kbuild", "inc/a.h", "a.S"].iter().all(|name| is_source(name)));
    }
}
