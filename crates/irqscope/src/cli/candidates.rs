// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Values that a shell completes: scenarios, kernels and runs that there are.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use irqscope_scenario::bundled;

/// Where runs lie unless another directory is named, seen from the current one.
pub const RUNS: &str = "runs";

/// Completes a bundled scenario's name, or a path that ends in .toml.
pub fn scenarios() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let is_scenario = |path: &Path| path.extension().is_some_and(|ext| ext == "toml");
        let files = PathCompleter::file().filter(is_scenario).complete(current);
        let names = bundled().iter().map(|scenario| scenario.name);
        begun(names, current).chain(files).collect()
    })
}

/// Completes the name of a kernel that is in the cache, or that can be fetched or built, or a path.
pub fn kernels() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let cached = irqscope_rig::kernels().unwrap_or_default();
        let mut names: BTreeSet<&str> = irqscope_rig::TESTED.into_iter().collect();
        names.extend(cached.iter().map(|kernel| kernel.name.as_str()));
        names.extend(irqscope_rig::RECIPES.iter().map(|recipe| recipe.name));
        or_path(begun(names, current).collect(), current)
    })
}

/// Completes a run below [`RUNS`], or a directory's path.
pub fn runs() -> ArgValueCompleter {
    ArgValueCompleter::new(|current: &OsStr| {
        let entries = std::fs::read_dir(RUNS).into_iter().flatten().flatten();
        let is_run = |entry: &std::fs::DirEntry| entry.path().join("manifest.json").is_file();
        let mut names: Vec<String> =
            entries.filter(is_run).map(|entry| entry.path().display().to_string()).collect();
        names.sort();
        or_path(begun(names.iter().map(String::as_str), current).collect(), current)
    })
}

/// Returns the names that begin with what has been typed.
fn begun<'a>(
    names: impl IntoIterator<Item = &'a str>,
    current: &OsStr,
) -> impl Iterator<Item = CompletionCandidate> {
    let typed = current.to_string_lossy().into_owned();
    names.into_iter().filter(move |name| name.starts_with(&typed)).map(CompletionCandidate::new)
}

fn or_path(found: Vec<CompletionCandidate>, current: &OsStr) -> Vec<CompletionCandidate> {
    if found.is_empty() { PathCompleter::dir().complete(current) } else { found }
}
