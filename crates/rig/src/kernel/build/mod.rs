// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Kernels of one's own: Debian's source, patches, a small configuration; built
//! once per content.
//!
//! `recipe` is what there is to build, `source` where it comes from, `config` its
//! configuration, `compile` the work, `keep` what remains of it. `commit` builds commits of a
//! repository, one after the other in one tree.

mod commit;
mod compile;
mod config;
mod keep;
mod recipe;
pub(crate) mod source;

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::cache;
use crate::command::output;
use crate::error::{Result, RigError, Trying};
use crate::kernel::driver::digest;
use crate::stop::Stop;

pub(crate) use commit::get as commit;
pub use commit::git;
use compile::COMPILER;
use recipe::Part;
pub use recipe::{RECIPES, Recipe};
use source::Source;

/// The programs that a build runs, with the package that has each.
const TOOLS: [(&str, &str); 7] = [
    (COMPILER, "gcc-12"),
    ("make", "make"),
    ("flex", "flex"),
    ("bison", "bison"),
    ("bc", "bc"),
    ("patch", "patch"),
    ("xz", "xz-utils"),
];

/// Returns the build's directory in the cache, built first if it is not there.
pub(crate) fn get(recipe: &Recipe, say: &dyn Fn(&str), stop: &Stop) -> Result<PathBuf> {
    let compiler = output(Command::new(COMPILER).arg("--version"), "gcc-12")?;
    let source = Source::get(say)?;
    let key = key(recipe, &source, &compiler);
    let dir = builds()?.join(format!("{}-{key}", recipe.name));
    if cache::is_whole(&dir, say)? {
        return Ok(dir);
    }
    check_tools()?;
    let _alone = cache::only_one(&dir)?;
    let build = Build { recipe, source: &source, release: format!("-{}-{key}", recipe.name) };
    cache::make_dir(&dir, |made| build.fill(made, say, stop))?;
    Ok(dir)
}

/// Finds the newest build of a recipe in the cache, whatever it was made of.
pub(crate) fn find(recipe: &Recipe) -> Result<Option<PathBuf>> {
    let entries = std::fs::read_dir(builds()?).into_iter().flatten().flatten();
    let of_recipe = |name: &str| {
        let key = name.strip_prefix(recipe.name).and_then(|rest| rest.strip_prefix('-'));
        key.is_some_and(|key| key.len() == KEY_DIGITS && !key.contains('-'))
    };
    let found = entries.filter(|entry| entry.file_name().to_str().is_some_and(of_recipe));
    let made = |dir: &PathBuf| dir.metadata().and_then(|found| found.modified()).ok();
    Ok(found.map(|entry| entry.path()).max_by_key(made))
}

fn builds() -> Result<PathBuf> {
    Ok(cache::root()?.join("builds"))
}

const KEY_DIGITS: usize = 12;

/// Returns the key of all that decides the kernel's content.
fn key(recipe: &Recipe, source: &Source, compiler: &str) -> String {
    let parts = [recipe.fragments(), recipe.patches()].concat();
    let named = parts.iter().flat_map(|part| [part.name.as_bytes(), &[0], part.contents]);
    let all = [source.version.as_bytes(), compiler.as_bytes()];
    let mut digest = digest(all.into_iter().chain(named));
    digest.truncate(KEY_DIGITS);
    digest
}

fn check_tools() -> Result<()> {
    TOOLS.iter().try_for_each(|(program, package)| {
        output(Command::new(program).arg("--version"), package).map(drop)
    })
}

/// One kernel in the making.
struct Build<'a> {
    recipe: &'a Recipe,
    source: &'a Source,
    /// The end of its release: modules of one build do not fit another.
    release: String,
}

impl Build<'_> {
    fn fill(&self, made: &Path, say: &dyn Fn(&str), stop: &Stop) -> Result<()> {
        let name = self.recipe.name;
        let tree = made.join("tree");
        say(&format!("unpacking Linux {}", self.source.version));
        self.source.unpack(&tree)?;
        stop.check()?;
        self.patch(&tree)?;
        say(&format!("configuring kernel {name}"));
        let fragments = self.recipe.fragments();
        config::configure(&tree, "tinyconfig", &fragments, &self.release, stop)?;
        compile::compile(&tree, name, say, stop)?;
        keep::keep(&tree, made, stop)?;
        std::fs::remove_dir_all(&tree).trying(|| format!("cannot remove {}", tree.display()))?;
        let origin = format!("Debian's linux-source {}, recipe {name}\n", self.source.version);
        std::fs::write(made.join("origin"), origin).trying(|| "cannot write into the cache".into())
    }

    fn patch(&self, tree: &Path) -> Result<()> {
        self.recipe.patches().iter().try_for_each(|patch| apply(patch, tree))
    }
}

/// Applies a patch without fuzz: one that almost fits is another patch.
fn apply(patch: &Part<'_>, tree: &Path) -> Result<()> {
    let file = tree.join(".irqscope.patch");
    std::fs::write(&file, patch.contents).trying(|| format!("cannot write {}", file.display()))?;
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

    #[test]
    fn what_decides_a_kernel_decides_its_key() {
        let source = |version: &str| Source { version: version.into(), archive: "x".into() };
        let of = |recipe, version, compiler| key(recipe, &source(version), compiler);
        let [plain, lockdep, ..] = &RECIPES;
        let known = of(plain, "6.1.1-1", "gcc 12");
        assert_eq!(known.len(), KEY_DIGITS);
        assert_eq!(known, of(plain, "6.1.1-1", "gcc 12"));
        for other in [
            of(lockdep, "6.1.1-1", "gcc 12"),
            of(plain, "6.1.2-1", "gcc 12"),
            of(plain, "6.1.1-1", "gcc 13"),
        ] {
            assert_ne!(known, other);
        }
    }
}
