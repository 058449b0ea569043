// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Finding a kernel's own modules, with all that they depend on.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::cache::Record;
use crate::error::{Result, RigError, Trying};
use crate::kernel::Kernel;

/// `modules.dep` of one kernel: module files by name, and their dependencies.
pub(crate) struct Modules {
    place: Place,
    files: HashMap<String, PathBuf>,
    built_in: Vec<String>,
    record: Option<(PathBuf, Record)>,
}

/// Where a kernel's modules are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Below `kernel` in a directory that is called as the release.
    Installed(PathBuf),
    /// All over the tree that they were built in, which has a list of them.
    Tree(PathBuf),
}

impl Place {
    /// Returns the directory.
    pub fn root(&self) -> &Path {
        match self {
            Self::Installed(root) | Self::Tree(root) => root,
        }
    }

    fn files(&self) -> Result<HashMap<String, PathBuf>> {
        let mut files = HashMap::new();
        match self {
            // Debian's packages carry no `modules.dep`: it is made when a kernel is installed.
            Self::Installed(root) => walk(&root.join("kernel"), &mut files)?,
            Self::Tree(root) => {
                let list = root.join("modules.order");
                let text = std::fs::read_to_string(&list).trying(|| {
                    format!("cannot read {}, which `make modules` writes", list.display())
                })?;
                for line in text.lines() {
                    // 6.2 changed `.ko` to `.o`; 5.10 and earlier had `kernel/` before it.
                    let path = root.join(line.strip_prefix("kernel/").unwrap_or(line));
                    let path = path.with_extension("ko");
                    files.insert(module_name(&path), path);
                }
            }
        }
        Ok(files)
    }
}

impl Modules {
    /// Finds a kernel's modules.
    pub fn of(kernel: &Kernel) -> Result<Self> {
        let place = kernel.modules.clone();
        let list =
            std::fs::read_to_string(place.root().join("modules.builtin")).unwrap_or_default();
        let built_in = list.lines().map(|line| module_name(Path::new(line))).collect();
        Ok(Self { files: place.files()?, place, built_in, record: kernel.record() })
    }

    /// Returns the module and its dependencies in the order in which they are loaded, each with its
    /// contents, decompressed. Empty if it is built in.
    pub fn load_order(&self, name: &str) -> Result<Vec<(String, Vec<u8>)>> {
        let mut order = Vec::new();
        self.visit(name, &mut order)?;
        Ok(order)
    }

    fn visit(&self, name: &str, order: &mut Vec<(String, Vec<u8>)>) -> Result<()> {
        let name = name.replace('-', "_");
        if order.iter().any(|(have, _)| *have == name) || self.built_in.contains(&name) {
            return Ok(());
        }
        let path = self.files.get(&name).ok_or_else(|| {
            RigError::unready(
                format!(
                    "this kernel has no module {name} (looked in {})",
                    self.place.root().display()
                ),
                "use another kernel, or delete the cached one to fetch it again",
            )
        })?;
        let bytes = std::fs::read(path).trying(|| format!("cannot read {}", path.display()))?;
        self.check(path, &bytes)?;
        let contents = decompressed(path, bytes)?;
        for dependency in dependencies(&contents) {
            self.visit(&dependency, order)?;
        }
        order.push((name, contents));
        Ok(())
    }

    /// Refuses a file that is not as it was unpacked or built.
    fn check(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        match &self.record {
            Some((entry, record)) if !record.holds(entry, path, bytes) => {
                let entry = entry.file_name().unwrap_or_default().to_string_lossy();
                Err(RigError::unready(
                    format!("{} is damaged", path.display()),
                    format!("remove its kernel ({entry}), to have it anew: irqscope cache clean"),
                ))
            }
            _ => Ok(()),
        }
    }
}

fn walk(dir: &Path, files: &mut HashMap<String, PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(dir).trying(|| format!("cannot read {}", dir.display()))? {
        let path = entry.trying(|| format!("cannot read {}", dir.display()))?.path();
        if path.is_dir() {
            walk(&path, files)?;
        } else if path.to_string_lossy().contains(".ko") {
            files.insert(module_name(&path), path);
        }
    }
    Ok(())
}

fn module_name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.split('.').next().unwrap_or_default().replace('-', "_")
}

fn decompressed(path: &Path, bytes: Vec<u8>) -> Result<Vec<u8>> {
    if path.extension().is_none_or(|extension| extension != "xz") {
        return Ok(bytes);
    }
    let mut plain = Vec::new();
    lzma_rs::xz_decompress(&mut bytes.as_slice(), &mut plain)
        .map_err(|error| std::io::Error::other(format!("{error:?}")))
        .trying(|| format!("cannot decompress {}", path.display()))?;
    Ok(plain)
}

/// Reads the `depends=a,b` entry of a module's `.modinfo` section.
pub(crate) fn dependencies(module: &[u8]) -> Vec<String> {
    const KEY: &[u8] = b"\0depends=";
    let Some(at) = module.windows(KEY.len()).position(|window| window == KEY) else {
        return Vec::new();
    };
    let value = &module[at + KEY.len()..];
    let end = value.iter().position(|byte| *byte == 0).unwrap_or(0);
    let names = String::from_utf8_lossy(&value[..end]);
    names.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependencies_are_read_from_modinfo() {
        assert_eq!(
            dependencies(b"\x7fELF\0depends=virtio,virtio_ring\0name=x\0"),
            ["virtio", "virtio_ring"]
        );
        assert!(dependencies(b"\0depends=\0name=x\0").is_empty());
        assert!(dependencies(b"no such section").is_empty());
    }
}
