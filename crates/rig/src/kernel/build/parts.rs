// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Changes of a source before it is built: the configuration that it begins with, fragments of
//! configurations, patches.

use std::path::Path;
use std::process::Command;

use include_dir::{Dir, include_dir};
use irqscope_scenario::suggestion;

use super::config;
use super::series::{SERIES, Series};
use crate::command::output;
use crate::error::{Result, RigError, Trying};
use crate::kernel::driver::digest;
use crate::stop::Stop;

/// Configuration fragments, as they were when this program was built.
static FRAGMENTS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../kernel/configs");

/// The configuration that a build begins with, and the fragment of what the twin needs.
const TINY: &str = "tinyconfig";
const TWIN: &str = "twin";

/// The comment by which a fragment sets a variable of the kernel's makefile.
const VARIABLE: &str = "# Make:";

/// The fragment that a source with PREEMPT_RT is configured by.
pub(super) const RT: &str = "rt";

/// A file that goes into a build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub name: String,
    pub contents: Vec<u8>,
}

/// Changes of a source.
#[derive(Debug)]
pub(super) struct Parts {
    /// The target of the kernel's makefile that makes the first configuration.
    base: String,
    /// Fragments that are merged into it, in this order.
    fragments: Vec<Part>,
    patches: Vec<Part>,
}

impl Parts {
    /// Reads parts as a kernel's name has them, for a source of a line such as 6.12.
    ///
    /// # Errors
    /// A part has no known name, and is no file that can be read, or it is not for this source.
    pub fn of(names: &[String], line: Option<&str>) -> Result<Self> {
        let mut parts = Self { base: TINY.to_owned(), fragments: Vec::new(), patches: Vec::new() };
        parts.fragments.extend(bundled_fragment(TWIN));
        let rt = names.iter().any(|name| name == RT);
        for name in names {
            match Series::find(name) {
                Some(series) => {
                    parts.patches.extend(series.patches(line, rt)?);
                    parts.fragments.extend(series.fragments());
                }
                None => parts.add(name)?,
            }
        }
        Ok(parts)
    }

    /// Adds a bundled fragment, a target of the kernel's makefile, a file, or a directory with a
    /// series of patches.
    fn add(&mut self, name: &str) -> Result<()> {
        if let Some(fragment) = bundled_fragment(name) {
            self.fragments.push(fragment);
            return Ok(());
        }
        if name.ends_with("config") && !name.contains(['/', '.']) {
            // The kernel's own begins with more than the twin needs, and keeps what it says.
            self.base = name.to_owned();
            let needed = crate::kernel::fragment(crate::arch::Arch::X86_64);
            self.fragments[0] = Part { name: "needed".to_owned(), contents: needed.into_bytes() };
            return Ok(());
        }
        self.add_file(name)
    }

    fn add_file(&mut self, name: &str) -> Result<()> {
        let path = Path::new(name);
        if !path.exists() {
            let known: Vec<&str> = bundled().collect();
            return Err(RigError::unready(
                suggestion("part of a kernel", name, &known),
                "name a bundled one, a target of the kernel's makefile (defconfig), or the path of \
                 a fragment, of a patch, or of a directory with a series",
            ));
        }
        if path.is_dir() {
            self.patches.extend(series(path)?);
            return Ok(());
        }
        let kind = path.extension().unwrap_or_default();
        let to = match kind == "patch" || kind == "diff" {
            true => &mut self.patches,
            false => &mut self.fragments,
        };
        to.push(Part::new(name, read(path)?));
        Ok(())
    }

    /// Returns the key of all that decides a kernel's content: these, and a source and compiler.
    pub fn key(&self, source: &str, compiler: &str) -> String {
        let base = (self.base != TINY).then_some(self.base.as_bytes());
        let all = [source.as_bytes(), compiler.as_bytes()].into_iter().chain(base);
        let file = |part: &'_ Part| Path::new(&part.name).file_name().map(|name| name.to_owned());
        let names: Vec<_> = self.all().map(|part| file(part).unwrap_or_default()).collect();
        let named = names.iter().zip(self.all());
        digest(
            all.chain(named.flat_map(|(name, part)| {
                [name.as_encoded_bytes(), &[0], part.contents.as_slice()]
            })),
        )
    }

    fn all(&self) -> impl Iterator<Item = &Part> {
        self.fragments.iter().chain(&self.patches)
    }

    /// Patches a tree.
    pub fn patch(&self, tree: &Path) -> Result<()> {
        self.patches.iter().try_for_each(|patch| apply(patch, tree))
    }

    /// Configures a tree; its release will end with `release`.
    pub fn configure(&self, tree: &Path, release: &str, stop: &Stop) -> Result<()> {
        config::configure(tree, &self.base, &self.fragments, release, stop)
    }

    /// Returns the variables of the kernel's makefile that fragments set, as `NAME=value`.
    pub fn variables(&self) -> Vec<String> {
        let texts = self.fragments.iter().map(|part| String::from_utf8_lossy(&part.contents));
        let variables = |text: std::borrow::Cow<'_, str>| {
            let set = text.lines().filter_map(|line| line.trim().strip_prefix(VARIABLE));
            set.map(|variable| variable.trim().to_owned()).collect::<Vec<_>>()
        };
        texts.flat_map(variables).collect()
    }

    /// Returns a line for each: its name and the digest of its content.
    pub fn lines(&self) -> String {
        let line =
            |part: &Part| format!("{} SHA256:{}\n", part.name, digest([part.contents.as_slice()]));
        self.all().map(line).collect()
    }
}

impl Part {
    pub fn new(name: impl Into<String>, contents: impl Into<Vec<u8>>) -> Self {
        Self { name: name.into(), contents: contents.into() }
    }

    /// Returns a file that comes with this program.
    pub fn of(file: &include_dir::File<'_>) -> Self {
        Self::new(file.path().to_string_lossy(), file.contents())
    }
}

/// Returns the names of all bundled parts.
fn bundled() -> impl Iterator<Item = &'static str> {
    let fragments = FRAGMENTS.files().filter_map(|file| file.path().file_stem()?.to_str());
    fragments.filter(|name| *name != TWIN).chain(SERIES.iter().map(|series| series.name))
}

fn bundled_fragment(name: &str) -> Option<Part> {
    FRAGMENTS.get_file(format!("{name}.config")).map(Part::of)
}

/// Returns the patches of a directory in the order of its list, the file `series`.
pub(super) fn series(dir: &Path) -> Result<Vec<Part>> {
    let list = String::from_utf8_lossy(&read(&dir.join("series"))?).into_owned();
    let names = list.lines().map(|line| line.split('#').next().unwrap_or_default().trim());
    let names = names.filter(|name| !name.is_empty());
    names.map(|name| Ok(Part::new(name, read(&dir.join(name))?))).collect()
}

fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).trying(|| format!("cannot read {}", path.display()))
}

/// Applies a patch without fuzz: one that almost fits is another patch.
pub(super) fn apply(patch: &Part, tree: &Path) -> Result<()> {
    let file = tree.join(".irqscope.patch");
    std::fs::write(&file, &patch.contents).trying(|| format!("cannot write {}", file.display()))?;
    let mut command = Command::new("patch");
    command.args(["-p1", "-s", "-f", "-F0", "--no-backup-if-mismatch", "-i"]).arg(&file);
    output(command.current_dir(tree), "patch").map_err(|error| {
        RigError::unready(
            format!("{} does not apply to this source: {error}", patch.name),
            "use the release of irqscope that was made for it, or rebase the patch",
        )
    })?;
    std::fs::remove_file(&file).trying(|| format!("cannot remove {}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str]) -> Result<Parts> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        Parts::of(&names, Some("6.1"))
    }

    #[test]
    fn what_decides_a_kernel_decides_its_key() {
        let config = tempfile::Builder::new().suffix(".config").tempfile().unwrap();
        std::fs::write(config.path(), "CONFIG_X=y\n").unwrap();
        let key = |names: &[&str], source, compiler| of(names).unwrap().key(source, compiler);
        let keys = [
            key(&[], "6.1.1-1", "gcc 12"),
            key(&[], "6.1.2-1", "gcc 12"),
            key(&[], "6.1.1-1", "gcc 13"),
            key(&["lockdep"], "6.1.1-1", "gcc 12"),
            key(&["defconfig"], "6.1.1-1", "gcc 12"),
            key(&["delayed-locking"], "6.1.1-1", "gcc 12"),
            key(&[config.path().to_str().unwrap()], "6.1.1-1", "gcc 12"),
        ];
        let distinct: std::collections::BTreeSet<_> = keys.iter().collect();
        assert_eq!(distinct.len(), keys.len(), "{keys:?}");
        assert_eq!(keys[0], key(&[], "6.1.1-1", "gcc 12"));
    }

    #[test]
    fn a_makefiles_configuration_takes_the_place_of_the_twins_and_no_others() {
        let parts = of(&["lockdep", "defconfig"]).unwrap();
        let names: Vec<&str> = parts.fragments.iter().map(|part| part.name.as_str()).collect();
        assert_eq!((parts.base.as_str(), names), ("defconfig", vec!["needed", "lockdep.config"]));
    }

    #[test]
    fn a_fragment_sets_variables_of_the_makefile() {
        let variables = |names: &[&str]| of(names).unwrap().variables();
        assert_eq!(variables(&["lockdep", "kcsan"]), Vec::<String>::new());
        assert_eq!(variables(&["lockdep", "kcsan", "kcsan-modules"]), ["KCSAN_SANITIZE=n"]);
    }

    #[test]
    fn a_series_is_that_of_the_sources_line() {
        let names = ["delayed-locking".to_owned()];
        let of = |line| Parts::of(&names, Some(line));
        let (old, new) = (of("6.1").unwrap(), of("6.12").unwrap());
        assert_eq!(old.fragments, new.fragments);
        assert_ne!(old.patches, new.patches);
        assert!(of("5.10").unwrap_err().to_string().contains("6.1 and 6.12"));
        let rt = [RT.to_owned(), names[0].clone()];
        assert!(Parts::of(&rt, Some("6.12")).unwrap_err().to_string().contains("PREEMPT_RT"));
    }

    #[test]
    fn a_part_that_is_not_there_is_named_with_the_nearest() {
        let error = of(&["lockdeb"]).unwrap_err().to_string();
        assert!(error.contains("lockdeb") && error.contains("lockdep"), "{error}");
    }
}
