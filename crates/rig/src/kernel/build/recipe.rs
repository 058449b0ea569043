// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The kernels of one's own that have names: what each is made of.

use irqscope_scenario::DebianSource;

/// A kernel's name and what makes it.
#[derive(Debug)]
pub struct Recipe {
    /// Its name in scenarios.
    pub name: &'static str,
    /// One line for lists.
    pub about: &'static str,
    /// The parts that are added to Debian's source.
    parts: &'static [&'static str],
}

/// Debian's line that all are made of.
const VERSION: &str = "6.1";

/// The table of kernels that have names.
pub static RECIPES: [Recipe; 8] = [
    Recipe { name: "plain", about: "unpatched, to compare patched ones with", parts: &[] },
    Recipe { name: "lockdep", about: "plain, with lockdep and its like", parts: &["lockdep"] },
    Recipe {
        name: "tracers",
        about: "plain, with tracepoints of sections with interrupts or preemption disabled",
        parts: &["tracers"],
    },
    Recipe {
        name: "delayed-locking",
        about: "plain, with delayed locking",
        parts: &["delayed-locking"],
    },
    Recipe {
        name: "delayed-locking-debug",
        about: "lockdep, with delayed locking",
        parts: &["lockdep", "delayed-locking"],
    },
    Recipe {
        name: "kasan",
        about: "lockdep, with what finds wrong use of memory and lets allocations fail",
        parts: &["lockdep", "kasan"],
    },
    Recipe {
        name: "delayed-locking-kasan",
        about: "kasan, with delayed locking",
        parts: &["lockdep", "kasan", "delayed-locking"],
    },
    Recipe {
        name: "kcsan",
        about: "plain, with what finds data races",
        parts: &["lockdep", "kcsan"],
    },
];

impl Recipe {
    /// Finds a recipe by its name.
    pub fn find(name: &str) -> Option<&'static Recipe> {
        RECIPES.iter().find(|recipe| recipe.name == name)
    }

    /// Returns the source that it names: `plain` is `source:6.1`.
    pub fn source(&self) -> DebianSource {
        let parts = self.parts.iter().map(|part| (*part).to_owned()).collect();
        DebianSource { version: VERSION.to_owned(), parts }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parts::Parts;
    use super::*;

    #[test]
    fn every_part_of_the_table_is_there() {
        for recipe in &RECIPES {
            Parts::of(&recipe.source().parts, Some(VERSION)).unwrap();
        }
    }
}
