// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Kernels of one's own: a source, patches, a configuration; built once per content.
//!
//! `parts` is what is changed in a source, `series` has patches that come with this program,
//! `recipe` names some of both; `source` gets Debian's sources, and `package` builds them; `commit`
//! builds commits of a repository, one after the other in one tree. `config` makes the
//! configuration, `compile` does the work, `keep` keeps what remains of it.

mod commit;
mod compile;
mod config;
mod keep;
mod package;
mod parts;
mod recipe;
mod series;
mod source;

use std::path::PathBuf;
use std::process::Command;

use crate::cache;
use crate::command::output;
use crate::error::Result;

pub(crate) use commit::get as commit;
pub use commit::git;
use compile::COMPILER;
pub(crate) use package::{check, fetched, get as package};
pub use recipe::{RECIPES, Recipe};

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

fn builds() -> Result<PathBuf> {
    Ok(cache::root()?.join("builds"))
}

/// Returns the compiler's name and version, which are part of a build's key.
fn compiler() -> Result<String> {
    output(Command::new(COMPILER).arg("--version"), "gcc-12")
}

fn check_tools() -> Result<()> {
    TOOLS.iter().try_for_each(|(program, package)| {
        output(Command::new(program).arg("--version"), package).map(drop)
    })
}

/// Lists the builds of Debian's sources that are in the cache: the newest of each name, with its
/// directory.
pub(crate) fn list() -> Result<Vec<(String, PathBuf)>> {
    let entries = std::fs::read_dir(builds()?).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let made = entry.metadata().ok().filter(std::fs::Metadata::is_dir)?.modified().ok()?;
            let label = package::label_of(&name)?;
            let known = Recipe::find(label).is_some();
            let name = if known { label.to_owned() } else { format!("source:{label}") };
            Some((name, made, entry.path()))
        })
        .collect();
    found.sort_by(|a, b| (&a.0, b.1).cmp(&(&b.0, a.1)));
    found.dedup_by(|later, first| later.0 == first.0);
    Ok(found.into_iter().map(|(name, _, path)| (name, path)).collect())
}
