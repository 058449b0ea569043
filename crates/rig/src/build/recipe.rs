// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The kernels of one's own: what each is made of.

use include_dir::{Dir, include_dir};

/// Configuration fragments, as they were when this program was built.
static FRAGMENTS: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../kernel/configs");

/// A kernel's name and what makes it.
#[derive(Debug)]
pub struct Recipe {
    pub name: &'static str,
    pub about: &'static str,
    /// Fragments that are merged into tinyconfig, in this order.
    fragments: &'static [&'static str],
    /// Series of patches, one after the other.
    series: &'static [Series],
}

/// Patches, applied in the order of their names.
type Series = &'static Dir<'static>;

/// A file that goes into a build.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    pub name: &'a str,
    pub contents: &'a [u8],
}

/// The table of kernels that are built.
pub static RECIPES: [Recipe; 2] = [
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
];

impl Recipe {
    pub fn find(name: &str) -> Option<&'static Recipe> {
        RECIPES.iter().find(|recipe| recipe.name == name)
    }

    pub(super) fn fragments(&self) -> Vec<Part<'static>> {
        self.fragments.iter().filter_map(|name| FRAGMENTS.get_file(name)).map(part).collect()
    }

    pub(super) fn patches(&self) -> Vec<Part<'static>> {
        self.series.iter().flat_map(|series| patches(series)).collect()
    }
}

fn patches(series: Series) -> Vec<Part<'static>> {
    let is_patch = |part: &Part<'_>| part.name.ends_with(".patch");
    let mut patches: Vec<Part<'_>> = series.files().map(part).filter(is_patch).collect();
    patches.sort_by_key(|patch| patch.name);
    patches
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
            assert_eq!(recipe.fragments().len(), recipe.fragments.len(), "{}", recipe.name);
        }
    }

    #[test]
    fn every_series_has_patches() {
        for recipe in &RECIPES {
            for series in recipe.series {
                assert!(!patches(series).is_empty(), "{}", recipe.name);
            }
        }
    }
}
