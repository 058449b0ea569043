// SPDX-License-Identifier: Apache-2.0 OR MIT
//! The calls of one path that are not in another, for a flame graph of the difference.

use std::collections::HashMap;

use super::calls::{CallTree, Node};

impl CallTree {
    /// Returns the places of `after` with the instructions that they have more than the same places
    /// of `before`; places without any, below and at themselves, are left out.
    pub fn grown(before: &Self, after: &Self) -> Self {
        let known: HashMap<String, u64> = before
            .places()
            .zip(before.nodes.iter().map(|node| node.own))
            .fold(HashMap::new(), |mut all, (place, own)| {
                *all.entry(place).or_default() += own;
                all
            });
        let more: Vec<u64> = after
            .places()
            .zip(&after.nodes)
            .map(|(place, node)| node.own.saturating_sub(known.get(&place).copied().unwrap_or(0)))
            .collect();
        // Parents come before their children.
        let mut totals = more.clone();
        for (index, node) in after.nodes.iter().enumerate().rev() {
            if let Some(parent) = node.parent {
                totals[parent] += totals[index];
            }
        }
        let mut tree = Self::default();
        let mut moved: Vec<Option<usize>> = vec![None; after.nodes.len()];
        for (index, node) in after.nodes.iter().enumerate().filter(|(index, _)| totals[*index] > 0)
        {
            let parent = node.parent.and_then(|parent| moved[parent]);
            let at = tree.nodes.len();
            tree.nodes.push(Node {
                name: node.name.clone(),
                parent,
                own: more[index],
                total: totals[index],
                children: Vec::new(),
            });
            match parent {
                Some(parent) => tree.nodes[parent].children.push(at),
                None => tree.roots.push(at),
            }
            moved[index] = Some(at);
        }
        tree
    }

    /// Returns the names from the root to each place.
    fn places(&self) -> impl Iterator<Item = String> + '_ {
        (0..self.nodes.len()).map(|index| {
            let above = std::iter::successors(Some(index), |at| self.nodes[*at].parent);
            let mut names: Vec<&str> = above.map(|at| self.nodes[at].name.as_str()).collect();
            names.reverse();
            names.join(";")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(nodes: &[(&str, Option<usize>, u64)]) -> CallTree {
        let mut tree = CallTree::default();
        for (index, (name, parent, own)) in nodes.iter().enumerate() {
            let node = Node {
                name: (*name).into(),
                parent: *parent,
                own: *own,
                total: 0,
                children: vec![],
            };
            tree.nodes.push(node);
            match parent {
                Some(parent) => tree.nodes[*parent].children.push(index),
                None => tree.roots.push(index),
            }
        }
        tree
    }

    #[test]
    fn what_one_path_executes_more_keeps_its_place() {
        let before = tree(&[("irq", None, 10), ("softirq", Some(0), 5), ("timer", Some(0), 7)]);
        let after = tree(&[
            ("irq", None, 10),
            ("timer", Some(0), 3),
            ("softirq", Some(0), 9),
            ("new", Some(2), 2),
        ]);
        let grown = CallTree::grown(&before, &after);
        assert_eq!(grown.folded(), "irq;softirq 4\nirq;softirq;new 2\n");
        assert_eq!(grown.instructions(), 6);
        assert_eq!(CallTree::grown(&after, &after).nodes, []);
    }
}
