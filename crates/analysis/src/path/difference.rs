// SPDX-License-Identifier: Apache-2.0 OR MIT
//! Two paths, function by function.

use std::collections::BTreeMap;

use serde::Serialize;

use super::CallTree;

/// Suffixes that compilers append to a function's name when they change how it is called: two
/// builds have the same function under different names.
const CLONES: [&str; 2] = [".constprop.", ".isra."];

/// The instructions of one function in two paths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FunctionDifference {
    /// As the source has it.
    pub function: String,
    /// Instructions of its own.
    pub before: u64,
    /// Instructions of the second path.
    pub after: u64,
}

impl FunctionDifference {
    /// Returns how many the second path has more.
    pub fn more(&self) -> i64 {
        self.after.cast_signed().wrapping_sub(self.before.cast_signed())
    }
}

/// Largest difference first; functions that are the same in both are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// Instructions of the first path.
    pub before: u64,
    /// Instructions of the second path.
    pub after: u64,
    /// By function.
    pub functions: Vec<FunctionDifference>,
}

impl Difference {
    /// Compares two paths.
    pub fn new(before: &CallTree, after: &CallTree) -> Self {
        let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
        for one in before.functions() {
            counts.entry(source_name(&one.function)).or_default().0 += one.own;
        }
        for one in after.functions() {
            counts.entry(source_name(&one.function)).or_default().1 += one.own;
        }
        let mut functions: Vec<FunctionDifference> = counts
            .into_iter()
            .filter(|(_, (before, after))| before != after)
            .map(|(function, (before, after))| FunctionDifference { function, before, after })
            .collect();
        functions.sort_by_key(|one| std::cmp::Reverse(one.more().unsigned_abs()));
        Self { before: before.instructions(), after: after.instructions(), functions }
    }

    /// Instructions that `after` has more than `before`.
    pub fn more(&self) -> i64 {
        self.after.cast_signed().wrapping_sub(self.before.cast_signed())
    }
}

/// Returns `f [module]` for `f.constprop.0 [module]`.
fn source_name(name: &str) -> String {
    let (function, module) = name.split_once(' ').map_or((name, None), |(f, m)| (f, Some(m)));
    let clone = CLONES.iter().filter_map(|mark| function.find(mark)).min();
    let function = &function[..clone.unwrap_or(function.len())];
    module.map_or_else(|| function.to_owned(), |module| format!("{function} {module}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use irqscope_wire::Symbol;

    #[test]
    fn a_function_has_one_name_in_two_builds() {
        assert_eq!(source_name("handle_softirqs.constprop.0"), "handle_softirqs");
        assert_eq!(source_name("f.isra.0.constprop.1 [irqscope]"), "f [irqscope]");
        assert_eq!(source_name("f.cold"), "f.cold");
    }

    #[test]
    fn what_differs_is_listed_by_size_and_adds_up() {
        let base = 0xffff_ffff_8100_0000;
        let symbols: Vec<Symbol> = (0..3u64)
            .map(|n| Symbol { address: base + n * 0x100, name: format!("f{n}") })
            .collect();
        let tree = |counts: [u64; 3]| {
            let steps = (0..3u64).zip(counts).filter(|(_, count)| *count > 0);
            CallTree::new(steps.map(|(n, count)| (base + n * 0x100, count)), &symbols)
        };
        let difference = Difference::new(&tree([5, 9, 0]), &tree([5, 2, 30]));
        let names: Vec<_> =
            difference.functions.iter().map(|one| (&*one.function, one.more())).collect();
        assert_eq!(names, [("f2", 30), ("f1", -7)]);
        assert_eq!((difference.more(), difference.before, difference.after), (23, 14, 37));
    }
}
