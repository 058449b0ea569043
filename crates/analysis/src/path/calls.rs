// SPDX-License-Identifier: Apache-2.0 OR MIT
//! A call tree from addresses alone.
//!
//! A trace has no calls and returns, only where each run of instructions begins.
//! The tree is a heuristic on that:
//!
//! - a run at a function's first instruction is a call of it from where the CPU
//!   was; a tail call looks the same, and shows as a call;
//! - a run in the middle of a function that is on the stack is a return to it, or
//!   a step within it;
//! - anything else begins a new root: a return to a caller that was called before
//!   the trigger, or from an interrupt, and what comes after a context switch;
//! - the entries of interrupts are calls from what they interrupt;
//! - the thunks of indirect calls and returns are leaves: their target counts as called by their
//!   own caller.
//!
//! So **own** instructions of a function are exact, but for code that falls through from one symbol
//! into the next without a jump (hand-written entry code), which counts for the first. **Total**s,
//! with all that was called, are as good as the heuristic: recursion counts once, and a loop to a
//! function's very first instruction is no call.

use std::collections::BTreeMap;

use irqscope_wire::Symbol;
use serde::Serialize;

use super::interval::is_user;

const USER: &str = "[user]";
const UNKNOWN: &str = "[unknown]";
/// Two stubs of a few bytes for each vector, without symbols of their own.
const STUBS: [&str; 2] = ["irq_entries_start", "spurious_entries_start"];
const THUNKS: [&str; 7] = [
    "__x86_indirect_",
    "__x86_return_thunk",
    "srso_",
    "retbleed_",
    "entry_untrain_ret",
    "zen_untrain_ret",
    "__fentry__",
];
/// It leaves on another task's stack.
const SWITCH: &str = "__switch_to";

/// One function in one place of the tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// Its caller's place.
    pub parent: Option<usize>,
    /// Instructions of its own.
    pub own: u64,
    /// With all that it called.
    pub total: u64,
    /// In the order in which they were called first.
    pub children: Vec<usize>,
}

/// Parents come before their children.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallTree {
    /// All places.
    pub nodes: Vec<Node>,
    /// The places without a caller.
    pub roots: Vec<usize>,
}

/// The instructions of one function in all its places.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FunctionCount {
    /// The function.
    pub function: String,
    /// Instructions of its own.
    pub own: u64,
    /// Its own instructions and those of all that it called.
    pub total: u64,
}

impl CallTree {
    /// Makes the tree from the beginnings of runs and their instructions.
    pub fn new(steps: impl IntoIterator<Item = (u64, u64)>, symbols: &[Symbol]) -> Self {
        let mut walk = Walk { tree: Self::default(), symbols, at: None, switched: false };
        for (address, instructions) in steps {
            walk.step(address, instructions);
        }
        walk.tree.add_up();
        walk.tree
    }

    /// Returns the functions that had called each other at the end of the steps, the innermost first.
    pub fn stack(steps: impl IntoIterator<Item = (u64, u64)>, symbols: &[Symbol]) -> Vec<String> {
        let mut walk = Walk { tree: Self::default(), symbols, at: None, switched: false };
        steps.into_iter().for_each(|(address, instructions)| walk.step(address, instructions));
        let Some(at) = walk.at else { return Vec::new() };
        let places = std::iter::once(at).chain(walk.tree.ancestors(at));
        places.map(|place| walk.tree.nodes[place].name.clone()).collect()
    }

    /// Returns all instructions.
    pub fn instructions(&self) -> u64 {
        self.roots.iter().map(|root| self.nodes[*root].total).sum()
    }

    /// Returns every function, most instructions of its own first.
    pub fn functions(&self) -> Vec<FunctionCount> {
        let mut counts: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
        for (index, node) in self.nodes.iter().enumerate() {
            let (own, total) = counts.entry(&node.name).or_default();
            *own += node.own;
            if !self.ancestors(index).any(|above| self.nodes[above].name == node.name) {
                *total += node.total;
            }
        }
        let mut all: Vec<FunctionCount> = counts
            .into_iter()
            .map(|(name, (own, total))| FunctionCount { function: name.to_owned(), own, total })
            .collect();
        all.sort_by(|a, b| (b.own, &a.function).cmp(&(a.own, &b.function)));
        all
    }

    /// Formats `root;caller;function 12`, a line for each place that has instructions of its own:
    /// what flame graph tools take.
    pub fn folded(&self) -> String {
        let mut lines = String::new();
        for (index, node) in self.nodes.iter().enumerate().filter(|(_, node)| node.own > 0) {
            let mut names: Vec<&str> =
                self.ancestors(index).map(|above| &*self.nodes[above].name).collect();
            names.reverse();
            names.push(&node.name);
            lines.push_str(&format!("{} {}\n", names.join(";"), node.own));
        }
        lines
    }

    fn ancestors(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(self.nodes[index].parent, |above| self.nodes[*above].parent)
    }

    fn add_up(&mut self) {
        for index in (0..self.nodes.len()).rev() {
            self.nodes[index].total += self.nodes[index].own;
            if let Some(parent) = self.nodes[index].parent {
                self.nodes[parent].total += self.nodes[index].total;
            }
        }
    }

    /// Returns the place of `name` below `parent`.
    fn child(&mut self, parent: Option<usize>, name: &str) -> usize {
        let siblings = parent.map_or(&self.roots, |parent| &self.nodes[parent].children);
        if let Some(known) = siblings.iter().find(|place| self.nodes[**place].name == name) {
            return *known;
        }
        let place = self.nodes.len();
        let name = name.to_owned();
        self.nodes.push(Node { name, parent, own: 0, total: 0, children: Vec::new() });
        match parent {
            Some(parent) => self.nodes[parent].children.push(place),
            None => self.roots.push(place),
        }
        place
    }
}

struct Walk<'a> {
    tree: CallTree,
    symbols: &'a [Symbol],
    /// The function that is being executed.
    at: Option<usize>,
    switched: bool,
}

impl Walk<'_> {
    fn step(&mut self, address: u64, instructions: u64) {
        let (name, offset) = self.resolve(address);
        let name = name.to_owned();
        let place = if THUNKS.iter().any(|thunk| name.starts_with(thunk)) {
            self.tree.child(self.at, &name)
        } else {
            let place = self.place(&name, offset == 0 || STUBS.contains(&&*name));
            self.switched = name == SWITCH;
            self.at = Some(place);
            place
        };
        self.tree.nodes[place].own += instructions;
    }

    fn place(&mut self, name: &str, begins: bool) -> usize {
        let here = self.at.filter(|at| self.tree.nodes[*at].name == name);
        if let Some(here) = here {
            return here;
        }
        if begins {
            return self.tree.child(self.at, name);
        }
        let tree = &self.tree;
        let caller =
            self.at.and_then(|at| tree.ancestors(at).find(|place| tree.nodes[*place].name == name));
        match caller.filter(|_| !self.switched) {
            Some(caller) => caller,
            None => self.tree.child(None, name),
        }
    }

    fn resolve(&self, address: u64) -> (&str, u64) {
        match Symbol::at(self.symbols, address) {
            _ if is_user(address) => (USER, 1),
            Some((symbol, offset)) => (&symbol.name, offset),
            None => (UNKNOWN, 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 8] = [
        "worker",
        "handler",
        "callee",
        "__x86_indirect_thunk_rax",
        "irq_entries_start",
        "__schedule",
        "__switch_to",
        "next_task",
    ];
    const BASE: u64 = 0xffff_ffff_8100_0000;

    fn symbols() -> Vec<Symbol> {
        let symbol = |(index, name): (u64, &&str)| Symbol {
            address: BASE + index * 0x100,
            name: (*name).into(),
        };
        (0..).zip(&NAMES).map(symbol).collect()
    }

    /// Folds runs; `("worker", 0)`: a run at its first instruction; each has one instruction.
    fn folded(steps: &[(&str, u64)]) -> String {
        let place = |(name, offset): &(&str, u64)| {
            let index = NAMES.iter().position(|known| known == name).map(|index| index as u64);
            (index.map_or(0x40_0000, |index| BASE + index * 0x100 + offset), 1)
        };
        CallTree::new(steps.iter().map(place), &symbols()).folded()
    }

    #[test]
    fn a_call_descends_and_a_return_ascends() {
        let steps = [("worker", 8), ("handler", 0), ("callee", 0), ("handler", 9), ("worker", 12)];
        assert_eq!(folded(&steps), "worker 2\nworker;handler 2\nworker;handler;callee 1\n");
    }

    #[test]
    fn a_return_to_an_unknown_caller_begins_a_root() {
        assert_eq!(folded(&[("callee", 0), ("worker", 8)]), "callee 1\nworker 1\n");
    }

    #[test]
    fn an_interrupt_is_called_by_what_it_interrupts() {
        let steps = [("user", 0), ("irq_entries_start", 56), ("handler", 0), ("user", 0)];
        let expected = "[user] 2\n[user];irq_entries_start 1\n[user];irq_entries_start;handler 1\n";
        assert_eq!(folded(&steps), expected);
    }

    #[test]
    fn a_thunk_is_a_leaf_of_its_caller() {
        let steps = [("worker", 8), ("__x86_indirect_thunk_rax", 0), ("callee", 0), ("worker", 9)];
        let expected = "worker 2\nworker;__x86_indirect_thunk_rax 1\nworker;callee 1\n";
        assert_eq!(folded(&steps), expected);
    }

    #[test]
    fn after_a_context_switch_nothing_returns_to_the_old_stack() {
        let steps = [
            ("worker", 8),
            ("__schedule", 0),
            ("__switch_to", 0),
            ("__schedule", 64),
            ("next_task", 5),
        ];
        let folded = folded(&steps);
        assert!(folded.ends_with("__schedule 1\nnext_task 1\n"), "{folded}");
        assert!(folded.contains("worker;__schedule 1\nworker;__schedule;__switch_to 1\n"));
    }

    #[test]
    fn recursion_counts_once_and_own_instructions_always_add_up() {
        let steps = [("worker", 0), ("callee", 0), ("worker", 0), ("callee", 0)];
        let place = |(name, offset): &(&str, u64)| {
            (
                BASE + NAMES.iter().position(|known| known == name).unwrap() as u64 * 0x100
                    + offset,
                3,
            )
        };
        let tree = CallTree::new(steps.iter().map(place), &symbols());
        let functions = tree.functions();
        assert_eq!(tree.instructions(), 12);
        assert_eq!(functions.iter().map(|one| one.own).sum::<u64>(), 12);
        assert!(functions.iter().any(|one| one.function == "worker" && one.total == 12));
    }
}
