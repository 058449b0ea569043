// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The kernels of one's own: what each is made of.

use include_dir::{Dir, include_dir};

/// Configuration fragments, as they were when this program was built.
static FRAGMENTS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../kernel/configs");

/// The series that keeps critical sections from hurting real-time processes.
static DELAYED_LOCKING: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../kernel/delayed-locking");

/// A kernel's name and what makes it.
#[derive(Debug)]
pub struct Recipe {
    /// Its name in scenarios.
    pub name: &'static str,
    /// One line for lists.
    pub about: &'static str,
    /// Fragments that are merged into tinyconfig, in this order.
    fragments: &'static [&'static str],
    /// Series of patches, one after the other.
    series: &'static [Series],
}

/// Patches in the order of their list, the file `series`, and configuration.
type Series = &'static Dir<'static>;

/// A file that goes into a build.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    pub name: &'a str,
    pub contents: &'a [u8],
}

/// The table of kernels that are built.
pub static RECIPES: [Recipe; 8] = [
    Recipe {
        name: "plain",
        about: "unpatched, to compare patched ones with",
        fragments: &["twin.config"],
        series: &[],
    },
    Recipe {
        name: "lockdep",
        about: "plain, with lockdep and its like",
        fragments: &["twin.config", "lockdep.config"],
        series: &[],
    },
    Recipe {
        name: "tracers",
        about: "plain, with tracepoints of sections with interrupts or preemption disabled",
        fragments: &["twin.config", "tracers.config"],
        series: &[],
    },
    Recipe {
        name: "delayed-locking",
        about: "plain, with delayed locking",
        fragments: &["twin.config"],
        series: &[&DELAYED_LOCKING],
    },
    Recipe {
        name: "delayed-locking-debug",
        about: "lockdep, with delayed locking",
        fragments: &["twin.config", "lockdep.config"],
        series: &[&DELAYED_LOCKING],
    },
    Recipe {
        name: "kasan",
        about: "lockdep, with what finds wrong use of memory and lets allocations fail",
        fragments: &["twin.config", "lockdep.config", "kasan.config"],
        series: &[],
    },
    Recipe {
        name: "delayed-locking-kasan",
        about: "kasan, with delayed locking",
        fragments: &["twin.config", "lockdep.config", "kasan.config"],
        series: &[&DELAYED_LOCKING],
    },
    Recipe {
        name: "kcsan",
        about: "plain, with what finds data races",
        fragments: &["twin.config", "lockdep.config", "kcsan.config"],
        series: &[],
    },
];

/// Finds a bundled fragment by its name: `lockdep`.
pub(super) fn fragment(name: &str) -> Option<Part<'static>> {
    FRAGMENTS.get_file(format!("{name}.config")).map(part)
}

impl Recipe {
    /// Finds a recipe by its name.
    pub fn find(name: &str) -> Option<&'static Recipe> {
        RECIPES.iter().find(|recipe| recipe.name == name)
    }

    /// Returns the project's fragments, then those of the series.
    pub(super) fn fragments(&self) -> Vec<Part<'static>> {
        let own = self.fragments.iter().filter_map(|name| FRAGMENTS.get_file(name)).map(part);
        let series = self.series.iter().flat_map(|series| series.files()).map(part);
        own.chain(series.filter(|part| part.name.ends_with(".config"))).collect()
    }

    pub(super) fn patches(&self) -> Vec<Part<'static>> {
        self.series.iter().flat_map(|series| patches(series)).collect()
    }
}

fn patches(series: Series) -> Vec<Part<'static>> {
    let list = series.get_file("series").and_then(include_dir::File::contents_utf8);
    let names = list.unwrap_or_default().lines().map(str::trim);
    names.filter_map(|name| series.get_file(name)).map(part).collect()
}

fn part(file: &'static include_dir::File<'static>) -> Part<'static> {
    Part { name: file.path().to_str().unwrap_or_default(), contents: file.contents() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fragment_of_the_table_is_there() {
        for recipe in &RECIPES {
            let count = recipe.fragments.len() + recipe.series.len();
            assert_eq!(recipe.fragments().len(), count, "{}", recipe.name);
        }
    }

    #[test]
    fn every_patch_of_a_series_is_in_its_list() {
        for series in RECIPES.iter().flat_map(|recipe| recipe.series) {
            let files = series.files().map(part);
            let there = files.filter(|part| part.name.ends_with(".patch")).count();
            assert!(there > 0 && patches(series).len() == there);
        }
    }
}
